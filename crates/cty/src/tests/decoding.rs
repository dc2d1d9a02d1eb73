//! Tests of reading MessagePack and JSON with a type.

use super::{ErrorKind, bytes, place, shown, ty};
use crate::types::DEPTH_MAX;
use crate::{Type, from_json, from_msgpack, to_json, to_msgpack};

/// Forms that go-cty accepts but never writes.
#[test]
fn encodings_that_go_cty_only_reads_are_accepted() {
    for (hex, of, expected) in [
        ("c70000", "string", r#"{"unknown":"string"}"#),
        ("d40c00", "string", r#"{"unknown":"string"}"#),
        ("d57f0000", "string", r#"{"unknown":"string"}"#),
        ("c9000000020a0000", "bool", r#"{"unknown":"bool"}"#),
        ("c7030c8107c0", "string", r#"{"unknown":"string"}"#),
        ("c7050c820701c001", "string", r#"{"unknown":"string"}"#),
        ("c7060c82079101", "string", ""),
        ("c7040c8101c2ff", "string", r#"{"not_null":true,"unknown":"string"}"#),
        ("c7030c8101c0", "string", r#"{"not_null":true,"unknown":"string"}"#),
        ("c7030c8101c3", "bool", r#"{"null":"bool"}"#),
        ("c7030c8101c2", "dynamic", r#"{"unknown":"dynamic"}"#),
        ("c70b0c8301c2039205c3049205c3", "number", r#"{"number":"5","prec":64}"#),
        ("c7070c8301c205000600", r#"["list","string"]"#, r#"{"elements":[],"list":"string"}"#),
        ("c7070c8301c205000600", r#"["map","string"]"#, r#"{"entries":[],"map":"string"}"#),
        (
            "c7070c8301c205020602",
            r#"["list","bool"]"#,
            r#"{"elements":[{"unknown":"bool"},{"unknown":"bool"}],"list":"bool"}"#,
        ),
        (
            "c7070c8301c205020602",
            r#"["set","bool"]"#,
            r#"{"len_max":2,"len_min":2,"not_null":true,"unknown":["set","bool"]}"#,
        ),
        ("ca3fc00000", "number", r#"{"number":"1.5","prec":53}"#),
        ("d300000000000000ff", "number", r#"{"number":"255","prec":64}"#),
        ("cfffffffffffffffff", "number", r#"{"number":"18446744073709551615","prec":64}"#),
        ("a431653330", "number", r#"{"number":"1000000000000000000000000000000","prec":512}"#),
        ("c40131", "number", r#"{"number":"1","prec":512}"#),
        ("cb7ff0000000000000", "number", r#"{"number":"inf"}"#),
        ("c402ff61", "string", r#"{"string":{"hex":"ff61"}}"#),
        ("a365cc81", "string", "{\"string\":\"\u{e9}\"}"),
        ("de0001a161c0", r#"["object",{"a":"string"}]"#, r#"{"object":[["a",{"null":"string"}]]}"#),
        ("80", r#"["object",{"a":"string"}]"#, r#"{"object":[]}"#),
        ("90", r#"["tuple",["string"]]"#, r#"{"tuple":[]}"#),
        ("81c0c0", r#"["map","bool"]"#, r#"{"entries":[["",{"null":"bool"}]],"map":"bool"}"#),
        (
            "82a16101a16102",
            r#"["map","number"]"#,
            r#"{"entries":[["a",{"number":"2","prec":64}]],"map":"number"}"#,
        ),
        ("92a822737472696e6722a0", "dynamic", r#"{"string":""}"#),
        ("a0ff", "string", r#"{"string":""}"#),
    ] {
        let read = from_msgpack(&bytes(hex), &ty(of)).map(|value| shown(&value));
        if expected.is_empty() {
            assert!(read.is_err(), "{hex}");
        } else {
            assert_eq!(read.as_deref(), Ok(expected), "{hex}");
        }
    }
}

#[test]
fn decoding_errors_have_a_kind_and_an_offset() {
    use ErrorKind::{
        Attribute, Dynamic, Expansion, Key, Length, MixedTypes, NotANumber, ObjectLength,
        Refinement, Required, Reserved, Truncated, TupleLength,
    };
    for (hex, of, kind, offset) in [
        ("", "string", Truncated, 0),
        ("91", r#"["list","string"]"#, Length, 1),
        ("93c0c0c0", "dynamic", Dynamic, 0),
        ("92c0c0", "dynamic", Dynamic, 0),
        ("92c40522666f6f22c0", "dynamic", ErrorKind::Type, 0),
        ("81a178c0", r#"["object",{"a":"string"}]"#, Attribute, 1),
        ("82a161c0a161c0", r#"["object",{"a":"bool","b":"bool"}]"#, Attribute, 4),
        ("81a161c0", r#"["object",{"a":"bool","b":"bool"}]"#, ObjectLength, 0),
        ("9101", r#"["tuple",["string","string"]]"#, TupleLength, 0),
        ("c3", "number", Required("a number is required"), 0),
        ("9101", r#"["list","string"]"#, Required("a string is required"), 1),
        ("01", "bool", Required("a bool is required"), 0),
        ("80", r#"["set","bool"]"#, Required("a set is required"), 0),
        ("90", r#"["map","bool"]"#, Required("a map is required"), 0),
        ("a161", "number", Required("a number is required"), 0),
        ("c7050c81039200c3", "string", Refinement, 0),
        ("c7030c81a1c0", "string", Refinement, 0),
        ("c7090c82039203c3049201c3", "number", Refinement, 0),
        ("c7090c82039201c3049201c2", "number", Refinement, 0),
        ("c7050c8201c201c3", "bool", Refinement, 0),
        ("c7050c8205020601", r#"["list","bool"]"#, Refinement, 0),
        ("c7040c8102a1ff", "string", Refinement, 0),
        ("c804010c80", "string", Length, 4),
        ("c70f0c8301c205ce1000000006ce10000000", r#"["list","bool"]"#, Expansion, 0),
        ("d90568656c", "string", Length, 2),
        ("ddffffffff", r#"["list","string"]"#, Length, 5),
        ("8101c0", r#"["map","string"]"#, Key, 1),
        ("91c1", r#"["list","string"]"#, Reserved, 1),
        ("cb7ff8000000000000", "number", NotANumber, 0),
        ("9292c40622626f6f6c22c392c408226e756d6265722201", r#"["list","dynamic"]"#, MixedTypes, 0),
    ] {
        let error = from_msgpack(&bytes(hex), &ty(of)).expect_err(hex);
        assert_eq!(place(&error), (kind, Some(offset)), "{hex}");
    }
}

#[test]
fn null_and_unknown_take_the_type_of_their_neighbours() {
    let list = "93c092c40622626f6f6c22c3d40000";
    let read = from_msgpack(&bytes(list), &ty(r#"["list","dynamic"]"#)).expect("a list");
    let expected =
        r#"{"elements":[{"null":"bool"},{"bool":true},{"unknown":"bool"}],"list":"bool"}"#;
    assert_eq!(shown(&read), expected);
}

#[test]
fn sets_have_no_duplicates_and_the_order_of_go_cty() {
    for (hex, of, expected) in [
        ("94c3c2c3c2", r#"["set","bool"]"#, "92c2c3"),
        ("95a162c0a161d40000a162", r#"["set","string"]"#, "94a161a162d40000c0"),
        ("93d40000d40000c0", r#"["set","string"]"#, "93d40000d40000c0"),
        ("94020a01a131", r#"["set","number"]"#, "9301020a"),
        // 0.8 as a float and as text are one number.
        ("92cb3fe999999999999aa3302e38", r#"["set","number"]"#, "91cb3fe999999999999a"),
        // Zero and negative zero are equal, but hash to different buckets: both stay.
        ("9200a22d30", r#"["set","number"]"#, "920000"),
        // Lists are ordered by the text that go-cty hashes: 10 before 9.
        ("9291099110", r#"["set",["list","number"]]"#, "9291109109"),
        ("9291d400009101", r#"["set",["list","number"]]"#, "92910191d40000"),
        ("9281a161a17a81a161a161", r#"["set",["map","string"]]"#, "9281a161a16181a161a17a"),
        ("9281a16102 81a16102", r#"["set",["object",{"a":"number"}]]"#, "9181a16102"),
        ("92c0c0", r#"["set",["object",{"a":"number"}]]"#, "91c0"),
    ] {
        let of = ty(of);
        let read = from_msgpack(&bytes(hex), &of).expect(hex);
        assert_eq!(super::hex(&to_msgpack(&read, &of).expect(hex)), expected, "{hex}");
    }
}

#[test]
fn a_set_of_many_unknown_elements_is_read_in_linear_time() {
    let mut set = vec![0xdd, 0, 3, 0, 0];
    set.extend([0xd4, 0, 0].repeat(3 << 16));
    assert!(from_msgpack(&set, &ty(r#"["set","string"]"#)).is_ok());
}

#[test]
fn deep_values_do_not_overflow_the_stack() {
    let mut nested = b"\x92\xc4\x09\"dynamic\"".repeat(100_000);
    nested.push(0xc0);
    assert!(from_msgpack(&nested, &Type::Dynamic).is_ok());
    let (open, close) = ("[\"list\",".repeat(DEPTH_MAX), "]".repeat(DEPTH_MAX));
    let of = Type::parse(format!("{open}\"bool\"{close}").as_bytes()).expect("a type");
    let mut wire = vec![0x91; DEPTH_MAX];
    wire.push(0xc3);
    let value = from_msgpack(&wire, &of).expect("a value");
    assert_eq!(to_msgpack(&value, &of), Ok(wire));
    let text = to_json(&value, &of).expect("JSON");
    assert_eq!(from_json(&text, &of), Ok(value));
}

#[test]
fn json_is_read_with_conversions() {
    for (text, of, expected) in [
        (r#""1""#, "bool", r#"{"bool":true}"#),
        (r#""false""#, "bool", r#"{"bool":false}"#),
        ("12", "string", r#"{"string":"12"}"#),
        ("1.50", "string", r#"{"string":"1.50"}"#),
        ("true", "string", r#"{"string":"true"}"#),
        (r#""7""#, "number", r#"{"number":"7","prec":512}"#),
        (r#""Inf""#, "number", r#"{"number":"inf"}"#),
        ("1e2", "number", r#"{"number":"100","prec":512}"#),
        ("{}", r#"["object",{"a":"string"}]"#, r#"{"object":[["a",{"null":"string"}]]}"#),
        (
            r#"{"a":1,"a":2}"#,
            r#"["map","string"]"#,
            r#"{"entries":[["a",{"string":"2"}]],"map":"string"}"#,
        ),
        ("null]", "string", r#"{"null":"string"}"#),
        ("1 2", "number", r#"{"number":"1","prec":512}"#),
        (
            "[true,false,true]",
            r#"["set","bool"]"#,
            r#"{"elements":[{"bool":false},{"bool":true}],"set":"bool"}"#,
        ),
        (r#"{"type":"bool","value":true}"#, "dynamic", r#"{"bool":true}"#),
        (
            r#"{"value":{"a":[]},"type":["map",["list","bool"]]}"#,
            "dynamic",
            r#"{"entries":[["a",{"elements":[],"list":"bool"}]],"map":["list","bool"]}"#,
        ),
        (
            r#"{"value":{"value":1,"type":"number"},"type":"dynamic"}"#,
            "dynamic",
            r#"{"number":"1","prec":512}"#,
        ),
        (r#""\ud83d\ude00\ud800x\u00e9""#, "string", "{\"string\":\"\u{1f600}\u{fffd}x\u{e9}\"}"),
        (
            r#"["a",null]"#,
            r#"["tuple",["string","bool"]]"#,
            r#"{"tuple":[{"string":"a"},{"null":"bool"}]}"#,
        ),
    ] {
        let read = from_json(text.as_bytes(), &ty(of)).map(|value| shown(&value));
        assert_eq!(read.as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn json_of_another_type_is_refused() {
    use ErrorKind::{Attribute, Dynamic, Json, Required, Truncated, TupleLength};
    for (text, of, kind) in [
        ("", "string", Truncated),
        ("tru", "bool", Json),
        ("{\"b\":1}", r#"["object",{"a":"string"}]"#, Attribute),
        ("[1]", r#"["tuple",["number","number"]]"#, TupleLength),
        ("[1,2]", r#"["tuple",["number"]]"#, TupleLength),
        (r#"{"type":"string"}"#, "dynamic", Dynamic),
        (r#"{"value":"x"}"#, "dynamic", Dynamic),
        (r#"{"type":"string","value":"x","k":1}"#, "dynamic", Dynamic),
        (r#"{"type":"foo","value":"x"}"#, "dynamic", ErrorKind::Type),
        ("[]", "dynamic", Required("a type and a value is required")),
        ("[]", "string", Required("a string is required")),
        ("1", "bool", Required("a bool is required")),
        (r#""TRUE""#, "bool", Required("a bool is required")),
        (r#""x""#, "number", Required("a number is required")),
        ("{}", r#"["list","bool"]"#, Required("a list is required")),
        ("[", r#"["list","bool"]"#, Truncated),
        ("[true,]", r#"["list","bool"]"#, Json),
        ("[true true]", r#"["list","bool"]"#, Json),
        ("\"\u{1}\"", "string", Json),
        ("01", r#"["list","bool"]"#, Required("a list is required")),
    ] {
        let error = from_json(text.as_bytes(), &ty(of)).expect_err(text);
        assert_eq!(error.kind(), kind, "{text}");
    }
}

#[test]
fn absent_attributes_cannot_fill_the_memory() {
    let names: Vec<_> = (0..2000).map(|name| format!("\"{name}\":\"bool\"")).collect();
    let of = format!("[\"list\",[\"object\",{{{}}}]]", names.join(","));
    let text = format!("[{}{{}}]", "{},".repeat(10_000));
    let error = from_json(text.as_bytes(), &ty(&of)).expect_err("too many");
    assert_eq!(error.kind(), ErrorKind::Expansion);
}
