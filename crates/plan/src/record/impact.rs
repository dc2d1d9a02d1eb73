//! What depends on the resources that a plan destroys, replaces or forgets.
//!
//! [`Impacts`] has the graph of the configuration, and what the plan does with each element. It is
//! read before the records of the plan, because a plan has its configuration after its changes.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::Serialize;

use super::action::{EFFECTS, effects};
use crate::config::{
    Element, ElementKind, Graph, Reached, ValueOrigins, element_address, read_beside,
};
use crate::plan::{Change, Documents, Piece, PieceKind, ResourceChange};
use plansift_core::budget::Budget;
use plansift_core::error::Result;
use plansift_core::input::Source;
use plansift_core::limits::Limit;
use plansift_core::path::ConfigAddress;

/// Maximum number of dependents that an [`Impact`] lists.
const LISTED: usize = 20;
/// Maximum number of unread addresses that an [`Impact`] lists.
const UNREAD: usize = 10;
/// Maximum number of references that the search for the dependents of one resource follows.
const FOLLOWED: usize = 1000;

/// What depends on a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Impact {
    /// The number of resources, actions, module calls, checks and outputs of the root module that
    /// depend on the resource, directly or through others.
    pub count: u64,
    /// The number of those that the plan destroys, too.
    pub destroyed: u64,
    /// True if `count` is too low, because the search stopped at its limit. Serialized only if
    /// true.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    /// The first dependents: those that the plan does not destroy, the nearest first, and then the
    /// others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependents: Vec<Affected>,
    /// What the search could not follow: source files that cannot be parsed, and local values and
    /// module arguments whose source file was not read. More may depend on the resource through
    /// them. At most 10 are listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<String>,
    /// True if no source files were read for a module. The JSON of a plan lacks the references in
    /// `dynamic`, `lifecycle`, `check` and `import` blocks. Serialized only if true.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lacks_source: bool,
}

/// An element that depends on a resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Affected {
    /// The address of the element, without instance keys.
    pub address: String,
    /// The kind of the element.
    pub element: ElementKind,
    /// The number of references on the shortest path to the resource.
    pub distance: u32,
    /// The address that the element refers to on that path.
    pub through: String,
    /// What the plan does with instances of the element or of the module, the most severe first.
    /// The last word is `no-op` if others stay as they are. Empty if all stay as they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<&'static str>,
}

/// What a plan does with the instances of an element: bit `n` stands for the effect `EFFECTS[n]`,
/// and [`STAYS`] for instances without an effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Effects(u8);

/// The bit for instances that stay as they are.
const STAYS: u8 = 1 << EFFECTS.len();

/// The bit for instances that are destroyed: that of the first effect.
const DESTROYS: u8 = 1;

impl Effects {
    fn of(change: &Change<'_>) -> Result<Effects> {
        let actions = change.actions()?.map(|action| Ok(Cow::Owned(action?.decode()?)));
        let actions: Vec<Cow<'_, str>> = actions.collect::<Result<_>>()?;
        let bit = |effect| EFFECTS.iter().position(|word| *word == effect);
        let bits = effects(&actions).filter_map(bit);
        let bits = bits.fold(0, |bits, bit| bits | 1 << bit);
        Ok(Effects(if bits == 0 { STAYS } else { bits }))
    }

    fn words(self) -> impl Iterator<Item = &'static str> {
        let stays = (self.0 != STAYS).then_some("no-op");
        let words = EFFECTS.into_iter().chain(stays);
        (0..).zip(words).filter(move |(bit, _)| self.0 & (1 << bit) != 0).map(|(_, word)| word)
    }

    /// Whether the plan destroys all instances.
    fn only_destroy(self) -> bool {
        self.0 == DESTROYS
    }
}

/// What the changes of a plan do with each element of its configuration.
#[derive(Debug)]
struct Changed {
    elements: HashMap<Box<str>, Effects>,
    budget: Budget,
}

