//! The oracle: the edits that redact a plan or a state, computed from the whole tree.
//!
//! The result is a list of edits to the text, so everything else keeps its bytes. Lookups are
//! repeated rather than cached.

#[path = "model/echoes.rs"]
mod echoes;
#[path = "model/overlays.rs"]
mod overlays;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::elsewhere::{self, Elsewhere};
use super::marks::{Path, Places, Side};
use super::texts;
use super::tree::{self, Kind, Member, Node, Step};
use crate::naive;

/// The sections of plans and states.
const SECTIONS: &str = "format_version plan_format_version terraform_version variables \
    planned_values resource_drift resource_changes deferred_changes deferred_action_invocations \
    output_changes action_invocations prior_state configuration relevant_attributes checks \
    timestamp applyable complete errored condition_results provider_schemas \
    provider_format_version values";

/// The mask of a secret.
pub const MASK: &str = "(sensitive value)";
/// The mask of a secret that changes, in `after`.
pub const CHANGED: &str = "(sensitive value, changed)";

/// Words of the format in a resource, in a change or in an action.
const WORDS: [&str; 6] = ["mode", "type", "name", "provider_name", "actions", "action_reason"];

/// Keys of identities in a change or a resource.
const IDENTITIES: [&str; 4] = ["importing", "before_identity", "after_identity", "identity"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echo {
    Equal,
    Contains,
    Off,
}

#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub echo: Echo,
    /// Minimum length of an echo in bytes.
    pub echo_min: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { echo: Echo::Equal, echo_min: 8 }
    }
}

/// The replacement of a range of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Put {
    Mask,
    /// The mask of a value that changes.
    Changed,
    /// The mask of a secret key, with the number of the secret.
    Key(String),
    /// A string with masks in its document: the decoded text, with [`MASK`] for every mask.
    Document(String),
    /// `true` or `false`, in place of an overlay.
    Word(bool),
    /// Nothing. Removes the part of a path that leads below a marked place.
    Cut,
}

#[derive(Clone, Debug)]
pub struct Edit {
    pub range: Range<usize>,
    pub put: Put,
}

/// The redaction of a text.
#[derive(Default)]
pub struct Redaction {
    /// The edits in the order of the text. They do not overlap.
    pub edits: Vec<Edit>,
    /// The secrets that are long enough for echoes.
    pub candidates: BTreeSet<String>,
    /// How many places are masked because an overlay does not fit.
    pub misfits: usize,
    /// Number of changes in drift and deferred changes that another section marks.
    pub foreign: usize,
    /// The offset of each value that is a word of the format.
    pub exempt: BTreeSet<usize>,
}

/// Computes the redaction of a document.
pub fn redaction(text: &str, options: Options) -> Redaction {
    let document = tree::parse(text);
    let mut model = Model::new(text, options);
    model.elsewhere = Elsewhere::of(&document);
    model.sections(&document);
    model.variables(&document);
    model.relevant_attributes(&document);
    if let Some(configuration) = document.get("configuration") {
        if options.echo != Echo::Off {
            for constant in Elsewhere::of(&document).constants(configuration) {
                model.mask(Some(constant), Put::Mask, &mut BTreeSet::new());
            }
        }
        model.constants(configuration);
        configuration.get("root_module").into_iter().for_each(|module| model.defaults(module));
    }
    match options.echo {
        Echo::Off => model.strange(&document),
        Echo::Equal | Echo::Contains => model.echoes(&document),
    }
    Redaction {
        candidates: model.candidates().cloned().collect(),
        edits: model.edits.into_values().collect(),
        misfits: model.misfits,
        foreign: model.foreign,
        exempt: model.exempt,
    }
}

/// Whether a text is a mask.
pub fn is_mask(text: &str) -> bool {
    let digest = text.strip_prefix("(sensitive value ").and_then(|rest| rest.strip_suffix(')'));
    let is_digest = |digest: &str| {
        digest.len() == 32
            && digest.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    };
    text == MASK || text == CHANGED || digest.is_some_and(is_digest)
}

