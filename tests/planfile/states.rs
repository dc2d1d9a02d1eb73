//! States in plan files that the tools read otherwise than their keys say at first sight.

use super::build::*;
use super::hostile::{transcode, transcode_with};
use plansift::error::{ErrorKind, Result};
use plansift::limits::{Limit, Limits};

/// The plan file with a state.
fn with_state(state: &[u8]) -> Vec<u8> {
    let mut members = members(&plan(&[]));
    members[1] = Member::new("tfstate", state);
    zip(&members)
}

/// The JSON of a plan file with a state.
fn of_state(state: &str) -> Result<String> {
    transcode(&with_state(state.as_bytes()))
}

/// A state with a resource that has one instance, and an output.
fn state() -> String {
    let instance = r#"{"schema_version":0,"attributes":{"a":"SECRET"},"sensitive_attributes":
        [[{"type":"get_attr","value":"a"}]],"private":"x","status":"tainted"}"#;
    let resource = format!(
        r#"{{"mode":"managed","type":"test_a","name":"b","provider":"p","instances":[{instance}]}}"#
    );
    let output = r#"{"value":"v","type":"string","sensitive":true}"#;
    format!(r#"{{"version":4,"outputs":{{"o":{output}}},"resources":[{resource}]}}"#)
}

#[test]
fn keys_with_escapes_are_found() {
    let plain = of_state(&state()).unwrap();
    assert!(plain.contains(r#""address":"test_a.b""#) && plain.contains("tainted"), "{plain}");
    for key in [
        "version",
        "outputs",
        "resources",
        "mode",
        "type",
        "name",
        "provider",
        "instances",
        "schema_version",
        "attributes",
        "sensitive_attributes",
        "status",
        "value",
        "sensitive",
    ] {
        let escaped = format!("\"\\u{:04x}{}\":", key.as_bytes()[0], &key[1..]);
        let state = state().replace(&format!("\"{key}\":"), &escaped);
        assert!(state.contains(&escaped), "{key}");
        assert_eq!(of_state(&state).unwrap(), plain, "{key}");
    }
}

#[test]
fn a_known_key_that_occurs_twice_or_in_another_case_is_an_error() {
    for (key, value) in [
        ("version", "4"),
        ("outputs", "{}"),
        ("resources", "[]"),
        ("mode", r#""data""#),
        ("type", r#""test_c""#),
        ("name", r#""c""#),
        ("instances", "[]"),
        ("attributes", "{}"),
        ("sensitive_attributes", "[]"),
        ("sensitive", "false"),
        ("o", "{}"),
    ] {
        let member = format!("\"{key}\":");
        let twice = state().replacen(&member, &format!("{member}{value},{member}"), 1);
        let error = of_state(&twice).expect_err(&twice).to_string();
        assert!(error.contains("at tfstate"), "{key}: {error}");
    }
    for (key, other) in [
        ("resources", "Resources"),
        ("resources", "re\u{17f}ources"),
        ("instances", "INSTANCES"),
        ("sensitive_attributes", "Sensitive_attributes"),
        ("sensitive", "sen\u{17f}itive"),
        ("status", "Status"),
    ] {
        let other = state().replace(&format!("\"{key}\":"), &format!("\"{other}\":"));
        let error = of_state(&other).expect_err(&other).to_string();
        assert!(error.contains("at tfstate"), "{other}: {error}");
    }
    // A key of no meaning may look like anything.
    assert!(of_state(&state().replace("\"private\":", "\"Private\":")).is_ok());
}

#[test]
fn a_known_key_of_the_wrong_type_is_an_error() {
    for (right, wrong) in [
        (r#""sensitive":true"#, r#""sensitive":"true""#),
        (r#""sensitive":true"#, r#""sensitive":1"#),
        (r#""schema_version":0"#, r#""schema_version":"0""#),
        (r#""status":"tainted""#, r#""status":["tainted"]"#),
        (r#""type":"get_attr""#, r#""type":1"#),
        (r#""sensitive_attributes":"#, r#""sensitive_attributes":{},"x":"#),
        (r#""outputs":{"#, r#""outputs":[],"x":{"#),
        (r#""private":"x""#, r#""deposed":1"#),
        (r#""private":"x""#, r#""index_key":{}"#),
    ] {
        let state = state();
        assert!(state.contains(right), "{right}");
        let wrong = state.replace(right, wrong);
        let error = of_state(&wrong).expect_err(&wrong).to_string();
        assert!(error.contains("at tfstate"), "{error}");
    }
    // Null is what a key without a value has.
    let null = state().replace(r#""sensitive":true"#, r#""sensitive":null"#);
    assert!(of_state(&null).unwrap().contains(r#""o":{"sensitive":false"#));
}

#[test]
fn an_object_that_stands_in_a_state_twice_is_an_error() {
    let two = |deposed: [&str; 2]| {
        let instances = deposed.map(|key| format!(r#"{{"attributes":{{}},"deposed":"{key}"}}"#));
        let instances = instances.join(",");
        format!(
            r#"{{"version":4,"resources":[{{"mode":"managed","type":"a","name":"b",
            "instances":[{instances}]}}]}}"#
        )
    };
    of_state(&two(["", "01234567"])).unwrap();
    for twice in [["", ""], ["01234567", "01234567"]] {
        let error = of_state(&two(twice)).expect_err("an object is there twice").to_string();
        assert!(error.contains("at tfstate"), "{error}");
    }
}

#[test]
fn the_state_in_a_plan_file_must_be_plain_json() {
    let utf16: Vec<u8> =
        [0xfeff].into_iter().chain(state().encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for state in [crate::same_answer::forms::gzip(state().as_bytes()), utf16] {
        let error = transcode(&with_state(&state)).expect_err("it is no JSON").to_string();
        assert!(error.contains("at tfstate"), "{error}");
    }
}

#[test]
fn instances_before_their_type_count_towards_the_limit() {
    let instances = vec![r#"{"attributes":null}"#; 20].join(",");
    let kind = "t".repeat(10_000);
    let state = format!(
        r#"{{"version":4,"resources":[{{"instances":[{instances}],"mode":"managed",
        "type":"{kind}","name":"b"}}]}}"#
    );
    let limits = Limits { plan_index: 100_000, ..Limits::default() };
    let error = transcode_with(&with_state(state.as_bytes()), &limits).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Limit { limit: Limit::PlanIndex, .. }), "{error}");
}

/// The JSON of a plan file whose state has a resource with these attributes. The path `o.pw` is
/// marked.
fn of_attributes(attributes: &str) -> Result<String> {
    let path = r#"[[{"type":"get_attr","value":"o"},{"type":"get_attr","value":"pw"}]]"#;
    of_state(&format!(
        r#"{{"version":4,"resources":[{{"mode":"managed","type":"a","name":"b","instances":[
        {{"attributes":{attributes},"sensitive_attributes":{path}}}]}}]}}"#
    ))
}

#[test]
fn a_key_of_a_value_that_occurs_twice_is_an_error() {
    let ty = r#"["object",{"pw":"string"}]"#;
    let text = of_attributes(&format!(r#"{{"o":{{"value":{{"pw":"S"}},"type":{ty}}}}}"#)).unwrap();
    assert!(text.contains(r#""sensitive_values":{"o":{"pw":true}}"#), "{text}");
    for wrong in [
        format!(r#"{{"o":{{"value":[],"value":{{"pw":"S"}},"type":{ty}}}}}"#),
        format!(r#"{{"o":{{"value":{{"pw":"S"}},"type":{ty},"value":{{"pw":"S"}}}}}}"#),
        format!(r#"{{"o":{{"value":{{"pw":"S"}},"type":"string","type":{ty}}}}}"#),
        format!(r#"{{"o":{{"v\u0061lue":null,"value":{{"pw":"S"}},"type":{ty}}}}}"#),
        r#"{"o":1,"o":{"pw":"S"}}"#.into(),
        r#"{"o":{"pw":"S","a":1,"pw":"S"}}"#.into(),
        r#"{"o":{"pw":"S"},"l":[{"b":1,"a":1,"b":1}]}"#.into(),
    ] {
        let error = of_attributes(&wrong).expect_err(&wrong);
        assert_eq!(error.kind(), ErrorKind::DuplicateKey, "{wrong}: {error}");
        let error = error.to_string();
        assert!(error.contains("at tfstate.prior_state[a.b]"), "{wrong}: {error}");
    }
    let output = state().replace(r#""value":"v""#, r#""value":{"a":1,"a":2}"#);
    let error = of_state(&output).expect_err("a key occurs twice").to_string();
    assert!(error.contains("at tfstate.prior_state"), "{error}");
}

/// The tools find a value of a dynamic type by the schema, and its members may have any order.
#[test]
fn a_mark_inside_a_value_of_a_dynamic_type_is_kept_in_any_order() {
    let attributes = r#"{"o":{"type":["object",{"pw":"string"}],"value":{"pw":"S"}}}"#;
    let text = of_attributes(attributes).unwrap();
    assert!(text.contains(r#""sensitive_values":{"o":true}"#), "{text}");
}

#[test]
fn a_key_of_a_check_that_occurs_twice_is_an_error() {
    let check = |members: &str| {
        let head = r#""object_kind":"output","config_addr":"output.o""#;
        let state = format!(
            r#"{{"version":4,"serial":1,"lineage":"l","resources":[],"check_results":[
            {{{head},{members}}}],"outputs":{{"o":{{"value":1,"type":"number"}}}}}}"#
        );
        crate::run::piped(&["checks"], state.as_bytes())
    };
    let object = r#""status":"fail","objects":[{"object_addr":"output.o","status":"fail"}]"#;
    let output = check(object);
    assert!(output.status.success(), "{output:?}");
    for twice in [
        format!(r#"{object},"status":"pass""#),
        format!(r#"{object},"objects":[]"#),
        format!(r#"{object},"config_addr":"output.p""#),
        object.replace(r#""status":"fail"}"#, r#""status":"fail","status":"pass"}"#),
        object.replace("objects", "Objects"),
    ] {
        let output = check(&twice);
        assert_eq!(output.status.code(), Some(1), "{twice}: {output:?}");
    }
}