/// The estimated memory of an entry without its address, in bytes.
const ENTRY: usize = 64;

impl Changed {
    fn add(&mut self, piece: &Piece<'_>) -> Result<()> {
        let (address, effects) = match (piece.kind, piece.name) {
            (PieceKind::ResourceChange, _) => {
                let change = ResourceChange::parse(piece.section, piece.value)?;
                let Some(address) = change.address else { return Ok(()) };
                (element_address(&address.decode()?), Effects::of(&change.change)?)
            }
            (PieceKind::OutputChange, Some(name)) => {
                (format!("output.{name}"), Effects::of(&Change::parse(piece.value)?)?)
            }
            _ => return Ok(()),
        };
        // A module call does what is done in its module.
        let mut module = ConfigAddress::of(&address).module_address();
        while !module.is_empty() {
            let caller = Graph::caller_of(&module);
            self.set(&module, effects, piece.value.offset())?;
            module = caller;
        }
        self.set(&address, effects, piece.value.offset())
    }

    fn set(&mut self, address: &str, effects: Effects, offset: u64) -> Result<()> {
        if let Some(known) = self.elements.get_mut(address) {
            known.0 |= effects.0;
            return Ok(());
        }
        self.budget.take(ENTRY + address.len(), offset)?;
        self.elements.insert(address.into(), effects);
        Ok(())
    }

    fn of(&self, address: &str) -> Effects {
        self.elements.get(address).copied().unwrap_or_default()
    }
}

/// The dependents of any resource of a plan.
#[derive(Debug)]
pub struct Impacts {
    graph: Graph,
    /// What the plan does with each node of the graph.
    effects: Vec<Effects>,
    /// Where the values of attributes come from.
    pub origins: ValueOrigins,
    /// The first local values whose expressions were not read, by module.
    unread_locals: BTreeMap<String, BTreeSet<String>>,
    /// Whether a module has no source files.
    lacks_source: bool,
    /// The source files that cannot be parsed; `None` without source files.
    unread_files: Option<Vec<String>>,
    /// Whether the plan or the source files have a configuration.
    pub is_present: bool,
}

impl Impacts {
    /// Reads the next plan of `documents`. `files` calls its argument with each element of the
    /// plan's source files, and returns the files that cannot be parsed, or `None` without files.
    /// An element may be in the plan and in the files.
    ///
    /// # Errors
    ///
    /// Fails if the plan or the files cannot be read, or if they exceed
    /// [`Limits::configuration`](plansift_core::limits::Limits::configuration).
    ///
    /// # Panics
    ///
    /// Panics if no document is left.
    pub fn read<S: Source>(
        documents: &mut Documents<S>,
        files: impl FnOnce(&mut dyn FnMut(&Element) -> Result<()>) -> Result<Option<Vec<String>>>,
    ) -> Result<Impacts> {
        let limits = documents.options().limits;
        let mut graph = Graph::new(&limits);
        let budget = Budget::new(Limit::Configuration, limits.configuration);
        let mut changed = Changed { elements: HashMap::new(), budget };
        let add = &mut |piece: &Piece<'_>| changed.add(piece);
        let mut origins = ValueOrigins::new(&limits);
        let mut each = |element: &Element, offset| {
            graph.add(element, offset)?;
            origins.add(element, offset)
        };
        let mut lacking = HashSet::new();
        let read = read_beside(documents, Some(add), &mut |element, offset| {
            if !lacking.contains(element.module()) {
                lacking.insert(element.module().to_owned());
            }
            each(element, offset)
        })?;
        let unread_files = files(&mut |element| {
            lacking.remove(element.module());
            each(element, 0)
        })?;
        let lacks_source = unread_files.is_none() || !lacking.is_empty();
        graph.sort();
        let mut unread_locals: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for node in graph.unread_locals() {
            let address = graph.element_text(node);
            let locals =
                unread_locals.entry(ConfigAddress::of(address).module_address()).or_default();
            locals.insert(address.to_owned());
            if locals.len() > UNREAD {
                locals.pop_last();
            }
        }
        let is_present = read.is_present || unread_files.is_some();
        let effects = graph.numbers().map(|node| changed.of(graph.element_text(node))).collect();
        Ok(Impacts {
            graph,
            effects,
            origins,
            unread_locals,
            lacks_source,
            unread_files,
            is_present,
        })
    }

