//! Compares the oracle with the text of the specification.

use super::marks::MASK;
use super::*;

/// The `changed` list of a change, given as JSON text.
fn changed_in(change: &str) -> Vec<String> {
    let change = serde_json::from_str(change).expect("JSON");
    changed(&change).iter().map(|path| text(path)).collect()
}

fn number(text: &str) -> (bool, String, i128) {
    decimal(&serde_json::from_str(text).expect("a number"))
}

#[test]
fn numbers_are_their_exact_decimal_values() {
    for same in [
        ["1", "1.0"],
        ["1", "1e0"],
        ["0", "-0"],
        ["0.0", "0e99999999999999999999999999999999999999999"],
        ["1500", "1.5E+3"],
        ["0.00120", "12e-4"],
        ["1e1000000000000", "10e999999999999"],
    ] {
        assert_eq!(number(same[0]), number(same[1]), "{same:?}");
    }
    for other in [
        ["9007199254740993", "9007199254740992"],
        ["1", "-1"],
        ["0.1", "0.1000000000000000055511151231257827"],
        ["1e400", "1e401"],
        ["12", "120"],
    ] {
        assert_ne!(number(other[0]), number(other[1]), "{other:?}");
    }
}

#[test]
fn changed_paths_follow_the_rules() {
    for (change, paths) in [
        (r#"{"before":null,"after":{"a":1}}"#, &[][..]),
        (r#"{"before":{"a":1}}"#, &[]),
        (r#"{"before":"a","after":"b"}"#, &[""]),
        (r#"{"before":{"a":1},"after":{"a":1},"after_unknown":true}"#, &[""]),
        (r#"{"before":{"a":1},"after":{},"after_unknown":{}}"#, &["a"]),
        (r#"{"before":{"a":null},"after":{},"after_unknown":{"b":false}}"#, &["a"]),
        (r#"{"before":{},"after":{"a":null}}"#, &["a"]),
        (r#"{"before":{"a":null},"after":{"a":null},"after_unknown":{"a":false}}"#, &[]),
        (r#"{"before":{},"after":{},"after_unknown":{"b":true}}"#, &["b"]),
        (r#"{"before":{"a":[1,2]},"after":{"a":[1,3]}}"#, &["a[1]"]),
        (r#"{"before":{"a":[1]},"after":{"a":[1,3]}}"#, &["a"]),
        (r#"{"before":{"a":[1]},"after":{"a":[1]},"after_unknown":{"a":[true]}}"#, &["a[0]"]),
        (r#"{"before":{"a":{}},"after":{"a":[]}}"#, &["a"]),
        (r#"{"before":{"a":"1"},"after":{"a":1}}"#, &["a"]),
        (r#"{"before":{},"after":{},"after_unknown":{"a":[{"b":true}]}}"#, &["a"]),
        (r#"{"before":{"a":1},"after":{"a":1},"after_unknown":{"a":{"b":{}}}}"#, &[]),
    ] {
        assert_eq!(changed_in(change), paths, "{change}");
    }
}

#[test]
fn paths_are_sorted_by_step_and_quoted_when_they_must_be() {
    let path_texts = changed_in(
        r#"{"before":{"é":1,"b":[0,0,0,0,0,0,0,0,0,0,0],"a":{"x y":1,"":1},"a-b":1,"1":1},
            "after":{"b":[0,0,1,0,0,0,0,0,0,0,1],"a":{"x\ty\"":1}}}"#,
    );
    let expected = [
        r#"["1"]"#,
        r#"a[""]"#,
        r#"a["x\ty\""]"#,
        r#"a["x y"]"#,
        "a-b",
        "b[2]",
        "b[10]",
        r#"["é"]"#,
    ];
    assert_eq!(path_texts, expected);
}

#[test]
fn paths_below_sensitive_paths_are_not_listed() {
    let change = json!({
        "before_sensitive": {"a": true, "b": [false, true], "d": {"e": true}},
        "after_sensitive": {"a": {"x": true}, "c": [], "d": true},
    });
    let texts: Vec<String> = sensitive(&change).iter().map(|path| text(path)).collect();
    assert_eq!(texts, ["a", "b[1]", "d"]);
}

#[test]
fn marks_that_come_and_go_are_listed_where_both_sides_have_a_value() {
    for (change, added, removed) in [
        (r#"{"before":{"a":1},"after":{"a":1},"before_sensitive":{"a":true}}"#, "", "a"),
        (r#"{"before":{"a":1},"after":{"a":2},"after_sensitive":{"a":true}}"#, "a", ""),
        (r#"{"before":{"a":null},"after":{"a":2},"after_sensitive":{"a":true}}"#, "", ""),
        (r#"{"before":null,"after":{"a":2},"after_sensitive":{"a":true}}"#, "", ""),
        (
            r#"{"before":{"a":1},"after":{},"after_unknown":{"a":true},
                "before_sensitive":{"a":true}}"#,
            "",
            "a",
        ),
        (
            r#"{"before":{"m":{"x":1}},"after":{"m":{"x":1}},
                "before_sensitive":{"m":true},"after_sensitive":{"m":{"x":true}}}"#,
            "",
            "",
        ),
        (
            r#"{"before":{"m":{"x":1}},"after":{"m":{"x":1,"y":2}},
                "before_sensitive":{"m":true},"after_sensitive":{"m":{"x":true}}}"#,
            "",
            "m",
        ),
        (
            r#"{"before":{"m":[1,2]},"after":{"m":[1,2]},
                "before_sensitive":{"m":[false,true]},"after_sensitive":{"m":true}}"#,
            "m",
            "",
        ),
        (r#"{"before":{"m":1},"after":{"m":1},"before_sensitive":{"m":{"x":true}}}"#, "", "m"),
    ] {
        let change = serde_json::from_str(change).expect("JSON");
        for (which, expected) in [(Mark::Added, added), (Mark::Removed, removed)] {
            let found: Vec<String> =
                mark_changes(&change, which).iter().map(|path| text(path)).collect();
            assert_eq!(found.join(" "), expected, "{change} {which:?}");
        }
    }
}

#[test]
fn an_import_masks_values_marked_before_or_after() {
    let change = json!({
        "before": {"a": "old", "b": {"c": ["deep", "", 17]}},
        "after": {"a": "new", "d": "open"},
        "before_sensitive": {"b": true}, "after_sensitive": {"a": true},
    });
    let importing =
        json!({"id": "deep", "identity": {"old": ["old", "new", "open", "", 17, "17", 18]}});
    let expected = json!({
        "id": MASK, "identity": {"old": [MASK, MASK, "open", "", MASK, MASK, 18]},
    });
    assert_eq!(masked(&importing, &secrets(&change)), expected);
    // A mismatched overlay makes everything below it secret, including keys that are data.
    let change = json!({
        "before": {"a": "one", "b": {"Key-1": 2, "key": 3}, "c": [4], "d": 5},
        "after": {"a": ["two"], "b": null, "c": [6, 7], "d": 5},
        "before_sensitive": {"a": [true], "b": true},
        "after_sensitive": {"c": [true], "d": false},
    });
    let texts: Vec<_> = secrets(&change).into_iter().collect();
    assert_eq!(texts, ["2", "3", "4", "6", "7", "Key-1", "one", "two"]);
}

#[test]
fn set_elements_in_replace_paths_are_shown_as_stars() {
    let path = json!(["a", 0, "b c", {"x": 1}, -1, "d"]);
    assert_eq!(replace_path(&path, &BTreeSet::new()), r#"a[0]["b c"][*][*].d"#);
    let marked = BTreeSet::from([vec![Step::Key("a".to_owned())]]);
    assert_eq!(replace_path(&path, &marked), "a");
}
