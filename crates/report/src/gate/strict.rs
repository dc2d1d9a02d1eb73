//! Patterns of rules that match nothing, and the rules of strict runs.

use super::{Rule, Severity};
use plansift_plan::record::patterns::{Named, UnmatchedPatterns};

/// The rules of a strict run.
const STRICT: [&str; 2] = ["check", "unknown-check"];

/// Adds the rules of a strict run: no check fails, and none is unknown. A rule with the same
/// subject and without a pattern replaces each of them.
pub fn with_strict_rules(mut rules: Vec<Rule>) -> Vec<Rule> {
    let strict = STRICT.iter().filter_map(|text| Rule::parse(text).ok());
    let added: Vec<Rule> =
        strict.filter(|rule| !rules.iter().any(|own| own.includes(rule))).collect();
    rules.extend(added);
    rules
}

/// Returns the patterns of rules, and others, each with the argument that contains it. `None`
/// without patterns. If `is_strict`, the run fails if a pattern of a rule with the severity `error`
/// matches nothing.
pub fn patterns(
    rules: &[Rule],
    is_strict: bool,
    others: impl IntoIterator<Item = (String, Named)>,
) -> Option<UnmatchedPatterns> {
    let argument = |rule: &Rule| format!("rule {}", rule.text());
    let of_rules =
        rules.iter().flat_map(|rule| rule.named().map(move |named| (argument(rule), named)));
    let patterns: Vec<_> = of_rules.chain(others).collect();
    let errors = rules.iter().filter(|rule| is_strict && rule.severity() == Severity::Error);
    let required: Vec<String> = errors.map(argument).collect();
    let is_required = |argument: &str| required.iter().any(|it| it == argument);
    (!patterns.is_empty()).then(|| UnmatchedPatterns::new(patterns).require(is_required))
}
