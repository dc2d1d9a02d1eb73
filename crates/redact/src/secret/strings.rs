//! Finds the strings of a plan that may contain documents, and the copies of secrets in them.
//!
//! YAML with several lines and most JSON cannot be written in a JSON string without escapes. YAML
//! in brackets on one line and an array of numbers can. So only strings with a backslash and
//! strings that begin with a bracket are of interest. Spaces or a byte order mark may precede the
//! bracket. Searches for these bytes find them.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::copies::{Found, NewMask};
use super::echo::{EchoKind, EchoTargets, changed, close, kind_of_string};
use plansift_core::error::Result;
use plansift_core::json::string;
use plansift_core::text_document::place::Style;
use plansift_core::text_document::{OPENINGS, may_open_document};

/// The strings of a part of a document that may contain copies, in document order.
pub(crate) struct Strings<'b> {
    bytes: &'b [u8],
    /// The end of the last string.
    from: usize,
    /// The next backslash at or after `from`.
    escape: Option<usize>,
    /// The next string at or after `from` that begins with each of [`OPENINGS`] and may open a
    /// document.
    openings: [Option<usize>; OPENINGS.len()],
    len_min: usize,
}

/// Searchers for [`OPENINGS`].
static FINDERS: LazyLock<[Finder<'static>; OPENINGS.len()]> =
    LazyLock::new(|| OPENINGS.map(Finder::new));

/// Finds the next string at or after `from` that begins in this way and may open a document.
fn find_opening(finder: &Finder<'_>, bytes: &[u8], from: usize) -> Option<usize> {
    let mut places = finder.find_iter(&bytes[from..]).map(|at| from + at);
    places.find(|&at| may_open_document(&bytes[at..]))
}

/// Maximum memory for a decoded string that is kept for the next string, in bytes.
const KEPT: usize = 1 << 20;

impl<'b> Strings<'b> {
    /// Starts at the beginning of a part of a document. The part must begin and end outside
    /// strings.
    pub fn of(bytes: &'b [u8], targets: &EchoTargets<'_>) -> Strings<'b> {
        let has_echoes = targets.secrets.echo();
        Strings {
            bytes,
            from: 0,
            escape: if has_echoes { memchr::memchr(b'\\', bytes) } else { None },
            openings: if has_echoes {
                FINDERS.each_ref().map(|finder| find_opening(finder, bytes, 0))
            } else {
                [None; OPENINGS.len()]
            },
            len_min: targets.secrets.echo_min(),
        }
    }

    /// Returns the range of the next string, including its quotes; `None` at the end. Fails if the
    /// bytes have changed since they were validated.
    pub fn next(&mut self) -> Result<Option<Range<usize>>> {
        let Strings { bytes, from, escape, openings, len_min } = self;
        loop {
            let opening = openings.iter().flatten().min().copied();
            let open = match (*escape, opening) {
                (None, None) => return Ok(None),
                (escape, Some(opening)) if escape.is_none_or(|escape| opening < escape) => opening,
                (Some(escape), _) | (None, Some(escape)) => {
                    let quote = memchr::memrchr(b'"', &bytes[*from..escape]);
                    *from + quote.ok_or_else(changed)?
                }
            };
            let end = close(bytes, open).ok_or_else(changed)? + 1;
            *from = end;
            if escape.is_some_and(|at| at < end) {
                *escape = memchr::memchr(b'\\', &bytes[end..]).map(|at| end + at);
            }
            for (opening, finder) in openings.iter_mut().zip(&*FINDERS) {
                if opening.is_some_and(|at| at < end) {
                    *opening = find_opening(finder, bytes, end);
                }
            }
            if end - open > *len_min + 2 && kind_of_string(bytes, end) == EchoKind::Value {
                return Ok(Some(open..end));
            }
        }
    }
}

