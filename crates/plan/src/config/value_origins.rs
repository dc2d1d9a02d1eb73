//! Where the values of attributes come from, by the references in their expressions.

use std::collections::{HashMap, HashSet};

use super::address::push_name;
use super::element::{Element, ElementExpression, ElementKind};
use super::reference::{Target, traversals};
use super::users::element_address;
use plansift_core::budget::Budget;
use plansift_core::error::Result;
use plansift_core::limits::{Limit, Limits};
use plansift_core::path::ConfigAddress;

/// Maximum number of references that a text names.
const NAMED: usize = 2;
/// Maximum number of steps from one expression to the next.
const STEPS: usize = 64;
/// The estimated memory of an element, of an expression and of a reference without their texts.
const OVERHEAD: usize = 96;

/// The expressions of a configuration that have references.
#[derive(Debug)]
pub struct ValueOrigins {
    elements: HashMap<Box<str>, Vec<ElementExpression>>,
    budget: Budget,
}

impl ValueOrigins {
    /// Returns an index without expressions.
    pub fn new(limits: &Limits) -> ValueOrigins {
        let budget = Budget::new(Limit::Configuration, limits.configuration);
        ValueOrigins { elements: HashMap::new(), budget }
    }

    /// Adds the expressions of an element, found at an offset of the document. The first element
    /// with an address counts.
    ///
    /// # Errors
    ///
    /// Fails if the index exceeds its limit.
    pub fn add(&mut self, element: &Element, offset: u64) -> Result<()> {
        let has_attributes = !matches!(
            element.kind,
            ElementKind::Provider
                | ElementKind::Variable
                | ElementKind::Check
                | ElementKind::Import
        );
        if !has_attributes || self.elements.contains_key(&*element.address) {
            return Ok(());
        }
        // `each.value` comes from the expression of `for_each`.
        let for_each = element.expressions.iter().find(|it| it.path == "for_each");
        let for_each = for_each.map_or(&[][..], |it| &it.references);
        let kept = |it: &ElementExpression| {
            let mut seen = HashSet::new();
            let is_each = it.references.iter().any(|it| it.starts_with("each."));
            let for_each = traversals(if is_each { for_each } else { &[] });
            let references = traversals(&it.references).chain(for_each);
            let references = references.filter(|it| Target::of(it).is_some() && seen.insert(*it));
            let references: Vec<String> = references.map(str::to_owned).collect();
            let path = it.path.clone();
            (!references.is_empty()).then_some(ElementExpression { path, references })
        };
        let expressions: Vec<ElementExpression> =
            element.expressions.iter().filter_map(kept).collect();
        if expressions.is_empty() {
            return Ok(());
        }
        let texts = |it: &ElementExpression| {
            let references = it.references.iter().map(|it| OVERHEAD + it.len());
            OVERHEAD + it.path.len() + references.sum::<usize>()
        };
        let memory =
            OVERHEAD + element.address.len() + expressions.iter().map(texts).sum::<usize>();
        self.budget.take(memory, offset)?;
        self.elements.insert(element.address.as_str().into(), expressions);
        Ok(())
    }

    /// Returns the references that the value of an attribute comes from, as a text such as
    /// `aws_vpc.main.id`. A single reference to a variable, a local value or the output of a module
    /// is followed to the reference behind it. `None` if the configuration has no reference for the
    /// attribute, so the provider computes it. `address` may have instance keys.
    pub fn of(&self, address: &str, path: &str) -> Option<String> {
        let address = element_address(address);
        let mut module = ConfigAddress::of(&address).module_address();
        let mut found = self.references(&address, path)?;
        for _ in 0..STEPS {
            let [reference] = found else { break };
            let Some((target, path, of)) = behind(reference, &module) else { break };
            let Some(next) = self.references(&target, &path) else { break };
            (found, module) = (next, of);
        }
        let named = found.iter().filter_map(|reference| Target::named(reference)).take(NAMED);
        let named = named.map(|reference| {
            let mut named = module.clone();
            push_name(&mut named, &reference);
            named
        });
        let named = named.collect::<Vec<_>>().join(", ");
        Some(match found.len() {
            ..=NAMED => named,
            more => format!("{named} and {} more", more - NAMED),
        })
    }

