//! Marks of one section that apply in another: the paths of a resource by its address, and
//! constants in the configuration.

use std::collections::{BTreeMap, BTreeSet};

use super::marks::{Path, Places, Side};
use super::tree::{Kind, Node, Step};

/// The module, the type and the name of a resource.
type Resource = (String, String, String);

/// The marks of a document that apply in other sections: paths by address, and attributes of
/// resources.
#[derive(Default)]
pub struct Elsewhere {
    addresses: BTreeMap<String, BTreeSet<Path>>,
    attributes: BTreeMap<Resource, BTreeSet<Vec<String>>>,
}

/// The places that the overlays of a change mark.
pub fn of_change(change: &Node) -> Places {
    let [before, after] = [change.get("before"), change.get("after")];
    let marks = [change.get("before_sensitive"), change.get("after_sensitive")];
    let mut places = Places::default();
    places.add(marks[0], before, Side::Own);
    places.add(marks[0], after, Side::Other);
    places.add(marks[1], after, Side::Own);
    places.add(marks[1], before, Side::Other);
    if let [Some(one), Some(two)] = marks {
        places.add_mismatches([one, two], [before, after], &Path::new());
    }
    places
}

fn text<'n>(node: &'n Node, key: &str) -> Option<&'n str> {
    match &node.get(key)?.kind {
        Kind::Text(text) => Some(text),
        _ => None,
    }
}

/// Splits an address at dots, without instance keys.
fn words(address: &str) -> Vec<String> {
    let (mut words, mut depth, mut quoted, mut escaped) = (vec![String::new()], 0, false, false);
    for character in address.chars() {
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' if depth > 0 => quoted = !quoted,
            '[' if !quoted => depth += 1,
            ']' if !quoted => depth -= 1,
            '.' if depth == 0 => words.push(String::new()),
            other if depth == 0 => words.last_mut().expect("a word").push(other),
            _ => {}
        }
    }
    words
}

fn resource_of(element: &Node) -> Option<Resource> {
    let mut words = words(text(element, "address")?);
    let mut modules = Vec::new();
    while words.first().is_some_and(|word| word == "module") && words.len() > 1 {
        modules.push(words[1].clone());
        words.drain(..2);
    }
    words.retain(|word| !matches!(&**word, "data" | "ephemeral" | "action"));
    let named = |key: &str, place: usize| {
        text(element, key).map(str::to_owned).or_else(|| words.get(place).cloned())
    };
    Some((modules.join("."), named("type", 0)?, named("name", 1)?))
}

/// The module, the type and the name of an action. The type has a prefix, because a resource may
/// have the same type and name.
fn action_of(element: &Node) -> Option<Resource> {
    let (module, type_name, name) = resource_of(element)?;
    Some((module, format!("action {type_name}"), name))
}

impl Elsewhere {
    pub fn of(document: &Node) -> Elsewhere {
        let mut found = Elsewhere::default();
        let elements = |key: &str| document.get(key).map_or(&[][..], Node::elements);
        let changes = elements("resource_changes").iter().chain(elements("resource_drift"));
        let deferred = elements("deferred_changes").iter();
        let deferred = deferred.filter_map(|element| element.get("resource_change"));
        for element in changes.chain(deferred) {
            let Some(change) = element.get("change") else { continue };
            let paths = of_change(change).outermost();
            for address in ["address", "previous_address"].map(|key| text(element, key)) {
                let Some(address) = address.filter(|_| !paths.is_empty()) else { continue };
                found.addresses.entry(address.to_owned()).or_default().extend(paths.clone());
            }
            found.add(element, paths);
        }
        let invocations = elements("action_invocations").iter();
        let deferred = elements("deferred_action_invocations").iter();
        let deferred = deferred.filter_map(|element| element.get("action_invocation"));
        for element in invocations.chain(deferred) {
            let mut places = Places::default();
            let values = element.get("config_values");
            places.add(element.get("config_sensitive"), values, Side::Own);
            found.insert(action_of(element), places.outermost());
        }
        let prior = document.get("prior_state").and_then(|state| state.get("values"));
        let values = [document.get("planned_values"), prior, document.get("values")];
        for values in values.into_iter().flatten() {
            values.get("root_module").into_iter().for_each(|module| found.module(module));
        }
        found
    }

    fn module(&mut self, module: &Node) {
        for resource in module.get("resources").map_or(&[][..], Node::elements) {
            let mut places = Places::default();
            places.add(resource.get("sensitive_values"), resource.get("values"), Side::Own);
            self.add(resource, places.outermost());
        }
        for child in module.get("child_modules").map_or(&[][..], Node::elements) {
            self.module(child);
        }
    }

    fn add(&mut self, element: &Node, paths: Vec<Path>) {
        self.insert(resource_of(element), paths);
    }