/// Whether a key could be the name of an attribute.
pub fn is_attribute(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && key.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

struct Model<'a> {
    text: &'a str,
    options: Options,
    /// The edits by their start.
    edits: BTreeMap<usize, Edit>,
    secrets: BTreeSet<String>,
    /// Texts and keys that are secret as steps of a path.
    steps: BTreeSet<String>,
    /// The contents of marked documents.
    contents: BTreeSet<String>,
    misfits: usize,
    foreign: usize,
    exempt: BTreeSet<usize>,
    /// The offsets of scalars in `after` that differ in `before`.
    changed: BTreeSet<usize>,
    elsewhere: Elsewhere,
}

impl<'a> Model<'a> {
    fn new(text: &'a str, options: Options) -> Self {
        Self {
            text,
            options,
            edits: BTreeMap::new(),
            secrets: BTreeSet::new(),
            steps: BTreeSet::new(),
            contents: BTreeSet::new(),
            misfits: 0,
            foreign: 0,
            exempt: BTreeSet::new(),
            changed: BTreeSet::new(),
            elsewhere: Elsewhere::default(),
        }
    }

    fn edit(&mut self, range: &Range<usize>, put: Put) {
        self.edits.insert(range.start, Edit { range: range.clone(), put });
    }

    fn exempt(&mut self, object: &Node, keys: &[&str]) {
        for value in keys.iter().filter_map(|key| object.get(key)) {
            self.exempt.insert(value.range.start);
        }
        let actions = object.get("actions").filter(|_| keys.contains(&"actions"));
        let words = actions.map_or(&[][..], Node::elements).iter();
        self.exempt.extend(words.map(|node| node.range.start));
    }

    /// The secrets that are long enough for echoes.
    fn candidates(&self) -> impl Iterator<Item = &String> {
        let is_long = |text: &&String| text.len() >= self.options.echo_min;
        self.secrets.iter().filter(is_long)
    }

    fn is_candidate(&self, text: &str) -> bool {
        text.len() >= self.options.echo_min && self.secrets.contains(text)
    }

    /// Whether a text equals a secret. Ignores line ends at the end of either, if the rest is long
    /// enough for an echo.
    fn repeats(&self, text: &str) -> bool {
        let line = text.trim_end_matches(['\n', '\r']);
        self.secrets.contains(text)
            || (line.len() >= self.options.echo_min && self.secrets.contains(line))
    }

    /// Redacts the sections with overlays and the outputs.
    fn sections(&mut self, document: &Node) {
        self.exempt(document, &["format_version", "terraform_version", "timestamp"]);
        let elements = |key: &str| document.get(key).map_or(&[][..], Node::elements);
        for element in elements("resource_changes") {
            self.resource_change(element, &[], false);
        }
        for element in elements("resource_drift") {
            self.resource_change_elsewhere(element);
        }
        for element in elements("deferred_changes") {
            self.exempt(element, &["reason"]);
            if let Some(change) = element.get("resource_change") {
                self.resource_change_elsewhere(change);
            }
        }
        let prior = document.get("prior_state").and_then(|state| state.get("values"));
        let values = [document.get("planned_values"), prior, document.get("values")];
        for output in document.get("output_changes").map_or(&[][..], Node::members) {
            let has_overlays = ["before_sensitive", "after_sensitive"]
                .iter()
                .any(|key| output.value.get(key).is_some_and(|overlay| !overlay.is_null()));
            let outputs = values.iter().flatten().filter_map(|values| values.get("outputs"));
            let is_declared = outputs
                .flat_map(Node::members)
                .filter(|it| it.key == output.key)
                .any(|it| it.value.get("sensitive").is_some_and(Node::is_true));
            let is_secret = is_declared || self.options.echo == Echo::Off;
            self.change_marked(&output.value, is_secret && !has_overlays, &[]);
        }
        for element in elements("action_invocations") {
            self.invocation(element);
        }
        for element in elements("deferred_action_invocations") {
            self.exempt(element, &["reason"]);
            element.get("action_invocation").into_iter().for_each(|it| self.invocation(it));
        }
        for (values, is_state) in values.into_iter().zip([false, false, true]) {
            values.into_iter().for_each(|values| self.values(values, is_state));
        }
    }

