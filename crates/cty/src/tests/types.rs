//! Tests of type constraints, and of the types that values imply.

use super::{ErrorKind, bytes, ty};
use crate::implied;
use crate::types::{DEPTH_MAX, Type};

#[test]
fn types_are_read_and_written() {
    for (given, expected) in [
        (r#""string""#, r#""string""#),
        (r#" "dynamic" "#, r#""dynamic""#),
        (r#""bool"]"#, r#""bool""#),
        (r#"["list","number"]"#, r#"["list","number"]"#),
        (r#"[ "set" , ["map","bool"] ]"#, r#"["set",["map","bool"]]"#),
        (r#"["tuple",[]]"#, r#"["tuple",[]]"#),
        (r#"["tuple",null]"#, r#"["tuple",[]]"#),
        (
            r#"["tuple",["string",["tuple",["bool"]]]]"#,
            r#"["tuple",["string",["tuple",["bool"]]]]"#,
        ),
        (r#"["object",null]"#, r#"["object",{}]"#),
        (r#"["object",{"b":"bool","a":"number"}]"#, r#"["object",{"a":"number","b":"bool"}]"#),
        (r#"["object",{"a":"bool","a":"number"}]"#, r#"["object",{"a":"number"}]"#),
        (
            r#"["object",{"a":"bool","b":"bool"},["b"]]"#,
            r#"["object",{"a":"bool","b":"bool"},["b"]]"#,
        ),
        (r#"["object",{"a":"bool"},[]]"#, r#"["object",{"a":"bool"}]"#),
        (r#"["object",{"<":"bool"}]"#, r#"["object",{"\u003c":"bool"}]"#),
        ("[\"object\",{\"e\u{301}\":\"bool\"}]", "[\"object\",{\"\u{e9}\":\"bool\"}]"),
    ] {
        let parsed =
            Type::parse(given.as_bytes()).unwrap_or_else(|error| panic!("{given}: {error}"));
        assert_eq!(parsed.to_string(), expected);
    }
}

#[test]
fn invalid_types_are_rejected() {
    for given in [
        "",
        "null",
        "1",
        "{}",
        "[]",
        r#""int""#,
        r#""string" 1"#,
        r#"["list"]"#,
        r#"["list",]"#,
        r#"["list","string","bool"]"#,
        r#"["tuple","string"]"#,
        r#"["object",[]]"#,
        r#"["object",{"a":1}]"#,
        r#"["object",{"a":"bool"},["b"]]"#,
        r#"["object",{},["a"],1]"#,
        r#"["capsule","x"]"#,
        r#"["list","string""#,
        r#"[1,"string"]"#,
        "['list','string']",
    ] {
        assert!(Type::parse(given.as_bytes()).is_err(), "{given}");
    }
}

#[test]
fn the_depth_of_types_is_limited() {
    let nested =
        |depth: usize| format!("{}\"bool\"{}", "[\"set\",".repeat(depth), "]".repeat(depth));
    assert!(Type::parse(nested(DEPTH_MAX).as_bytes()).is_ok());
    let error = Type::parse(nested(DEPTH_MAX + 1).as_bytes()).expect_err("too deep");
    assert_eq!(error.kind(), ErrorKind::Depth);
}

#[test]
fn values_imply_types() {
    for (hex, expected) in [
        ("c0", "dynamic"),
        ("d40000", "dynamic"),
        ("c3", "bool"),
        ("ca3fc00000", "number"),
        ("a161", "string"),
        ("80", r#"["object",{}]"#),
        ("90", r#"["tuple",[]]"#),
        ("9301a161c0", r#"["tuple",["number","string","dynamic"]]"#),
        ("82a161c2a1629101", r#"["object",{"a":"bool","b":["tuple",["number"]]}]"#),
        ("81c001", r#"["object",{"":"number"}]"#),
    ] {
        assert_eq!(implied::of_msgpack(&bytes(hex)), Ok(ty(expected)), "{hex}");
    }
    for hex in ["", "c1", "c40100", "c0c0", "810101", "92c0", "d90561"] {
        assert!(implied::of_msgpack(&bytes(hex)).is_err(), "{hex}");
    }
    for (text, expected) in [
        ("null", "dynamic"),
        ("[1,true,\"\"]", r#"["tuple",["number","bool","string"]]"#),
        (r#"{"a":{},"a":{}}"#, r#"["object",{"a":["object",{}]}]"#),
    ] {
        assert_eq!(implied::of_json(text.as_bytes()), Ok(ty(expected)), "{text}");
    }
    for text in ["", "[1", "[1,]", r#"{"a":1,"a":""}"#, "1 2", "nul", r#"{"a"}"#, "\"\\x\""] {
        assert!(implied::of_json(text.as_bytes()).is_err(), "{text}");
    }
}
