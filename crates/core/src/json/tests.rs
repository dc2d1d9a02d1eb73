//! Compares the cursor and the values with serde_json, and with their own results on other windows.

use proptest::prelude::*;

use super::Cursor;
use crate::error::{Error, ErrorKind, Result};
use crate::input::{Slice, Source};
use crate::json::Validation;
use crate::json::check;
use crate::json::outline::Outline;
use crate::json::value::{Kind, Value};
use crate::limits::{Limit, Limits};
use crate::scan::Isa;

/// A source that yields a text in pieces and drops bytes as early as possible.
#[derive(Debug)]
struct Pieces<'a> {
    text: &'a [u8],
    sizes: Vec<usize>,
    next: usize,
    start: usize,
    end: usize,
}

impl<'a> Pieces<'a> {
    fn new(text: &'a [u8], sizes: &[usize]) -> Self {
        Pieces { text, sizes: sizes.to_vec(), next: 0, start: 0, end: 0 }
    }
}

impl Source for Pieces<'_> {
    fn window(&self) -> &[u8] {
        &self.text[self.start..self.end]
    }
    fn offset(&self) -> u64 {
        self.start as u64
    }
    fn fill(&mut self, keep: u64) -> Result<bool> {
        self.start = keep as usize;
        let size = self.sizes[self.next % self.sizes.len()].max(1);
        self.next += 1;
        let end = (self.end + size).min(self.text.len());
        Ok(std::mem::replace(&mut self.end, end) < end)
    }
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

/// A source that fails at the end of its text.
struct Failing<'a>(Pieces<'a>);

impl Source for Failing<'_> {
    fn window(&self) -> &[u8] {
        self.0.window()
    }
    fn offset(&self) -> u64 {
        self.0.offset()
    }
    fn fill(&mut self, keep: u64) -> Result<bool> {
        match self.0.fill(keep)? {
            true => Ok(true),
            false => Err(Error::limit(Limit::Memory, 7, keep)),
        }
    }
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

#[test]
fn a_key_is_found_by_its_decoded_text() {
    let text = r#"{"a\\n":1,"a\u006e":2,"\"":3}"#;
    let mut cursor =
        Cursor::new(Slice(text.as_bytes()), 0, Isa::best(), Validation::Grammar, Limits::default());
    let mut outline = Outline::new();
    cursor.outline(&mut outline).expect("JSON");
    let value = cursor.value(&mut outline);
    for (key, found) in [("a\\n", Some("1")), ("an", Some("2")), ("\"", Some("3")), ("a\n", None)] {
        let member = value.get(key).expect("an object");
        assert_eq!(member.map(|member| member.raw()), found.map(str::as_bytes), "{key:?}");
    }
}

/// The bytes before a failure may end inside a word, an escape or a character.
#[test]
fn a_failing_source_is_not_reported_as_invalid_json() {
    let space = " ".repeat(70);
    let text = format!(
        r#"{{"a":[true,-1.5e3,"\u003c\ud83d\ude00\n é😀"],{space}"\u0062":"{}"}}"#,
        r"\u003c".repeat(30)
    );
    for validation in [Validation::Structure, Validation::Grammar] {
        for end in 1..text.len() {
            for size in [1, 64, 1000] {
                let source = Failing(Pieces::new(&text.as_bytes()[..end], &[size]));
                let mut cursor = Cursor::new(source, 0, Isa::best(), validation, Limits::default());
                let error = cursor.skip().expect_err("the source fails");
                let kind = ErrorKind::Limit { limit: Limit::Memory, value: 7 };
                assert_eq!(error.kind(), kind, "{end} by {size}: {error}");
            }
        }
    }
}

fn kind_and_offset(result: Result<()>) -> std::result::Result<(), (ErrorKind, u64)> {
    result.map_err(|error| (error.kind(), error.location().map_or(u64::MAX, |place| place.offset)))
}

