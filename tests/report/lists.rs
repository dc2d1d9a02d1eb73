//! Lists whose length changes: a report shows what changes in them, not both lists.

use super::{plan_of, report_of};
use crate::run;

/// The report of one update: the lines of its attributes, without indentation.
fn lines(args: &[&str], before: &str, after: &str, marks: &str) -> Vec<String> {
    let change = format!(r#""actions":["update"],"before":{before},"after":{after}{marks}"#);
    let text = report_of(args, &plan_of(&[("t", &change)]));
    let lines = text.lines().skip_while(|line| !line.contains("t.r0")).skip(1);
    lines.map(str::trim).take_while(|line| !line.is_empty()).map(str::to_owned).collect()
}

fn shown(before: &str, after: &str, marks: &str) -> Vec<String> {
    lines(&[], before, after, marks)
}

#[test]
fn a_text_that_changes_in_a_list_that_grows_is_compared() {
    let values = |tag: &str, more: &str| {
        let text = format!("env:\n- name: one\n  value: 1\nimage: repo:{tag}\nports:\n- 2222\n");
        format!(r#"{{"values":[{}{more}]}}"#, serde_json::json!(text))
    };
    let (before, after) = (values("main-1", ""), values("main-2", r#","extra: 1\n""#));
    let expected = [
        r#"~ yamldecode(values[0]).image = "repo:main-1" -> "repo:main-2""#,
        r#"+ values[1]                   = "extra: 1\n""#,
    ];
    assert_eq!(shown(&before, &after, "")[..1], expected[..1]);
    let all = shown(&before, &after, "").join("\n");
    assert_eq!(all.matches("name: one").count(), 0, "{all}");
    assert!(all.contains("extra: 1"), "{all}");
    // A removed element comes first, and an equal element does not matter.
    let before = r#"{"l":["gone","same","a\nb\nc\nd\ne\nf\n"]}"#;
    let after = r#"{"l":["same","a\nb\nc\nX\ne\nf\n"]}"#;
    let expected =
        ["~ l[1] = <<-EOT", "a", "b", "c", "- d", "+ X", "e", "f", "EOT", "- l[0] = \"gone\""];
    let found = shown(before, after, "");
    for (line, expected) in found.iter().zip(expected) {
        assert!(line.starts_with(expected), "{expected}: {found:?}");
    }
    assert_eq!(found.len(), expected.len(), "{found:?}");
}

/// A set has one order, so a list whose common elements are in another order is not a set.
#[test]
fn moved_elements_of_a_list_that_grows_are_shown() {
    let list = |elements: &str| format!(r#"{{"l":[{elements}]}}"#);
    let before = list(r#""sh","-c","rm","-rf","/tmp""#);
    let after = list(r#""sh","-c","-rf","rm","/tmp","/""#);
    let found = shown(&before, &after, "");
    assert_eq!(found[..2], [r#"- l[2] = "rm""#, r#"+ l[3] = "rm""#], "{found:?}");
    assert_eq!(found[2..], [r#"+ l[5] = "/""#]);
    let rule = |port: u32| format!(r#"{{"port":{port}}}"#);
    let before = list(&[1, 2, 3].map(rule).join(","));
    let after = list(&[2, 1, 3, 4].map(rule).join(","));
    assert_eq!(shown(&before, &after, "").len(), 3, "{:?}", shown(&before, &after, ""));
    // Nothing is known about the order if the lists are too different to compare.
    let numbers: Vec<_> = (0..3000).map(|number| format!("\"e{number}\"")).collect();
    let before = list(&numbers.join(","));
    let reversed: Vec<_> = numbers.into_iter().rev().collect();
    let found = shown(&before, &list(&format!("{},\"x\"", reversed.join(","))), "");
    assert!(found.len() > 1 || found[0].starts_with("~ l = ["), "{}", found.len());
}

#[test]
fn a_marked_element_that_is_added_leaves_the_others_out() {
    let before = r#"{"l":["first-element","second"]}"#;
    let after = r#"{"l":["first-element","second","CANARY-added"]}"#;
    let marks = r#","after_sensitive":{"l":[false,false,true]}"#;
    assert_eq!(shown(before, after, marks), ["+ l[2] = (sensitive value)"]);
    // A marked element that changes in place stays hidden, too.
    let before = r#"{"l":["CANARY-one","second","third"]}"#;
    let after = r#"{"l":["CANARY-two","second","changed","fourth"]}"#;
    let marks = r#","before_sensitive":{"l":[true,false,false]},
        "after_sensitive":{"l":[true,false,false,false]}"#;
    let expected =
        ["~ l[0] = (sensitive value)", r#"~ l[2] = "third" -> "changed""#, r#"+ l[3] = "fourth""#];
    assert_eq!(shown(before, after, marks), expected);
    for form in ["term", "markdown", "html"] {
        for values in ["changed", "all"] {
            let change =
                format!(r#""actions":["update"],"before":{before},"after":{after}{marks}"#);
            let args = ["--values", values, "--full", "-o", form];
            let text = report_of(&args, &plan_of(&[("t", &change)]));
            assert!(!text.contains("CANARY"), "{form} {values}: {text}");
        }
    }
    // An object with a marked member is an element like others.
    let before = r#"{"l":[{"n":"a","p":"CANARY-a"}]}"#;
    let after = r#"{"l":[{"n":"a","p":"CANARY-a"},{"n":"b","p":"CANARY-b"}]}"#;
    let marks = r#","before_sensitive":{"l":[{"p":true}]},
        "after_sensitive":{"l":[{"p":true},{"p":true}]}"#;
    assert_eq!(shown(before, after, marks), [r#"+ l[1] = {"n":"b","p":(sensitive value)}"#]);
}

#[test]
fn unknown_elements_of_a_list_that_grows_are_listed() {
    let before = r#"{"l":["a","CANARY"]}"#;
    let after = r#"{"l":["a","CANARY",null,"d"]}"#;
    let marks = r#","after_unknown":{"l":[false,false,true]},"before_sensitive":{"l":[false,true]},
        "after_sensitive":{"l":[false,true,false,false]}"#;
    assert_eq!(shown(before, after, marks), ["+ l[3] = \"d\"", "+ l[2] = (known after apply)"]);
}

#[test]
fn lists_that_are_too_long_to_compare_are_shown_as_before() {
    let list = |count: usize| {
        let texts: Vec<String> = (0..count).map(|number| format!("\"{number}\\nx\"")).collect();
        format!(r#"{{"l":[{}]}}"#, texts.join(","))
    };
    let found = shown(&list(10_001), &list(10_002), "");
    assert!(found.iter().any(|line| line.contains("l = [")), "{}", found.len());
    // A comparison in quadratic time would take minutes.
    let shuffled = |step: usize| {
        let texts: Vec<String> =
            (0..9_000).map(|number| format!("\"{}\\nx\"", number * step % 9_973)).collect();
        format!(r#"{{"l":[{}]}}"#, texts.join(","))
    };
    let change = format!(
        r#""actions":["update"],"before":{},"after":{}"#,
        shuffled(1),
        shuffled(7919).replacen('[', "[\"more\",", 1)
    );
    let output = run::piped(&["report", "-"], plan_of(&[("t", &change)]).as_bytes());
    assert!(output.status.success());
}