impl EchoTargets<'_> {
    /// Searches a string for copies, and returns them with their ranges in the string. The string
    /// includes its quotes.
    pub fn search_string(&self, string: &[u8], decoded: &mut Vec<u8>, mask: NewMask<'_>) -> Found {
        let raw = &string[1..string.len() - 1];
        if decoded.capacity() > KEPT {
            *decoded = Vec::new();
        }
        decoded.clear();
        decoded.reserve_exact(raw.len());
        if string::unescape(raw, decoded).is_err() {
            // A string that cannot be decoded may contain anything.
            let is_hidden = self.contained.is_some();
            return if is_hidden { Found::Whole(0) } else { Found::Nothing };
        }
        match self.search(decoded, mask) {
            Found::Inside(mut copies) => {
                let ranges = copies.list.iter().map(|copy| copy.range.clone());
                let Some(ranges) = Style::Json.spelled(raw, decoded, ranges) else {
                    return Found::Whole(copies.list[0].number);
                };
                for (copy, range) in copies.list.iter_mut().zip(ranges) {
                    copy.range = range.start + 1..range.end + 1;
                    copy.mask = Style::Json.escaped(&copy.mask);
                }
                Found::Inside(copies)
            }
            found => found,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::EchoOf;
    use crate::secret::contained::{Contained, Texts};
    use crate::secret::copies::Unmasked;
    use crate::secret::set::Secrets;
    use crate::secret::texts::Role;
    use plansift_core::limits::Limits;
    use plansift_plan::marks::MASK;

    const SECRET: &str = "hunter22";

    fn secrets(texts: &[&str]) -> Secrets {
        let mut secrets = Secrets::new(8, &Limits::default());
        for text in texts {
            secrets.insert(text.as_bytes(), 0).unwrap();
            if let Some(meaning) = crate::secret::meaning::meaning(text.as_bytes(), 8) {
                secrets.insert_text(&meaning, Role::Meaning, 0).unwrap();
            }
        }
        secrets
    }

    /// Returns the JSON text with masks in its strings, and the number of masks.
    fn masked(json: &str, targets: &EchoTargets<'_>) -> (String, usize) {
        let (mut masked, mut count, mut from) = (String::new(), 0, 0);
        let mut strings = Strings::of(json.as_bytes(), targets);
        while let Some(range) = strings.next().unwrap() {
            let string = &json[range.clone()];
            let mask = &mut |_: &Unmasked<'_>| Some(MASK.to_owned());
            match targets.search_string(string.as_bytes(), &mut Vec::new(), mask) {
                Found::Nothing => {}
                Found::Whole(_) => {
                    masked += &json[from..range.start];
                    masked += &format!("\"{MASK}\"");
                    (from, count) = (range.end, count + 1);
                }
                Found::Inside(copies) => {
                    for copy in copies.list {
                        masked += &json[from..range.start + copy.range.start];
                        masked += &copy.mask;
                        (from, count) = (range.start + copy.range.end, count + 1);
                    }
                }
            }
        }
        (masked + &json[from..], count)
    }

    /// Masks a text in a JSON string, and decodes the result.
    fn masked_text(text: &str, targets: &EchoTargets<'_>) -> (String, usize) {
        let json = format!("[{}]", string::quoted(text));
        let (masked, count) = masked(&json, targets);
        let [text]: [String; 1] = serde_json::from_str(&masked).unwrap();
        (text, count)
    }

    fn assert_masked(cases: &[(&str, &str)], targets: &EchoTargets<'_>) {
        for (text, expected) in cases {
            let (found, count) = masked_text(text, targets);
            assert_eq!(found, *expected, "{text}");
            let marks = expected.matches(MASK).count();
            assert_eq!(count, marks, "{text}");
        }
    }

    #[test]
    fn copies_in_json_are_masked_in_place() {
        let secrets = secrets(&[SECRET, "key/of\"\u{e9}"]);
        let targets = EchoTargets { secrets: &secrets, contained: None };
        assert_masked(
            &[
                (r#"{"a" : "hunter22", "b":1}"#, r#"{"a" : "(sensitive value)", "b":1}"#),
                (r#"[ "x", ["hunter22\n"] ]"#, r#"[ "x", ["(sensitive value)"] ]"#),
                (r#"{"key/of\"é":1}"#, r#"{"(sensitive value)":1}"#),
                (r#"{"a":"key\/of\u0022\u00e9"}"#, r#"{"a":"(sensitive value)"}"#),
                (
                    r#"{"a":"{\"b\":\"\\u0068unter22\",\"c\":[]}"}"#,
                    r#"{"a":"{\"b\":\"(sensitive value)\",\"c\":[]}"}"#,
                ),
                (
                    "{\"y\":\"a: b\\nc: 'hunter22' # d\\n\"}",
                    "{\"y\":\"a: b\\nc: '(sensitive value)' # d\\n\"}",
                ),
                (r#"{"a":"hunter222","b":"x hunter22"}"#, r#"{"a":"hunter222","b":"x hunter22"}"#),
                (r#"{"a":"hunter22"} {"#, r#"{"a":"hunter22"} {"#),
            ],
            &targets,
        );
    }

    /// These documents need no escapes.
    #[test]
    fn copies_behind_spaces_are_masked_in_place() {
        let secrets = secrets(&[SECRET, "12345678"]);
        let targets = EchoTargets { secrets: &secrets, contained: None };
        for before in ["", " ", "    ", "\u{feff}", "\u{feff} "] {
            for (document, expected) in [
                ("[12345678, 1]", r#"["(sensitive value)", 1]"#),
                ("{a: hunter22}", "{a: (sensitive value)}"),
                ("[hunter22]  ", "[(sensitive value)]  "),
            ] {
                let json = format!("{{\"a\" : 1, \"b\" :\"{before}{document}\" }}");
                let (masked, count) = masked(&json, &targets);
                let text: serde_json::Value = serde_json::from_str(&masked).unwrap();
                assert_eq!((text["b"].as_str(), count), (Some(&*format!("{before}{expected}")), 1));
            }
        }
    }

    #[test]
    fn copies_in_yaml_are_masked_in_place() {
        let secrets = secrets(&[
            SECRET,
            "Hunter-22",
            "it's a\nlong \"one\"",
            "folded words here",
            "tab\tbell\u{7}",
        ]);
        let targets = EchoTargets { secrets: &secrets, contained: None };
        let folded = ("folded words here", "a: (sensitive value)\n");
        assert_masked(
            &[
                ("a:\n  k: hunter22\n", "a:\n  k: (sensitive value)\n"),
                ("a: &x !T hunter22 # c\nb: *x\n", "a: &x !T (sensitive value) # c\nb: *x\n"),
                (
                    "a: {k: hunter22, l: [x,hunter22]}\nb: 1\n",
                    "a: {k: (sensitive value), l: [x,(sensitive value)]}\nb: 1\n",
                ),
                ("é: ü\n- : 1\n", "é: ü\n- : 1\n"),
                ("é: ü\nk: 'hunter22'\n", "é: ü\nk: '(sensitive value)'\n"),
                ("k: \"hunte\\x722\\u0032\"\nl: 1", "k: \"(sensitive value)\"\nl: 1"),
                ("k: |\n  hunter22\nl: 1\n", "k: |\n  (sensitive value)\nl: 1\n"),
                (
                    "k: |-\n\n  it's a\n  long \"one\"\n\nl: 1\n",
                    "k: |-\n\n  it's a\n  long \"one\"\n\nl: 1\n",
                ),
                (
                    "k: |-\n  it's a\n  long \"one\"\n\nl: 1\n",
                    "k: |-\n  (sensitive value)\n\nl: 1\n",
                ),
                ("k: 'it''s a\n\n  long \"one\"'\n", "k: '(sensitive value)'\n"),
                ("k: >-\n  folded\n  words here\nl: 1\n", "k: >-\n  (sensitive value)\nl: 1\n"),
                (&format!("a: {}\n\n", folded.0.replace(' ', "\n  ")), &format!("{}\n", folded.1)),
                ("k: \"tab\\tbell\\a\"\n\nl:\n", "k: \"(sensitive value)\"\n\nl:\n"),
                ("---\na: 1\n---\n- hunter22\n...\n", "---\na: 1\n---\n- (sensitive value)\n...\n"),
                (
                    "# hunter22\na: 1 # key: hunter22\n",
                    "# (sensitive value)\na: 1 # (sensitive value)\n",
                ),
                ("hunter22: 1\nb: 2\n", "hunter22: 1\nb: 2\n"),
                (
                    "a: |\n  {\"b\": \"hunter22\",\n   \"c\": 1}\nd: e\n",
                    "a: |\n  {\"b\": \"(sensitive value)\",\n   \"c\": 1}\nd: e\n",
                ),
                (
                    "a: |\n  b: |\n    c: hunter22\n    d: e\nf: g\n",
                    "a: |\n  b: |\n    c: (sensitive value)\n    d: e\nf: g\n",
                ),
                (
                    "a: '{\"b\":\"hunter22\",\"c\":\"it''s\"}'\nd: 1\n",
                    "a: '{\"b\":\"(sensitive value)\",\"c\":\"it''s\"}'\nd: 1\n",
                ),
                (
                    "a: \"{\\\"b\\\":\\\"hunter22\\\"}\"\nd: 1\n",
                    "a: \"{\\\"b\\\":\\\"(sensitive value)\\\"}\"\nd: 1\n",
                ),
                (
                    "a: >\n  {\"b\":\n  \"hunter22\"}\nd: 1\n",
                    "a: >\n  {\"b\":\n  \"(sensitive value)\"}\nd: 1\n",
                ),
                ("a: b\r\nk: hunter22\r\n", "a: b\r\nk: (sensitive value)\r\n"),
                ("a: b\nk: hunter222\nhunter22 : [\n", "a: b\nk: hunter222\nhunter22 : [\n"),
            ],
            &targets,
        );
    }

    #[test]
    fn copies_in_lists_sets_and_brackets_are_masked_in_place() {
        let secrets = secrets(&[SECRET, "Hunter-22"]);
        let targets = EchoTargets { secrets: &secrets, contained: None };
        assert_masked(
            &[
                ("- --k\n- hunter22\n", "- --k\n- (sensitive value)\n"),
                ("-\n  hunter22\n- b\n", "-\n  (sensitive value)\n- b\n"),
                ("? hunter22 \n? b\n", "? hunter22 \n? b\n"),
                ("? Hunter-22\n? b\n", "? (sensitive value)\n? b\n"),
                ("[a,\n hunter22]\n", "[a,\n (sensitive value)]\n"),
                ("{a: hunter22}", "{a: (sensitive value)}"),
                ("{'a': 'hunter22'}", "{'a': '(sensitive value)'}"),
                ("[a,hunter22]", "[a,(sensitive value)]"),
                ("[a, b] # hunter22", "[a, b] # (sensitive value)"),
                ("[a, {b: [hunter22]}] c", "[a, {b: [hunter22]}] c"),
                (r#"{"a": "[b, hunter22]"}"#, r#"{"a": "[b, (sensitive value)]"}"#),
                ("a: b\rc: hunter22\r", "a: b\rc: (sensitive value)\r"),
            ],
            &targets,
        );
    }

    #[test]
    fn a_marked_document_is_found_in_larger_documents() {
        let marked = r#"{"user":"u","pin":[12,"x"]}"#;
        let secrets = secrets(&[marked]);
        let targets = EchoTargets { secrets: &secrets, contained: None };
        assert_masked(
            &[
                (r#"{"a":{"pin":[12.0,"x"],"user":"u"}}"#, r#"{"a":"(sensitive value)"}"#),
                ("a:\n  pin:\n  - 12\n  - x\n  user: u\nb: 1\n", "a:\n  (sensitive value)\nb: 1\n"),
                ("a:\n  - {pin: [12, x], user: u} # c\n", "a:\n  - (sensitive value) # c\n"),
                ("{\n\"pin\":[12,\"x\"], \"user\":\"u\"}", "(sensitive value)"),
                ("{a: {pin: [12, x], user: u}}", "{a: (sensitive value)}"),
                ("{pin: [12, x], user: u}", "(sensitive value)"),
                (
                    "a: |\n  { \"pin\": [12,\"x\"],\n    \"user\": \"u\"}\nb: 1\n",
                    "a: |\n  (sensitive value)\nb: 1\n",
                ),
                (
                    r#"{"a":{"pin":["12","x"],"user":"u"}}"#,
                    r#"{"a":{"pin":["12","x"],"user":"u"}}"#,
                ),
            ],
            &targets,
        );
        let list = secrets_of_list();
        let targets = EchoTargets { secrets: &list, contained: None };
        assert_masked(
            &[("k:\n- alpha\n- beta\nl: 1\n", "k:\n (sensitive value)\nl: 1\n")],
            &targets,
        );
    }

    fn secrets_of_list() -> Secrets {
        secrets(&[r#"["alpha","beta"]"#])
    }

    #[test]
    fn numbers_are_found_by_their_value() {
        let secrets = secrets(&["1000000000"]);
        let targets = EchoTargets { secrets: &secrets, contained: None };
        for (json, expected) in [
            (r#"["[1e9,  2]","[1]"]"#, r#"["[\"(sensitive value)\",  2]","[1]"]"#),
            (r#"["a: 1\nb: 1000000000.0"]"#, r#"["a: 1\nb: (sensitive value)"]"#),
            (
                r#"{"[1000000000]":"[ 1000000000 ]"}"#,
                r#"{"[1000000000]":"[ \"(sensitive value)\" ]"}"#,
            ),
        ] {
            assert_eq!(masked(json, &targets).0, expected);
        }
    }

    #[test]
    fn texts_are_searched_with_echo_contains() {
        let (mut texts, secrets) = (Texts::new(8, &Limits::default()), secrets(&["p@ssw0rd\""]));
        texts.push(b"p@ssw0rd\"", 0).unwrap();
        let contained = Contained::new(&texts, EchoOf::Part);
        let targets = EchoTargets { secrets: &secrets, contained: Some(&contained) };
        for (json, expected) in [
            (r#"{"u":"x p@ssw0rd\" y"}"#, r#"{"u":"(sensitive value)"}"#),
            (r#"{"u":"{\"a\":\"x p@ssw0rd\\\" y\"}"}"#, r#"{"u":"{\"a\":\"(sensitive value)\"}"}"#),
            // Keys of documents stay, so the whole text is masked.
            (r#"{"u":"{\"p@ssw0rd\\\" key\":1}"}"#, r#"{"u":"(sensitive value)"}"#),
            (r#"{"p@ssw0rd\" key":1}"#, r#"{"p@ssw0rd\" key":1}"#),
            (r#"["\ud800 and more"]"#, r#"["(sensitive value)"]"#),
            (r#"["{a: [x p@ssw0rd' y]}"]"#, r#"["{a: [x p@ssw0rd' y]}"]"#),
            (r#"["{a: [x p@ssw0rd\" y]}"]"#, r#"["{a: [(sensitive value)]}"]"#),
        ] {
            assert_eq!(masked(json, &targets).0, expected);
        }
    }

    #[test]
    fn documents_that_are_not_parsed_are_searched_item_by_item() {
        let secrets = secrets(&[SECRET]);
        let targets = EchoTargets { secrets: &secrets, contained: None };
        let filler = r#""x","#.repeat(300_000);
        for (text, is_masked) in [
            (format!("[{filler}\"hunter22\"]"), true),
            (format!("[{filler}\"hunter222\"]"), false),
            (format!("{}\"hunter22\"{}", "[".repeat(300), "]".repeat(300)), true),
            (format!("x: 1\na: {}{{\"b\": hunter22\n", "[".repeat(60_000)), true),
        ] {
            let (masked, _) = masked_text(&text, &targets);
            assert_eq!(masked == MASK, is_masked);
            assert!(is_masked || masked == text);
        }
        let mut text = r#"{"k":"hunter22"}"#.to_owned();
        for _ in 0..6 {
            text = format!("{{\"k\":{}}}", string::quoted(&text));
        }
        let (masked, count) = masked_text(&text, &targets);
        assert!(count == 1 && !masked.contains(SECRET), "{masked}");
    }
}
