//! The elements of a configuration and the references between them, in memory.
//!
//! Each element is a node. Each called module `module.m` has a second node `module.m.*` for
//! everything in the module, because an expression may refer to a module as a whole. The members of
//! a module depend on its call, because of the call's `count`, `for_each` and `depends_on`. Each
//! arrow leads from a node to the nodes that it depends on:
//!
//! ```text
//! module.m.var.v  ─▶ the references in the argument `v` of the call
//! module.m.t.n    ─▶ module.m.var.v, provider.aws, and the call module.m
//! t.user          ─▶ module.m.output.o ─▶ module.m.t.n
//! t.other         ─▶ module.m.* ─▶ every member of module.m
//! ```

use std::collections::{HashSet, VecDeque};

use super::element::{DEPENDS_ON, Dependent, Element, ElementKind};
use super::names::{NAME_OVERHEAD, Names};
use super::reference::{Target, traversals};
use super::users::{PROVIDER, element_address};
use plansift_core::budget::Budget;
use plansift_core::error::Result;
use plansift_core::limits::{Limit, Limits};
use plansift_core::path::ConfigAddress;

/// The elements of a configuration and the references between them.
#[derive(Debug)]
pub struct Graph {
    names: Names,
    /// The kind of each node; `None` for nodes that are only referred to, such as local values
    /// without source files.
    kinds: Vec<Option<ElementKind>>,
    references: Vec<Edge>,
    /// The edges from members to their module call, and from `module.m.*` to members.
    members: Vec<Edge>,
    budget: Budget,
}

/// An edge: the number of a node, and the number of a node that it depends on.
pub type Edge = (u32, u32);

/// A node that depends on another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached {
    /// The number of the node.
    pub node: u32,
    /// The number of edges on the shortest path to it.
    pub distance: u32,
    /// The node before it on that path.
    pub through: u32,
}

/// A node of the graph.
#[derive(Clone, Copy, Debug)]
pub struct Node<'g> {
    /// Identifies the node in an [`Edge`].
    pub number: u32,
    /// The address, without instance keys.
    pub address: &'g str,
    /// The kind of the element; `None` for a node that is only referred to, such as a local value
    /// without source files.
    pub kind: Option<ElementKind>,
}

/// The suffix of the node for everything in a module.
const WHOLE: &str = ".*";

impl Graph {
    /// Returns an empty graph.
    pub fn new(limits: &Limits) -> Graph {
        Graph {
            names: Names::default(),
            kinds: Vec::new(),
            references: Vec::new(),
            members: Vec::new(),
            budget: Budget::new(Limit::Configuration, limits.configuration),
        }
    }

    /// Adds an element, found at an offset of the document.
    ///
    /// # Errors
    ///
    /// Fails if the graph exceeds its limit.
    pub fn add(&mut self, element: &Element, offset: u64) -> Result<()> {
        let node = self.node(&element.address, offset)?;
        if let Some(kind) = self.kinds.get_mut(node as usize) {
            match element.kind {
                // An invalid `import` block may have the address of another element.
                ElementKind::Import => *kind = kind.or(Some(ElementKind::Resource)),
                own => *kind = Some(own),
            }
        }
        for (path, references) in element.references() {
            let user = match element.kind {
                ElementKind::ModuleCall if !is_meta_argument(path) => {
                    let end = path.find(['.', '[']).unwrap_or(path.len());
                    self.node(&format!("{}.var.{}", element.address, &path[..end]), offset)?
                }
                _ => node,
            };
            for reference in traversals(references) {
                let Some(target) = Target::of(reference) else { continue };
                let mut address = target.address(element.module());
                if let Target::Call(_) = target {
                    address.push_str(WHOLE);
                }
                let target = self.node(&address, offset)?;
                self.budget.take(size_of::<Edge>(), offset)?;
                self.references.push((user, target));
            }
        }
        if let Some(key) = element.used_provider() {
            let provider = self.node(&format!("{PROVIDER}{key}"), offset)?;
            self.budget.take(size_of::<Edge>(), offset)?;
            self.references.push((node, provider));
        }
        self.add_member(element, node, offset)
    }

    /// Adds the edges between an element and the module that declares it.
    fn add_member(&mut self, element: &Element, node: u32, offset: u64) -> Result<()> {
        let whole = match element.kind {
            ElementKind::ModuleCall => {
                let whole = self.node(&format!("{}{WHOLE}", element.address), offset)?;
                self.members.push((whole, node));
                Some(whole)
            }
            // The resource of an `import` block may be in another module than the block.
            ElementKind::Import => return Ok(()),
            ElementKind::Provider => None,
            ElementKind::Resource
            | ElementKind::Output
            | ElementKind::Action
            | ElementKind::Variable
            | ElementKind::Local
            | ElementKind::Check => Some(node),
        };
        self.budget.take(3 * size_of::<Edge>(), offset)?;
        if element.module().is_empty() {
            return Ok(());
        }
        let call = self.node(element.module(), offset)?;
        self.members.push((node, call));
        if let Some(whole) = whole {
            let module = self.node(&format!("{}{WHOLE}", element.module()), offset)?;
            self.members.push((module, whole));
        }
        Ok(())
    }