    /// Redacts a change in drift or a deferred change, which `resource_changes` may mark as well.
    /// With one pass, these marks come too late, so the whole change is masked.
    fn resource_change_elsewhere(&mut self, element: &Node) {
        let sides = element.get("change").map(|it| [it.get("before"), it.get("after")]);
        let (marked, is_misfit) = self.elsewhere.places(element, sides.unwrap_or_default());
        if self.options.echo == Echo::Off {
            return self.resource_change(element, &[], true);
        }
        // The records of the original apply only the marks of the change itself.
        let own = element.get("change").map_or(vec![], |it| elsewhere::of_change(it).outermost());
        let is_own = |place: &Path| own.iter().any(|own| place.starts_with(own));
        let is_foreign = !marked.iter().all(is_own);
        self.foreign += usize::from(is_foreign);
        self.misfits += usize::from(is_misfit || is_foreign);
        self.resource_change(element, &marked, false);
    }

    fn resource_change(&mut self, element: &Node, marked: &[Path], is_whole: bool) {
        self.exempt(element, &WORDS);
        if let Some(change) = element.get("change") {
            self.change_marked(change, is_whole, marked);
        }
    }

    /// Redacts a change. Other sections mark the places `marked`, or the whole change.
    fn change_marked(&mut self, change: &Node, is_whole: bool, marked: &[Path]) {
        self.exempt(change, &WORDS);
        let [before, after] = [change.get("before"), change.get("after")];
        let unknown = change.get("after_unknown");
        let mut places = elsewhere::of_change(change);
        for place in places.outermost() {
            let sides = [before, after].map(|side| side.and_then(|value| value.at(&place)));
            sides.into_iter().for_each(|side| self.learn(side));
        }
        let (own, mut whole) = (places.outermost(), std::mem::take(&mut places.whole));
        if is_whole {
            [before, after].into_iter().for_each(|side| self.learn(side));
        }
        marked.iter().for_each(|place| places.insert(place));
        whole.extend(marked.iter().filter(|place| !own.contains(place)).cloned());
        let mut secrets = BTreeSet::new();
        let places = match is_whole {
            true => vec![Path::default()],
            false => self.outermost(&places),
        };
        whole.extend(is_whole.then(Path::default));
        self.replace_paths(change, &places);
        for place in places {
            if whole.contains(&place) {
                self.hide_keys_of_marks(change, &place);
            }
            let changes = self.changes(before, after, unknown, &place);
            self.hide(before.and_then(|value| value.at(&place)), Put::Mask, &mut secrets);
            let put = if changes { Put::Changed } else { Put::Mask };
            self.hide(after.and_then(|value| value.at(&place)), put, &mut secrets);
            self.hide_keys(unknown.and_then(|unknown| unknown.at(&place)));
        }
        self.identities(change, &secrets);
        self.pairs(before, after);
    }

    fn outermost(&mut self, places: &Places) -> Vec<Path> {
        self.misfits += places.misfits.len();
        places.outermost()
    }

    /// Whether a place has a value on both sides and the records would call it changed.
    fn changes(
        &self,
        before: Option<&Node>,
        after: Option<&Node>,
        unknown: Option<&Node>,
        place: &Path,
    ) -> bool {
        let at = |value: Option<&Node>| {
            let node = value.and_then(|value| value.at(place)).filter(|node| !node.is_null());
            node.map(|node| node.value(self.text))
        };
        let (Some(before), Some(after)) = (at(before), at(after)) else { return false };
        naive::is_changed(&before, &after, &at(unknown).unwrap_or_default())
    }

    /// Masks a value, and adds its texts to the secrets.
    fn mask(&mut self, node: Option<&Node>, put: Put, secrets: &mut BTreeSet<String>) {
        self.learn(node);
        self.hide(node, put, secrets);
    }

    /// Masks a value, unless it is `null` or a mask. Adds its texts to `secrets`.
    fn hide(&mut self, node: Option<&Node>, put: Put, secrets: &mut BTreeSet<String>) {
        let Some(node) = node.filter(|node| !node.is_null()) else { return };
        if matches!(&node.kind, Kind::Text(text) if is_mask(text)) {
            return;
        }
        for inner in node.all() {
            if inner.text().is_some_and(|text| !text.is_empty() && !is_mask(text)) {
                secrets.extend(inner.texts());
            }
            if let Kind::Word(word @ ("true" | "false")) = inner.kind {
                secrets.insert(word.to_owned());
            }
        }
        self.edit(&node.range, put);
    }

