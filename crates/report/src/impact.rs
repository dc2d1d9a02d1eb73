//! The words for what depends on a resource that a plan destroys, replaces or forgets.

use plansift_plan::record::{Affected, Impact, ResourceChange};

/// Adds the [`impact`] to the last part of a description.
pub(super) fn with_impact(
    mut parts: Vec<String>,
    change: &ResourceChange<'_>,
    quote: impl Fn(&str) -> String,
) -> Vec<String> {
    match (impact(change, quote), parts.last_mut()) {
        (Some(impact), Some(last)) => *last += &format!("; {impact}"),
        (Some(impact), None) => parts.push(impact),
        (None, _) => {}
    }
    parts
}

/// Says what depends on a resource that the change destroys, replaces or forgets. `quote` quotes
/// strings from the plan. `None` if the change does not have an [`Impact`].
pub(super) fn impact(
    change: &ResourceChange<'_>,
    quote: impl Fn(&str) -> String,
) -> Option<String> {
    let Impact { count, destroyed, is_cut, dependents, unread, lacks_source } =
        change.impact.as_deref()?;
    let stay = dependents.iter().filter(|it| it.actions != ["delete"]);
    let named: Vec<String> =
        stay.take(DEPENDENTS).map(|dependent| affected(dependent, &quote)).collect();
    let at_least = if *is_cut { "at least " } else { "" };
    let verb = if *count == 1 { "depends" } else { "depend" };
    let mut parts = Vec::new();
    match (*count, count - destroyed) {
        (0, _) if *is_cut => {
            let text = "what depends on it is not known, because the search ended at its limit";
            parts.push(text.to_owned());
        }
        (0, _) if unread.is_empty() && *lacks_source => {
            parts.push("nothing in the JSON of the plan depends on it".to_owned());
        }
        (0, _) if unread.is_empty() => parts.push("nothing depends on it".to_owned()),
        (0, _) => {}
        (1, 0) => parts.push(format!("{at_least}1 depends on it, destroyed too")),
        (_, 0) => parts.push(format!("{at_least}{count} depend on it, all destroyed too")),
        (_, staying) => {
            let more = match staying - named.len() as u64 {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let also = match destroyed {
                0 => String::new(),
                _ => format!(", and {destroyed} that are destroyed too"),
            };
            let named = named.join(", ");
            parts.push(format!("{at_least}{count} {verb} on it: {named}{more}{also}"));
        }
    }
    if !unread.is_empty() {
        let named = unread.iter().take(DEPENDENTS).map(|address| quote(address));
        let named = named.collect::<Vec<_>>().join(", ");
        let others = if unread.len() > DEPENDENTS { " and others" } else { "" };
        parts.push(format!("what depends on it through {named}{others} is not known"));
    }
    Some(parts.join(", "))
}

/// Maximum number of dependents that a sentence names.
const DEPENDENTS: usize = 3;

/// Names an element that depends on a resource: what happens to it, and through what it depends.
fn affected(affected: &Affected, quote: impl Fn(&str) -> String) -> String {
    let Affected { address, distance, through, actions, .. } = affected;
    let word = |action: &&'static str| match *action {
        "delete" if actions.len() > 1 => "partly destroyed",
        "delete" => "destroyed",
        "replace" => "replaced",
        "forget" => "forgotten",
        "update" => "updated",
        "create" => "created",
        other => other,
    };
    let mut notes: Vec<String> = actions.first().map(word).map(str::to_owned).into_iter().collect();
    if *distance > 1 {
        notes.push(format!("through {}", quote(through)));
    }
    let name = quote(address);
    if notes.is_empty() { name } else { format!("{name} ({})", notes.join(", ")) }
}