/// Random JSON text.
pub(in crate::json) fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_string()),
        Just("true".to_string()),
        Just("false".to_string()),
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,3})?",
        r#""([a-z é😀]|\\[nrt"\\/bf]|\\u00[0-9a-f]{2}|\\ud83d\\ude0[0-9]){0,80}""#,
    ];
    let space = prop::sample::select(vec!["", "", "", " ", "\n  "]);
    leaf.prop_recursive(6, 200, 8, move |inner| {
        let list = prop::collection::vec((inner.clone(), space.clone()), 0..8);
        let members = prop::collection::vec((r#""[a-d]{0,3}""#, inner, space.clone()), 0..8);
        prop_oneof![
            list.prop_map(|list| {
                let list: Vec<_> =
                    list.iter().map(|(value, space)| format!("{space}{value}")).collect();
                format!("[{}]", list.join(","))
            }),
            members.prop_map(|members| {
                let members: Vec<_> = members
                    .iter()
                    .map(|(key, value, space)| format!("{space}{key}{space}:{value}{space}"))
                    .collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

pub(in crate::json) fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let change =
        (any::<prop::sample::Index>(), prop::sample::select(b"\"\\{}[],: 0-etx\x01\x80".to_vec()));
    (json(), prop::collection::vec(change, 0..3)).prop_map(|(text, changes)| {
        let mut text = text.into_bytes();
        for (place, byte) in changes {
            let place = place.index(text.len());
            text[place] = byte;
        }
        text
    })
}

proptest! {
    #[test]
    fn grammar_accepts_what_serde_json_accepts(text in damaged()) {
        let serde = serde_json::from_slice::<serde_json::Value>(&text).is_ok();
        let ours = check(Slice(&text), Validation::Grammar, Limits::default());
        prop_assert_eq!(ours.is_ok(), serde, "{:?} {}", ours, String::from_utf8_lossy(&text));
    }

    #[test]
    fn check_results_do_not_depend_on_window_sizes(
        text in damaged(),
        sizes in prop::collection::vec(1usize..200, 1..5),
    ) {
        for validation in [Validation::Structure, Validation::Grammar] {
            let whole = kind_and_offset(check(Slice(&text), validation, Limits::default()));
            let pieces = Pieces::new(&text, &sizes);
            prop_assert_eq!(kind_and_offset(check(pieces, validation, Limits::default())), whole);
        }
    }

    #[test]
    fn valid_text_is_skipped_with_either_validation(text in json()) {
        let text = format!(" {text} ").into_bytes();
        prop_assert!(check(Slice(&text), Validation::Grammar, Limits::default()).is_ok());
        prop_assert!(check(Slice(&text), Validation::Structure, Limits::default()).is_ok());
    }

    #[test]
    fn values_equal_those_of_serde_json(
        text in json(),
        sizes in prop::collection::vec(1usize..200, 1..5),
    ) {
        // The value is inside other text, so that positions and offsets differ.
        let outer = format!("{{\"before\":[{text}],\"it\": {text} ,\"after\":1}}");
        let expected: serde_json::Value = serde_json::from_str(&text).unwrap();
        for validation in [Validation::Structure, Validation::Grammar] {
            for isa in Isa::all() {
                let pieces = Pieces::new(outer.as_bytes(), &sizes);
                let mut cursor = Cursor::new(pieces, 0, isa, validation, Limits::default());
                let mut outline = Outline::new();
                cursor.enter_object().unwrap();
                let mut found = None;
                while let Some(key) = cursor.next_key().unwrap() {
                    if cursor.text(key) == b"it" {
                        cursor.outline(&mut outline).unwrap();
                        found = Some(tree(cursor.value(&mut outline)).unwrap());
                    } else {
                        cursor.skip().unwrap();
                    }
                }
                prop_assert!(cursor.at_end().unwrap());
                prop_assert_eq!(found.as_ref(), Some(&expected));
            }
        }
    }

    #[test]
    fn values_of_damaged_text_do_not_panic(text in damaged()) {
        let (visited, limits) = (Validation::Structure, Limits::default());
        let mut cursor = Cursor::new(Slice(&text), 0, Isa::best(), visited, limits);
        let mut outline = Outline::new();
        if cursor.outline(&mut outline).is_ok() {
            let ours = tree(cursor.value(&mut outline));
            let value = &text[..cursor.offset() as usize];
            let serde = serde_json::from_slice::<serde_json::Value>(value);
            // A complete walk is as strict as serde_json. Both accept duplicate keys.
            prop_assert_eq!(ours.is_ok(), serde.is_ok());
        }
    }

    #[test]
    fn values_do_not_panic_when_the_text_changes_under_them(
        text in json(),
        other in prop::collection::vec(prop::sample::select(b"\"\\{}[],: 0x".to_vec()), 1..40),
    ) {
        let mut cursor = Cursor::new(
            Slice(text.as_bytes()), 0, Isa::best(), Validation::Structure, Limits::default(),
        );
        let mut outline = Outline::new();
        cursor.outline(&mut outline).unwrap();
        let changed: Vec<u8> = other.iter().copied().cycle().take(text.len()).collect();
        let _ = tree(outline.value(&changed));
    }
}

fn tree(value: Value<'_>) -> Result<serde_json::Value> {
    let number =
        |raw: &[u8]| serde_json::from_slice(raw).map_err(|_| Error::new(ErrorKind::Number));
    Ok(match value.kind()? {
        Kind::Object => {
            let mut map = serde_json::Map::new();
            for member in value.members()? {
                let (key, value) = member?;
                map.insert(key.decode()?, tree(value)?);
            }
            map.into()
        }
        Kind::Array => {
            value.elements()?.map(|value| tree(value?)).collect::<Result<Vec<_>>>()?.into()
        }
        Kind::String => value.text()?.into(),
        _ => number(value.raw())?,
    })
}

#[test]
fn truncation_anywhere_is_an_error() {
    let text = r#"{"a": [1, {"b": "c\n\u00e9é"}], "d": null}"#;
    for len in 0..text.len() {
        for validation in [Validation::Structure, Validation::Grammar] {
            let error =
                check(Slice(&text.as_bytes()[..len]), validation, Limits::default()).unwrap_err();
            assert!(error.location().unwrap().offset <= len as u64, "{len}: {error}");
        }
    }
}

#[test]
fn errors_have_an_offset() {
    let cases: &[(&str, ErrorKind, u64)] = &[
        (r#"{"a":[1}"#, ErrorKind::MismatchedBracket, 7),
        (r#"{"a":"\x"}"#, ErrorKind::Escape, 6),
        (r#"["\ud83d\ude00\ud83d"]"#, ErrorKind::Escape, 14),
        (r#"[tru]"#, ErrorKind::Literal, 4),
        (r#"[01]"#, ErrorKind::Number, 2),
        (r#"[1] x"#, ErrorKind::Trailing, 4),
        ("{\"a\":\"\u{1}\"}", ErrorKind::ControlCharacter, 6),
        (r#"{"a":"b"#, ErrorKind::Truncated, 7),
    ];
    for &(text, kind, offset) in cases {
        let result = check(Slice(text.as_bytes()), Validation::Grammar, Limits::default());
        assert_eq!(kind_and_offset(result), Err((kind, offset)), "{text}");
    }
}

#[test]
fn a_mismatched_bracket_is_reported_as_such_everywhere() {
    for text in ["[}", "{]", "[1,}", r#"{"a"]"#, r#"{"a":]"#, r#"{"a":1]"#, r#"{"a":1,]"#] {
        for validation in [Validation::Structure, Validation::Grammar] {
            let result = check(Slice(text.as_bytes()), validation, Limits::default());
            let place = text.len() as u64 - 1;
            assert_eq!(
                kind_and_offset(result),
                Err((ErrorKind::MismatchedBracket, place)),
                "{text}"
            );
        }
    }
}

#[test]
fn a_limit_error_names_the_limit() {
    let limits = Limits {
        depth: 3,
        string_skipped: 5000,
        change: 5000,
        string_kept: 5000,
        ..Limits::default()
    };
    let limit = |text: &str| match check(Slice(text.as_bytes()), Validation::Structure, limits) {
        Err(error) => match error.kind() {
            ErrorKind::Limit { limit, .. } => Some(limit),
            other => panic!("{other:?}"),
        },
        Ok(()) => None,
    };
    assert_eq!(limit("[[[1]]]"), None);
    assert_eq!(limit("[[[[1]]]]"), Some(Limit::Depth));
    assert_eq!(limit(&format!("[\"{}\"]", "x".repeat(4990))), None);
    assert_eq!(limit(&format!("[\"{}\"]", "x".repeat(5010))), Some(Limit::StringSkipped));
    assert_eq!(limit(&format!("[\"{}\"", "x".repeat(50100))), Some(Limit::StringSkipped));
    for len in [4000, 4990, 5010, 50100] {
        let text = format!("[{}]", "1,".repeat(len / 2) + "1");
        let mut cursor =
            Cursor::new(Slice(text.as_bytes()), 0, Isa::best(), Validation::Structure, limits);
        let outlined = cursor.outline(&mut Outline::new());
        assert_eq!(outlined.is_err(), text.len() > 5000, "{len}");
    }
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
    let limits = Limits { depth: u64::MAX, ..Limits::default() };
    for validation in [Validation::Structure, Validation::Grammar] {
        assert!(check(Slice(deep.as_bytes()), validation, limits).is_ok());
    }
    let mut cursor =
        Cursor::new(Slice(deep.as_bytes()), 0, Isa::best(), Validation::Structure, limits);
    let mut outline = Outline::new();
    cursor.outline(&mut outline).unwrap();
    #[cfg(feature = "tree")]
    assert!(cursor.value(&mut outline).to_tree().is_err());
}

#[cfg(feature = "tree")]
#[test]
fn a_value_becomes_a_tree_of_simd_json() {
    let text = br#"{"a":[1,{"b":"c\u003c"}]}"#;
    let mut cursor =
        Cursor::new(Slice(text), 0, Isa::best(), Validation::Structure, Limits::default());
    let mut outline = Outline::new();
    cursor.outline(&mut outline).unwrap();
    let value = cursor.value(&mut outline);
    let place = value.get("a").unwrap().unwrap().element(1).unwrap().unwrap();
    assert_eq!(place.to_tree().unwrap(), simd_json::json!({"b": "c<"}));
    assert_eq!(place.get("b").unwrap().unwrap().text().unwrap(), "c<");
    assert!(value.get("z").unwrap().is_none());
}
