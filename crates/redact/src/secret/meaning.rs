//! Digests the content of a document in a string. White space, escapes, the spelling of numbers and
//! the order of keys do not change the digest. Neither does the syntax (JSON or YAML).

use std::hash::{DefaultHasher, Hash, Hasher};

use plansift_core::error::Result;
use plansift_core::json::number;
use plansift_core::json::value::decode;
use plansift_core::json::value::{Kind, Value, WalkEvent};
use plansift_core::text_document::TextDocument;

/// The digest of a non-empty object or array in a text of at least `len_min` bytes. `None` for any
/// other text.
pub(super) fn meaning(text: &[u8], len_min: usize) -> Option<[u8; 8]> {
    if text.len() < len_min {
        return None;
    }
    let mut document = TextDocument::of_any(text).ok()??;
    let root = document.value();
    if let WalkEvent::Close(_) = root.walk().nth(1)?.ok()? {
        return None;
    }
    let mut whole = 0;
    // The root comes last.
    containers(root, |_, digest| whole = digest).ok()?;
    Some(whole.to_le_bytes())
}

/// An entered object or array, with the digest of its members so far.
struct Open<'a> {
    value: Value<'a>,
    is_object: bool,
    digest: u64,
    key: u64,
}

/// Calls `each` with the objects and arrays at and below a value, and the digests of their
/// contents. Inner ones come first.
pub(super) fn containers<'a>(root: Value<'a>, mut each: impl FnMut(Value<'a>, u64)) -> Result<()> {
    let mut open: Vec<Open<'a>> = Vec::new();
    let mut decoded = Vec::new();
    for event in root.walk() {
        let digest = match event? {
            WalkEvent::Open(kind, value) => {
                open.push(Open { value, is_object: kind == Kind::Object, digest: 0, key: 0 });
                continue;
            }
            WalkEvent::Key(key) => {
                let key = hash(decode(key, &mut decoded)?);
                open.iter_mut().next_back().into_iter().for_each(|inner| inner.key = key);
                continue;
            }
            WalkEvent::Index(_) => continue,
            WalkEvent::Close(_) => open.pop().map_or(0, |inner| {
                let digest = hash((inner.is_object, inner.digest));
                each(inner.value, digest);
                digest
            }),
            WalkEvent::Leaf(Kind::String, value) => hash(decode(value.string()?, &mut decoded)?),
            WalkEvent::Leaf(Kind::Number, value) => {
                hash(('n', number::canonical(value.raw(), &mut decoded)))
            }
            WalkEvent::Leaf(_, value) => hash(('w', value.raw())),
        };
        match open.last_mut() {
            None => {}
            // A sum does not depend on the order of the members.
            Some(Open { is_object: true, digest: all, key, .. }) => {
                *all = all.wrapping_add(hash((*key, digest)));
            }
            Some(Open { digest: all, .. }) => *all = hash((*all, digest)),
        }
    }
    Ok(())
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
    fn equivalent_documents_have_the_same_meaning() {
        let said = |text: &str| meaning(text.as_bytes(), 8);
        let text = r#"{"a":[1,{"b":"é"}],"c":null}"#;
        let spaces = " ".repeat(200);
        for same in [
            r#" { "c" : null, "a" : [ 1.0, { "\u0062" : "\u00e9" } ] } "#,
            &format!("{spaces}{text}{spaces}"),
            &format!("\u{feff}{text}\n"),
            "c: null\na:\n- 1\n- b: 'é'\n",
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
