//! The JSON grammar with default validation: JSONTestSuite if it exists, and texts of our own.
//!
//! serde_json is the reference for every text, and for each of our own texts with one byte
//! inserted, replaced or removed. A table lists the differences.

use std::collections::BTreeSet;
use std::fs;

use plansift::error::ErrorKind;
use plansift::input::Slice;
use plansift::json::Validation;
use plansift::json::check;
use plansift::limits::Limits;
use serde_json::Value;

use crate::run;
use Verdict::{Accepted, Rejected};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Accepted,
    Rejected,
}

/// Cases that the suite leaves undefined, and plansift's verdict.
const OPEN: [(&str, Verdict, &str); 35] = [
    ("i_number_double_huge_neg_exp", Accepted, ANY_NUMBER),
    ("i_number_huge_exp", Accepted, ANY_NUMBER),
    ("i_number_neg_int_huge_exp", Accepted, ANY_NUMBER),
    ("i_number_pos_double_huge_exp", Accepted, ANY_NUMBER),
    ("i_number_real_neg_overflow", Accepted, ANY_NUMBER),
    ("i_number_real_pos_overflow", Accepted, ANY_NUMBER),
    ("i_number_real_underflow", Accepted, ANY_NUMBER),
    ("i_number_too_big_neg_int", Accepted, ANY_NUMBER),
    ("i_number_too_big_pos_int", Accepted, ANY_NUMBER),
    ("i_number_very_big_negative_int", Accepted, ANY_NUMBER),
    ("i_object_key_lone_2nd_surrogate", Rejected, HALF_PAIR),
    ("i_string_1st_surrogate_but_2nd_missing", Rejected, HALF_PAIR),
    ("i_string_1st_valid_surrogate_2nd_invalid", Rejected, HALF_PAIR),
    ("i_string_UTF-16LE_with_BOM", Rejected, INPUT_DECODES),
    ("i_string_UTF-8_invalid_sequence", Rejected, NOT_UTF8),
    ("i_string_UTF8_surrogate_U+D800", Rejected, NOT_UTF8),
    ("i_string_incomplete_surrogate_and_escape_valid", Rejected, HALF_PAIR),
    ("i_string_incomplete_surrogate_pair", Rejected, HALF_PAIR),
    ("i_string_incomplete_surrogates_escape_valid", Rejected, HALF_PAIR),
    ("i_string_invalid_lonely_surrogate", Rejected, HALF_PAIR),
    ("i_string_invalid_surrogate", Rejected, HALF_PAIR),
    ("i_string_invalid_utf-8", Rejected, NOT_UTF8),
    ("i_string_inverted_surrogates_U+1D11E", Rejected, HALF_PAIR),
    ("i_string_iso_latin_1", Rejected, NOT_UTF8),
    ("i_string_lone_second_surrogate", Rejected, HALF_PAIR),
    ("i_string_lone_utf8_continuation_byte", Rejected, NOT_UTF8),
    ("i_string_not_in_unicode_range", Rejected, NOT_UTF8),
    ("i_string_overlong_sequence_2_bytes", Rejected, NOT_UTF8),
    ("i_string_overlong_sequence_6_bytes", Rejected, NOT_UTF8),
    ("i_string_overlong_sequence_6_bytes_null", Rejected, NOT_UTF8),
    ("i_string_truncated-utf-8", Rejected, NOT_UTF8),
    ("i_string_utf16BE_no_BOM", Rejected, "UTF-16 without a mark is not guessed"),
    ("i_string_utf16LE_no_BOM", Rejected, "UTF-16 without a mark is not guessed"),
    ("i_structure_500_nested_arrays", Accepted, "10 000 levels are allowed"),
    ("i_structure_UTF-8_BOM_empty_object", Rejected, INPUT_DECODES),
];
const ANY_NUMBER: &str = "numbers are decimals of any size, never floats";
const HALF_PAIR: &str = "half of a surrogate pair is not a character";
const NOT_UTF8: &str = "text is UTF-8";
const INPUT_DECODES: &str =
    "the reader decodes UTF-16 and removes a byte order mark before the grammar";

/// Cases in which serde_json gives the opposite verdict.
const SERDE_DIFFERS: [(&str, &str); 1] =
    [("i_structure_500_nested_arrays", "serde_json stops at 128 levels")];

const VALID: [&str; 18] = [
    "{}",
    "[]",
    "0",
    "-0",
    "-12.50e+3",
    "1E9",
    r#""""#,
    r#""\"\\\/\b\f\n\r\t""#,
    r#""\u00e9 \ud834\udd1e é 𝄞""#,
    "true",
    " false\n",
    "\t\r null ",
    "[1, 2.0 ,[[ ]],{}]",
    r#"{"a":{"b":[true,false,null,"x"]},"":-1}"#,
    r#"{"a":1,"a":2}"#,
    "[123456789012345678901234567890.00000000000000000001e-400]",
    r#"["0123456789012345678901234567890123456789012345678901234567890123\\"]"#,
    r#"{"address":"a.b[\"c\"]","change":{"actions":["no-op"],"before":{"n":1e0}}}"#,
];

