//! Builds a valid plan from choices: sections in any order, elements with any of their keys, `null`
//! where it counts as absent, and unknown keys and words.

use arbitrary::{Result, Unstructured};

use super::value::{self, Members, Spelling, Tree, any, list, object, overlay, put, text};

/// The text of a plan.
pub fn plan(u: &mut Unstructured<'_>) -> Result<String> {
    let spelling = Spelling::choose(u)?;
    let mut plan = Members::new();
    let version = ["format_version", "format_version", "format_version", "plan_format_version"];
    put(&mut plan, *u.choose(&version)?, one_of(u, &["1.2", "0.1", "1.0", "1.7"])?);
    maybe(u, &mut plan, "terraform_version", |u| one_of(u, &["1.14.2", "0.12.0", "é"]))?;
    maybe(u, &mut plan, "variables", |u| Ok(Tree::Object(object(u, any)?)))?;
    maybe(u, &mut plan, "planned_values", any)?;
    maybe(u, &mut plan, "resource_drift", changes)?;
    // A document without a key that only plans have is no plan.
    let changes_of_plan = if u.ratio(7, 8)? { changes(u)? } else { Tree::Null };
    put(&mut plan, "resource_changes", changes_of_plan);
    maybe(u, &mut plan, "deferred_changes", |u| Ok(Tree::Array(list(u, deferred)?)))?;
    maybe(u, &mut plan, "deferred_action_invocations", any)?;
    maybe(u, &mut plan, "output_changes", |u| Ok(Tree::Object(object(u, change)?)))?;
    maybe(u, &mut plan, "action_invocations", |u| Ok(Tree::Array(list(u, invocation)?)))?;
    maybe(u, &mut plan, "prior_state", any)?;
    maybe(u, &mut plan, "configuration", any)?;
    maybe(u, &mut plan, "relevant_attributes", any)?;
    maybe(u, &mut plan, "checks", |u| Ok(Tree::Array(list(u, checked)?)))?;
    maybe(u, &mut plan, "timestamp", word)?;
    for word in ["applyable", "complete", "errored"] {
        maybe(u, &mut plan, word, |u| Ok(Tree::Bool(u.arbitrary()?)))?;
    }
    unknown_keys(u, &mut plan)?;
    let mut out = String::new();
    value::write(u, &Tree::Object(plan), spelling, &mut out)?;
    Ok(out)
}

