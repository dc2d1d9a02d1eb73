//! The digest of a document: one line that identifies what the document plans at a level.
//!
//! Two documents have the same digest exactly if a comparison at the same level and with the same
//! filters finds no difference.

use std::fmt;

use super::join::Objects;
use super::meaning::Digest;
use super::planned::Planned;
use plansift_core::error::Result;
use plansift_plan::record::{CompareLevel, ObjectKind};

/// The version of the scheme, which is part of each digest.
pub const SCHEME: u32 = 1;

/// The digest of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentDigest {
    /// The level that was digested.
    pub level: CompareLevel,
    /// The filters that hide objects or paths, as arguments of the command line.
    pub filters: Vec<String>,
    hash: blake3::Hash,
}

impl fmt::Display for DocumentDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "plansift:{SCHEME}:{}:", self.level.name())?;
        for filter in &self.filters {
            for byte in filter.trim_start_matches('-').bytes() {
                match byte {
                    b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'=' | b'*' => {
                        write!(f, "{}", char::from(byte))?;
                    }
                    byte => write!(f, "%{byte:02x}")?,
                }
            }
            f.write_str(":")?;
        }
        write!(f, "{}", self.hash)
    }
}

/// Digests the objects of a document.
///
/// # Errors
///
/// Fails if a temporary file fails.
pub fn digest(
    objects: Objects,
    level: CompareLevel,
    filters: Vec<String>,
) -> Result<DocumentDigest> {
    let mut hasher = Hasher(blake3::Hasher::new_derive_key("plansift 2026 digest of a plan"));
    hasher.text(level.name());
    for filter in &filters {
        hasher.text(filter);
    }
    for planned in objects.sorted()? {
        let planned = planned?;
        if planned.object != ObjectKind::RelevantAttribute {
            hasher.object(&planned, level);
        }
    }
    Ok(DocumentDigest { level, filters, hash: hasher.0.finalize() })
}

struct Hasher(blake3::Hasher);

impl Hasher {
    /// Adds a text with its length, so that different lists of texts differ.
    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn list<'t>(&mut self, texts: impl ExactSizeIterator<Item = &'t str>) {
        self.0.update(&(texts.len() as u64).to_le_bytes());
        texts.for_each(|text| self.text(text));
    }

    fn option(&mut self, text: Option<&str>) {
        self.list(text.as_slice().iter().copied());
    }

    /// Adds what an object plans at a level.
    fn object(&mut self, planned: &Planned, level: CompareLevel) {
        self.0.update(&[planned.object as u8, u8::from(planned.import.is_some())]);
        self.text(&planned.address);
        self.option(planned.deposed.as_deref());
        self.option(planned.trigger.as_deref());
        self.option(planned.previous_address.as_deref());
        self.text(&planned.action);
        if level < CompareLevel::Paths {
            return;
        }
        for list in [&planned.reasons, &planned.paths.causes] {
            self.list(list.iter().map(String::as_str));
        }
        let known = planned.paths.known.iter().map(|known| known.path.as_str());
        let mut paths: Vec<&str> =
            known.chain(planned.paths.unknown.iter().map(String::as_str)).collect();
        paths.sort_unstable();
        self.list(paths.into_iter());
        if level < CompareLevel::Values {
            return;
        }
        let value = |digest: Option<&Digest>| digest.map_or(&[][..], |digest| &digest.0).to_vec();
        self.bytes(&value(planned.import.and_then(|import| import.identity).as_ref()));
        for list in [&planned.paths.known, &planned.paths.partial] {
            self.0.update(&(list.len() as u64).to_le_bytes());
            for known in list {
                self.text(&known.path);
                self.bytes(&value(known.value.as_ref()));
            }
        }
        if level == CompareLevel::All {
            self.list(planned.paths.sensitive.iter().map(String::as_str));
        }
    }
}