const INVALID: [&str; 34] = [
    "",
    " ",
    "{",
    "}",
    "[",
    "]",
    "[1",
    "[1,]",
    "[,1]",
    "[1 2]",
    "{,}",
    r#"{"a"}"#,
    r#"{"a":}"#,
    r#"{"a":1,}"#,
    r#"{a:1}"#,
    r#"{"a" 1}"#,
    r#"{"a":1]"#,
    "[1}",
    "01",
    "-",
    "+1",
    ".5",
    "1.",
    "1e",
    "1e+",
    "0x1",
    "NaN",
    "tru",
    "True",
    "nulll",
    r#"""#,
    r#""\x""#,
    r#""\u12g4""#,
    "[] []",
];

/// Bytes with a meaning in the grammar, and some without any.
const BYTES: &[u8] = b"{}[]:,\"\\/ \n\t09-+.eEtfnu\x00\x1f\x7f\x80\xc3\xff";

fn strict(text: &[u8]) -> Verdict {
    verdict(check(Slice(text), Validation::Grammar, Limits::default()).is_ok())
}

fn serde(text: &[u8]) -> Verdict {
    verdict(serde_json::from_slice::<Value>(text).is_ok())
}

fn verdict(accepted: bool) -> Verdict {
    if accepted { Accepted } else { Rejected }
}

#[test]
fn the_suite_gets_the_expected_verdicts() {
    let Some(folder) = run::shared().map(|shared| shared.join("json")) else {
        return;
    };
    let mut counts = [0; 3];
    let mut open = BTreeSet::new();
    for entry in fs::read_dir(folder).expect("the suite") {
        let path = entry.expect("an entry").path();
        let Some(name) = path.to_str().and_then(|path| path.strip_suffix(".json")) else {
            continue;
        };
        let name = name.rsplit('/').next().expect("a name");
        let text = fs::read(&path).expect("a readable file");
        let (class, demanded) = match &name[..2] {
            "y_" => (0, Accepted),
            "n_" => (1, Rejected),
            _ => {
                let listed = OPEN.iter().find(|(other, ..)| *other == name);
                let (name, verdict, _) = listed.unwrap_or_else(|| panic!("{name} is not listed"));
                open.insert(*name);
                (2, *verdict)
            }
        };
        counts[class] += 1;
        assert_eq!(strict(&text), demanded, "{name}");
        let differs = SERDE_DIFFERS.iter().any(|(other, _)| *other == name);
        assert_eq!(serde(&text) != demanded, differs, "{name}: serde_json");
    }
    assert_eq!(open.len(), OPEN.len(), "a listed file is gone");
    assert!(counts[0] >= 95 && counts[1] >= 187, "{counts:?} files");
}

#[test]
fn valid_texts_are_accepted() {
    for text in VALID {
        assert_eq!([strict(text.as_bytes()), serde(text.as_bytes())], [Accepted; 2], "{text}");
    }
}

#[test]
fn invalid_texts_are_rejected() {
    for text in INVALID {
        assert_eq!([strict(text.as_bytes()), serde(text.as_bytes())], [Rejected; 2], "{text}");
    }
}

#[test]
fn single_byte_changes_are_judged_like_serde_json() {
    let mut judged = [0; 2];
    for text in VALID.map(str::as_bytes) {
        for at in 0..=text.len() {
            let (head, tail) = text.split_at(at);
            let rest = tail.get(1..).unwrap_or_default();
            let put_in = BYTES.iter().map(|&byte| [head, &[byte], tail].concat());
            let replaced = BYTES.iter().map(|&byte| [head, &[byte], rest].concat());
            let shorter = [[head, rest].concat(), head.to_vec()];
            for damaged in put_in.chain(replaced).chain(shorter) {
                let verdict = strict(&damaged);
                judged[verdict as usize] += 1;
                assert_eq!(verdict, serde(&damaged), "{}", damaged.escape_ascii());
            }
        }
    }
    assert!(judged.iter().all(|&texts| texts > 1000), "{judged:?}: too much alike");
}

#[test]
fn the_structure_check_accepts_valid_texts() {
    let usual =
        |text: &str| check(Slice(text.as_bytes()), Validation::Structure, Limits::default());
    for text in VALID {
        assert!(usual(text).is_ok(), "{text}");
    }
}

#[test]
fn depth_is_limited_exactly() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    let limits = Limits { depth: 200, ..Limits::default() };
    let judged = |text: &str| check(Slice(text.as_bytes()), Validation::Grammar, limits);
    assert!(judged(&nested(200)).is_ok());
    let kind = judged(&nested(201)).expect_err("too deep").kind();
    assert!(matches!(kind, ErrorKind::Limit { value: 200, .. }), "{kind:?}");
}
