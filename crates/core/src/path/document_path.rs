//! Paths into the documents in strings, as reports write them: `jsondecode(policy).Statement`.

use std::cell::Cell;

use super::position_outside_quotes;

/// Terraform's functions that decode documents in strings: JSON and YAML.
pub const DECODERS: [&str; 2] = ["jsondecode", "yamldecode"];

/// Why a path into the document in a string is an error, in words.
pub const NO_DOCUMENTS: &str = "a path cannot lead into the document in a string";

/// What to write in place of a path into the document in a string.
pub const PATH_OF_STRING: &str =
    "the path of the string, such as policy for jsondecode(policy).Statement";

/// The parts of a path into the document in a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentPath<'t> {
    /// The function that decodes the document, one of [`DECODERS`].
    pub decoder: &'static str,
    /// The path of the string, which may be in another document.
    pub string: &'t str,
    /// The path in the document; empty for the whole document.
    pub inside: &'t str,
}

/// Splits a path like `jsondecode(policy).Statement` into its parts. Returns `None` if the path
/// begins with no call of a decoder, or if no step follows the call.
pub fn split_document(path: &str) -> Option<DocumentPath<'_>> {
    let (decoder, call) =
        DECODERS.iter().find_map(|decoder| Some((*decoder, path.strip_prefix(decoder)?)))?;
    let string = argument(call)?;
    let rest = &call[string.len() + 2..];
    let inside = match rest.strip_prefix('.') {
        Some(inside) if !inside.is_empty() => inside,
        None if rest.is_empty() || rest.starts_with('[') => rest,
        _ => return None,
    };
    Some(DocumentPath { decoder, string, inside })
}

/// Returns the path of the string whose document contains `path`: `policy` for
/// `jsondecode(policy).Statement`. `None` if the path leads into no document.
pub(super) fn string_of(path: &str) -> Option<&str> {
    DECODERS.iter().find_map(|it| argument(path.strip_prefix(it)?))
}

/// Returns the text in the parentheses at the start of `call`, which may contain parentheses.
fn argument(call: &str) -> Option<&str> {
    let inside = call.strip_prefix('(')?;
    let depth = Cell::new(0_usize);
    let end = position_outside_quotes(inside, |_, byte| match byte {
        b')' if depth.get() == 0 => true,
        b'(' | b')' => {
            depth.set(if byte == b'(' { depth.get() + 1 } else { depth.get() - 1 });
            false
        }
        _ => false,
    })?;
    Some(&inside[..end])
}

/// Returns the strings whose documents a path or a pattern leads into, the outermost last:
/// `jsondecode(policy).a` and `policy` for `jsondecode(jsondecode(policy).a).b`. Empty if the text
/// calls no decoder.
pub fn document_strings(text: &str) -> Vec<&str> {
    let mut strings = Vec::new();
    let mut rest = text.strip_prefix('=').unwrap_or(text);
    while let Some(at) = position_outside_quotes(rest, |_, byte| byte == b'(') {
        let (function, call) = rest.split_at(at);
        let name = match function.strip_prefix("*.") {
            Some(name) => name,
            None => function.trim_start_matches('*'),
        };
        let is_any = name.is_empty() && !function.is_empty();
        let string = argument(call).filter(|it| !it.is_empty());
        let Some(string) = string.filter(|_| is_any || DECODERS.contains(&name)) else {
            return Vec::new();
        };
        rest = string;
        strings.push(string);
    }
    strings
}

/// Returns the path of the outermost string for a path or a pattern that leads into a document:
/// `policy` for `jsondecode(jsondecode(policy).a).b`. `None` if the text calls no decoder.
pub fn outer_string(text: &str) -> Option<&str> {
    document_strings(text).pop()
}

/// Returns the error for a path or a pattern that leads into the document in a string. `None` for
/// any other text.
pub fn refuse_document(text: &str) -> Option<String> {
    position_outside_quotes(text, |_, byte| matches!(byte, b'(' | b')'))?;
    let instead = outer_string(text).unwrap_or(PATH_OF_STRING);
    Some(format!("{NO_DOCUMENTS}: write {instead}"))
}

#[cfg(test)]
mod tests {
    use super::super::Pattern;
    use super::*;

    #[test]
    fn a_path_is_split_at_its_decoder() {
        for (path, parts) in [
            ("jsondecode(policy).a[0]", Some(["jsondecode", "policy", "a[0]"])),
            ("yamldecode(m[0].k)", Some(["yamldecode", "m[0].k", ""])),
            ("jsondecode(x)[2].a", Some(["jsondecode", "x", "[2].a"])),
            (
                r#"jsondecode(yamldecode(m["a)\"("]).b).c"#,
                Some(["jsondecode", r#"yamldecode(m["a)\"("]).b"#, "c"]),
            ),
            ("policy", None),
            ("jsondecode", None),
            ("jsondecode(a", None),
            ("jsondecode(a)b", None),
            ("jsondecode(a).", None),
            ("tomldecode(a).b", None),
        ] {
            let found = split_document(path);
            let found = found.map(|it| [it.decoder, it.string, it.inside]);
            assert_eq!(found, parts, "{path}");
        }
    }

    #[test]
    fn the_path_of_the_outermost_string_replaces_a_path_into_its_document() {
        for (text, strings) in [
            ("jsondecode(policy).a", &["policy"][..]),
            ("=yamldecode(m.k)", &["m.k"]),
            ("jsondecode(jsondecode(policy).a).b", &["jsondecode(policy).a", "policy"]),
            ("jsondecode(yamldecode(x).y).z", &["yamldecode(x).y", "x"]),
            (r#"jsondecode(m["a)(b"]).z"#, &[r#"m["a)(b"]"#]),
            ("*jsondecode(policy)*", &["policy"]),
            ("*.jsondecode(policy).Id", &["policy"]),
            ("*(policy).a", &["policy"]),
            ("policy", &[]),
            (r#"m["jsondecode(a)"]"#, &[]),
            ("policy(x)", &[]),
            ("jsondecode()", &[]),
            ("jsondecode(policy", &[]),
        ] {
            assert_eq!(document_strings(text), strings, "{text}");
            let string = strings.last().copied();
            assert_eq!(outer_string(text), string, "{text}");
            let refusal = refuse_document(text);
            let is_refused = Pattern::parse(text).is_ok_and(|pattern| pattern.is_of_documents());
            assert_eq!(refusal.is_some(), is_refused, "{text}");
            let advice = string.map_or("such as policy for".to_owned(), |it| format!("write {it}"));
            assert!(refusal.is_none_or(|refusal| refusal.contains(&advice)), "{text}");
        }
    }
}
