//! Tests of several sinks: formulas in CSV, escapes, line widths and complete JSON arrays.

use std::borrow::Cow;

use super::Sink;
use super::csv::{Csv, Formulas};
use super::screen::{Color, Screen};
use super::summary::View;
use plansift_core::inert::visible;
use plansift_core::input::Slice;
use plansift_plan::plan::Documents;
use plansift_plan::plan::Timing;
use plansift_plan::record::{
    ActionInvocation, Attributes, Plan, Record, RecordOptions, RecordRequest, write_records,
};
use plansift_plan::sink::json::Json;

fn named(address: &str) -> Record<'_> {
    Record::ActionInvocation(ActionInvocation {
        address: Cow::Borrowed(address),
        type_name: None,
        name: None,
        trigger: None,
        triggering_address: None,
        deferred_reason: None,
        timing: Timing::Unknown,
        attributes: Attributes::default(),
    })
}

fn csv(address: &str, formulas: Formulas) -> String {
    let mut out = Vec::new();
    let mut sink = Csv::new(&mut out, formulas);
    sink.record(&named(address)).unwrap();
    sink.finish().unwrap();
    drop(sink);
    String::from_utf8(out).unwrap().lines().nth(1).unwrap_or_default().to_owned()
}

#[test]
fn formulas_are_made_harmless_unless_asked_for() {
    for start in
        ["=", "+", "-", "@", "＝", " =", "  +", "\u{a0}-", "\u{3000}＠", "\u{2003}\u{202f}="]
    {
        let address = format!("{start}cmd|x");
        assert!(csv(&address, Formulas::Quoted).contains(&format!("'{address}")), "{start:?}");
        assert!(!csv(&address, Formulas::Raw).contains('\''), "{start:?}");
    }
    for harmless in ["a.b", " a=b", "a =b", ""] {
        assert!(!csv(harmless, Formulas::Quoted).contains('\''), "{harmless:?}");
    }
}

#[test]
fn csv_cells_escape_control_characters_with_raw_formulas_too() {
    for formulas in [Formulas::Quoted, Formulas::Raw] {
        for (text, cell) in [
            ("\t=1", r"\t=1"),
            ("\r\n@a", r"\r\n@a"),
            ("a\u{202e}\u{1b}[31m", r"a\u{202e}\u{1b}[31m"),
            ("##vso[a]", r"#\u{23}vso[a]"),
        ] {
            let row = csv(text, formulas);
            assert!(row.split(',').any(|text| text == cell), "{row}");
        }
    }
}

#[test]
fn an_array_is_closed_only_at_the_end() {
    let mut out = Vec::new();
    let mut sink = Json::new(&mut out);
    sink.finish().unwrap();
    drop(sink);
    assert_eq!(out, b"[]\n");
    let mut out = Vec::new();
    let mut sink = Json::new(&mut out);
    sink.record(&named("a.b")).unwrap();
    sink.record(&named("a.c")).unwrap();
    drop(sink);
    assert!(serde_json::from_slice::<serde_json::Value>(&out).is_err());
    let mut sink = Json::new(Vec::new());
    sink.record(&Record::Plan(Plan {
        schema_version: 1,
        source: "-",
        workspace: None,
        format_version: None,
        terraform_version: None,
    }))
    .unwrap();
    sink.finish().unwrap();
}

#[test]
fn terminal_control_characters_are_made_visible() {
    for hidden in [
        "\u{1b}[31m",
        "a\rb",
        "\u{8}",
        "\u{9b}",
        "\u{202e}",
        "\u{200b}",
        "\u{2066}",
        "\u{7f}",
        "\n",
    ] {
        let shown = visible(hidden);
        assert!(shown.contains("\\u{") || shown.contains(r"\r") || shown == r"\n", "{hidden:?}");
        assert!(!shown.chars().any(char::is_control));
    }
    assert_eq!(visible("módulo.a[\"😀\"]"), "módulo.a[\"😀\"]");
}

#[test]
fn a_summary_fits_eighty_columns_whatever_the_names() {
    let long = "x".repeat(300);
    let wide = "汉".repeat(100);
    let mut changes = Vec::new();
    for (number, actions) in
        ["create", "update", "delete", "read", "forget", "open", "delete\",\"create"]
            .iter()
            .enumerate()
    {
        for name in [&long, &wide, "short"] {
            changes.push(format!(
                r#"{{"address":"{name}.a{number}","previous_address":"{name}",
                "type":"{name}{number}","change":{{"actions":["{actions}"],"importing":{{}}}},
                "action_reason":"\u001b[31m{name}"}}"#
            ));
        }
    }
    let plan = format!(
        r#"{{"format_version":"1.2","terraform_version":"{long}","errored":true,
        "resource_changes":[{}]}}"#,
        changes.join(",")
    );
    for color in [Color::None, Color::Terminal] {
        let mut out = Vec::new();
        let mut view = View::new(&mut out, Screen { color, width: 80 }, None);
        let options = RecordOptions::default();
        let mut documents = Documents::only(Slice(plan.as_bytes()), &options.read);
        write_records(&mut documents, RecordRequest::new(&*long, &options), &mut view).unwrap();
        view.finish().unwrap();
        drop(view);
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.contains('\u{1b}'), color == Color::Terminal);
        let mut plain = text.clone();
        for code in ["[0m", "[1m", "[2m", "[31m", "[32m", "[33m", "[36m"] {
            plain = plain.replace(&format!("\u{1b}{code}"), "");
        }
        assert!(!plain.contains('\u{1b}'), "only our own colours");
        for line in plain.lines() {
            assert!(super::screen::width(line) <= 80, "{line}");
        }
    }
}
