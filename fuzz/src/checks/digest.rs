//! The digest of a document does not depend on its layout: the order of keys and elements, white
//! space, escapes, spellings of numbers.

use arbitrary::Unstructured;
use plansift::compare::digest;
use plansift::record::CompareLevel;
use serde_json::Value;

use super::objects;
use crate::compare::plans::pairs;
use crate::naive::native;

/// Digests a document and another text of it.
pub fn check(text: &[u8]) {
    let Ok(tree) = serde_json::from_slice::<Value>(text) else { return };
    // A tree has one of two members with the same key. The engine refuses both only where it looks
    // up keys.
    if native::has_duplicate_keys(text) {
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