    /// Returns what depends on the resource with this address, which may have instance keys.
    pub fn of(&self, address: &str) -> Impact {
        let starts = self.graph.starts(address);
        let (reached, is_whole) = self.graph.reach(&starts, FOLLOWED);
        let mut impact =
            Impact { is_cut: !is_whole, lacks_source: self.lacks_source, ..Impact::default() };
        let (mut stay, mut destroyed) = (Vec::new(), Vec::new());
        for reached in &reached {
            let address = self.graph.element_text(reached.node);
            let Some(kind) = self.graph.kind(reached.node).filter(|kind| is_listed(*kind, address))
            else {
                continue;
            };
            impact.count += 1;
            let effects = self.effects.get(reached.node as usize).copied().unwrap_or_default();
            let list = if effects.only_destroy() { &mut destroyed } else { &mut stay };
            impact.destroyed += u64::from(effects.only_destroy());
            if list.len() < LISTED {
                list.push(self.affected(reached, kind, effects));
            }
        }
        stay.append(&mut destroyed);
        stay.truncate(LISTED);
        impact.dependents = stay;
        let nodes = starts.iter().copied().chain(reached.iter().map(|reached| reached.node));
        impact.unread = self.unread(nodes);
        impact
    }

    fn affected(&self, reached: &Reached, element: ElementKind, effects: Effects) -> Affected {
        Affected {
            address: self.graph.element_text(reached.node).to_owned(),
            element,
            distance: reached.distance,
            through: self.graph.element_text(reached.through).to_owned(),
            actions: effects.words().collect(),
        }
    }

    /// Returns the first addresses beyond which the search for dependents did not get. It reached
    /// these nodes: a local value that was not read may refer to any of them in its module.
    fn unread(&self, nodes: impl Iterator<Item = u32>) -> Vec<String> {
        let (mut unread, mut modules) = (BTreeSet::new(), BTreeSet::new());
        // A local value gets from a whole module only its outputs, which have nodes of their own.
        let nodes = nodes.filter(|node| !self.graph.is_whole_module(*node));
        let may_lead_on = |node| !self.unread_locals.is_empty() || self.graph.kind(node).is_none();
        for node in nodes.filter(|node| may_lead_on(*node)) {
            let address = self.graph.element_text(node);
            let local = ConfigAddress::of(address);
            let module = local.module_address();
            match local.names[..] {
                ["var", _] if self.graph.kind(node).is_none() => {
                    unread.insert(address);
                }
                // The calling module uses it.
                ["output", _] if !module.is_empty() => {
                    modules.insert(Graph::caller_of(&module));
                }
                _ => {}
            }
            modules.insert(module);
        }
        let locals = modules.iter().filter_map(|module| self.unread_locals.get(module)).flatten();
        unread.extend(locals.map(String::as_str));
        let files = self.unread_files.iter().flatten().map(String::as_str);
        files.chain(unread).take(UNREAD).map(str::to_owned).collect()
    }
}

