//! A value of the wire, once it was written, is written and read the same way for ever.

use plansift::limits::Limits;
use plansift::planfile::{write_unknown, write_value};
use plansift::wire::msgpack;
use plansift::wire::{
    Error, Type, Value, from_json, from_msgpack, implied, marked, to_json, to_msgpack,
};

/// Types under which every input is read.
const TYPES: [&str; 6] = [
    r#""dynamic""#,
    r#"["set","dynamic"]"#,
    r#"["map","number"]"#,
    r#"["list",["map",["set","string"]]]"#,
    r#"["tuple",["number","bool","dynamic"]]"#,
    r#"["object",{"a":["set",["object",{"b":"number"}]],"b":["list","bool"]}]"#,
];

/// Reads `bytes` as MessagePack and as JSON, under several types and without one.
pub fn check(bytes: &[u8]) {
    check_untyped(bytes);
    let mut types: Vec<Type> =
        TYPES.iter().map(|text| Type::parse(text.as_bytes()).expect("a type")).collect();
    types.extend(implied::of_msgpack(bytes));
    types.extend(implied::of_json(bytes));
    for ty in &types {
        for value in [from_msgpack(bytes, ty), from_json(bytes, ty)].into_iter().flatten() {
            check_written(&value, ty, to_msgpack, from_msgpack);
            check_written(&value, ty, to_json, from_json);
            check_marked(&value);
        }
    }
}

/// The first writing may change a value (it cuts long prefixes, and drops the sign of zero), and
/// go-cty's form is not always readable. What was read back stays as it is.
fn check_written(
    value: &Value,
    ty: &Type,
    write: fn(&Value, &Type) -> Result<Vec<u8>, Error>,
    read: fn(&[u8], &Type) -> Result<Value, Error>,
) {
    let Ok(value) = write(value, ty).and_then(|bytes| read(&bytes, ty)) else {
        return;
    };
    let written = write(&value, ty).expect("a value that was read is written");
    let read = read(&written, ty).expect("what was written again is read");
    assert_eq!(write(&read, ty), Ok(written));
}

/// The JSON that shows a value gives the value, apart from depths and digits beyond the limits.
fn check_marked(value: &Value) {
    let mut text = Vec::new();
    marked::write(value, &mut text);
    if let Ok(read) = marked::read(&text) {
        let mut again = Vec::new();
        marked::write(&read, &mut again);
        assert_eq!(String::from_utf8_lossy(&again), String::from_utf8_lossy(&text));
    }
}

/// Plan JSON of any value is JSON.
fn check_untyped(bytes: &[u8]) {
    let Ok((value, _)) = msgpack::Value::read(bytes) else {
        return;
    };
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    let limits = Limits::default();
    if write_value(&value, None, &limits, 0, &mut known).is_ok() {
        check_json(&known);
    }
    if write_unknown(&value, &limits, 0, &mut unknown).is_ok() {
        check_json(&unknown);
        assert_ne!(value.is_wholly_known(), has_true(&unknown), "unknown parts");
    }
    let sorted = value.sorted();
    let (again, rest) = msgpack::Value::read(&sorted).expect("sorted bytes are a value");
    assert!(rest.is_empty() && again.sorted() == sorted, "sorted twice");
}

/// Whether JSON text of booleans has a true one: only `true` has the letter outside of keys.
fn has_true(text: &[u8]) -> bool {
    let (mut is_key, mut is_escaped) = (false, false);
    text.iter().any(|byte| {
        is_key ^= *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        *byte == b't' && !is_key
    })
}

/// Checks that a text is JSON, apart from depths beyond the limit of the oracle.
pub(super) fn check_json(text: &[u8]) {
    // serde_json treats an object with such a key as one of its own numbers.
    const PRIVATE: &[u8] = b"$serde_json::private::";
    if text.windows(PRIVATE.len()).any(|part| part == PRIVATE) {
        return;
    }
    if let Err(error) = serde_json::from_slice::<serde_json::Value>(text) {
        let is_deep = error.to_string().starts_with("recursion limit");
        assert!(is_deep, "{error}");
    }
}
