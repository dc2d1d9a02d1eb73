//! Finds the known word closest to a mistyped one, for messages that ask "did you mean ...?".

/// The maximum length of a text to compare, in bytes. The time is quadratic in the length.
const LEN_MAX: usize = 128;

/// Words that people write for known words.
const SYNONYMS: [(&str, &str); 16] = [
    ("add", "create"),
    ("dotenv", "variables"),
    ("edit", "update"),
    ("env", "variables"),
    ("err", "error"),
    ("htm", "html"),
    ("md", "markdown"),
    ("modify", "update"),
    ("moved", "move"),
    ("plan", "summary"),
    ("recreate", "replace"),
    ("remove", "delete"),
    ("text", "term"),
    ("txt", "term"),
    ("warn", "warning"),
    ("xml", "junit"),
];

/// The word that means the same as `text`, or else the word with the smallest edit distance, and
/// the first of several. `None` if more than a third of the letters would change.
pub fn nearest<'w>(text: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let mut nearest = None;
    let mut least = text.chars().count() / 3 + 1;
    let synonym = SYNONYMS.iter().find(|(other, _)| text.eq_ignore_ascii_case(other));
    for word in words {
        if synonym.is_some_and(|(_, known)| *known == word) {
            return Some(word);
        }
        if let Some(distance) = distance(text, word).filter(|distance| *distance < least) {
            (nearest, least) = (Some(word), distance);
        }
    }
    nearest
}

/// The end of a message that suggests a word; empty without one.
pub fn did_you_mean(near: Option<&str>) -> String {
    near.map(|near| format!("; did you mean {near}?")).unwrap_or_default()
}

/// The edit distance: the number of letters to insert, remove, replace or swap with the next.
/// Ignores case. `None` for texts longer than [`LEN_MAX`].
fn distance(a: &str, b: &str) -> Option<usize> {
    if a.len().max(b.len()) > LEN_MAX {
        return None;
    }
    let [a, b] = [a, b].map(|text| text.to_ascii_lowercase().chars().collect::<Vec<_>>());
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, other) in b.iter().enumerate() {
            let replaced = last[j] + usize::from(letter != other);
            let mut least = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *letter == b[j - 1] && a[i - 1] == *other {
                least = least.min(before_last[j - 1] + 1);
            }
            row.push(least);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last.last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_is_near_to_its_word() {
        let words = ["create", "update", "delete", "destroy", "changes", "sensitive-path"];
        for (text, word) in [
            ("deletes", Some("delete")),
            ("Delete", Some("delete")),
            ("dleete", Some("delete")),
            ("destory", Some("destroy")),
            ("change", Some("changes")),
            ("sensitive_path", Some("sensitive-path")),
            ("remove", Some("delete")),
            ("Add", Some("create")),
            ("modify", Some("update")),
            ("shrink", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(nearest(text, words), word, "{text}");
        }
        assert_eq!(nearest(&"x".repeat(1000), ["x"]), None);
    }
}
