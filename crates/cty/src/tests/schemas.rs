//! Tests of provider schemas: types, empty values, sensitive paths and numbers of blocks.

use super::{ErrorKind, shown, ty, value};
use crate::block::Block;
use crate::path::{Path, Step};
use crate::schema::Schemas;
use crate::to_msgpack;
use crate::{from_msgpack, marked};

/// Returns the block of one resource type.
fn block(text: &str) -> Block {
    let document = format!(
        r#"{{"format_version":"1.0","provider_schemas":{{"p":{{"x":1,"provider":{{"version":0}},
            "resource_schemas":{{"t":{{"version":2,"block":{text}}}}}}}}}}}"#
    );
    let schemas = Schemas::from_json(document.as_bytes()).unwrap_or_else(|e| panic!("{text}: {e}"));
    let provider = &schemas.providers["p"];
    assert_eq!((provider.config.version, provider.resources["t"].version), (0, 2));
    provider.resources["t"].block.clone()
}

const PLAIN: &str = r#"{"attributes":{"a":{"type":"string","optional":true}}}"#;
const DYNAMIC: &str = r#"{"attributes":{"a":{"type":"dynamic"}}}"#;

#[test]
fn each_nesting_has_its_type_and_its_empty_value() {
    let null = r#"{"object":[["a",{"null":"string"}]]}"#;
    for (mode, inner, expected, empty) in [
        ("single", PLAIN, r#"["object",{"a":"string"}]"#, r#"{"null":["object",{"a":"string"}]}"#),
        ("group", PLAIN, r#"["object",{"a":"string"}]"#, null),
        (
            "list",
            PLAIN,
            r#"["list",["object",{"a":"string"}]]"#,
            r#"{"elements":[],"list":["object",{"a":"string"}]}"#,
        ),
        (
            "set",
            PLAIN,
            r#"["set",["object",{"a":"string"}]]"#,
            r#"{"elements":[],"set":["object",{"a":"string"}]}"#,
        ),
        (
            "map",
            PLAIN,
            r#"["map",["object",{"a":"string"}]]"#,
            r#"{"entries":[],"map":["object",{"a":"string"}]}"#,
        ),
        ("list", DYNAMIC, "dynamic", r#"{"tuple":[]}"#),
        ("map", DYNAMIC, "dynamic", r#"{"object":[]}"#),
        (
            "set",
            DYNAMIC,
            r#"["set",["object",{"a":"dynamic"}]]"#,
            r#"{"elements":[],"set":["object",{"a":"dynamic"}]}"#,
        ),
    ] {
        let block = block(&format!(
            r#"{{"block_types":{{"b":{{"nesting_mode":"{mode}","block":{inner}}}}}}}"#
        ));
        let of = block.implied_type();
        let expected = if expected == "dynamic" { "\"dynamic\"" } else { expected };
        assert_eq!(of.to_string(), format!(r#"["object",{{"b":{expected}}}]"#), "{mode}");
        let value = block.empty_value();
        assert_eq!(shown(&value), format!(r#"{{"object":[["b",{empty}]]}}"#), "{mode}");
        let written = to_msgpack(&value, &of).expect(mode);
        assert_eq!(shown(&from_msgpack(&written, &of).expect(mode)), shown(&value), "{mode}");
    }
}

#[test]
fn nested_attributes_have_types_too() {
    for (mode, expected) in [
        ("single", r#"["object",{"x":"bool"}]"#),
        ("list", r#"["list",["object",{"x":"bool"}]]"#),
        ("set", r#"["set",["object",{"x":"bool"}]]"#),
        ("map", r#"["map",["object",{"x":"bool"}]]"#),
    ] {
        let nested = nested(mode);
        let of = nested.implied_type().to_string();
        assert_eq!(of, format!(r#"["object",{{"n":{expected}}}]"#));
    }
    assert_eq!(nested("group").implied_type(), ty(r#"["object",{"n":["object",{}]}]"#));
}

fn nested(mode: &str) -> Block {
    block(&format!(
        r#"{{"attributes":{{"n":{{"nested_type":{{"nesting_mode":"{mode}",
            "attributes":{{"x":{{"type":"bool","computed":true}}}}}}}}}}}}"#
    ))
}

#[test]
fn unusual_schemas_have_an_implied_type() {
    for (text, expected) in [
        ("null", r#"["object",{}]"#),
        ("{}", r#"["object",{}]"#),
        (r#"{"block_types":{"b":{"nesting_mode":"heap","block":{}}}}"#, r#"["object",{}]"#),
        (
            r#"{"attributes":{"a":{"type":"bool"}},
                "block_types":{"a":{"nesting_mode":"list","block":{}}}}"#,
            r#"["object",{"a":"bool"}]"#,
        ),
        (
            r#"{"attributes":{"a":{"type":["object",{"x":"bool"},["x"]]}}}"#,
            r#"["object",{"a":["object",{"x":"bool"}]}]"#,
        ),
    ] {
        assert_eq!(block(text).implied_type(), ty(expected), "{text}");
    }
}

#[test]
fn documents_of_another_kind_are_refused() {
    for text in [
        "",
        "{}",
        "[]",
        "1",
        r#"{"format_version":"1.0"}"#,
        r#"{"provider_schemas":1}"#,
        r#"{"provider_schemas":{}} x"#,
        r#"{"provider_schemas":{"p":{"resource_schemas":
            {"t":{"block":{"attributes":{"a":{}}}}}}}}"#,
        r#"{"provider_schemas":{"p":{"resource_schemas":
            {"t":{"block":{"attributes":{"a":{"type":"x"}}}}}}}}"#,
        r#"{"provider_schemas":{"p":{"resource_schemas":{"t":{"version":"1"}}}}}"#,
    ] {
        assert!(Schemas::from_json(text.as_bytes()).is_err(), "{text}");
    }
    let deep = "{\"block_types\":{\"b\":{\"nesting_mode\":\"list\",\"block\":".repeat(300);
    let text = format!(
        "{{\"provider_schemas\":{{\"p\":{{\"resource_schemas\":{{\"t\":{{\"block\":{deep}{{}}"
    );
    let error = Schemas::from_json(text.as_bytes()).expect_err("too deep");
    assert_eq!(error.kind(), ErrorKind::Depth);
}

/// Returns the sensitive paths of a value, as text.
fn paths(block: &Block, text: &str) -> Vec<String> {
    let step = |step: &Step<'_>| match step {
        Step::Name(name) => String::from_utf8_lossy(name).into_owned(),
        Step::Index(index) => index.to_string(),
        Step::Key(key) => format!("{:?}", String::from_utf8_lossy(key)),
        Step::Element(_) | Step::Every => panic!("the steps of a schema: {step:?}"),
    };
    let path = |path: &Path| path.iter().map(step).collect::<Vec<_>>().join(".");
    block.sensitive_paths(&value(text)).iter().map(path).collect()
}

#[test]
fn a_sensitive_attribute_marks_its_value_or_the_set_around_it() {
    let secret = r#"{"attributes":{"s":{"type":"string","sensitive":true},"a":{"type":"string"}}}"#;
    let nested = |mode: &str| {
        block(&format!(r#"{{"block_types":{{"b":{{"nesting_mode":"{mode}","block":{secret}}}}}}}"#))
    };
    let object = r#"{"object":[["a",{"null":"string"}],["s",{"null":"string"}]]}"#;
    let element = r#"["object",{"a":"string","s":"string"}]"#;
    for (mode, value, expected) in [
        ("single", object.to_owned(), vec!["b.s"]),
        ("single", format!(r#"{{"null":{element}}}"#), vec![]),
        ("single", format!(r#"{{"unknown":{element}}}"#), vec![]),
        ("group", object.to_owned(), vec!["b.s"]),
        (
            "list",
            format!(r#"{{"list":{element},"elements":[{object},{object}]}}"#),
            vec!["b.0.s", "b.1.s"],
        ),
        ("set", format!(r#"{{"set":{element},"elements":[{object}]}}"#), vec!["b"]),
        ("set", format!(r#"{{"set":{element},"elements":[]}}"#), vec![]),
        ("map", format!(r#"{{"map":{element},"entries":[["k",{object}]]}}"#), vec!["b.\"k\".s"]),
    ] {
        let value = format!(r#"{{"object":[["b",{value}]]}}"#);
        assert_eq!(paths(&nested(mode), &value), expected, "{mode} {value}");
    }
    let attribute = block(
        r#"{"attributes":{"n":{"sensitive":true,"nested_type":{"nesting_mode":"list","attributes":
            {"s":{"type":"string","sensitive":true}}}}}}"#,
    );
    assert_eq!(paths(&attribute, r#"{"object":[["n",{"null":"dynamic"}]]}"#), ["n"]);
}

#[test]
fn sensitive_parts_are_not_shown() {
    let block = block(
        r#"{"attributes":{"a":{"type":"string"},"z":{"type":["list","bool"],"sensitive":true}},
            "block_types":{"b":{"nesting_mode":"list","block":{"attributes":
            {"s":{"type":"string","sensitive":true},"t":{"type":"string"}}}}}}"#,
    );
    let given = value(
        r#"{"object":[["a",{"string":"1"}],["b",{"list":["object",{"s":"string","t":"string"}],
            "elements":[{"object":[["s",{"string":"2"}],["t",{"string":"3"}]]}]}],
            ["z",{"list":"bool","elements":[{"bool":true}]}]]}"#,
    );
    let mut out = Vec::new();
    marked::write_hiding(&given, &block.sensitive_paths(&given), &mut out);
    let expected = [
        r#"{"object":[["a",{"string":"1"}],["b",{"elements":[{"object":["#,
        r#"["s",{"sensitive":"string"}],["t",{"string":"3"}]]}],"#,
        r#""list":["object",{"s":"string","t":"string"}]}],["z",{"sensitive":["list","bool"]}]]}"#,
    ]
    .concat();
    assert_eq!(String::from_utf8_lossy(&out), expected);
}

#[test]
fn numbers_of_blocks_outside_the_bounds_are_reported() {
    let limited = |mode: &str, min: u64, max: u64| {
        block(&format!(
            r#"{{"block_types":{{"b":{{"nesting_mode":"{mode}","block":{{}},
                "min_items":{min},"max_items":{max}}}}}}}"#
        ))
    };
    let element = r#"["object",{}]"#;
    let elements = |kind: &str, count: usize| {
        let elements = vec![r#"{"object":[]}"#; count].join(",");
        format!(r#"{{"object":[["b",{{"{kind}":{element},"elements":[{elements}]}}]]}}"#)
    };
    for (mode, min, max, value, expected) in [
        ("list", 0, 0, elements("list", 5), None),
        ("list", 2, 3, elements("list", 1), Some(1)),
        ("list", 2, 3, elements("list", 2), None),
        ("list", 2, 3, elements("list", 4), Some(4)),
        ("set", 2, 3, elements("set", 0), Some(0)),
        // One element may represent two equal blocks of the configuration.
        ("set", 2, 3, elements("set", 2), None),
        ("single", 1, 1, format!(r#"{{"object":[["b",{{"null":{element}}}]]}}"#), Some(0)),
        ("list", 1, 1, format!(r#"{{"object":[["b",{{"unknown":["list",{element}]}}]]}}"#), None),
    ] {
        let wrong = limited(mode, min, max).wrong_counts(&super::value(&value));
        assert_eq!(wrong.first().map(|wrong| wrong.found), expected, "{mode} {value}");
    }
}
