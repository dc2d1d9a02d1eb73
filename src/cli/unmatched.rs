//! Warnings about arguments whose patterns match nothing in any plan.

use std::sync::Arc;

use super::args::{FilterArgs, NoiseArgs};
use super::messages::say;
use plansift_core::path::{self, AddressPattern};
use plansift_plan::record::patterns::{Named, UnmatchedPatterns};
use plansift_redact::slim::PlanPart;
use plansift_report::filter::Only;
use plansift_report::gate::{self, Rule};

/// Returns the set of these patterns. `None` without patterns.
fn set_of(patterns: Vec<(String, Named)>) -> Option<Arc<UnmatchedPatterns>> {
    (!patterns.is_empty()).then(|| Arc::new(UnmatchedPatterns::new(patterns)))
}

/// Returns the patterns of rules. With `is_strict`, the run fails if a pattern of a rule with the
/// severity `error` matches nothing.
pub fn rules(rules: &[Rule], is_strict: bool) -> Option<Arc<UnmatchedPatterns>> {
    report(rules, is_strict, None)
}

/// Like [`rules`], with the patterns of the filters of a report if they apply.
pub fn report(
    rules: &[Rule],
    is_strict: bool,
    noise: Option<&NoiseArgs>,
) -> Option<Arc<UnmatchedPatterns>> {
    let filters = noise
        .into_iter()
        .flat_map(|noise| of_filters(&noise.only, &noise.ignore_path, &noise.ignore_type));
    gate::patterns(rules, is_strict, filters).map(Arc::new)
}

/// Returns the patterns of the filters of a comparison.
pub fn comparison(filters: &FilterArgs) -> Option<Arc<UnmatchedPatterns>> {
    let noise = filters.noise();
    set_of(of_filters(&noise.only, &noise.paths, &noise.types).collect())
}

fn of_filters(
    only: &[Only],
    paths: &[path::Pattern],
    types: &[AddressPattern],
) -> impl Iterator<Item = (String, Named)> {
    let only = only
        .iter()
        .filter_map(|only| only.named().map(|(text, named)| (format!("--only {text}"), named)));
    let paths = paths
        .iter()
        .map(|path| (format!("--ignore-path {}", path.text()), Named::Attribute(path.clone())));
    let types =
        types.iter().map(|it| (format!("--ignore-type {}", it.text()), Named::Type(it.clone())));
    only.chain(paths).chain(types)
}

/// Returns the resource patterns of `--only` and the attribute paths of `--select`.
pub fn resources(
    only: &[AddressPattern],
    select: &[path::Pattern],
) -> Option<Arc<UnmatchedPatterns>> {
    set_of(of_resources(only).chain(of_paths("--select", select)).collect())
}

/// Returns the resource patterns of `--only` and the attribute paths of `--paths`.
pub fn slim(only: &[AddressPattern], paths: &[path::Pattern]) -> Option<Arc<UnmatchedPatterns>> {
    set_of(of_resources(only).chain(of_paths("--paths", paths)).collect())
}

fn of_resources(only: &[AddressPattern]) -> impl Iterator<Item = (String, Named)> {
    let named = |pattern: &AddressPattern| Named::Resource(pattern.clone());
    only.iter().map(move |pattern| (format!("--only {}", pattern.text()), named(pattern)))
}

fn of_paths(option: &str, paths: &[path::Pattern]) -> impl Iterator<Item = (String, Named)> {
    let named = |path: &path::Pattern| Named::Path(path.clone(), None);
    paths.iter().map(move |path| (format!("{option} {}", path.text()), named(path)))
}

/// Warns about patterns that matched nothing and need not match. Call it after all inputs were
/// read.
pub fn warn_of(patterns: Option<&UnmatchedPatterns>) {
    let unmatched = patterns.into_iter().flat_map(UnmatchedPatterns::unmatched);
    unmatched.filter(|it| !it.fails).for_each(|it| say(&format!("warning: {it}")));
}

/// Prints the required patterns that matched nothing, and returns whether there are any. Call it
/// after all inputs were read.
pub fn fails_of(patterns: Option<&UnmatchedPatterns>) -> bool {
    let unmatched = patterns.into_iter().flat_map(UnmatchedPatterns::unmatched);
    unmatched.filter(|it| it.fails).inspect(|it| say(&it.to_string())).count() > 0
}

/// Warns about patterns that matched nothing in the sections that `slim` keeps. `others` are the
/// sections with resources that `slim` left out and did not search.
pub fn warn_of_slim(patterns: Option<&UnmatchedPatterns>, others: &[&str]) {
    if others.is_empty() {
        return warn_of(patterns);
    }
    for unmatched in patterns.into_iter().flat_map(UnmatchedPatterns::unmatched) {
        let near = unmatched.near.as_ref().map(|near| format!(": did you mean {near}?"));
        say(&format!(
            "warning: {} matches nothing in the sections that stay; --keep leaves these out, and \
             they were not searched: {}{}",
            unmatched.argument,
            others.join(", "),
            near.unwrap_or_default()
        ));
    }
}

/// Warns about parts that `--keep` names but no plan has.
pub fn warn_of_parts(wanted: &[PlanPart], kept: &[PlanPart]) {
    for part in wanted.iter().filter(|part| !kept.contains(part)) {
        say(&format!("warning: --keep {} matches nothing, no plan has this section", part.name()));
    }
}
