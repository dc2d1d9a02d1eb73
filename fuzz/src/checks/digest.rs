//! The digest of a document does not depend on its layout: the order of keys and elements, white
//! space, escapes, spellings of numbers.

use std::collections::BTreeSet;

use arbitrary::Unstructured;
use plansift::compare::digest;
use plansift::record::CompareLevel;
use serde_json::Value;

use super::objects;
use crate::compare::plans::pairs;

/// Digests a document and another text of it.
pub fn check(text: &[u8]) {
    let Ok(tree) = serde_json::from_slice::<Value>(text) else { return };
    // A tree has one of two members with the same key. The engine refuses both only where it looks
    // up keys.
    if has_duplicate_keys(text) {
        return;
    }
    if objects::try_read(text).is_err() {
        return;
    }
    let Ok(other) = pairs::reformatted(&mut Unstructured::new(text), &tree) else { return };
    for level in CompareLevel::ALL {
        let Ok(read) = objects::try_read(other.as_bytes()) else { return };
        let read = [objects::try_read(text).expect("it was read"), read];
        let [one, two] = read.map(|read| {
            digest::digest(read.objects, level, Vec::new()).expect("objects in memory")
        });
        assert_eq!(one, two, "{}: {other}", level.name());
    }
}

/// Whether an object in a JSON text has the same key twice.
fn has_duplicate_keys(text: &[u8]) -> bool {
    let (mut open, mut at): (Vec<BTreeSet<String>>, usize) = (Vec::new(), 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'{' | b'[' => open.push(BTreeSet::new()),
            b'}' | b']' => drop(open.pop()),
            b'"' => {
                let rest = &text[at..];
                let is_end = |end: &usize| {
                    let slashes = rest[..*end].iter().rev().take_while(|it| **it == b'\\').count();
                    rest[*end] == b'"' && slashes % 2 == 0
                };
                let end = (1..rest.len()).find(is_end).unwrap_or(rest.len() - 1);
                let is_key = rest[end + 1..].trim_ascii_start().starts_with(b":");
                let key = serde_json::from_slice::<String>(&rest[..=end]).unwrap_or_default();
                if is_key && open.last_mut().is_some_and(|keys| !keys.insert(key)) {
                    return true;
                }
                at += end;
            }
            _ => {}
        }
        at += 1;
    }
    false
}
