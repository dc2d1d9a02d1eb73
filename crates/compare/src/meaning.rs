//! Digests of values. Values that mean the same have the same digest (docs/format/comparison.md,
//! section 3): numbers are exact decimals, the order of keys does not count, and a string that is a
//! JSON or YAML document counts as the document, if all readers take it for the same document.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use plansift_core::error::{Error, Result};
use plansift_core::json::number;
use plansift_core::json::value::{Kind, Value, WalkEvent, decode};
use plansift_core::text_document::{DOCUMENT_DEPTH_MAX, TextDocument};
use plansift_redact::redact::mask::KEY_MIN;

/// The key of the digests of values. Without the key, a digest cannot be used to test a guess of a
/// value. `Debug` does not print the key.
#[derive(Clone, PartialEq, Eq)]
pub struct ValueKey([u8; 32]);

impl fmt::Debug for ValueKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ValueKey")
    }
}

impl ValueKey {
    /// Creates a key from random bytes.
    pub fn new(bytes: [u8; 32]) -> ValueKey {
        ValueKey(bytes)
    }

    /// Creates a random key.
    ///
    /// # Errors
    ///
    /// Fails if the system has no random numbers.
    pub fn random() -> Result<ValueKey> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| Error::read(std::io::Error::other(error)))?;
        Ok(ValueKey(bytes))
    }

    /// Returns the key of digests without values. It is no secret.
    pub fn public() -> ValueKey {
        ValueKey(blake3::derive_key("plansift 2026 digests of paths", b""))
    }

    /// Derives a key from the content of a file; `None` if it is shorter than [`KEY_MIN`] bytes.
    pub fn of_file(content: &[u8]) -> Option<ValueKey> {
        let context = "plansift 2026 digests of planned values";
        (content.len() >= KEY_MIN).then(|| ValueKey(blake3::derive_key(context, content)))
    }

    /// Returns the key for one file, which is known to whoever has this key and the salt.
    pub fn salted(&self, salt: &[u8; 32]) -> ValueKey {
        ValueKey(*self.hasher(b'S').update(salt).finalize().as_bytes())
    }

    /// Returns what binds digests to an object, which these texts identify. Equal values of
    /// different objects or paths have different bound digests, so nobody can test a guess by
    /// planning the guess elsewhere.
    pub(crate) fn binding<'t>(&self, owner: impl IntoIterator<Item = Option<&'t str>>) -> Binding {
        let mut hasher = self.hasher(b'B');
        for text in owner {
            hasher.update(&(text.map_or(u64::MAX, |text| text.len() as u64)).to_le_bytes());
            hasher.update(text.unwrap_or_default().as_bytes());
        }
        Binding(hasher)
    }

    /// The bytes of the key.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns a digest that identifies the key, and reveals nothing about it.
    pub fn check(&self) -> Digest {
        Digest::of(blake3::keyed_hash(&self.0, b"plansift check of a key"))
    }

    /// Starts a digest of a kind of content.
    pub(crate) fn hasher(&self, kind: u8) -> blake3::Hasher {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(&[kind]);
        hasher
    }

    /// Returns the digest of the absence of a value, which a change removes.
    pub fn absent(&self) -> Digest {
        Digest::of(self.hasher(b'-').finalize())
    }

    /// Returns the digest of a list of texts.
    pub fn texts<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> Digest {
        let mut hasher = self.hasher(b'm');
        for text in texts {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        Digest::of(hasher.finalize())
    }

    /// Returns the digest of a value.
    ///
    /// # Errors
    ///
    /// Fails if the value is malformed.
    pub fn value(&self, value: Value<'_>) -> Result<Digest> {
        Ok(Digest(self.whole(value, 0)?.unwrap_or_default()))
    }

    /// Digests a value that is in a document in a string, this many documents deep. Returns `None`
    /// for a document in a string with an object that repeats a key: readers take different values
    /// of that key.
    fn whole(&self, root: Value<'_>, depth: u32) -> Result<Option<[u8; 16]>> {
        let mut open: Vec<Open> = Vec::new();
        let mut decoded = Vec::new();
        for event in root.walk() {
            let digest = match event? {
                WalkEvent::Open(kind, _) => {
                    open.push(Open::new(kind == Kind::Object));
                    continue;
                }
                WalkEvent::Key(key) => {
                    let key = self.text(b'k', decode(key, &mut decoded)?);
                    open.iter_mut().next_back().into_iter().for_each(|inner| inner.key = key);
                    continue;
                }
                WalkEvent::Index(_) => continue,
                WalkEvent::Close(_) => {
                    let Some(mut inner) = open.pop() else { continue };
                    if inner.is_object {
                        inner.entries.sort_unstable();
                        let repeats = inner.entries.windows(2).any(|two| two[0].0 == two[1].0);
                        if repeats && depth > 0 {
                            return Ok(None);
                        }
                    }
                    self.container(&inner)
                }
                WalkEvent::Leaf(Kind::String, value) => {
                    self.string(decode(value.string()?, &mut decoded)?, depth)?
                }
                WalkEvent::Leaf(Kind::Number, value) => {
                    self.text(b'n', number::canonical(value.raw(), &mut decoded))
                }
                WalkEvent::Leaf(_, value) => self.text(b'w', value.raw()),
            };
            match open.last_mut() {
                Some(inner) => inner.entries.push((inner.key, digest)),
                None => return Ok(Some(digest)),
            }
        }
        Ok(None)
    }

    fn string(&self, text: &[u8], depth: u32) -> Result<[u8; 16]> {
        if depth < DOCUMENT_DEPTH_MAX
            && let Ok(Some(mut document)) = TextDocument::of_any(text)
            && document.is_clear
            && let Some(digest) = self.whole(document.value(), depth + 1)?
        {
            return Ok(digest);
        }
        Ok(self.text(b's', text))
    }

    fn text(&self, kind: u8, text: &[u8]) -> [u8; 16] {
        Digest::of(self.hasher(kind).update(text).finalize()).0
    }

    /// Digests a container, whose entries are sorted if it is an object.
    fn container(&self, inner: &Open) -> [u8; 16] {
        let mut hasher = self.hasher(if inner.is_object { b'o' } else { b'a' });
        for (key, value) in &inner.entries {
            hasher.update(key);
            hasher.update(value);
        }
        Digest::of(hasher.finalize()).0
    }
}

/// Binds digests of values to the object that has them.
pub(crate) struct Binding(blake3::Hasher);

impl Binding {
    /// Returns the digest of a value at a path of the object.
    pub fn bind(&self, path: &str, value: Digest) -> Digest {
        let mut hasher = self.0.clone();
        Digest::of(hasher.update(&value.0).update(path.as_bytes()).finalize())
    }
}

/// An entered object or array: the digests of its keys and values so far.
struct Open {
    is_object: bool,
    key: [u8; 16],
    entries: Vec<([u8; 16], [u8; 16])>,
}

impl Open {
    fn new(is_object: bool) -> Open {
        Open { is_object, key: [0; 16], entries: Vec::new() }
    }
}

/// 128 bits of BLAKE3 with a key. Its text has 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u8; 16]);

impl Digest {
    pub(crate) fn of(hash: blake3::Hash) -> Digest {
        let [half @ .., _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _] = *hash.as_bytes();
        Digest(half)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Digest, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        let parsed = (text.len() == 32).then(|| u128::from_str_radix(&text, 16).ok()).flatten();
        let number = parsed.ok_or_else(|| serde::de::Error::custom("expected 32 hex digits"))?;
        Ok(Digest(number.to_be_bytes()))
    }
}
