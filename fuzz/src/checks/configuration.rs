//! Checks three results of the library against the oracle, which computes them from a tree: the
//! elements of a configuration, the block of each resource, and the elements that depend on each
//! element.
//!
//! The input bytes are choices for building a configuration. A failure prints the plan.

use std::collections::BTreeSet;

use arbitrary::{Result, Unstructured};
use plansift::config::{Blocks, Graph, read};
use plansift::input::Slice;
use plansift::limits::Limits;
use plansift::plan::{Documents, PlanOptions};
use serde_json::{Value, json};

use super::value::{self, Members, Spelling, Tree, any, list, object, put, text};
use crate::naive::configuration as naive;

/// Processes the configuration that `choices` describe.
pub fn check(choices: &[u8]) {
    let Ok(plan) = plan(&mut Unstructured::new(choices)) else { return };
    let tree: Value = serde_json::from_str(&plan)
        .unwrap_or_else(|error| panic!("the document is no JSON: {error}\n{plan}"));
    let mut elements = Vec::new();
    let mut graph = Graph::new(&Limits::default());
    let mut blocks = Blocks::new(&Limits::default());
    let mut documents = Documents::new(Slice(plan.as_bytes()), &PlanOptions::default());
    let read = read(&mut documents, &mut |element, offset| {
        elements.push(serde_json::to_string(element).expect("an element is JSON"));
        graph.add(element, offset)?;
        blocks.add(element, offset)
    });
    read.unwrap_or_else(|error| panic!("{error}\n{plan}"));
    let expected = naive::elements(&tree);
    for (element, expected) in elements.iter().zip(&expected) {
        let element: Value = serde_json::from_str(element).expect("an element is JSON");
        assert_eq!(element, *expected, "\n{plan}");
    }
    assert_eq!(elements.len(), expected.len(), "number of elements\n{plan}");
    for element in &expected {
        let address = element["address"].as_str().expect("an address");
        assert_eq!(json!(blocks.block(address)), naive::block(&tree, address), "{address}\n{plan}");
        let dependents = graph.dependents(address).expect("an element of the graph");
        let dependents: BTreeSet<String> =
            dependents.iter().map(|dependent| dependent.address.to_owned()).collect();
        assert_eq!(dependents, naive::dependents(&tree, address), "{address}\n{plan}");
    }
}

/// The names of elements: few, so that references find them.
const NAMES: [&str; 3] = ["a", "b", "c"];

/// Maximum nesting of modules.
const DEPTH: u32 = 3;

fn plan(u: &mut Unstructured<'_>) -> Result<String> {
    let spelling = Spelling::choose(u)?;
    let mut configuration = Members::new();
    if u.arbitrary()? {
        put(&mut configuration, "provider_config", Tree::Object(providers(u)?));
    }
    put(&mut configuration, "root_module", module(u, DEPTH)?);
    if u.ratio(1, 4)? {
        put(&mut configuration, "new", any(u)?);
    }
    let mut plan = Members::new();
    put(&mut plan, "format_version", Tree::Text("1.2".to_owned()));
    put(&mut plan, "configuration", Tree::Object(configuration));
    let mut out = String::new();
    value::write(u, &Tree::Object(plan), spelling, &mut out)?;
    Ok(out)
}

fn providers(u: &mut Unstructured<'_>) -> Result<Members> {
    let mut providers = Members::new();
    for key in ["p", "p.x", "module.a:p"] {
        let mut provider = Members::new();
        maybe(u, &mut provider, "name", word)?;
        maybe(u, &mut provider, "alias", word)?;
        maybe(u, &mut provider, "full_name", word)?;
        maybe(u, &mut provider, "version_constraint", word)?;
        if key.starts_with("module.") {
            put(&mut provider, "module_address", Tree::Text("module.a".to_owned()));
        }
        maybe(u, &mut provider, "expressions", block)?;
        if u.arbitrary()? {
            put(&mut providers, key, Tree::Object(provider));
        }
    }
    Ok(providers)
}

fn module(u: &mut Unstructured<'_>, depth: u32) -> Result<Tree> {
    let mut module = Members::new();
    maybe(u, &mut module, "outputs", |u| named(u, output))?;
    maybe(u, &mut module, "resources", |u| Ok(Tree::Array(list(u, resource)?)))?;
    if depth > 0 {
        maybe(u, &mut module, "module_calls", |u| named(u, |u| call(u, depth - 1)))?;
    }
    maybe(u, &mut module, "variables", |u| named(u, variable))?;
    maybe(u, &mut module, "new", any)?;
    Ok(Tree::Object(module))
}