/// Whether an impact counts an element. The others only lead to elements that it counts.
fn is_listed(kind: ElementKind, address: &str) -> bool {
    match kind {
        ElementKind::Resource
        | ElementKind::ModuleCall
        | ElementKind::Action
        | ElementKind::Check => true,
        ElementKind::Output => address.starts_with("output."),
        ElementKind::Provider
        | ElementKind::Variable
        | ElementKind::Local
        | ElementKind::Import => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ElementExpression;
    use crate::plan::PlanOptions;
    use plansift_core::input::Slice;

    /// A plan that replaces `t.a`, in which other elements depend on it directly, through a module
    /// and perhaps through local values.
    const PLAN: &str = r#"{"format_version":"1.2",
        "resource_changes":[
            {"address":"t.a","change":{"actions":["delete","create"]}},
            {"address":"t.gone[0]","change":{"actions":["delete"]}},
            {"address":"t.gone[1]","change":{"actions":["delete"]}},
            {"address":"t.direct","change":{"actions":["no-op"]}},
            {"address":"module.m[\"k\"].t.in","change":{"actions":["update"]}}],
        "output_changes":{"o":{"actions":["create"]}},
        "configuration":{"root_module":{
            "variables":{"unused":{}},
            "outputs":{"o":{"expression":{"references":["module.m.id","module.m"]}}},
            "resources":[
                {"address":"t.a"},
                {"address":"t.gone","expressions":{"x":{"references":["t.a.id","t.a"]}}},
                {"address":"t.direct","expressions":{"x":{"references":["t.a.id","t.a"]}}},
                {"address":"t.hidden","expressions":{"x":{"references":["local.ids"]}}}],
            "module_calls":{
                "m":{"expressions":{"v":{"references":["t.a.id","t.a"]}},"module":{
                    "variables":{"v":{}},
                    "outputs":{"id":{"expression":{"references":["t.in.id","t.in"]}}},
                    "resources":[
                        {"address":"t.in","expressions":{"y":{"references":["var.v"]}}}]}},
                "other":{"module":{"resources":[
                    {"address":"t.o","expressions":{"x":{"references":["local.far"]}}}]}}}}}}"#;

    fn impacts(plan: &str, files: &[Element]) -> Impacts {
        let mut documents = Documents::new(Slice(plan.as_bytes()), &PlanOptions::default());
        let each = |each: &mut dyn FnMut(&Element) -> Result<()>| {
            files.iter().try_for_each(each).map(|()| (!files.is_empty()).then(Vec::new))
        };
        Impacts::read(&mut documents, each).expect("a plan")
    }

    /// Returns the dependents with their distance, what they refer to, and their actions.
    fn dependents(impact: &Impact) -> Vec<String> {
        let text = |it: &Affected| {
            format!("{} {} {} {}", it.distance, it.address, it.through, it.actions.join("+"))
        };
        impact.dependents.iter().map(text).collect()
    }

    /// Returns a local value that refers to something.
    fn local(name: &str, reference: &str) -> Element {
        let mut element = Element::new(ElementKind::Local, format!("local.{name}"), "");
        let references = vec![reference.to_owned()];
        element.expressions.push(ElementExpression { path: name.to_owned(), references });
        element
    }

    #[test]
    fn dependents_that_stay_come_first_and_then_the_nearest() {
        let impact = impacts(PLAN, &[]).of("t.a[7]");
        let expected = [
            "1 t.direct t.a ",
            "2 module.m.t.in module.m.var.v update",
            "4 output.o module.m.output.id create",
            "1 t.gone t.a delete",
        ];
        assert_eq!(dependents(&impact), expected);
        assert_eq!((impact.count, impact.destroyed, impact.is_cut), (4, 1, false));
    }

    #[test]
    fn a_local_value_is_unread_only_in_a_module_that_the_search_reached() {
        assert_eq!(impacts(PLAN, &[]).of("t.a").unread, ["local.ids"]);
        assert_eq!(impacts(PLAN, &[]).of("module.other.t.o").unread, ["module.other.local.far"]);
        // The output of the module leads to its caller.
        assert_eq!(impacts(PLAN, &[]).of("module.m.t.in").unread, ["local.ids"]);
    }

    #[test]
    fn source_files_lead_through_local_values() {
        let files = [local("ids", "local.id"), local("id", "t.a.id")];
        let impact = impacts(PLAN, &files).of("t.a");
        assert!(dependents(&impact).contains(&"3 t.hidden local.ids ".to_owned()), "{impact:?}");
        assert_eq!(impact.unread, [""; 0]);
        assert_eq!(impact.count, 5);
        // The called modules have no files.
        assert!(impact.lacks_source);
    }

    #[test]
    fn a_resource_with_an_instance_that_stays_is_not_destroyed() {
        let plan = PLAN.replace("t.direct\",\"change", "t.gone[2]\",\"change");
        let impact = impacts(&plan, &[]).of("t.a");
        let gone = dependents(&impact).into_iter().find(|it| it.contains("t.gone"));
        assert_eq!(gone.as_deref(), Some("1 t.gone t.a delete+no-op"));
        assert_eq!(impact.destroyed, 0);
    }

    #[test]
    fn a_module_call_does_what_is_done_in_its_module() {
        let plan = PLAN.replace(
            r#""m":{"expressions""#,
            r#""m":{"for_each_expression":{"references":["t.a"]},"expressions""#,
        );
        let found = dependents(&impacts(&plan, &[]).of("t.a"));
        assert!(found.contains(&"1 module.m t.a update".to_owned()), "{found:?}");
    }

    #[test]
    fn the_argument_of_a_module_that_was_not_read_is_named() {
        let mut call = Element::new(ElementKind::ModuleCall, "module.far".to_owned(), "");
        let references = vec!["t.a.id".to_owned()];
        call.expressions.push(ElementExpression { path: "v".to_owned(), references });
        assert_eq!(impacts(PLAN, &[call]).of("t.a").unread, ["local.ids", "module.far.var.v"]);
    }

    #[test]
    fn nothing_depends_on_a_resource_that_the_configuration_no_longer_has() {
        let nothing = Impact { lacks_source: true, ..Impact::default() };
        assert_eq!(impacts(PLAN, &[]).of("t.removed"), nothing);
    }

    #[test]
    fn the_list_and_the_search_end_at_their_limits() {
        let users = |count: usize| {
            let user = |at| {
                format!(r#"{{"address":"t.u{at}","expressions":{{"x":{{"references":["t.a"]}}}}}}"#)
            };
            let users: Vec<String> = (0..count).map(user).collect();
            let users = users.join(",");
            let root = format!(r#"{{"root_module":{{"resources":[{users}]}}}}"#);
            format!(r#"{{"format_version":"1.2","configuration":{root}}}"#)
        };
        let impact = impacts(&users(30), &[]).of("t.a");
        assert_eq!((impact.count, impact.dependents.len(), impact.is_cut), (30, LISTED, false));
        let impact = impacts(&users(FOLLOWED + 1), &[]).of("t.a");
        let most = FOLLOWED as u64;
        assert_eq!((impact.count, impact.dependents.len(), impact.is_cut), (most, LISTED, true));
    }

    #[test]
    fn repeated_references_do_not_end_the_search() {
        let references = r#""t.a.id","var.x","#.repeat(FOLLOWED);
        let user = format!(
            r#"{{"address":"t.u","expressions":{{"x":{{"references":[{references}"t.a"]}}}}}}"#
        );
        let root = format!(r#"{{"root_module":{{"resources":[{user}]}}}}"#);
        let plan = format!(r#"{{"format_version":"1.2","configuration":{root}}}"#);
        let impact = impacts(&plan, &[]).of("t.a");
        assert_eq!((impact.count, impact.is_cut), (1, false));
    }

    #[test]
    fn a_configuration_may_be_in_the_plan_or_in_files() {
        let bare = r#"{"format_version":"1.2","resource_changes":[]}"#;
        assert!(impacts(PLAN, &[]).is_present);
        assert!(impacts(bare, &[local("ids", "t.a")]).is_present);
        assert!(!impacts(bare, &[]).is_present);
    }
}
