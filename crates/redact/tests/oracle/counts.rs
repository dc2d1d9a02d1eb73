//! The counts of a redaction, and the limit on the masked places of a piece.

use crate::answers;
use crate::error::{ErrorKind, Result};
use crate::input::Slice;
use crate::limits::{Limit, Limits};
use crate::plan::Documents;
use crate::redact::{Counts, RedactOptions, redact};
use crate::secret::{EchoOf, collect};

/// The counts of the redaction of a text. Without `echo`, only marked values are masked.
fn counts_with(text: &str, echo: Option<EchoOf>, options: &RedactOptions) -> Result<Counts> {
    let mut collecting = answers::options().secret;
    collecting.names.clone_from(&options.secret.names);
    let collected = match echo {
        None => None,
        Some(echo) => {
            collecting.echo = echo;
            Some(collect(|| Ok(Slice(text.as_bytes())), &collecting)?)
        }
    };
    let mut documents = Documents::only(Slice(text.as_bytes()), &options.secret.read);
    let redacted = redact(&mut documents, collected.as_ref(), options, &mut Vec::new())?;
    Ok(redacted.counts)
}

fn counts(text: &str, echo: Option<EchoOf>) -> Counts {
    counts_with(text, echo, &answers::options()).expect("a plan")
}

const WHOLE: Option<EchoOf> = Some(EchoOf::Whole);
const NONE: Counts =
    Counts { marked: 0, echoes: 0, named: 0, equal: 0, unmarked: 0, unknown: 0, undeclared: 0 };

/// A plan with these sections.
fn plan(sections: &str) -> String {
    format!(r#"{{"format_version":"1.2",{sections}}}"#)
}

/// A plan of one change to `a.b`.
fn change(members: &str) -> String {
    let change = format!(r#"{{"actions":["update"],{members}}}"#);
    plan(&format!(r#""resource_changes":[{{"address":"a.b","change":{change}}}]"#))
}

/// A change that marks `p`, and a configuration of its resource with these expressions.
fn configured(expressions: &str) -> String {
    let resource =
        format!(r#"{{"address":"a.b","type":"a","name":"b","expressions":{{{expressions}}}}}"#);
    plan(&format!(
        r#""resource_changes":[{{"address":"a.b","type":"a","name":"b","change":{{
            "actions":["create"],"before":null,"after":{{"p":"a-secret"}},
            "after_sensitive":{{"p":true}}}}}}],
        "configuration":{{"root_module":{{"resources":[{resource}]}}}}"#
    ))
}

#[test]
fn marked_values_and_their_echoes_are_counted() {
    let text = change(
        r#""before":{"p":"a-secret","q":"a-secret"},"after":{"p":"b-secret","q":"b-secret",
            "r":["a-secret",{"b-secret":1}]},"after_sensitive":{"p":true}"#,
    );
    assert_eq!(counts(&text, WHOLE), Counts { marked: 2, echoes: 4, ..NONE });
    assert_eq!(counts(&text, None), Counts { marked: 2, ..NONE });
    let mut options = answers::options();
    options.secret.names = Some("^q$".parse().expect("a pattern"));
    let named = counts_with(&text, None, &options).expect("a plan");
    assert_eq!(named, Counts { marked: 2, named: 2, ..NONE });
    let copies = change(
        r#""before":null,"after":{"p":"a-secret","q":"{\"k\":\"a-secret\",\"l\":[\"a-secret\"]}"},
            "after_sensitive":{"p":true}"#,
    );
    assert_eq!(counts(&copies, WHOLE), Counts { marked: 1, echoes: 2, ..NONE });
}

#[test]
fn scalars_of_identities_that_equal_a_marked_one_are_counted() {
    let text = change(
        r#""before":null,"after":{"p":"x"},"after_sensitive":{"p":true},
            "importing":{"id":"x","identity":{"k":["x","y"]}},"after_identity":{"id":"x"}"#,
    );
    assert_eq!(counts(&text, WHOLE), Counts { marked: 1, equal: 3, ..NONE });
}

#[test]
fn elements_without_overlays_are_counted() {
    let element = |address| {
        format!(
            r#"{{"address":"{address}","change":{{"actions":["create"],"before":null,
                "after":{{"k":1}}}}}}"#
        )
    };
    let list = format!("{},{}", element("a.b"), element("a.c"));
    let text = plan(&format!(r#""resource_changes":[{list}]"#));
    assert_eq!(counts(&text, WHOLE), Counts { unmarked: 2, ..NONE });
}

/// Without a configuration, nothing says which variables are sensitive.
#[test]
fn variables_without_a_configuration_are_counted() {
    let variables = r#""variables":{"v":{"value":"x"},"w":{"value":"y"}}"#;
    let text = plan(&format!(r#"{variables},"resource_changes":[]"#));
    assert_eq!(counts(&text, WHOLE), Counts { marked: 2, undeclared: 2, ..NONE });
    assert_eq!(counts(&text, None), Counts { marked: 2, ..NONE });
    let declared = plan(&format!(
        r#"{variables},"configuration":{{"root_module":{{"variables":{{"v":{{"sensitive":true}},
            "w":{{}}}}}}}}"#
    ));
    assert_eq!(counts(&declared, WHOLE), Counts { marked: 1, ..NONE });
}

