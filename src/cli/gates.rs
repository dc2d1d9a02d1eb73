//! Rules that the user sets, and what is said when a plan breaks one.

use std::cell::Cell;

use super::args::GateArgs;
use super::exit::Exit;
use super::run::say;
use crate::sink::Sink;
use crate::sink::gate::{Answer, Gate, Rule};
use crate::sink::summary::visible;

/// How many of what breaks a rule are named.
const NAMED: usize = 3;

/// The rules that were set, those of files too.
///
/// # Errors
///
/// One is none, or a file cannot be read; that was said.
pub fn rules(gate: &GateArgs) -> Result<Vec<Rule>, Exit> {
    let mut rules = Vec::new();
    for text in &gate.fail_on {
        match text.strip_prefix('@') {
            Some(path) => rules.extend(in_file(path)?),
            None => rules.push(rule(text, "--fail-on")?),
        }
    }
    Ok(rules)
}

/// The rules of a file: a line each; empty lines and those that begin with `#` say nothing.
fn in_file(path: &str) -> Result<Vec<Rule>, Exit> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        say(&format!("--fail-on @{}: cannot read it: {error}", visible(path)));
        Exit::Failed
    })?;
    let lines = text.lines().map(str::trim).zip(1_u64..);
    let rules: Vec<Rule> = lines
        .filter(|(line, _)| !line.is_empty() && !line.starts_with('#'))
        .map(|(line, number)| rule(line, &format!("{}: line {number}", visible(path))))
        .collect::<Result<_, Exit>>()?;
    if rules.is_empty() {
        say(&format!("--fail-on @{}: there is no rule in it", visible(path)));
        return Err(Exit::Usage);
    }
    Ok(rules)
}

fn rule(text: &str, place: &str) -> Result<Rule, Exit> {
    Rule::parse(text).map_err(|error| {
        say(&format!(
            "{place}: '{}': {error}: it begins with one of {}; then perhaps ':' with a type, an \
             address or a path, and '>' with a number",
            visible(text),
            Rule::subjects().collect::<Vec<_>>().join(", ")
        ));
        Exit::Usage
    })
}

/// A sink behind the rules; `is_broken` tells in the end whether a plan broke one.
pub fn before<'s>(
    sink: Box<dyn Sink + 's>,
    rules: &[Rule],
    is_broken: &'s Cell<bool>,
) -> Box<dyn Sink + 's> {
    if rules.is_empty() {
        return sink;
    }
    let tell = |broken: &Answer<'_>| {
        is_broken.set(true);
        let (source, rule) = (visible(broken.source), visible(broken.rule.text()));
        say(&match broken.first {
            [] => format!("{source}: rule broken: {rule}"),
            _ => format!("{source}: rule broken: {rule}: {}", broken.words(NAMED, visible)),
        });
    };
    Box::new(Gate::new(rules, sink, tell))
}