    fn node(&mut self, address: &str, offset: u64) -> Result<u32> {
        let (number, is_new) = self.names.insert(address);
        if is_new {
            self.budget.take(NAME_OVERHEAD + address.len(), offset)?;
            self.kinds.push(None);
        }
        Ok(number)
    }

    /// Returns the elements, and the nodes that elements refer to, without the nodes `module.m.*`.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        let nodes = (0_u32..).zip(&self.kinds);
        let nodes =
            nodes.map(|(number, &kind)| Node { number, address: self.names.text(number), kind });
        nodes.filter(|node| !node.address.ends_with(WHOLE))
    }

    /// Returns the numbers of all nodes.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> + use<> {
        0..self.kinds.len() as u32
    }

    /// Returns the references between elements, each once. A reference to a whole module leads to
    /// its call.
    pub fn references(&self) -> Vec<Edge> {
        let of_call = |node: u32| {
            let call = self.names.text(node).strip_suffix(WHOLE);
            call.and_then(|call| self.names.get(call)).unwrap_or(node)
        };
        let mut edges: Vec<Edge> =
            self.references.iter().map(|&(from, to)| (from, of_call(to))).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Returns the elements that depend on the element with this address, the nearest first. The
    /// address may have instance keys. `None` if the configuration neither has the element nor
    /// refers to it.
    pub fn dependents(&mut self, address: &str) -> Option<Vec<Dependent<'_>>> {
        self.sort();
        let starts = self.starts(address);
        if starts.is_empty() {
            return None;
        }
        let dependent = |reached: Reached| {
            Some(Dependent {
                address: self.names.text(reached.node),
                element: self.kind(reached.node)?,
                distance: reached.distance,
                through: self.element_text(reached.through),
            })
        };
        let (reached, _) = self.reach(&starts, usize::MAX);
        Some(reached.into_iter().filter_map(dependent).collect())
    }

    /// Sorts the edges and drops repetitions, for [`Graph::reach`]. A plan and its source files
    /// have the same references.
    pub(crate) fn sort(&mut self) {
        for edges in [&mut self.references, &mut self.members] {
            edges.sort_unstable_by_key(|&(from, to)| (to, from));
            edges.dedup();
        }
    }

    /// Returns the nodes of an element; none if the configuration neither has it nor refers to it.
    /// A called module has two.
    pub(crate) fn starts(&self, address: &str) -> Vec<u32> {
        let address = element_address(address);
        let whole = self.names.get(&format!("{address}{WHOLE}"));
        self.names.get(&address).into_iter().chain(whole).collect()
    }

    /// Returns the nodes that depend on `starts`, the nearest first, and whether that is all of
    /// them. Follows at most `max` edges. The edges must be sorted.
    pub(crate) fn reach(&self, starts: &[u32], max: usize) -> (Vec<Reached>, bool) {
        let mut visited: HashSet<u32> = starts.iter().copied().collect();
        let mut queue: VecDeque<(u32, u32)> = starts.iter().map(|&start| (start, 0)).collect();
        let (mut found, mut followed) = (Vec::new(), 0);
        while let Some((through, distance)) = queue.pop_front() {
            for node in users(&self.references, through).chain(users(&self.members, through)) {
                if followed == max {
                    return (found, false);
                }
                followed += 1;
                if visited.insert(node) {
                    queue.push_back((node, distance + 1));
                    found.push(Reached { node, distance: distance + 1, through });
                }
            }
        }
        (found, true)
    }

    /// Returns the kind of a node; `None` if no element is known for it.
    pub(crate) fn kind(&self, node: u32) -> Option<ElementKind> {
        self.kinds.get(node as usize).copied().flatten()
    }

    /// Whether a node stands for everything in a module.
    pub(crate) fn is_whole_module(&self, node: u32) -> bool {
        self.names.text(node).ends_with(WHOLE)
    }

    /// Returns the address of a node. For the node of everything in a module, returns the address
    /// of the module.
    pub(crate) fn element_text(&self, node: u32) -> &str {
        let text = self.names.text(node);
        text.strip_suffix(WHOLE).unwrap_or(text)
    }

    /// Returns the local values that expressions refer to and whose own expressions are not known,
    /// once for each reference. Only source files have these expressions. [`Graph::dependents`]
    /// drops repeated references.
    pub fn unread_locals(&self) -> impl Iterator<Item = u32> {
        let is_unread = |node: &u32| {
            self.kind(*node).is_none()
                && matches!(ConfigAddress::of(self.names.text(*node)).names[..], ["local", _])
        };
        self.references.iter().map(|&(_, to)| to).filter(is_unread)
    }

    /// Returns the address of the module that calls the module with this address.
    pub fn caller_of(module: &str) -> String {
        ConfigAddress::of(module).module_address()
    }

    /// Returns the address of the module of a node; empty for the root module. A call belongs to
    /// the module that it calls.
    pub fn module_of(&self, node: u32) -> String {
        let address = self.names.text(node);
        if let Some(key) = address.strip_prefix(PROVIDER) {
            return key.rsplit_once(':').map_or("", |(module, _)| module).to_owned();
        }
        let local = ConfigAddress::of(address);
        match local.names[..] {
            ["module", _] => element_address(address),
            _ => local.module_address(),
        }
    }
}

