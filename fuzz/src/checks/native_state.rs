//! A native state is an error, or JSON of a state that holds the resources of the oracle.

use std::io::Read;

use plansift::error::ErrorKind;
use plansift::input::{Rereadable, Slice};
use plansift::limits::Limits;
use plansift::planfile;
use plansift::record::values::{RowKind, ValuesSource};
use serde_json::Value;

use super::values;
use crate::naive::native;

/// Reads bytes as a native state.
pub fn check(bytes: &[u8]) {
    let limits = Limits::default();
    let file = Rereadable::spool(bytes, &limits).expect("a temporary file");
    let Ok(mut document) = planfile::open_state(&file, &limits) else { return };
    let mut text = String::new();
    if document.read_to_string(&mut text).is_err() {
        return;
    }
    let tree: Value = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("the text is no JSON: {error}\n{text}"));
    assert_eq!(tree["format_version"], "1.0");
    let Ok(state) = serde_json::from_slice::<Value>(bytes) else { return };
    let rows = values::rows(Slice(text.as_bytes()), RowKind::Resources, ValuesSource::Auto);
    let rows = match rows {
        Ok(rows) => rows,
        // The conversion copies attributes as they are.
        Err(error) if error.kind() == ErrorKind::DuplicateKey => {
            assert!(native::has_duplicate_keys(bytes), "{error}\n{text}");
            return;
        }
        Err(error) => panic!("{error}\n{text}"),
    };
    // A name with brackets or dots has the address of another resource. The tools write none.
    if native::has_plain_names(&state) {
        assert_eq!(sorted(rows), sorted(native::resources(&state)), "\n{text}");
    }
}

/// Rows without their marks, in an order of their own. Keys of other characters than letters and
/// digits are left out, because the oracle does not know which of them an address escapes.
fn sorted(mut rows: Vec<Value>) -> Vec<String> {
    for row in rows.iter_mut().filter_map(Value::as_object_mut) {
        row.shift_remove("sensitive");
        let key = row.get("index").and_then(Value::as_str).unwrap_or_default();
        if !key.chars().all(|character| character.is_ascii_alphanumeric()) {
            row.shift_remove("address");
        }
    }
    let mut texts: Vec<String> = rows.iter().map(Value::to_string).collect();
    texts.sort();
    texts
}