/// Adds a member, or `null` in its place, or nothing.
fn maybe(
    u: &mut Unstructured<'_>,
    members: &mut Members,
    key: &str,
    make: impl FnOnce(&mut Unstructured<'_>) -> Result<Tree>,
) -> Result<()> {
    match u.int_in_range(0..=5)? {
        0..=2 => {}
        3 => put(members, key, Tree::Null),
        _ => put(members, key, make(u)?),
    }
    Ok(())
}

/// Adds members that no tool writes.
fn unknown_keys(u: &mut Unstructured<'_>, members: &mut Members) -> Result<()> {
    if u.ratio(1, 4)? {
        let key = format!("x-{}", text(u)?);
        put(members, key, any(u)?);
    }
    Ok(())
}

fn word(u: &mut Unstructured<'_>) -> Result<Tree> {
    Ok(Tree::Text(text(u)?))
}

fn one_of(u: &mut Unstructured<'_>, words: &[&str]) -> Result<Tree> {
    Ok(Tree::Text((*u.choose(words)?).to_owned()))
}

fn changes(u: &mut Unstructured<'_>) -> Result<Tree> {
    Ok(Tree::Array(list(u, resource_change)?))
}

fn resource_change(u: &mut Unstructured<'_>) -> Result<Tree> {
    let mut element = Members::new();
    put(&mut element, "address", word(u)?);
    for key in ["previous_address", "module_address", "type", "name", "provider_name", "deposed"] {
        maybe(u, &mut element, key, word)?;
    }
    let modes = ["managed", "data", "ephemeral", "other"];
    maybe(u, &mut element, "mode", |u| one_of(u, &modes))?;
    maybe(u, &mut element, "index", |u| match any(u)? {
        index @ (Tree::Number(_) | Tree::Text(_)) => Ok(index),
        _ => Ok(Tree::Number("7".to_owned())),
    })?;
    maybe(u, &mut element, "index_unknown", |_| Ok(Tree::Bool(true)))?;
    put(&mut element, "change", change(u)?);
    maybe(u, &mut element, "action_reason", word)?;
    unknown_keys(u, &mut element)?;
    Ok(Tree::Object(element))
}

fn change(u: &mut Unstructured<'_>) -> Result<Tree> {
    const ACTIONS: &[&[&str]] = &[
        &["no-op"],
        &["update"],
        &["create"],
        &["delete"],
        &["read"],
        &["delete", "create"],
        &["create", "delete"],
        &["forget"],
        &["create", "forget"],
        &["forget", "create"],
        &["open"],
        &["Other", "words", ""],
        &[],
    ];
    let before = any(u)?;
    let after = value::changed(u, &before)?;
    let mut change = Members::new();
    let actions = u.choose(ACTIONS)?.iter().map(|action| Tree::Text((*action).to_owned()));
    put(&mut change, "actions", Tree::Array(actions.collect()));
    for (key, overlaid) in
        [("after_unknown", &after), ("before_sensitive", &before), ("after_sensitive", &after)]
    {
        maybe(u, &mut change, key, |u| overlay(u, overlaid))?;
    }
    let secret = first_text(&before).to_owned();
    for (key, side) in [("before", before), ("after", after)] {
        match u.int_in_range(0..=9)? {
            0 => {}
            1 => put(&mut change, key, Tree::Null),
            _ => put(&mut change, key, side),
        }
    }
    maybe(u, &mut change, "replace_paths", |u| {
        Ok(Tree::Array(list(u, |u| Ok(Tree::Array(list(u, any)?)))?))
    })?;
    maybe(u, &mut change, "importing", |u| importing(u, secret))?;
    maybe(u, &mut change, "generated_config", word)?;
    maybe(u, &mut change, "before_identity", any)?;
    unknown_keys(u, &mut change)?;
    Ok(Tree::Object(change))
}

/// An `importing` value, mostly with a text that the change may mark as sensitive.
fn importing(u: &mut Unstructured<'_>, secret: String) -> Result<Tree> {
    let mut importing = Members::new();
    maybe(u, &mut importing, "id", |_| Ok(Tree::Text(secret)))?;
    maybe(u, &mut importing, "identity", any)?;
    maybe(u, &mut importing, "unknown", |_| Ok(Tree::Bool(true)))?;
    Ok(Tree::Object(importing))
}

fn first_text(value: &Tree) -> &str {
    match value {
        Tree::Text(text) => text,
        Tree::Array(elements) => elements.first().map_or("", first_text),
        Tree::Object(members) => members.first().map_or("", |(_, value)| first_text(value)),
        Tree::Null | Tree::Bool(_) | Tree::Number(_) => "",
    }
}

fn deferred(u: &mut Unstructured<'_>) -> Result<Tree> {
    let mut element = Members::new();
    maybe(u, &mut element, "reason", word)?;
    put(&mut element, "resource_change", resource_change(u)?);
    unknown_keys(u, &mut element)?;
    Ok(Tree::Object(element))
}

fn invocation(u: &mut Unstructured<'_>) -> Result<Tree> {
    let mut element = Members::new();
    put(&mut element, "address", word(u)?);
    for key in ["type", "name", "provider_name"] {
        maybe(u, &mut element, key, word)?;
    }
    maybe(u, &mut element, "config_values", any)?;
    maybe(u, &mut element, "lifecycle_action_trigger", |u| {
        let mut trigger = Members::new();
        maybe(u, &mut trigger, "triggering_resource_address", word)?;
        unknown_keys(u, &mut trigger)?;
        Ok(Tree::Object(trigger))
    })?;
    maybe(u, &mut element, "invoke_action_trigger", |u| Ok(Tree::Object(object(u, any)?)))?;
    unknown_keys(u, &mut element)?;
    Ok(Tree::Object(element))
}

fn checked(u: &mut Unstructured<'_>) -> Result<Tree> {
    let mut address = Members::new();
    put(&mut address, "to_display", word(u)?);
    maybe(u, &mut address, "kind", word)?;
    let mut element = Members::new();
    put(&mut element, "address", Tree::Object(address));
    put(&mut element, "status", one_of(u, &["pass", "fail", "error", "unknown", "x"])?);
    maybe(u, &mut element, "instances", |u| Ok(Tree::Array(list(u, instance)?)))?;
    unknown_keys(u, &mut element)?;
    Ok(Tree::Object(element))
}

fn instance(u: &mut Unstructured<'_>) -> Result<Tree> {
    let mut instance = Members::new();
    maybe(u, &mut instance, "problems", |u| {
        let problem = |u: &mut Unstructured<'_>| {
            let mut problem = Members::new();
            maybe(u, &mut problem, "message", word)?;
            unknown_keys(u, &mut problem)?;
            Ok(Tree::Object(problem))
        };
        Ok(Tree::Array(list(u, problem)?))
    })?;
    unknown_keys(u, &mut instance)?;
    Ok(Tree::Object(instance))
}
