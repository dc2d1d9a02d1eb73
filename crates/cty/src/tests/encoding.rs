//! Tests of writing MessagePack and JSON with a type.

use super::{ErrorKind, bytes, hex, shown, ty, value};
use crate::{from_msgpack, marked, to_json, to_msgpack};

/// Values, and the bytes that go-cty writes for their own type. The bytes read back as the value.
const WRITTEN: [(&str, &str); 57] = [
    (r#"{"string":"hello"}"#, "a568656c6c6f"),
    (r#"{"string":""}"#, "a0"),
    (r#"{"string":"é"}"#, "a2c3a9"),
    (r#"{"string":{"hex":"ff"}}"#, "a1ff"),
    (r#"{"null":"string"}"#, "c0"),
    (r#"{"unknown":"string"}"#, "d40000"),
    (r#"{"bool":true}"#, "c3"),
    (r#"{"bool":false}"#, "c2"),
    (r#"{"not_null":true,"unknown":"bool"}"#, "c7030c8101c2"),
    (r#"{"number":"0","prec":64}"#, "00"),
    (r#"{"number":"-1","prec":64}"#, "ff"),
    (r#"{"number":"127","prec":64}"#, "7f"),
    (r#"{"number":"128","prec":64}"#, "cc80"),
    (r#"{"number":"255","prec":64}"#, "ccff"),
    (r#"{"number":"256","prec":64}"#, "cd0100"),
    (r#"{"number":"65536","prec":64}"#, "ce00010000"),
    (r#"{"number":"4294967296","prec":64}"#, "cf0000000100000000"),
    (r#"{"number":"-32","prec":64}"#, "e0"),
    (r#"{"number":"-33","prec":64}"#, "d0df"),
    (r#"{"number":"-129","prec":64}"#, "d1ff7f"),
    (r#"{"number":"-32769","prec":64}"#, "d2ffff7fff"),
    (r#"{"number":"-2147483649","prec":64}"#, "d3ffffffff7fffffff"),
    (r#"{"number":"-9223372036854775808","prec":64}"#, "d38000000000000000"),
    (r#"{"number":"9223372036854775808","prec":512}"#, "b339323233333732303336383534373735383038"),
    (r#"{"number":"1.5","prec":53}"#, "cb3ff8000000000000"),
    (r#"{"number":"0.8","prec":512}"#, "a3302e38"),
    (r#"{"number":"0.8","prec":53}"#, "cb3fe999999999999a"),
    (r#"{"number":"inf"}"#, "cb7ff0000000000000"),
    (r#"{"number":"-inf"}"#, "cbfff0000000000000"),
    (r#"{"elements":[{"string":"hello"}],"list":"string"}"#, "91a568656c6c6f"),
    (r#"{"elements":[],"list":"string"}"#, "90"),
    (r#"{"elements":[{"unknown":"string"}],"list":"string"}"#, "91d40000"),
    (r#"{"elements":[{"string":"a"},{"string":"b"}],"set":"string"}"#, "92a161a162"),
    (
        r#"{"entries":[["no",{"bool":false}],["yes",{"bool":true}]],"map":"bool"}"#,
        "82a26e6fc2a3796573c3",
    ),
    (r#"{"entries":[],"map":"bool"}"#, "80"),
    (r#"{"tuple":[{"bool":true},{"number":"5","prec":64}]}"#, "92c305"),
    (r#"{"tuple":[]}"#, "90"),
    (r#"{"object":[["a",{"null":"string"}],["b",{"unknown":"string"}]]}"#, "82a161c0a162d40000"),
    (r#"{"object":[]}"#, "80"),
    (r#"{"null":"dynamic"}"#, "c0"),
    (r#"{"unknown":"dynamic"}"#, "d40000"),
    (r#"{"elements":[{"unknown":"dynamic"}],"list":"dynamic"}"#, "91d40000"),
    (r#"{"prefix":"foo-","unknown":"string"}"#, "c7070c8102a4666f6f2d"),
    (r#"{"not_null":true,"prefix":"foo-","unknown":"string"}"#, "c7090c8201c202a4666f6f2d"),
    (r#"{"min":[{"number":"0","prec":64},true],"unknown":"number"}"#, "c7050c81039200c3"),
    (r#"{"min":[{"number":"0","prec":64},false],"unknown":"number"}"#, "c7050c81039200c2"),
    (r#"{"max":[{"number":"0","prec":64},true],"unknown":"number"}"#, "c7050c81049200c3"),
    (
        r#"{"max":[{"number":"1","prec":64},true],
            "min":[{"number":"0","prec":64},true],"unknown":"number"}"#,
        "c7090c82039200c3049201c3",
    ),
    (r#"{"len_min":1,"unknown":["list","string"]}"#, "c7030c810501"),
    (r#"{"len_max":1,"unknown":["list","string"]}"#, "c7030c810601"),
    (r#"{"len_max":2,"len_min":1,"unknown":["list","string"]}"#, "c7050c8205010602"),
    (r#"{"len_max":1,"not_null":true,"unknown":["list","string"]}"#, "c7050c8201c20601"),
    (r#"{"len_max":2,"len_min":2,"unknown":["list","string"]}"#, "c7050c8205020602"),
    (r#"{"len_max":300,"unknown":["map","bool"]}"#, "c7050c8106cd012c"),
    (r#"{"len_max":1000,"not_null":true,"unknown":["map","bool"]}"#, "c7070c8201c206cd03e8"),
    (r#"{"len_max":200,"unknown":["map","bool"]}"#, "d60c8106ccc8"),
    (r#"{"not_null":true,"unknown":["object",{"a":"dynamic"}]}"#, "c7030c8101c2"),
];

/// Values, and the bytes that go-cty writes for another type.
const WRITTEN_UNDER: [(&str, &str, &str); 5] = [
    (r#"{"string":"hello"}"#, "dynamic", "92c40822737472696e6722a568656c6c6f"),
    (r#"{"null":"string"}"#, "dynamic", "92c40822737472696e6722c0"),
    (r#"{"unknown":"string"}"#, "dynamic", "92c40822737472696e6722d40000"),
    (
        r#"{"elements":[{"string":"hello"}],"list":"string"}"#,
        r#"["list","dynamic"]"#,
        "9192c40822737472696e6722a568656c6c6f",
    ),
    (
        r#"{"object":[["a",{"number":"1","prec":64}]]}"#,
        "dynamic",
        "92c4195b226f626a656374222c7b2261223a226e756d626572227d5d81a16101",
    ),
];

#[test]
fn msgpack_output_matches_go_cty_and_decodes_back() {
    let own = WRITTEN.map(|(given, expected)| (value(given), value(given).ty, expected));
    let under = WRITTEN_UNDER.map(|(given, of, expected)| (value(given), ty(of), expected));
    for (given, of, expected) in own.into_iter().chain(under) {
        let written = to_msgpack(&given, &of).expect(expected);
        assert_eq!(hex(&written), expected);
        let read = from_msgpack(&written, &of).expect(expected);
        assert_eq!(shown(&read), shown(&given), "{expected}");
        assert_eq!(marked::read(shown(&read).as_bytes()), Ok(read), "{expected}");
    }
}

#[test]
fn lengths_have_the_shortest_header() {
    for (len, header) in
        [(31, "bf"), (32, "d920"), (255, "d9ff"), (256, "da0100"), (65536, "db00010000")]
    {
        let text = format!("{{\"string\":\"{}\"}}", "a".repeat(len));
        let written = to_msgpack(&value(&text), &ty("string")).expect("bytes");
        assert_eq!(hex(&written[..written.len() - len]), header);
    }
    for (len, header) in [(15, "9f"), (16, "dc0010"), (65536, "dd00010000")] {
        let elements = vec![r#"{"bool":true}"#; len].join(",");
        let text = format!("{{\"list\":\"bool\",\"elements\":[{elements}]}}");
        let written = to_msgpack(&value(&text), &ty(r#"["list","bool"]"#)).expect("bytes");
        assert_eq!(hex(&written[..written.len() - len]), header);
    }
}

#[test]
fn long_prefixes_are_cut_where_no_later_text_changes_them() {
    for (prefix, kept) in [
        ("x".repeat(256), 256),
        ("x".repeat(257), 254),
        ("-".repeat(257), 255),
        ("😀".repeat(66), 252),
        (format!("{}😀😀", "x".repeat(253)), 252),
        (format!("---{}", "😀".repeat(70)), 251),
    ] {
        let text = format!("{{\"unknown\":\"string\",\"prefix\":\"{prefix}\"}}");
        let written = to_msgpack(&value(&text), &ty("string")).expect("bytes");
        let read = from_msgpack(&written, &ty("string")).expect("a value");
        let expected = format!("{{\"prefix\":\"{}\",\"unknown\":\"string\"}}", &prefix[..kept]);
        assert_eq!(shown(&read), expected);
    }
}

#[test]
fn json_output_matches_go_cty() {
    for (given, of, expected) in [
        (r#"{"string":"<a&b>\u2028"}"#, "string", r#""\u003ca\u0026b\u003e\u2028""#),
        (r#"{"string":{"hex":"61ff0a08"}}"#, "string", r#""a\ufffd\n\b""#),
        (r#"{"number":"2.5","prec":53}"#, "number", "2.5"),
        (r#"{"number":"1e30"}"#, "number", "1000000000000000000000000000000"),
        (
            r#"{"elements":[{"bool":true},{"bool":false}],"set":"bool"}"#,
            r#"["set","bool"]"#,
            "[false,true]",
        ),
        (r#"{"bool":true}"#, "dynamic", r#"{"value":true,"type":"bool"}"#),
        (r#"{"null":"dynamic"}"#, "dynamic", "null"),
        (
            r#"{"elements":[{"bool":true}],"list":"bool"}"#,
            "dynamic",
            r#"{"value":[true],"type":["list","bool"]}"#,
        ),
        (
            r#"{"elements":[{"bool":true}],"list":"bool"}"#,
            r#"["list","dynamic"]"#,
            r#"[{"value":true,"type":"bool"}]"#,
        ),
        (
            r#"{"object":[["static",{"bool":true}],["dynamic",{"bool":true}]]}"#,
            r#"["object",{"static":"bool","dynamic":"dynamic"}]"#,
            r#"{"dynamic":{"value":true,"type":"bool"},"static":true}"#,
        ),
    ] {
        let written = to_json(&value(given), &ty(of)).expect(expected);
        assert_eq!(String::from_utf8_lossy(&written), expected);
    }
}

#[test]
fn unknown_and_infinite_values_have_no_json() {
    for (given, of, kind) in [
        (r#"{"unknown":"string"}"#, "string", ErrorKind::Unknown),
        (r#"{"tuple":[{"unknown":"string"}]}"#, r#"["tuple",["dynamic"]]"#, ErrorKind::Unknown),
        (r#"{"number":"inf"}"#, "number", ErrorKind::Infinite),
        (r#"{"number":"1e1000000"}"#, "number", ErrorKind::Digits),
    ] {
        let error = to_json(&value(given), &ty(of)).expect_err(given);
        assert_eq!(error.kind(), kind, "{given}");
    }
}

#[test]
fn values_are_converted_to_the_type() {
    for (given, of, expected) in [
        (r#"{"number":"1.50"}"#, "string", r#""1.5""#),
        (r#"{"bool":true}"#, "string", r#""true""#),
        (r#"{"string":"0"}"#, "bool", "false"),
        (r#"{"string":"12"}"#, "number", "12"),
        (r#"{"tuple":[{"bool":true},{"string":"b"}]}"#, r#"["list","string"]"#, r#"["true","b"]"#),
        (r#"{"tuple":[{"number":"2"},{"string":"1"}]}"#, r#"["set","number"]"#, "[1,2]"),
        (
            r#"{"tuple":[{"number":"2"},{"string":"1"}]}"#,
            r#"["list","dynamic"]"#,
            r#"[{"value":"2","type":"string"},{"value":"1","type":"string"}]"#,
        ),
        (
            r#"{"elements":[{"string":"b"},{"string":"a"}],"list":"string"}"#,
            r#"["set","string"]"#,
            r#"["a","b"]"#,
        ),
        (
            r#"{"object":[["a",{"number":"1"}],["b",{"bool":true}]]}"#,
            r#"["map","string"]"#,
            r#"{"a":"1","b":"true"}"#,
        ),
        (
            r#"{"object":[["a",{"number":"1"}],["b",{"bool":true}]]}"#,
            r#"["object",{"a":"string"}]"#,
            r#"{"a":"1"}"#,
        ),
        (r#"{"object":[]}"#, r#"["object",{"a":"string"},["a"]]"#, r#"{"a":null}"#),
        (
            r#"{"map":"string","entries":[["a",{"string":"1"}],["z",{"string":"x"}]]}"#,
            r#"["object",{"a":"number"}]"#,
            r#"{"a":1}"#,
        ),
        (r#"{"null":"dynamic"}"#, r#"["list","string"]"#, "null"),
    ] {
        let written =
            to_json(&value(given), &ty(of)).unwrap_or_else(|error| panic!("{given}: {error}"));
        assert_eq!(String::from_utf8_lossy(&written), expected, "{given}");
    }
    for (given, of) in [
        (r#"{"string":"x"}"#, "number"),
        (r#"{"string":"True"}"#, "bool"),
        (r#"{"number":"1"}"#, "bool"),
        (r#"{"string":"x"}"#, r#"["list","string"]"#),
        (r#"{"tuple":[{"string":"x"}]}"#, r#"["tuple",["string","string"]]"#),
        (r#"{"object":[]}"#, r#"["object",{"a":"string"}]"#),
        (r#"{"null":"string"}"#, r#"["map","string"]"#),
        (r#"{"map":"string","entries":[]}"#, r#"["object",{"a":"number"}]"#),
    ] {
        assert!(to_json(&value(given), &ty(of)).is_err(), "{given}");
    }
}

#[test]
fn invalid_json_forms_of_values_are_rejected() {
    for text in [
        "",
        "1",
        "{}",
        "[]",
        r#"{"string":1}"#,
        r#"{"bool":"true"}"#,
        r#"{"number":1}"#,
        r#"{"number":"x"}"#,
        r#"{"number":"1","prec":0}"#,
        r#"{"number":"1","prec":513}"#,
        r#"{"list":"string"}"#,
        r#"{"list":"string","elements":[1]}"#,
        r#"{"map":"string"}"#,
        r#"{"map":"string","entries":[["a"]]}"#,
        r#"{"object":[[1,{"bool":true}]]}"#,
        r#"{"unknown":"string","min":[{"number":"1"},true]}"#,
        r#"{"string":{"hex":"f"}}"#,
        r#"{"unknown":"string","prefix":1}"#,
        r#"{"bool":true} x"#,
        r#"{"null":"foo"}"#,
        r#"{"list":"string","elements":[{"string":"a"},{"bool":true}]}"#,
    ] {
        assert!(marked::read(text.as_bytes()).is_err(), "{text}");
    }
    assert_eq!(bytes("00 ff"), [0, 255]);
}
