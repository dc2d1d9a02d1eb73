//! Lines of a report for a terminal are as wide as the terminal, except for long words.

use unicode_width::UnicodeWidthStr;

use super::{plan_of, report_of, report_on};
use crate::corpus::cases;

/// The longest word that has no line of its own, in columns.
const WORD: usize = 60;

#[test]
fn lines_of_reports_fit_a_terminal() {
    for case in cases() {
        for more in [&[][..], &["--full"]] {
            let args = [&["--width", "80"], more].concat();
            let text = report_on(&args, &case.plan);
            let wide = text.lines().skip(1).filter(|line| line.width() > 80);
            let wide: Vec<&str> = wide
                .filter(|line| line.split_whitespace().all(|word| word.width() <= WORD))
                .collect();
            assert!(wide.is_empty(), "{}: {wide:#?}", case.plan.display());
            let colored = report_on(&[&args[..], &["--color", "always"]].concat(), &case.plan);
            let mut plain = String::new();
            for (place, part) in colored.split('\u{1b}').enumerate() {
                let rest = part.split_once('m').map_or("", |(_, rest)| rest);
                plain.push_str(if place == 0 { part } else { rest });
            }
            assert_eq!(plain, text, "colours change no line");
        }
    }
}

#[test]
fn a_long_number_takes_several_lines() {
    let digits = "0123456789".repeat(15);
    let created = format!(r#""actions":["create"],"before":null,"after":{{"n":1{digits}}}"#);
    let text = report_of(&["--width", "80"], &plan_of(&[("t", &created)]));
    assert!(text.lines().all(|line| line.width() <= 80), "{text}");
    let joined: String = text.split_whitespace().collect();
    assert!(joined.contains(&format!("n=1{digits}")), "{text}");
}

#[test]
fn an_unknown_value_that_is_marked_is_sensitive_without_values_too() {
    let created = r#""actions":["create"],"before":null,"after":{},
        "after_unknown":{"p":true,"q":true},"after_sensitive":{"p":true}"#;
    let text = report_of(&["--values", "none"], &plan_of(&[("t", created)]));
    assert!(text.contains("+ p = (sensitive value)\n"), "{text}");
    assert!(text.contains("+ q = (known after apply)\n"), "{text}");
}

#[test]
fn a_value_below_its_name_does_not_look_like_a_name() {
    let name = "n".repeat(32);
    let created = format!(
        r#""actions":["create"],"before":null,"after":{{}},
        "after_unknown":{{"{name}":true}}"#
    );
    let text = report_of(&["--width", "50"], &plan_of(&[("t", &created)]));
    let lines = format!("        + {name} =\n            (known after apply)\n");
    assert!(text.contains(&lines), "{text}");
}

#[test]
fn values_of_outputs_are_aligned() {
    let plan = r#"{"format_version":"1.2","resource_changes":[],"output_changes":{
        "a":{"actions":["create"],"before":null,"after":1},
        "list":{"actions":["update"],"before":[1],"after":[1,2]},
        "longer":{"actions":["update"],"before":"x","after":"y"},
        "s":{"actions":["no-op"],"before":1,"after":1}}}"#;
    let text = report_of(&["--all"], plan);
    let changed = "Outputs\n    + a      = 1\n    ~ list\n        + [1] = 2\n";
    assert!(text.contains(changed), "{text}");
    assert!(text.contains("    ~ longer = \"x\" -> \"y\"\n"), "{text}");
    assert!(text.contains("      s\n"), "{text}");
}