#[test]
fn the_default_of_a_sensitive_variable_is_counted_once() {
    let text = plan(
        r#""resource_changes":[],"configuration":{"root_module":{"variables":{
            "v":{"default":"a-secret","sensitive":true},"w":{"default":"a-secret"}}}}"#,
    );
    assert_eq!(counts(&text, WHOLE), Counts { marked: 1, equal: 1, ..NONE });
}

#[test]
fn unknown_sections_are_counted_without_a_first_pass() {
    let text = plan(r#""resource_changes":[],"new":{"a":1},"newer":["b"],"none":null"#);
    assert_eq!(counts(&text, None), Counts { unknown: 2, ..NONE });
    assert_eq!(counts(&text, WHOLE), NONE);
}

#[test]
fn paths_that_are_cut_are_counted_without_a_first_pass() {
    let text = plan(
        r#""resource_changes":[],"relevant_attributes":[
            {"resource":"a.b","attribute":["p","k",0]},{"resource":"a.c","attribute":["p"]},
            {"resource":"a.d","attribute":["p","k"]}]"#,
    );
    assert_eq!(counts(&text, None), Counts { marked: 2, ..NONE });
}

#[test]
fn a_constant_counts_once_by_its_mark_or_its_text() {
    let marked = Counts { marked: 1, ..NONE };
    for (expressions, known, unknown) in [
        // The mark is at the constant, and inside it.
        (r#""w_wo":{"constant_value":"short"}"#, Counts { marked: 2, ..NONE }, 1),
        (r#""o":{"constant_value":{"a":1,"w_wo":"short"}}"#, Counts { marked: 2, ..NONE }, 2),
        // The text equals a secret.
        (r#""o":{"constant_value":"a-secret"}"#, Counts { equal: 1, ..marked }, 1),
        (
            r#""o":{"constant_value":["a-secret",{"k":"a-secret"}]}"#,
            Counts { equal: 2, ..marked },
            2,
        ),
        (r#""o":{"constant_value":true}"#, marked, 0),
        // Without a first pass, a map with keys from data has one mask.
        (r#""o":{"constant_value":{"a key":1,"b":2}}"#, marked, 1),
    ] {
        let text = configured(expressions);
        assert_eq!(counts(&text, WHOLE), known, "{expressions}");
        assert_eq!(counts(&text, None), Counts { equal: unknown, ..marked }, "{expressions}");
    }
}

/// The counts with a limit on the masked places of a piece; `None` if the limit is exceeded.
fn limited(text: &str, echo: Option<EchoOf>, marks: u64) -> Option<Counts> {
    let mut options = answers::options();
    options.secret.read.limits = Limits { marks, ..Limits::default() };
    let counts = counts_with(text, echo, &options);
    if let Err(error) = &counts {
        assert_eq!(error.kind(), ErrorKind::Limit { limit: Limit::Marks, value: marks });
    }
    counts.ok()
}

#[test]
fn the_limit_on_masked_places_applies_to_each_piece() {
    let constant = |key| format!(r#""{key}":{{"constant_value":"x"}}"#);
    let text = configured(&["a", "b", "c"].map(constant).join(","));
    let expected = Counts { marked: 1, equal: 3, ..NONE };
    assert_eq!(limited(&text, None, 4), Some(expected));
    assert_eq!(limited(&text, None, 3), Some(expected));
    assert_eq!(limited(&text, None, 2), None);
    assert_eq!(limited(&text, None, 1), None);
}

#[test]
fn the_limit_on_masked_places_applies_to_the_echoes_of_each_piece() {
    let element = |address| {
        format!(
            r#"{{"address":"{address}","change":{{"actions":["create"],"before":null,
                "after":{{"p":"a-secret","q":"a-secret","r":["a-secret","a-secret"]}},
                "after_sensitive":{{"p":true}}}}}}"#
        )
    };
    let text = plan(&format!(r#""resource_changes":[{},{}]"#, element("a.b"), element("a.c")));
    // The search for echoes also finds the marked value.
    for marks in [5, 4] {
        let expected = Counts { marked: 2, echoes: 6, ..NONE };
        assert_eq!(limited(&text, WHOLE, marks), Some(expected), "{marks}");
    }
    for marks in [3, 2, 1] {
        assert_eq!(limited(&text, WHOLE, marks), None, "{marks}");
    }
    let copies =
        text.replace(r#"["a-secret","a-secret"]"#, r#""[\"a-secret\",\"a-secret\",\"a-secret\"]""#);
    assert_eq!(limited(&copies, WHOLE, 3), Some(Counts { marked: 2, echoes: 8, ..NONE }));
    assert_eq!(limited(&copies, WHOLE, 2), None);
}