    fn insert(&mut self, resource: Option<Resource>, paths: Vec<Path>) {
        let Some(resource) = resource.filter(|_| !paths.is_empty()) else { return };
        let keys = |path: Path| {
            let keys = path.into_iter().filter_map(|step| match step {
                Step::Key(key) => Some(key),
                Step::Index(_) => None,
            });
            keys.collect()
        };
        self.attributes.entry(resource).or_default().extend(paths.into_iter().map(keys));
    }

    /// The places that other sections mark in a resource. Also returns whether a place is above the
    /// marked path, because the two sides have different kinds there.
    pub fn places(&self, element: &Node, sides: [Option<&Node>; 2]) -> (Vec<Path>, bool) {
        let paths = text(element, "address").and_then(|address| self.addresses.get(address));
        let (mut places, mut is_misfit) = (Vec::new(), false);
        for path in paths.into_iter().flatten() {
            let is_there = sides.iter().flatten().any(|side| side.at(path).is_some());
            let differ = (0..path.len()).find(|&len| {
                let at = |side: Option<&Node>| {
                    let node = side.and_then(|side| side.at(&path[..len]));
                    node.filter(|node| !node.is_null())
                        .map(|node| std::mem::discriminant(&node.kind))
                };
                matches!((at(sides[0]), at(sides[1])), (Some(one), Some(two)) if one != two)
            });
            // If the sides differ in kind above the path, the mark applies only if a side has a
            // value at the path.
            if differ.is_some() && !is_there {
                continue;
            }
            is_misfit |= differ.is_some();
            places.push(path[..differ.unwrap_or(path.len())].to_vec());
        }
        (places, is_misfit)
    }

    /// The marked constants of the configuration. None is inside another.
    pub fn constants<'n>(&self, configuration: &'n Node) -> Vec<&'n Node> {
        let mut found = Vec::new();
        if let Some(root) = configuration.get("root_module") {
            self.of_module("", root, &mut found);
        }
        found
    }

    fn of_module<'n>(&self, path: &str, module: &'n Node, found: &mut Vec<&'n Node>) {
        let is_sensitive = |node: &Node| node.get("sensitive").is_some_and(Node::is_true);
        let of = |key: &str| module.get(key).map_or(&[][..], Node::elements).iter();
        let resources = of("resources").map(|it| (it, resource_of(it)));
        for (resource, named) in resources.chain(of("actions").map(|it| (it, action_of(it)))) {
            let named = named.map(|(_, of, name)| (path.to_owned(), of, name));
            let marked = named.and_then(|named| self.attributes.get(&named));
            let nothing = BTreeSet::new();
            let Some(expressions) = resource.get("expressions") else { continue };
            let walk = Expressions { marked: marked.unwrap_or(&nothing) };
            walk.walk(expressions, &mut Vec::new(), false, found);
        }
        for output in module.get("outputs").map_or(&[][..], Node::members) {
            if is_sensitive(&output.value) {
                all_constants(&output.value, found);
            }
        }
        for call in module.get("module_calls").map_or(&[][..], Node::members) {
            let Some(called) = call.value.get("module") else { continue };
            for argument in call.value.get("expressions").map_or(&[][..], Node::members) {
                let variable = called.get("variables").and_then(|it| it.get(&argument.key));
                if variable.is_some_and(is_sensitive) {
                    all_constants(&argument.value, found);
                }
            }
            let dot = if path.is_empty() { "" } else { "." };
            self.of_module(&format!("{path}{dot}{}", call.key), called, found);
        }
    }
}

/// Every constant in a part of the configuration.
fn all_constants<'n>(node: &'n Node, found: &mut Vec<&'n Node>) {
    for member in node.members() {
        match &*member.key {
            "constant_value" => found.extend((!member.value.is_null()).then_some(&member.value)),
            _ => all_constants(&member.value, found),
        }
    }
    node.elements().iter().for_each(|element| all_constants(element, found));
}

struct Expressions<'m> {
    marked: &'m BTreeSet<Vec<String>>,
}

impl Expressions<'_> {
    fn walk<'n>(
        &self,
        node: &'n Node,
        at: &mut Vec<String>,
        is_constant: bool,
        found: &mut Vec<&'n Node>,
    ) {
        let is_write_only = at.last().is_some_and(|key| key.ends_with("_wo"));
        if is_write_only || self.marked.contains(at) {
            match is_constant {
                true => found.extend((!node.is_null()).then_some(node)),
                false => all_constants(node, found),
            }
            return;
        }
        for member in node.members() {
            if member.key == "constant_value" && !is_constant {
                self.walk(&member.value, at, true, found);
            } else {
                at.push(member.key.clone());
                self.walk(&member.value, at, is_constant, found);
                at.pop();
            }
        }
        for element in node.elements() {
            self.walk(element, at, is_constant, found);
        }
    }
}