    /// Adds the texts and keys of a marked value to the secrets.
    fn learn(&mut self, node: Option<&Node>) {
        for inner in node.map_or(vec![], Node::all) {
            if let Some(text) = inner.text().filter(|text| !text.is_empty() && !is_mask(text)) {
                self.secrets.extend(inner.texts());
                let line = text.trim_end_matches(['\n', '\r']);
                if line.len() >= self.options.echo_min {
                    self.secrets.insert(line.to_owned());
                }
                self.steps.insert(text.to_owned());
                let document = texts::json(text).filter(|it| !it.children().is_empty());
                if let Some(document) = document.filter(|_| text.len() >= self.options.echo_min) {
                    self.contents.insert(texts::content(&document));
                }
            }
            for Member { key, .. } in inner.members() {
                if !is_mask(key) {
                    self.steps.insert(key.clone());
                }
                // A key that is no name of an attribute is a secret for echoes, but not for
                // identities.
                if !is_attribute(key) && !is_mask(key) && key.len() >= self.options.echo_min {
                    self.secrets.insert(key.clone());
                }
            }
        }
    }

    fn identities(&mut self, object: &Node, secrets: &BTreeSet<String>) {
        let word = object.get("importing").and_then(|importing| importing.get("unknown"));
        for node in IDENTITIES.iter().filter_map(|key| object.get(key)).flat_map(Node::all) {
            let is_word = word.is_some_and(|word| word.range == node.range);
            let is_own_word = match node.kind {
                Kind::Word(own) => secrets.contains(own) && !is_word,
                _ => false,
            };
            if is_own_word || node.texts().iter().any(|text| secrets.contains(text)) {
                self.edit(&node.range, Put::Mask);
            }
        }
    }

    /// Cuts each path at the first step below a marked place.
    fn replace_paths(&mut self, change: &Node, places: &[Path]) {
        for path in change.get("replace_paths").map_or(&[][..], Node::elements) {
            let mut at = Some(Path::new());
            for (place, step) in path.elements().iter().enumerate() {
                if at.as_ref().is_some_and(|at| places.contains(at)) {
                    self.cut(path, place);
                    break;
                }
                let next = match &step.kind {
                    Kind::Text(key) => Some(Step::Key(key.clone())),
                    Kind::Number(number) => number.parse().ok().map(Step::Index),
                    _ => None,
                };
                let below = |it: &&Path| at.as_ref().is_some_and(|at| it.starts_with(at));
                if let Some(marked) = places.iter().find(below) {
                    let depth = at.as_ref().map_or(0, Vec::len);
                    let is_alike = matches!(
                        (&next, marked.get(depth)),
                        (Some(Step::Key(_)), Some(Step::Key(_)))
                            | (Some(Step::Index(_)), Some(Step::Index(_)))
                    );
                    if !is_alike {
                        self.cut(path, place);
                        break;
                    }
                }
                at = at.zip(next).map(|(at, step)| [at, vec![step]].concat());
            }
        }
    }

    /// Removes the steps of a path from index `place` on.
    fn cut(&mut self, path: &Node, place: usize) {
        let steps = path.elements();
        let start = place.checked_sub(1).map_or(path.range.start + 1, |it| steps[it].range.end);
        let end = steps.last().map_or(start, |last| last.range.end);
        if !steps[place..].is_empty() {
            self.edit(&(start..end), Put::Cut);
        }
    }

    /// Cuts the paths of relevant attributes before the first step that is a secret or a key of
    /// one. The first step, the attribute itself, stays.
    fn relevant_attributes(&mut self, document: &Node) {
        for element in document.get("relevant_attributes").map_or(&[][..], Node::elements) {
            let Some(path) = element.get("attribute") else { continue };
            let is_secret = |step: &Node| {
                let nodes = step.all();
                let mut keys = nodes.iter().flat_map(|node| node.members()).map(|it| &it.key);
                let mut texts = nodes.iter().flat_map(|node| node.texts());
                self.options.echo == Echo::Off
                    || keys.any(|key| self.steps.contains(key) || self.secrets.contains(key))
                    || texts.any(|text| self.steps.contains(&text) || self.secrets.contains(&text))
            };
            let first = path.elements().iter().skip(1).position(is_secret);
            first.into_iter().for_each(|place| self.cut(path, place + 1));
        }
    }