/// An object with a member for some of the names.
fn named(
    u: &mut Unstructured<'_>,
    mut each: impl FnMut(&mut Unstructured<'_>) -> Result<Tree>,
) -> Result<Tree> {
    let mut members = Members::new();
    for name in NAMES {
        if u.arbitrary()? {
            put(&mut members, name, each(u)?);
        }
    }
    Ok(Tree::Object(members))
}

fn output(u: &mut Unstructured<'_>) -> Result<Tree> {
    let mut output = Members::new();
    maybe(u, &mut output, "sensitive", |u| Ok(Tree::Bool(u.arbitrary()?)))?;
    maybe(u, &mut output, "expression", expression)?;
    maybe(u, &mut output, "depends_on", references)?;
    maybe(u, &mut output, "description", word)?;
    Ok(Tree::Object(output))
}

fn variable(u: &mut Unstructured<'_>) -> Result<Tree> {
    let mut variable = Members::new();
    maybe(u, &mut variable, "default", any)?;
    maybe(u, &mut variable, "sensitive", |u| Ok(Tree::Bool(u.arbitrary()?)))?;
    Ok(Tree::Object(variable))
}

fn resource(u: &mut Unstructured<'_>) -> Result<Tree> {
    let mut resource = Members::new();
    let mode = *u.choose(&["", "data."])?;
    let address = format!("{mode}t.{}", u.choose(&NAMES)?);
    put(&mut resource, "address", Tree::Text(address));
    maybe(u, &mut resource, "mode", word)?;
    maybe(u, &mut resource, "type", word)?;
    maybe(u, &mut resource, "name", word)?;
    maybe(u, &mut resource, "provider_config_key", |u| {
        let keys = ["p", "p.x", "module.a:p", "module.a:p.y"];
        Ok(Tree::Text((*u.choose(&keys)?).to_owned()))
    })?;
    maybe(u, &mut resource, "provisioners", |u| {
        Ok(Tree::Array(list(u, |u| {
            let mut provisioner = Members::new();
            maybe(u, &mut provisioner, "type", word)?;
            maybe(u, &mut provisioner, "expressions", block)?;
            Ok(Tree::Object(provisioner))
        })?))
    })?;
    maybe(u, &mut resource, "expressions", block)?;
    repetition(u, &mut resource)?;
    Ok(Tree::Object(resource))
}

fn call(u: &mut Unstructured<'_>, depth: u32) -> Result<Tree> {
    let mut call = Members::new();
    maybe(u, &mut call, "source", word)?;
    maybe(u, &mut call, "expressions", |u| named(u, part))?;
    put(&mut call, "module", module(u, depth)?);
    maybe(u, &mut call, "version_constraint", word)?;
    repetition(u, &mut call)?;
    Ok(Tree::Object(call))
}

fn repetition(u: &mut Unstructured<'_>, members: &mut Members) -> Result<()> {
    maybe(u, members, "count_expression", expression)?;
    maybe(u, members, "for_each_expression", expression)?;
    maybe(u, members, "depends_on", references)
}

/// The expressions of a block.
fn block(u: &mut Unstructured<'_>) -> Result<Tree> {
    Ok(Tree::Object(object(u, part)?))
}

/// An expression, blocks, or anything.
fn part(u: &mut Unstructured<'_>) -> Result<Tree> {
    match u.int_in_range(0..=7)? {
        0..=4 => expression(u),
        5 => Ok(Tree::Object(object(u, expression)?)),
        6 => Ok(Tree::Array(list(u, |u| Ok(Tree::Object(object(u, expression)?)))?)),
        _ => any(u),
    }
}

fn expression(u: &mut Unstructured<'_>) -> Result<Tree> {
    let mut expression = Members::new();
    maybe(u, &mut expression, "constant_value", any)?;
    maybe(u, &mut expression, "references", references)?;
    if u.ratio(1, 16)? {
        put(&mut expression, "new", any(u)?);
    }
    Ok(Tree::Object(expression))
}

fn references(u: &mut Unstructured<'_>) -> Result<Tree> {
    let mut texts = Vec::new();
    for _ in 0..u.int_in_range(0..=2)? {
        let name = *u.choose(&NAMES)?;
        let own: &[String] = &match u.int_in_range(0..=7)? {
            0 => vec![format!("var.{name}")],
            1 => vec![format!("t.{name}.id"), format!("t.{name}")],
            2 => vec![format!("data.t.{name}[0].id"), format!("data.t.{name}")],
            3 => vec![format!("module.{name}.a"), format!("module.{name}")],
            4 => vec![format!(r#"module.{name}["x.y"].b"#), format!(r#"module.{name}["x.y"]"#)],
            5 => vec![format!("module.{name}")],
            6 => vec![format!("local.{name}")],
            _ => vec![text(u)?],
        };
        texts.extend(own.iter().cloned().map(Tree::Text));
    }
    Ok(Tree::Array(texts))
}

fn word(u: &mut Unstructured<'_>) -> Result<Tree> {
    Ok(Tree::Text(text(u)?))
}

/// Adds a member, or `null` in its place, or nothing.
fn maybe(
    u: &mut Unstructured<'_>,
    members: &mut Members,
    key: &str,
    make: impl FnOnce(&mut Unstructured<'_>) -> Result<Tree>,
) -> Result<()> {
    match u.int_in_range(0..=6)? {
        0 | 1 => {}
        2 => put(members, key, Tree::Null),
        _ => put(members, key, make(u)?),
    }
    Ok(())
}
