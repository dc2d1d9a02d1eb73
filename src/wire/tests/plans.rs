//! Tests of reading MessagePack without a type, and of writing it as plan JSON.

use super::{ErrorKind, bytes, place, ty};
use crate::wire::msgpack::{DEPTH_MAX, Extension, Number, Value, View};
use crate::wire::plan_json::{Written, write_unknown, write_value};

/// The value in plan JSON, and its `after_unknown`.
fn plan_json(hex: &str) -> (String, String) {
    let bytes = bytes(hex);
    let (value, rest) = Value::read(&bytes).expect(hex);
    assert!(rest.is_empty(), "{hex}");
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    if write_value(&value, None, &mut known).expect(hex) == Written::Nothing {
        known.extend(b"nothing");
    }
    write_unknown(&value, &mut unknown);
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (text(known), text(unknown))
}

#[test]
fn values_are_written_as_in_plan_json() {
    for (hex, known, unknown) in [
        ("c0", "null", "{}"),
        ("d40000", "nothing", "true"),
        ("81a16101", r#"{"a":1}"#, "{}"),
        ("82a161d40000a16201", r#"{"b":1}"#, r#"{"a":true}"#),
        ("93d4000001c0", "[null,1,null]", "[true,false,false]"),
        ("82a161d40000a16280", r#"{"b":{}}"#, r#"{"a":true,"b":{}}"#),
        ("82a161d40000a16290", r#"{"b":[]}"#, r#"{"a":true,"b":[]}"#),
        ("82a161d40000a1629101", r#"{"b":[1]}"#, r#"{"a":true,"b":[false]}"#),
        ("82a161d40000a16281a16301", r#"{"b":{"c":1}}"#, r#"{"a":true,"b":{}}"#),
        ("81a16f92c40822737472696e6722d40000", "{}", r#"{"o":true}"#),
        ("92c40822737472696e6722d40000", "nothing", "true"),
        ("92c40822737472696e6722a568656c6c6f", "\"hello\"", "{}"),
        ("92c40822737472696e6722c0", "null", "{}"),
        ("c7030c8101c2", "nothing", "true"),
        ("cb3fe999999999999a", "0.8", "{}"),
        ("ca3fc00000", "1.5", "{}"),
        ("d38000000000000000", "-9223372036854775808", "{}"),
        ("cfffffffffffffffff", "18446744073709551615", "{}"),
        ("a63c613e26220a", r#""\u003ca\u003e\u0026\"\n""#, "{}"),
        ("a4ff61e280", r#""\ufffda\ufffd\ufffd""#, "{}"),
        // A dynamic value: its type says that the string is a number.
        ("92c408226e756d62657222a431653330", "1000000000000000000000000000000", "{}"),
        // Keys out of order, and duplicate keys.
        ("83a16201a16102a16203", r#"{"a":2,"b":3}"#, "{}"),
        ("82a16282a17a01a17902a16103", r#"{"a":3,"b":{"y":2,"z":1}}"#, "{}"),
        ("82c001a16101", r#"{"":1,"a":1}"#, "{}"),
    ] {
        assert_eq!(plan_json(hex), (known.into(), unknown.into()), "{hex}");
    }
}

#[test]
fn a_type_tells_numbers_from_strings() {
    let bytes = bytes("82a16191b339323233333732303336383534373735383038a162a138");
    let of = ty(r#"["object",{"a":["list","number"],"b":"string"}]"#);
    let mut out = Vec::new();
    let (value, _) = Value::read(&bytes).expect("a value");
    write_value(&value, Some(&of), &mut out).expect("text");
    assert_eq!(String::from_utf8_lossy(&out), r#"{"a":[9223372036854775808],"b":"8"}"#);
}

#[test]
fn damaged_values_are_errors() {
    for (hex, kind, offset) in [
        ("", ErrorKind::Truncated, 0),
        ("81a161", ErrorKind::Truncated, 3),
        ("c1", ErrorKind::Reserved, 0),
        ("dfffffffff", ErrorKind::Length, 5),
        ("ddffffffff00", ErrorKind::Length, 5),
        ("c6ffffffff00", ErrorKind::Length, 5),
        ("8101c0", ErrorKind::Key, 1),
        ("91cb7ff8000000000000", ErrorKind::NotANumber, 1),
        ("d90568656c", ErrorKind::Length, 2),
    ] {
        let error = Value::read(&bytes(hex)).expect_err(hex);
        assert_eq!(place(&error), (kind, Some(offset)), "{hex}");
    }
    let bytes = bytes("cb7ff0000000000000");
    let (value, _) = Value::read(&bytes).expect("a value");
    let error = write_value(&value, None, &mut Vec::new()).expect_err("infinity");
    assert_eq!(error.kind(), ErrorKind::Infinite);
}

#[test]
fn depth_is_limited() {
    let mut deep = vec![0x91; DEPTH_MAX];
    deep.push(0xc0);
    let mut out = Vec::new();
    write_value(&Value::read(&deep).expect("a value").0, None, &mut out).expect("text");
    assert_eq!(out.len(), 2 * DEPTH_MAX + 4);
    deep.insert(0, 0x91);
    assert_eq!(Value::read(&deep).expect_err("too deep").kind(), ErrorKind::Depth);
}

#[test]
fn views_reach_members_and_elements() {
    let bytes = bytes("83a16193d40000c30aa162a178a16392c40622626f6f6c22c301");
    let (value, rest) = Value::read(&bytes).expect("a value");
    assert!(rest == [1] && !value.is_wholly_known() && !value.is_unknown());
    let Some(View::List(items)) = value.get(b"a").map(|value| value.view()) else {
        panic!("no list");
    };
    let items: Vec<_> = items.map(|item| item.view()).collect();
    assert!(matches!(
        items[..],
        [
            View::Unknown(Extension { code: 0, data: [0] }),
            View::Bool(true),
            View::Number(Number::Int(10))
        ]
    ));
    assert!(matches!(value.get(b"b").map(|value| value.view()), Some(View::String(b"x"))));
    let typed = value.get(b"c").expect("a member");
    assert!(matches!(typed.view(), View::Bool(true)));
    assert_eq!(typed.declared_type(), Some(&b"\"bool\""[..]));
    assert!(value.get(b"d").is_none());
    assert_eq!(value.bytes().len(), bytes.len() - 1);
}