    /// Records the scalars of `after` that differ in `before`.
    fn pairs(&mut self, before: Option<&Node>, after: Option<&Node>) {
        let (Some(before), Some(after)) = (before, after) else { return };
        if after.text().is_some() {
            // A number differs from the string with its digits.
            let is_other = std::mem::discriminant(&before.kind)
                != std::mem::discriminant(&after.kind)
                || before.text() != after.text();
            if !before.is_null() && is_other {
                self.changed.insert(after.range.start);
            }
            return;
        }
        let lengths = [before, after].map(|side| side.elements().len());
        for (step, after) in after.children() {
            if matches!(step, Step::Index(_)) && lengths[0] != lengths[1] {
                continue;
            }
            self.pairs(before.child(&step), Some(after));
        }
    }

    fn invocation(&mut self, element: &Node) {
        self.exempt(element, &WORDS);
        let values = element.get("config_values");
        let mut places = Places::default();
        places.add(element.get("config_sensitive"), values, Side::Own);
        for place in self.outermost(&places) {
            self.mask(values.and_then(|it| it.at(&place)), Put::Mask, &mut BTreeSet::new());
            self.hide_keys(element.get("config_unknown").and_then(|it| it.at(&place)));
        }
    }

    /// Redacts planned values or the values of a state.
    fn values(&mut self, values: &Node, is_state: bool) {
        for output in values.get("outputs").map_or(&[][..], Node::members) {
            if output.value.get("sensitive").is_some_and(Node::is_true) {
                self.mask(output.value.get("value"), Put::Mask, &mut BTreeSet::new());
            }
        }
        values.get("root_module").into_iter().for_each(|module| self.module(module, is_state));
    }

    fn module(&mut self, module: &Node, is_state: bool) {
        for resource in module.get("resources").map_or(&[][..], Node::elements) {
            self.exempt(resource, &WORDS);
            let values = resource.get("values");
            let mut places = Places::default();
            places.add(resource.get("sensitive_values"), values, Side::Own);
            for place in places.outermost() {
                self.learn(values.and_then(|it| it.at(&place)));
            }
            let (own, mut whole) = (places.outermost(), std::mem::take(&mut places.whole));
            let (marked, _) = self.elsewhere.places(resource, [None, values]);
            marked.iter().for_each(|place| places.insert(place));
            whole.extend(marked.into_iter().filter(|place| !own.contains(place)));
            if self.options.echo == Echo::Off && !is_state {
                places.insert(&[]);
                whole.insert(Path::default());
            }
            let mut secrets = BTreeSet::new();
            for place in self.outermost(&places) {
                if whole.contains(&place) {
                    let overlay = resource.get("sensitive_values");
                    self.hide_keys_of_mark(overlay.and_then(|overlay| overlay.at(&place)));
                }
                self.hide(values.and_then(|it| it.at(&place)), Put::Mask, &mut secrets);
            }
            self.identities(resource, &secrets);
        }
        for child in module.get("child_modules").map_or(&[][..], Node::elements) {
            self.module(child, is_state);
        }
    }

    fn variables(&mut self, document: &Node) {
        let configuration = document.get("configuration");
        let declared = configuration
            .and_then(|it| it.get("root_module"))
            .and_then(|it| it.get("variables"))
            .map_or(&[][..], Node::members);
        let sensitive: Vec<_> = declared
            .iter()
            .filter(|variable| variable.value.get("sensitive").is_some_and(Node::is_true))
            .collect();
        for variable in &sensitive {
            self.mask(variable.value.get("default"), Put::Mask, &mut BTreeSet::new());
        }
        for variable in document.get("variables").map_or(&[][..], Node::members) {
            let value = variable.value.get("value");
            if sensitive.iter().any(|it| it.key == variable.key) {
                self.mask(value, Put::Mask, &mut BTreeSet::new());
            } else if self.options.echo == Echo::Off {
                // With one pass, the declaration comes too late.
                self.mask(value, Put::Mask, &mut BTreeSet::new());
            } else if configuration.is_none() {
                // Nothing says which variables are sensitive, and their values may be harmless.
                self.hide(value, Put::Mask, &mut BTreeSet::new());
            }
        }
    }

    /// Masks constants of the configuration that equal a secret, however short.
    fn constants(&mut self, node: &Node) {
        if self.edits.contains_key(&node.range.start) {
            return;
        }
        for member in node.members() {
            if member.key == "constant_value" {
                self.constant(&member.value);
            }
        }
        node.children().into_iter().for_each(|(_, inner)| self.constants(inner));
    }