    /// Returns the references of the expression of an attribute, each once, in order. The
    /// expression of `tags` has the value of `tags.Name`.
    fn references(&self, address: &str, path: &str) -> Option<&[String]> {
        let is_above = |it: &&ElementExpression| {
            let rest = path.strip_prefix(&*it.path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        let all = self.elements.get(address)?.iter();
        all.filter(is_above).max_by_key(|it| it.path.len()).map(|it| &*it.references)
    }
}

/// Returns the element that a reference in a module leads to, the path of the expression there, and
/// the module of that expression. `None` for a resource, where the way ends.
fn behind(reference: &str, module: &str) -> Option<(String, String, String)> {
    let target = Target::of(reference)?;
    let address = target.address(module);
    match &target {
        Target::Output(call, _) => {
            let mut inner = module.to_owned();
            ["module", call].iter().for_each(|name| push_name(&mut inner, name));
            Some((address, "expression".to_owned(), inner))
        }
        Target::Local(names) => match names[..] {
            ["local", name] => Some((address, name.to_owned(), module.to_owned())),
            ["var", name] if !module.is_empty() => {
                let caller = ConfigAddress::of(module).module_address();
                Some((module.to_owned(), name.to_owned(), caller))
            }
            _ => None,
        },
        Target::Call(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::reading::read;
    use super::*;
    use crate::plan::{Documents, PlanOptions};
    use plansift_core::input::Slice;

    const PLAN: &str = r#"{"format_version":"1.2","configuration":{"root_module":{
        "resources":[
            {"address":"t.vpc"},
            {"address":"t.subnet","expressions":{
                "vpc_id":{"references":["t.vpc.id","t.vpc"]},
                "tags":{"references":["var.env","t.vpc.id","t.vpc","local.x"]},
                "block":[{"a":{"references":["module.m.id","module.m"]}}],
                "each":{"references":["each.value.id","each.value"]},
                "key":{"references":["t.vpc.map[\"secret\"].x","t.vpc.map[\"secret\"]","t.vpc"]},
                "set":{"constant_value":1}},
                "for_each_expression":{"references":["t.vpc.id","t.vpc"]}},
            {"address":"t.local","expressions":{"a":{"references":["local.b"]}}}],
        "module_calls":{"m":{"source":"./m",
            "expressions":{"v":{"references":["t.subnet.vpc_id","t.subnet"]}},
            "module":{
                "variables":{"v":{}},
                "outputs":{"id":{"expression":{"references":["t.in.id","t.in"]}}},
                "resources":[{"address":"t.in","expressions":{
                    "x":{"references":["var.v"]},
                    "both":{"references":["var.v","t.in.id"]}}}]}}}}}}"#;

    fn origins(files: &[Element]) -> ValueOrigins {
        let mut origins = ValueOrigins::new(&Limits::default());
        let mut documents = Documents::new(Slice(PLAN.as_bytes()), &PlanOptions::default());
        read(&mut documents, &mut |element, at| origins.add(element, at)).expect("a plan");
        files.iter().try_for_each(|element| origins.add(element, 0)).expect("few elements");
        origins
    }

    fn local(name: &str, references: &[&str]) -> Element {
        let mut element = Element::new(ElementKind::Local, format!("local.{name}"), "");
        let references = references.iter().map(|&it| it.to_owned()).collect();
        element.expressions.push(ElementExpression { path: name.to_owned(), references });
        element
    }

    #[test]
    fn an_attribute_comes_from_the_references_of_its_expression() {
        let origins = origins(&[]);
        for (address, path, expected) in [
            ("t.subnet[0]", "vpc_id", Some("t.vpc.id")),
            ("t.subnet", "tags.Name", Some("var.env, t.vpc.id and 1 more")),
            // The way leads into the module, where the resource is.
            ("t.subnet", "block[0].a", Some("module.m.t.in.id")),
            // The way leads from the module to its caller.
            ("module.m[\"k\"].t.in", "x", Some("t.subnet.vpc_id")),
            ("module.m.t.in", "both", Some("module.m.var.v, module.m.t.in.id")),
            ("t.subnet", "key", Some("t.vpc.map")),
            ("t.subnet", "vpc", None),
            ("t.subnet", "id", None),
            ("t.subnet", "each", Some("t.vpc.id")),
            ("t.subnet", "set", None),
            ("t.gone", "vpc_id", None),
        ] {
            assert_eq!(origins.of(address, path).as_deref(), expected, "{address} {path}");
        }
    }

    #[test]
    fn local_values_are_followed_as_far_as_they_are_known() {
        assert_eq!(origins(&[]).of("t.local", "a").as_deref(), Some("local.b"));
        let files = [local("b", &["local.c"]), local("c", &["t.vpc.id", "t.vpc"])];
        assert_eq!(origins(&files).of("t.local", "a").as_deref(), Some("t.vpc.id"));
        let files = [local("b", &["t.vpc.id", "t.subnet.id"])];
        assert_eq!(origins(&files).of("t.local", "a").as_deref(), Some("t.vpc.id, t.subnet.id"));
        // Local values that refer to each other are an error of the tools, and end here, too.
        let files = [local("b", &["local.b"])];
        assert_eq!(origins(&files).of("t.local", "a").as_deref(), Some("local.b"));
    }
}
