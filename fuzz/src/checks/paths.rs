//! A path parses back from its text and from its `json:` form, and leads to the value that a
//! document has at the path.

use plansift::json::detached::Detached;
use plansift::known::{MaskedValue, traverse};
use plansift::limits::Limits;
use plansift::path::{AttributePath, AttributeStep};

/// Parses `text` as a path, and follows the path into a document.
pub fn check(text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else { return };
    let path = match AttributePath::parse(text) {
        Ok(path) => path,
        Err(error) => {
            let offset = error.location().expect("an offset").offset;
            assert!(offset <= text.len() as u64, "{offset} in {} bytes", text.len());
            return;
        }
    };
    let written = path.to_string();
    assert_eq!(AttributePath::parse(&written).expect("a path"), path);
    let steps = path.steps().iter().map(|step| match step {
        AttributeStep::Key(key) => serde_json::Value::from(key.as_str()),
        AttributeStep::Index(index) => serde_json::Value::from(*index),
    });
    let json = format!("json:{}", steps.collect::<serde_json::Value>());
    assert_eq!(AttributePath::parse(&json).expect("a path"), path);
    let mut document = document(&path);
    let found = traverse(MaskedValue::clear(document.value()), &path).expect("valid JSON");
    if path.steps().iter().all(|step| !matches!(step, AttributeStep::Index(1..))) {
        assert_eq!(found.expect("a value").data.boolean(), Some(true));
    }
}

/// A document with `true` at a path whose indices are all 0.
fn document(path: &AttributePath) -> Detached {
    let mut text = "true".to_owned();
    for step in path.steps().iter().rev() {
        text = match step {
            AttributeStep::Key(key) => format!("{{{}:{text}}}", serde_json::Value::from(&**key)),
            AttributeStep::Index(_) => format!("[{text}]"),
        };
    }
    Detached::read(text.as_bytes(), Limits::default()).expect("JSON")
}