    /// Masks defaults of variables in a module and in the modules that it calls.
    fn defaults(&mut self, module: &Node) {
        for variable in module.get("variables").map_or(&[][..], Node::members) {
            let default = variable.value.get("default");
            let default = default.filter(|it| !self.edits.contains_key(&it.range.start));
            default.into_iter().for_each(|default| self.constant(default));
        }
        for call in module.get("module_calls").map_or(&[][..], Node::members) {
            call.value.get("module").into_iter().for_each(|module| self.defaults(module));
        }
    }

    fn constant(&mut self, constant: &Node) {
        if self.edits.contains_key(&constant.range.start) {
            return;
        }
        let nodes = constant.all();
        let mut keys = nodes.iter().flat_map(|node| node.members());
        let has_data_keys = keys.any(|member| !is_attribute(&member.key));
        if self.options.echo == Echo::Off && has_data_keys {
            return self.edit(&constant.range, Put::Mask);
        }
        self.equal_constant(constant);
        // If all values of a constant are secret, and it has a key that is no name of an attribute,
        // the constant is masked as a whole.
        let texts: Vec<_> = nodes.iter().filter(|node| node.text().is_some()).collect();
        let are_secret = texts.iter().all(|node| self.edits.contains_key(&node.range.start));
        if has_data_keys && are_secret && !texts.is_empty() {
            let is_inside = |start: &usize| constant.range.contains(start);
            let inside: Vec<_> = self.edits.keys().copied().filter(is_inside).collect();
            inside.iter().for_each(|start| drop(self.edits.remove(start)));
            self.edit(&constant.range, Put::Mask);
        }
    }

    fn equal_constant(&mut self, scalar: &Node) {
        if self.edits.contains_key(&scalar.range.start) {
            return;
        }
        scalar.children().into_iter().for_each(|(_, inner)| self.equal_constant(inner));
        let Some(text) = scalar.text() else { return };
        let texts = scalar.texts();
        let is_secret =
            self.options.echo == Echo::Off || texts.iter().any(|text| self.repeats(text));
        if is_secret && !is_mask(text) {
            self.edit(&scalar.range, Put::Mask);
        }
    }

    /// Masks each member or element of unknown sections, if echoes are not searched for.
    fn strange(&mut self, document: &Node) {
        for section in document.members() {
            if SECTIONS.split_whitespace().any(|known| known == section.key) {
                continue;
            }
            let parts = section.value.children();
            let is_part =
                section.value.text().is_some() || matches!(section.value.kind, Kind::Word(_));
            let whole = is_part.then_some(&section.value);
            for part in parts.into_iter().map(|(_, part)| part).chain(whole) {
                self.mask(Some(part), Put::Mask, &mut BTreeSet::new());
            }
        }
    }

    fn echoes(&mut self, node: &Node) {
        let start = node.range.start;
        let before = self.edits.range(..=start).next_back();
        if before.is_some_and(|(_, edit)| edit.range.end > start) {
            return;
        }
        if !self.exempt.contains(&start)
            && let Some(put) = self.echo(node)
        {
            self.edit(&node.range, put);
        }
        for member in node.members() {
            let key = &member.key;
            if !is_attribute(key) && self.is_candidate(key) {
                self.edit(&member.key_range, Put::Key(key.clone()));
            }
        }
        node.children().into_iter().for_each(|(_, inner)| self.echoes(inner));
    }
}

impl Redaction {
    /// Applies the edits to a text.
    pub fn apply(&self, text: &str) -> String {
        let mut redacted = String::new();
        let mut at = 0;
        for edit in &self.edits {
            redacted.push_str(&text[at..edit.range.start]);
            redacted.push_str(&match &edit.put {
                Put::Mask => format!("\"{MASK}\""),
                Put::Changed => format!("\"{CHANGED}\""),
                Put::Key(key) => {
                    let number = self.candidates.iter().position(|secret| secret == key);
                    format!("\"(sensitive value {})\"", number.expect("a secret") + 1)
                }
                Put::Document(text) => serde_json::Value::from(text.as_str()).to_string(),
                Put::Word(word) => word.to_string(),
                Put::Cut => String::new(),
            });
            at = edit.range.end;
        }
        redacted + &text[at..]
    }
}
