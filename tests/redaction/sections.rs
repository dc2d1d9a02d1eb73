//! Values that one section marks and another contains: the configuration of marked attributes, and
//! resources without marks of their own.

use super::answers::{self, ECHOES, answer, hold_to_one, is_redacted};
use super::decisions::{hold, joined};
use super::long::{plan, planned_values};
use super::model::{Echo, Options};
use super::redact;
use crate::in_memory::InMemory;

/// A plan of one change to `module.m["k"].a.b`, and a configuration of the module.
fn configured(change: &str, root: &str, module: &str) -> String {
    let address = r#"module.m[\"k.x\"].a.b[0]"#;
    let change = format!(r#"{{"actions":["update"],{change}}}"#);
    let element = format!(r#"{{"address":"{address}","type":"a","name":"b","change":{change}}}"#);
    let call = format!(r#"{{"m":{{{root}"module":{{{module}}}}}}}"#);
    let configuration = format!(r#"{{"root_module":{{"module_calls":{call}}}}}"#);
    let sections = [
        format!(r#""resource_changes":[{element}]"#),
        format!(r#""configuration":{configuration}"#),
    ];
    format!(r#"{{"format_version":"1.2",{}}}"#, sections.join(","))
}

/// Swaps the two sections of a plan.
fn reversed(plan: &str) -> String {
    let plan = plan.strip_prefix(r#"{"format_version":"1.2","#).expect("a plan");
    let plan = plan.strip_suffix('}').expect("a plan");
    let (changes, configuration) = plan.split_once(r#","configuration""#).expect("two sections");
    format!(r#"{{"format_version":"1.2","configuration"{configuration},{changes}}}"#)
}

#[test]
fn constants_of_marked_attributes_are_masked() {
    let change = r#""before":null,"after":{"p":"x","q":"y","l":[{"k":"z","o":"w"}],"w_wo":null},
        "after_sensitive":{"p":true,"l":[{"k":true}],"m":{"in":true}}"#;
    let masked = change.replace(r#""x""#, "<>").replace(r#""z""#, "<>");
    let resource = |expressions: &str| {
        format!(
            r#""resources":[{{"address":"a.b","type":"a","name":"b","expressions":{{
                {expressions}}}}}]"#
        )
    };
    let cases = [
        // The mark is at the expression, inside the constant, in a block, and above the expression.
        (r#""p":{"constant_value":"s"}"#, r#""p":{"constant_value":<>}"#),
        (
            r#""m":{"constant_value":{"in":[1],"open":"s"}}"#,
            r#""m":{"constant_value":{"in":<>,"open":"s"}}"#,
        ),
        (
            r#""l":[{"k":{"constant_value":true},"o":{"constant_value":"w"}}]"#,
            r#""l":[{"k":{"constant_value":<>},"o":{"constant_value":"w"}}]"#,
        ),
        (
            r#""p":{"b":{"constant_value":{"key":1}},"c":{"constant_value":null}}"#,
            r#""p":{"b":{"constant_value":<>},"c":{"constant_value":null}}"#,
        ),
        // Write-only attributes have no value that an overlay could mark.
        (
            r#""w_wo":{"constant_value":"s"},"w_wo_version":{"constant_value":1}"#,
            r#""w_wo":{"constant_value":<>},"w_wo_version":{"constant_value":1}"#,
        ),
        (
            r#""o":{"constant_value":{"a":1,"w_wo":"s"}}"#,
            r#""o":{"constant_value":{"a":1,"w_wo":<>}}"#,
        ),
        // An echo of a constant, and another attribute.
        (
            r#""p":{"constant_value":"a long secret"},"q":{"references":["a long secret"]}"#,
            r#""p":{"constant_value":<>},"q":{"references":[<>]}"#,
        ),
    ];
    for (text, expected) in cases {
        let text = configured(change, "", &resource(text));
        let expected = configured(&masked, "", &resource(expected));
        let other = (reversed(&joined(&text)), reversed(&joined(&expected)));
        hold(&[(&text, &expected), (&other.0, &other.1)], Options::default(), str::to_owned);
    }
    // The marks do not apply to another resource.
    let other = configured(change, r#""resources":[],"#, &resource("").replace("a.b", "a.c"));
    let expected = configured(&masked, r#""resources":[],"#, &resource("").replace("a.b", "a.c"));
    hold(&[(&other, &expected)], Options::default(), str::to_owned);
}

/// Invocations of an action mark its arguments, and so the constants of its configuration.
#[test]
fn constants_of_marked_arguments_of_actions_are_masked() {
    let plan = |message: &str, constants: &str, section: &str| {
        let invocation = format!(
            r#"{{"address":"module.m[0].action.acme.a[\"k\"]","type":"acme","name":"a",
                "config_values":{{"message":{message},"open":"x","to":[{{"pin":{message}}}]}},
                "config_sensitive":{{"message":true,"to":[{{"pin":true}}]}}}}"#
        );
        let invocations = match section {
            "action_invocations" => format!("[{invocation}]"),
            _ => format!(r#"[{{"reason":"r","action_invocation":{invocation}}}]"#),
        };
        let action = r#""address":"action.acme.a","type":"acme","name":"a""#;
        let resource = r#""address":"acme.a","type":"acme","name":"a""#;
        let open = r#""expressions":{"message":{"constant_value":"o"}}"#;
        let module = format!(
            r#"{{"resources":[{{{resource},{open}}}],
                "actions":[{{{action},"expressions":{{{constants}}}}}]}}"#
        );
        let root = format!(r#"{{"actions":[{{{action},{open}}}],"module_calls":{{"m":{{"#);
        joined(&format!(
            r#"{{"format_version":"1.2","{section}":{invocations},
                "configuration":{{"root_module":{root}"module":{module}}}}}}}}}}}"#
        ))
    };
    let constants = r#""message":{"constant_value":"s"},"open":{"constant_value":"o"},
        "to":[{"pin":{"constant_value":1}}],"key_wo":{"constant_value":"w"}"#;
    let masked = r#""message":{"constant_value":<>},"open":{"constant_value":"o"},
        "to":[{"pin":{"constant_value":<>}}],"key_wo":{"constant_value":<>}"#;
    for section in ["action_invocations", "deferred_action_invocations"] {
        let (text, expected) = (plan(r#""t""#, constants, section), plan("<>", masked, section));
        let other = (reversed(&text), reversed(&expected));
        hold(&[(&text, &expected), (&other.0, &other.1)], Options::default(), str::to_owned);
    }
}

#[test]
fn arguments_for_sensitive_variables_and_sensitive_outputs_are_masked() {
    let change = r#""before":null,"after":{"e":"a long secret","f":"x"},"after_sensitive":{}"#;
    let masked = change.replace(r#""a long secret""#, "<>");
    let module = r#""outputs":{"o":{"sensitive":true,"expression":{"constant_value":"short"}},
        "p":{"expression":{"constant_value":"open"}}},"variables":{"t":{"sensitive":true},"u":{}}"#;
    let root = r#""expressions":{"t":{"constant_value":"a long secret"},
        "u":{"constant_value":"open"}},"#;
    let text = configured(change, root, module);
    let root = root.replace(r#""a long secret""#, "<>");
    let expected = configured(&masked, &root, &module.replace(r#""short""#, "<>"));
    let other = (reversed(&joined(&text)), reversed(&joined(&expected)));
    hold(&[(&text, &expected), (&other.0, &other.1)], Options::default(), str::to_owned);
}

#[test]
fn marks_of_changes_hold_in_other_sections() {
    let change = r#"{"address":"a.b[\"k\"]","change":{"actions":["delete","create"],
        "before":{"pin":"1"},"after":{"pin":"2"},"before_sensitive":{"pin":true}}}"#;
    let values = |value: &str| {
        format!(
            r#"{{"outputs":{{}},"root_module":{{"resources":[{{"address":"a.\u0062[\"k\"]",
                "values":{{"pin":{value},"open":"1"}},"sensitive_values":{{}}}}]}}}}"#
        )
    };
    let element = |before: &str, after: &str| {
        format!(
            r#"{{"address":"a.b[\"k\"]","change":{{"actions":["update"],
                "before":{{"pin":{before},"open":"1"}},"after":{{"pin":{after},"open":"3"}}}}}}"#
        )
    };
    let plan = |change: &str, value: &str, element: &str| {
        format!(
            r#"{{"format_version":"1.2","planned_values":{},"resource_drift":[{element}],
                "resource_changes":[{change}],"deferred_changes":[{{"reason":"unknown",
                "resource_change":{element}}}],"prior_state":{{"values":{}}}}}"#,
            values(value),
            values(value),
        )
    };
    let masked = change.replace(r#""pin":"1""#, r#""pin":<>"#);
    let masked = masked.replace(r#""pin":"2""#, r#""pin":<changed>"#);
    let case = (
        plan(change, r#""2""#, &element(r#""0""#, r#""1""#)),
        plan(&masked, "<>", &element("<>", "<changed>")),
    );
    hold(&[(&case.0, &case.1)], Options::default(), str::to_owned);
    // With one reading, the marks of the change come too late, so the other sections are masked as
    // a whole.
    let off = case.0.replace(r#"{"pin":"2","open":"1"}"#, "<>");
    let off = off.replace(r#""before":{"pin":"0","open":"1"},"#, r#""before":<>,"#);
    let off = off.replace(r#""after":{"pin":"1","open":"3"}"#, r#""after":<changed>"#);
    let off = off.replace(r#""before":{"pin":"1"},"#, r#""before":{"pin":<>},"#);
    let off = off.replace(r#""after":{"pin":"2"},"#, r#""after":{"pin":<changed>},"#);
    let options = Options { echo: Echo::Off, ..Options::default() };
    hold(&[(&case.0, &off)], options, str::to_owned);
}

#[test]
fn also_names_masks_values_in_every_section() {
    let text = r#"{"format_version":"1.2","planned_values":{"outputs":{"pw":{"value":"S1"}}},
        "variables":{"pw":{"value":"S2"},"o":{"value":{"pw":"S3"}}},
        "checks":[{"name":"pw","pw":"S4"}],"new":{"pw":"S5","o":[{"pw":["S6"]}]},
        "configuration":{"provider_config":{"a":{"name":"a","expressions":{
        "pw":{"constant_value":"S7"}}}},"root_module":{"outputs":{"pw":{"expression":{
        "constant_value":"S8"}}},"resources":[{"address":"a.b","provisioners":[{"type":"x",
        "expressions":{"pw":{"constant_value":"S9"}}}],"expressions":{"pw":[{"x":{
        "constant_value":{"y":"S10"}}}],"o":{"constant_value":{"pw":true}}}}],
        "module_calls":{"m":{"expressions":{"pw":{"constant_value":"S11"}},"module":{
        "variables":{"pw":{"default":"S12"}}}}}}}}"#;
    let text = joined(text);
    let redacted = redact(&["--also-names", "^pw$"], text.as_bytes()).expect("a plan");
    assert!(!redacted.contains("\"S") && !redacted.contains("true"), "{redacted}");
    assert!(redacted.contains(r#""name":"pw""#), "{redacted}");
    let redacted = redact(&["--also-names", "w$", "--echo", "off"], text.as_bytes());
    let redacted = redacted.expect("a plan").replace("\"S1\"", "");
    assert!(!redacted.contains("\"S"), "{redacted}");
}

/// A change marks resources without own marks, also when it stands far behind them.
#[test]
fn marks_of_changes_reach_every_worker() {
    let values = planned_values(1500, 3);
    let places = (3..3000).step_by(77).filter(|place| place % 7 > 2);
    let changes: Vec<_> = places
        .map(|place| {
            format!(
                r#"{{"address":"a.r[{place}]","type":"a","name":"r","change":{{"actions":["create"],
                "before":null,"after":{{"tags":"x"}},"after_sensitive":{{"tags":true}}}}}}"#
            )
        })
        .collect();
    let element = r#"[{"address":"a.b","#;
    let text =
        plan(&values).replacen(element, &format!("[{},{}", changes.join(","), &element[1..]), 1);
    let ends = hold_to_one(text.as_bytes(), &answers::options(), "marks of changes");
    assert!(is_redacted(&ends), "{ends:?}");
    let (written, _) = answer(|| InMemory::new(text.as_bytes()), ECHOES[1], &answers::options());
    let written = String::from_utf8(written).expect("UTF-8");
    let masked = written.matches(r#""tags":"(sensitive value)""#).count();
    assert!(changes.len() > 20);
    assert_eq!(masked, 3 * changes.len());
}
