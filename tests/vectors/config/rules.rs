//! Where our answers differ from those of HCL on purpose, by rule.

use serde_json::Value as Json;

use super::Asked;

/// A rule, and why it is right.
pub struct Rule {
    pub name: &'static str,
    pub reason: &'static str,
    pub explains: fn(&Json, &Asked) -> bool,
}

pub const RULES: [Rule; 2] = [
    Rule {
        name: "an operation",
        reason: "constants are read, but nothing is computed: a plan has the results",
        explains: operation,
    },
    Rule {
        name: "why an expression cannot be parsed",
        reason: "the parser of expressions is hcl-edit, whose faults have other places and words; \
                 both find a fault in the same template or argument",
        explains: expression_fault,
    },
];

/// Values that HCL computes are missing, and all others are equal.
fn operation(question: &Json, asked: &Asked) -> bool {
    let has_template = question["input"].as_str().is_some_and(|input| input.contains("${"));
    let (theirs, ours) = (asked.theirs.as_array(), asked.ours.as_array());
    let (Some(theirs), Some(ours)) = (theirs, ours) else {
        return false;
    };
    asked.about == "evaluated" && has_template && ours.iter().all(|value| theirs.contains(value))
}

/// The faults outside expressions are equal, and for each text whose expression has a fault, both
/// report one that starts in the text.
fn expression_fault(question: &Json, asked: &Asked) -> bool {
    let of_expression = |fault: &&Json| {
        let from = fault["from"].as_str().unwrap_or_default();
        from == "ParseTemplate" || from.starts_with("reading as")
    };
    let theirs: Vec<&Json> = question["diagnostics"].as_array().into_iter().flatten().collect();
    let inside: Vec<&Json> = theirs.iter().copied().filter(of_expression).collect();
    let is_theirs = |fault: &&Json| {
        theirs.iter().any(|other| {
            ["summary", "detail", "range", "context"].iter().all(|name| other[name] == fault[name])
        })
    };
    let ours: Vec<&Json> = asked.ours.as_array().into_iter().flatten().collect();
    let differ: Vec<&Json> = ours.iter().copied().filter(|fault| !is_theirs(fault)).collect();
    let line = |fault: &Json| fault["range"][0].clone();
    asked.about == "diagnostics"
        && !inside.is_empty()
        && differ.iter().all(|fault| inside.iter().any(|other| line(other) == line(fault)))
        && inside.iter().all(|other| ours.iter().any(|fault| line(fault) == line(other)))
        && theirs
            .iter()
            .filter(|fault| !of_expression(fault))
            .all(|fault| ours.iter().any(|other| other["range"] == fault["range"]))
}
