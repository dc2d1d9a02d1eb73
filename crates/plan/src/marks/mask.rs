//! The masks that replace secrets.

/// Replaces a secret in the output.
pub const MASK: &str = "(sensitive value)";

/// Replaces an unmarked text that repeats a secret, in a report.
pub const ECHO: &str = "(repeats a sensitive value)";

/// Replaces a secret in `after` if `before` has a different secret.
pub const MASK_CHANGED: &str = "(sensitive value, changed)";

/// The beginning of every mask.
const MASK_START: &[u8] = b"(sensitive value";

/// Length of the longest mask, in bytes.
const MASK_LEN: usize = MASK_START.len() + 34;

/// Returns the parts of a text around the masks in it.
pub fn outside_masks(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let mut masks = memchr::memmem::find_iter(text, MASK_START).filter_map(|start| {
            let reach = text.len().min(start + MASK_LEN);
            let len = memchr::memchr(b')', &text[start..reach])? + 1;
            is_mask(&text[start..start + len]).then_some(start..start + len)
        });
        let Some(mask) = masks.next() else { return Some(text) };
        rest = Some(&text[mask.end..]);
        Some(&text[..mask.start])
    })
}

/// Whether a text is a mask: [`MASK`], [`MASK_CHANGED`], or a mask with a number or a digest.
pub fn is_mask(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(MASK_START) else { return false };
    let Some(rest) = rest.strip_suffix(b")") else { return false };
    match rest {
        b"" | b", changed" => true,
        [b' ', word @ ..] => {
            word.len() <= 32 && !word.is_empty() && word.iter().all(u8::is_ascii_hexdigit)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "(sensitive value 0123456789abcdef0123456789ABCDEF)";

    #[test]
    fn only_masks_are_masks() {
        for mask in [MASK, MASK_CHANGED, DIGEST, "(sensitive value 7)", "(sensitive value a1)"] {
            assert!(is_mask(mask.as_bytes()), "{mask}");
        }
        for text in [
            "",
            "(sensitive value",
            "sensitive value)",
            "(sensitive value )",
            "(sensitive value 7",
            "(sensitive value  7)",
            "(sensitive value, changed )",
            "(sensitive value, 7)",
            "(sensitive value g)",
            "(sensitive value 0123456789abcdef0123456789abcdef0)",
            ECHO,
        ] {
            assert!(!is_mask(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn the_parts_of_a_text_are_around_its_masks() {
        let none: &[&str] = &["(sensitive value 1x2) ) (sensitive values)"];
        let mut cases = vec![
            (String::new(), vec![""]),
            (none[0].to_owned(), none.to_vec()),
            (format!("a {MASK} b{MASK_CHANGED}"), vec!["a ", " b", ""]),
            (format!("a(sensitive value x){MASK}"), vec!["a(sensitive value x)", ""]),
        ];
        for mask in [MASK, MASK_CHANGED, DIGEST, "(sensitive value 12)"] {
            cases.push((mask.to_owned(), vec!["", ""]));
            cases.push((format!("{mask}{mask}c"), vec!["", "", "c"]));
            cases.push((format!("a{mask}b{mask})"), vec!["a", "b", ")"]));
        }
        for (text, expected) in cases {
            let parts: Vec<_> = outside_masks(text.as_bytes()).collect();
            let expected: Vec<_> = expected.iter().map(|part| part.as_bytes()).collect();
            assert_eq!(parts, expected, "{text}");
        }
    }
}
