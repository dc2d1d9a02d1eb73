//! `plansift wire`: values to JSON and back, errors, secrets.

use std::process::Output;

use crate::run;

const SCHEMA: &str = "corpus/wire/schemas.json";
const ORDER: &str = concat!(
    r#"{"object":[["id",{"not_null":true,"unknown":"string"}],"#,
    r#"["item",{"elements":[{"object":[["name",{"string":"book"}]]}],"#,
    r#""list":["object",{"name":"string"}]}],["price",{"number":"0.8","prec":512}],"#,
    r#"["tags",{"null":["map","string"]}],["token",{"string":"CANARY-token"}]]}"#,
);

fn wire(args: &[&str], input: &[u8]) -> Output {
    let mut command = run::plansift();
    command.arg("wire").args(args).current_dir(run::root());
    run::with_input(command, input)
}

/// The standard output of a run that succeeds, without the last line feed.
fn printed(args: &[&str], input: &[u8]) -> String {
    let run = wire(args, input);
    assert_eq!(run.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).expect("UTF-8").trim_end().to_owned()
}

/// The exit code and the message of a run that fails.
fn refused(args: &[&str], input: &[u8]) -> (Option<i32>, String) {
    let run = wire(args, input);
    assert!(run.stdout.is_empty(), "{args:?}");
    (run.status.code(), String::from_utf8(run.stderr).expect("UTF-8"))
}

#[test]
fn a_value_survives_encoding_and_decoding() {
    let under = ["--schema", SCHEMA, "--resource", "shop_order"];
    let encode = [&["encode"][..], &under].concat();
    let digits = printed(&encode, ORDER.as_bytes());
    let decode = [&["decode", "--show-sensitive", "--hex", &digits][..], &under].concat();
    assert_eq!(printed(&decode, b""), ORDER);
    let base64 = printed(&[&encode[..], &["--as", "base64"]].concat(), ORDER.as_bytes());
    let decode = [&["decode", "--show-sensitive", "--base64", &base64][..], &under].concat();
    assert_eq!(printed(&decode, b""), ORDER);
    let raw = wire(&[&encode[..], &["--as", "raw"]].concat(), ORDER.as_bytes()).stdout;
    let decode = [&["decode", "--show-sensitive", "-"][..], &under].concat();
    assert_eq!(printed(&decode, &raw), ORDER);
}

#[test]
fn values_can_be_decoded_from_and_encoded_to_json() {
    let of = ["--form", "json", "--type", r#"["set","string"]"#];
    let shown = printed(&[&["decode"][..], &of].concat(), b"[\"b\",\"a\"]");
    assert_eq!(shown, r#"{"elements":[{"string":"a"},{"string":"b"}],"set":"string"}"#);
    assert_eq!(printed(&[&["encode"][..], &of].concat(), shown.as_bytes()), r#"["a","b"]"#);
}

#[test]
fn without_a_type_the_bytes_imply_one() {
    let shown = printed(&["decode", "--hex", "82a161c0a162 91c3"], b"");
    let expected = r#"{"object":[["a",{"null":"dynamic"}],["b",{"tuple":[{"bool":true}]}]]}"#;
    assert_eq!(shown, expected);
}

#[test]
fn sensitive_values_are_shown_on_request_only() {
    let under = ["--schema", SCHEMA, "--resource", "shop_order"];
    let digits = printed(&[&["encode"][..], &under].concat(), ORDER.as_bytes());
    let shown = printed(&[&["decode", "--hex", &digits][..], &under].concat(), b"");
    assert!(!shown.contains("CANARY") && shown.contains(r#"["token",{"sensitive":"string"}]"#));
}

#[test]
fn check_reports_the_encoding_and_schema_violations() {
    let check = |args: &[&str]| printed(&[&["check"][..], args].concat(), b"");
    let list = ["--type", r#"["list","string"]"#];
    let written = check(&[&["--hex", "91a161"][..], &list].concat());
    assert_eq!(written, "3 bytes of MessagePack, as the tools write it");
    let other = check(&[&["--hex", "dc0001a161"][..], &list].concat());
    assert_eq!(other, "5 bytes of MessagePack, spelled another way");
    let order = ORDER.replace(r#"{"object":[["name",{"string":"book"}]]}"#, "");
    let under = ["--schema", SCHEMA, "--resource", "shop_order"];
    let digits = printed(&[&["encode"][..], &under].concat(), order.as_bytes());
    let (code, message) = refused(&[&["check", "--hex", &digits][..], &under].concat(), b"");
    assert_eq!(code, Some(1));
    assert!(message.contains("item: expected at least 1 blocks, found 0"), "{message}");
}

#[test]
fn errors_name_the_input_and_the_place_and_quote_nothing() {
    for (args, input, expected) in [
        (
            &["decode", "--hex", "92a16101", "--type", r#"["list","string"]"#][..],
            "",
            "--hex: byte 3: a string is required",
        ),
        (&["decode", "--type", "bool"], "CANARY", "-: byte 0: a bool is required"),
        (&["decode", "missing.msgpack"], "", "missing.msgpack: cannot read the input"),
        (&["check", "--type", "bool", "--hex", "c3c3"], "", "byte 1: data follows the value"),
        (&["encode"], "{\"string\":CANARY}", "-: byte 10: the text is not valid JSON"),
        (
            &["encode", "--form", "json"],
            r#"{"unknown":"string"}"#,
            "-: the value is unknown, and JSON has no unknown values",
        ),
        (
            &["decode", "--schema", SCHEMA, "--resource", "shop"],
            "",
            "no provider of this file has this type",
        ),
        (
            &["decode", "--schema", "README.md", "--resource", "shop"],
            "",
            "README.md: byte 0: the text is not valid JSON",
        ),
    ] {
        let (code, message) = refused(args, input.as_bytes());
        assert_eq!(code, Some(1), "{args:?}");
        assert!(message.contains(expected) && !message.contains("CANARY"), "{args:?}: {message}");
    }
    for args in [
        &["decode", "--type", "text"][..],
        &["decode", "--hex", "0"],
        &["decode", "--base64", "?"],
        &["decode", "--hex", "00", "file"],
        &["decode", "--schema", SCHEMA],
        &["decode", "--resource", "shop_order"],
        &["nothing"],
        &[],
    ] {
        let (code, _) = refused(args, b"");
        assert!(matches!(code, Some(64)), "{args:?}");
    }
}

#[test]
fn a_plan_file_is_refused_with_a_hint_to_use_show() {
    for command in ["decode", "check"] {
        let (code, said) = refused(&[command, "corpus/planfiles/create/plan.tfplan"], b"");
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("run `plansift show` to print the plan"), "{said}");
    }
}

#[test]
fn a_mistyped_resource_type_has_a_suggestion() {
    let (code, said) = refused(&["decode", "--schema", SCHEMA, "--resource", "shop_ordr"], b"c0");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("has this type: did you mean shop_order?"), "{said}");
}
