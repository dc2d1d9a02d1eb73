//! Digests the content of a JSON document in a string. White space, escapes, the spelling of
//! numbers and the order of keys do not change the digest.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::decode;
use super::leaves::{Leaf, leaves};
use crate::error::Result;
use crate::json::detached::Detached;
use crate::json::number;
use crate::json::value::{Kind, Value};
use crate::limits::Limits;

/// Longest text that is parsed, in bytes.
const TEXT_MAX: usize = 1 << 20;
/// Deepest nesting of a document that is parsed.
const DEPTH_MAX: u64 = 200;

/// The digest of a non-empty JSON object or array in a text of at least `len_min` bytes. `None` for
/// any other text.
pub(super) fn meaning(text: &[u8], len_min: usize) -> Option<[u8; 8]> {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let inside = text.trim_ascii().split_first().filter(|(open, _)| matches!(open, b'{' | b'['))?.1;
    if matches!(inside.trim_ascii_start(), [b'}' | b']', ..])
        || !(len_min..=TEXT_MAX).contains(&text.len())
    {
        return None;
    }
    let limits = Limits { depth: DEPTH_MAX, ..Limits::default() };
    let mut value = Detached::read(text, limits).ok()?;
    digest(value.value()).ok().map(u64::to_le_bytes)
}

/// An entered object or array, with the digest of its members so far.
struct Open {
    is_object: bool,
    digest: u64,
    key: u64,
}

fn digest(value: Value<'_>) -> Result<u64> {
    let mut whole = 0;
    let mut open: Vec<Open> = Vec::new();
    let mut decoded = Vec::new();
    leaves(value, |leaf| {
        let digest = match leaf {
            Leaf::Open(kind) => {
                open.push(Open { is_object: kind == Kind::Object, digest: 0, key: 0 });
                return Ok(());
            }
            Leaf::Key(key) => {
                let key = hash(decode(key, &mut decoded)?);
                open.iter_mut().next_back().into_iter().for_each(|inner| inner.key = key);
                return Ok(());
            }
            Leaf::Close => open.pop().map_or(0, |inner| hash((inner.is_object, inner.digest))),
            Leaf::Scalar(Kind::String, value) => hash(decode(value.string()?, &mut decoded)?),
            Leaf::Scalar(Kind::Number, value) => {
                hash(('n', number::canonical(value.raw(), &mut decoded)))
            }
            Leaf::Scalar(_, value) => hash(('w', value.raw())),
        };
        match open.last_mut() {
            None => whole = digest,
            // A sum does not depend on the order of the members.
            Some(Open { is_object: true, digest: all, key }) => {
                *all = all.wrapping_add(hash((*key, digest)));
            }
            Some(Open { digest: all, .. }) => *all = hash((*all, digest)),
        }
        Ok(())
    })?;
    Ok(whole)
}

fn hash(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equivalent_json_documents_have_the_same_meaning() {
        let said = |text: &str| meaning(text.as_bytes(), 8);
        let text = r#"{"a":[1,{"b":"é"}],"c":null}"#;
        let spaces = " ".repeat(200);
        for same in [
            r#" { "c" : null, "a" : [ 1.0, { "\u0062" : "\u00e9" } ] } "#,
            &format!("{spaces}{text}{spaces}"),
            &format!("\u{feff}{text}\n"),
        ] {
            assert_eq!(said(same), said(text), "{same}");
        }
        assert!(said(text).is_some());
        let others = [
            text,
            r#"{"a":[{"b":"é"},1],"c":null}"#,
            r#"{"a":["1",{"b":"é"}],"c":null}"#,
            r#"{"a":[1,{"b":"é"}],"c":"null"}"#,
            r#"{"a":[1,{"b":"é"}]}"#,
            r#"[1,{"b":"é"}]"#,
            r#"[1,[{"b":"é"}]]"#,
            r#"{"c":[1,{"b":"é"}],"a":null}"#,
        ];
        for (place, one) in others.iter().enumerate() {
            assert!(others[place + 1..].iter().all(|other| said(one) != said(other)), "{one}");
        }
        for nothing in
            ["", "{}", " [ ] ", "1", "\"{}\"", "{\"a\":1}", "{\"a\":1} x", "{\"a\":1", "{{ a }}"]
        {
            assert_eq!(said(nothing), None, "{nothing}");
        }
        assert_eq!(said(&format!("{}1{}", "[".repeat(300), "]".repeat(300))), None);
    }
}
