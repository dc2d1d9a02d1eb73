//! Parsers of arguments that are paths into values.

use plansift_core::path;
use plansift_plan::marks::ECHO;
use plansift_plan::record::values::Select;

/// Parses a path to one place, without wildcards. It may lead into documents in strings.
pub(super) fn place(text: &str) -> Result<String, String> {
    match Select::default().push(text) {
        _ if text.is_empty() => {
            Err("expected a path, like tags.Name or ingress[0].cidr_blocks".to_owned())
        }
        Ok(()) => Ok(text.to_owned()),
        Err(error) => {
            if path::refuse_document(text).is_some() {
                return Err("the path is invalid: write one like jsondecode(policy).Id, or \
                            yamldecode(values).image.tag"
                    .to_owned());
            }
            let at = error.location().map_or(0, |location| location.offset);
            Err(format!(
                "{}: write a path like tags.Name, ingress[0].cidr_blocks or labels[\"a.b\"]",
                wrong_at(text, at)
            ))
        }
    }
}

/// Parses the pattern of a path.
pub(super) fn path(text: &str) -> Result<path::Pattern, String> {
    path::Pattern::parse(text).map_err(|error| {
        let at = error.location().map_or(0, |location| location.offset);
        format!("{}: write a path like tags.Name, *_arn or tags[\"a.b\"]", wrong_at(text, at))
    })
}

/// Parses the pattern of a path in the values of a plan. Refuses patterns that match only the paths
/// of reports.
pub(super) fn path_of_values(text: &str) -> Result<path::Pattern, String> {
    let pattern = path(text)?;
    if let Some(refusal) = path::refuse_document(text) {
        return Err(refusal);
    }
    match text.contains(ECHO) {
        true => Err("a report masks this key: write * in its place, as in tags[\"*\"]".to_owned()),
        false => Ok(pattern),
    }
}

/// Describes the first wrong byte of a path.
fn wrong_at(text: &str, offset: u64) -> String {
    match usize::try_from(offset).ok().and_then(|offset| text.get(offset..)) {
        None | Some("") => "the path ends too early".to_owned(),
        Some(rest) => format!("the path is invalid from '{rest}' on"),
    }
}