/// Whether a member of a module call is a meta-argument and not an input of the called module.
fn is_meta_argument(path: &str) -> bool {
    matches!(path, "count" | "for_each" | DEPENDS_ON)
}

/// Returns the nodes that depend directly on a node. `edges` must be sorted by their second node.
fn users(edges: &[Edge], node: u32) -> impl Iterator<Item = u32> {
    let start = edges.partition_point(|&(_, to)| to < node);
    edges[start..].iter().take_while(move |&&(_, to)| to == node).map(|&(from, _)| from)
}

#[cfg(test)]
mod tests {
    use super::super::reading::read;
    use super::*;
    use crate::plan::{Documents, PlanOptions};
    use plansift_core::input::Slice;

    const PLAN: &str = r#"{"format_version":"1.2","configuration":{
        "provider_config":{"aws":{"name":"aws",
            "expressions":{"region":{"references":["var.region"]}}}},
        "root_module":{
            "variables":{"region":{},"names":{},"unused":{}},
            "outputs":{"o":{"expression":{"references":["module.m.id","module.m"]}}},
            "resources":[
                {"address":"t.a","provider_config_key":"aws"},
                {"address":"t.b","expressions":{"x":{"references":["t.a.id","t.a"]}},
                 "depends_on":["module.m"]},
                {"address":"t.cycle","expressions":{"x":{"references":["t.cycle.id","t.cycle"]}}}],
            "module_calls":{"m":{"source":"./m",
                "expressions":{"v":{"references":["t.a.id","t.a"]}},
                "for_each_expression":{"references":["var.names"]},
                "module":{
                    "variables":{"v":{}},
                    "outputs":{"id":{"expression":{"references":["t.in.id","t.in"]}},
                               "constant":{"expression":{"constant_value":1}}},
                    "resources":[
                        {"address":"t.in","expressions":{"y":{"references":["var.v"]}}}]}}}}}}"#;

    fn graph() -> Graph {
        let mut graph = Graph::new(&Limits::default());
        let mut documents = Documents::new(Slice(PLAN.as_bytes()), &PlanOptions::default());
        read(&mut documents, &mut |element, offset| graph.add(element, offset)).expect("a plan");
        graph
    }

    fn dependents(address: &str) -> Vec<String> {
        let mut graph = graph();
        let found = graph.dependents(address).unwrap_or_else(|| panic!("{address} is known"));
        let mut texts: Vec<String> =
            found.iter().map(|it| format!("{} {}", it.distance, it.address)).collect();
        texts.sort();
        texts
    }

    #[test]
    fn dependents_are_found_through_inputs_and_outputs_of_modules() {
        let expected =
            ["1 module.m.var.v", "1 t.b", "2 module.m.t.in", "3 module.m.output.id", "4 output.o"];
        assert_eq!(dependents("t.a[0]"), expected);
    }

    #[test]
    fn members_of_a_module_depend_on_the_for_each_of_its_call() {
        let found = dependents("var.names");
        for address in ["1 module.m", "2 module.m.output.constant", "2 module.m.t.in"] {
            assert!(found.iter().any(|it| it == address), "{address}: {found:?}");
        }
        assert!(found.iter().any(|it| it.ends_with(" t.b")), "{found:?}");
    }

    #[test]
    fn a_resource_depends_on_its_provider() {
        assert!(dependents("var.region").contains(&"2 t.a".to_owned()));
        assert!(dependents("provider.aws").contains(&"1 t.a".to_owned()));
    }

    #[test]
    fn cycles_end_and_unknown_addresses_are_reported() {
        assert!(dependents("t.cycle").is_empty());
        assert!(dependents("var.unused").is_empty());
        assert!(graph().dependents("t.nowhere").is_none());
    }

    #[test]
    fn a_node_belongs_to_a_module() {
        let graph = graph();
        for node in graph.nodes() {
            let module = graph.module_of(node.number);
            assert_eq!(module.is_empty(), !node.address.starts_with("module.m"), "{node:?}");
        }
    }

    #[test]
    fn an_import_of_something_else_than_a_resource_does_not_change_its_kind() {
        let mut graph = graph();
        let import = |address: &str| Element::new(ElementKind::Import, address.to_owned(), "");
        for address in ["module.m", "t.new"] {
            graph.add(&import(address), 0).expect("a small graph");
        }
        let kind = |address| graph.nodes().find(|it| it.address == address).and_then(|it| it.kind);
        assert_eq!(kind("module.m"), Some(ElementKind::ModuleCall));
        assert_eq!(kind("t.new"), Some(ElementKind::Resource));
    }
}
