//! Arguments whose patterns name nothing in what was read, and what is said about them.

use super::args::NoiseArgs;
use super::run::say;
use crate::path::{self, AddressPattern};
use crate::record::watch::{Named, Watch};
use crate::sink::gate::Rule;
use crate::slim::Part;

/// A watch over these patterns, for the rest of the run; none, if there are none.
fn watch(patterns: Vec<(String, Named)>) -> Option<&'static Watch> {
    (!patterns.is_empty()).then(|| &*Box::leak(Box::new(Watch::new(patterns))))
}

fn of_rules(rules: &[Rule]) -> impl Iterator<Item = (String, Named)> {
    rules.iter().flat_map(|rule| rule.named().map(|named| (format!("rule {}", rule.text()), named)))
}

/// Of rules.
pub fn rules(rules: &[Rule]) -> Option<&'static Watch> {
    watch(of_rules(rules).collect())
}

/// Of a report.
pub fn report(rules: &[Rule], noise: &NoiseArgs) -> Option<&'static Watch> {
    let only = noise
        .only
        .iter()
        .filter_map(|only| only.named().map(|(text, named)| (format!("--only {text}"), named)));
    let paths = noise
        .ignore_path
        .iter()
        .map(|path| (format!("--ignore-path {}", path.text()), Named::Path(path.clone(), None)));
    let types = noise
        .ignore_type
        .iter()
        .map(|text| (format!("--ignore-type {text}"), Named::Type(AddressPattern::new(text))));
    watch(of_rules(rules).chain(only).chain(paths).chain(types).collect())
}

/// Of what is kept of a plan.
pub fn slim(only: &[AddressPattern], paths: &[path::Pattern]) -> Option<&'static Watch> {
    let only = only.iter().map(|it| (format!("--only {}", it.text()), Named::Resource(it.clone())));
    let paths =
        paths.iter().map(|it| (format!("--paths {}", it.text()), Named::Path(it.clone(), None)));
    watch(only.chain(paths).collect())
}

/// Says which patterns named nothing, when all was read.
pub fn tell(watch: Option<&Watch>) {
    for unmatched in watch.into_iter().flat_map(Watch::unmatched) {
        say(&format!("warning: {unmatched}"));
    }
}

/// Says which parts were to be kept and are in no plan.
pub fn tell_parts(wanted: &[Part], kept: &[Part]) {
    for part in wanted.iter().filter(|part| !kept.contains(part)) {
        say(&format!("warning: --keep {} matches nothing, no plan has this section", part.name()));
    }
}
