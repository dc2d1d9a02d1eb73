//! Finds copies of secrets inside documents in strings: JSON, YAML, and documents inside these.
//!
//! A copy is a value or key of the document that equals a secret (or contains one, if the options
//! say so), or an object or array with the content of a marked document. In YAML, it is also a
//! comment with a secret as an item. A mask takes the place of each copy, so that the text stays a
//! document:
//!
//! ```text
//! string ─▶ decoded text ─▶ filter ─▶ [`TextDocument`] ─▶ copies, with their places in the text
//!                             ▲           │ strings that are documents themselves
//!                             └───────────┘
//! ```
//!
//! Afterwards the masked text is parsed and searched again. If it is no document any more, or if a
//! copy is left, the whole string counts as one copy. So a mistake about the place of a value hides
//! too much, but never too little.
//!
//! A text that is too long or too deep to parse is searched item by item ([`super::items`]). If an
//! item is a secret, the whole string counts as one copy.

use std::iter::Peekable;
use std::ops::Range;
use std::vec::IntoIter;

use super::digest::head_of;
use super::echo::{EchoKind, EchoTargets};
use super::escapes::unescaped;
use super::items;
use super::trail::{TrailId, TrailStep, Trails};
use plansift_core::error::Result;
use plansift_core::json::value::decode;
use plansift_core::json::value::{Kind, Step, Text, Value, WalkEvent};
use plansift_core::path::is_attribute_name;
use plansift_core::text_document::place::{Places, Style};
use plansift_core::text_document::{DOCUMENT_DEPTH_MAX, TextDocument, Unread, may_be_document};
use plansift_plan::marks::{is_mask, outside_masks};

/// The bytes before a value or an item in a text.
const STARTS: [bool; 256] = {
    let mut starts = [false; 256];
    let mut left: &[u8] = b" \t\n\r\x0c\"'[]{}(),:=#";
    while let [byte, rest @ ..] = left {
        starts[*byte as usize] = true;
        left = rest;
    }
    starts
};

/// The result of a search in a string.
pub(crate) enum Found {
    /// The string has no copies.
    Nothing,
    /// The whole string counts as a copy of the secret with this number; 0 if the number is
    /// unknown.
    Whole(u32),
    Inside(Copies),
}

/// The copies inside a document.
pub(crate) struct Copies {
    /// The copies, in the order of the text.
    pub list: Vec<FoundCopy>,
    pub trails: Trails,
}

/// A copy of a secret inside a document.
pub(crate) struct FoundCopy {
    /// The range of the copy in the text, in bytes.
    pub range: Range<usize>,
    pub kind: EchoKind,
    /// The number of the secret; 0 if it is unknown.
    pub number: u32,
    /// The path to the copy.
    pub trail: TrailId,
    /// What takes the place of the range in the masked text.
    pub mask: String,
}

/// A copy that needs a mask.
pub(crate) struct Unmasked<'t> {
    /// The decoded text of the copy.
    pub text: &'t [u8],
    pub kind: EchoKind,
    pub number: u32,
    /// A digest of the path to the copy.
    pub path: u64,
}

/// Returns the text of a mask, or `None` for `null`.
pub(crate) type NewMask<'m> = &'m mut dyn FnMut(&Unmasked<'_>) -> Option<String>;

impl EchoTargets<'_> {
    /// Searches the decoded text of a string for copies. `mask` returns the mask of each copy.
    pub fn search(&self, text: &[u8], mask: NewMask<'_>) -> Found {
        if !self.may_have_copies(text) {
            return Found::Nothing;
        }
        let mut search = Search { targets: self, mask, trails: Trails::default() };
        let copies = match search.document(text, None, 0) {
            SearchOutcome::Document(copies) if !copies.is_empty() => copies,
            SearchOutcome::Document(_) | SearchOutcome::Text if !self.contains(text) => {
                return Found::Nothing;
            }
            SearchOutcome::Document(_) | SearchOutcome::Text | SearchOutcome::Repeated => {
                return Found::Whole(0);
            }
            SearchOutcome::Unread => {
                let found = self.item(text).or_else(|| self.contains(text).then_some(0));
                return found.map_or(Found::Nothing, Found::Whole);
            }
        };
        if !copies.is_sorted_by(|one, next| one.range.end <= next.range.start) {
            return Found::Whole(copies[0].number);
        }
        let mut masked = applied(text, &copies);
        if !may_be_document(&masked) {
            // A single line of YAML is no document. A comment is another line.
            masked.extend_from_slice(b"\n#");
        }
        let mut again = Search { targets: self, mask: &mut |_| None, trails: Trails::default() };
        let is_clean = match again.document(&masked, None, 0) {
            SearchOutcome::Document(left) => left.is_empty() && !self.contains(&masked),
            _ => false,
        };
        match is_clean {
            true => Found::Inside(Copies { list: copies, trails: search.trails }),
            false => Found::Whole(copies[0].number),
        }
    }

    /// Whether a text may have copies. Rejects most texts without parsing them.
    fn may_have_copies(&self, text: &[u8]) -> bool {
        let is_unfiltered =
            self.secrets.has_meanings() || self.secrets.echo_numbers() || self.secrets.has_breaks();
        may_be_document(text) && (is_unfiltered || self.may_begin_in(text))
            || self.contained.is_some_and(|contained| contained.is_in(text))
    }

    /// Whether a value or an item in a text, or in the documents inside it, may begin like a
    /// secret.
    fn may_begin_in(&self, text: &[u8]) -> bool {
        let has_escapes = |text: &[u8]| memchr::memchr(b'\\', text).is_some();
        if self.has_heads(text) {
            return true;
        }
        if !has_escapes(text) {
            return false;
        }
        let mut inner = unescaped(text);
        for _ in 1..DOCUMENT_DEPTH_MAX {
            if self.has_heads(&inner) || !has_escapes(&inner) {
                break;
            }
            inner = unescaped(&inner);
        }
        self.has_heads(&inner)
    }

    /// Whether a value or an item in a text may begin like a secret. The first bytes of a value lie
    /// together in the text, unless an escape, a pair of single quotes or a line break is among
    /// them.
    fn has_heads(&self, text: &[u8]) -> bool {
        let filter = self.secrets.beginnings();
        let has_doubled_quotes = memchr::memmem::find(text, b"''").is_some();
        let may_begin = |at: usize| {
            let rest = &text[at..];
            filter.may_hold(head_of(rest))
                || (has_doubled_quotes && rest.windows(2).take(7).any(|pair| pair == b"''"))
        };
        may_begin(0) || (1..text.len()).any(|at| STARTS[usize::from(text[at - 1])] && may_begin(at))
    }

    /// Whether the options say that a text counts as an echo because it contains a secret. A mask
    /// in the text may contain a short secret by chance, which does not count.
    fn contains(&self, text: &[u8]) -> bool {
        self.contained.is_some_and(|contained| {
            contained.is_in(text) && outside_masks(text).any(|part| contained.is_in(part))
        })
    }

    /// Returns the number of the secret that an item of a text repeats.
    fn item(&self, text: &[u8]) -> Option<u32> {
        let mut number = None;
        items::any(text, &mut |item| {
            number = self.secrets.echoed(item);
            number.is_some()
        });
        number
    }
}

/// Returns a text with masks in place of copies, which must not overlap.
fn applied(text: &[u8], copies: &[FoundCopy]) -> Vec<u8> {
    let (mut masked, mut from) = (Vec::with_capacity(text.len()), 0);
    for FoundCopy { range, mask, .. } in copies {
        masked.extend_from_slice(&text[from..range.start]);
        masked.extend_from_slice(mask.as_bytes());
        from = range.end;
    }
    masked.extend_from_slice(&text[from..]);
    masked
}

/// The result of reading a text as a document.
enum SearchOutcome {
    /// The text is not a document.
    Text,
    /// The text cannot be parsed.
    Unread,
    /// The document has the content of a marked document.
    Repeated,
    Document(Vec<FoundCopy>),
}

/// A search in one string.
struct Search<'s> {
    targets: &'s EchoTargets<'s>,
    mask: NewMask<'s>,
    trails: Trails,
}

impl Search<'_> {
    /// Searches a text that may be a document. `around` is the path to the string, and `depth` the
    /// number of documents around it.
    fn document(&mut self, text: &[u8], around: Option<TrailId>, depth: u32) -> SearchOutcome {
        let mut document = match TextDocument::of_any(text) {
            Ok(None) => return SearchOutcome::Text,
            Ok(Some(document)) if depth < DOCUMENT_DEPTH_MAX => document,
            Ok(Some(_)) | Err(Unread) => return SearchOutcome::Unread,
        };
        let syntax = document.syntax;
        let (root, places) = document.parts();
        let Ok(repeated) = self.targets.secrets.repeated_in(root) else {
            return SearchOutcome::Unread;
        };
        if repeated.first() == Some(&root.offset()) {
            return SearchOutcome::Repeated;
        }
        let comments: Vec<_> = places
            .comments(text)
            .into_iter()
            .filter_map(|range| {
                let comment = &text[range.clone()];
                let found = self.targets.item(comment);
                let number = found.or_else(|| self.targets.contains(comment).then_some(0))?;
                Some((range, number))
            })
            .collect();
        let document = self.trails.push(around, TrailStep::Document(syntax));
        let mut walk = Walk {
            text,
            places,
            repeated,
            document,
            depth,
            steps: Vec::new(),
            comments: comments.into_iter().peekable(),
            copies: Vec::new(),
        };
        match walk.all(self, root) {
            Ok(()) => SearchOutcome::Document(walk.copies),
            Err(_) => SearchOutcome::Unread,
        }
    }
}

/// A walk through one document.
struct Walk<'a> {
    text: &'a [u8],
    places: &'a Places,
    /// The offsets of the objects and arrays that count as copies.
    repeated: Vec<u64>,
    /// The path to the document.
    document: TrailId,
    depth: u32,
    /// The steps to the current value, and their nodes, if they have some.
    steps: Vec<(Step<'a>, Option<TrailId>)>,
    /// The comments that count as copies, and the numbers of their secrets.
    comments: Peekable<IntoIter<(Range<usize>, u32)>>,
    copies: Vec<FoundCopy>,
}

impl<'a> Walk<'a> {
    fn all(&mut self, search: &mut Search<'_>, root: Value<'a>) -> Result<()> {
        let mut walk = root.walk();
        while let Some(event) = walk.next().transpose()? {
            match event {
                WalkEvent::Key(key) => {
                    self.steps.push((Step::Key(key), None));
                    self.key(search, key)?;
                }
                WalkEvent::Index(index) => self.steps.push((Step::Index(index), None)),
                WalkEvent::Open(_, value) => {
                    if self.repeated.binary_search(&value.offset()).is_ok() {
                        self.copy(search, value.range(), value.raw(), EchoKind::Value, 0);
                        walk.skip_value();
                        self.steps.pop();
                    }
                }
                WalkEvent::Leaf(kind, value) => {
                    self.scalar(search, kind, value)?;
                    self.steps.pop();
                }
                WalkEvent::Close(_) => {
                    self.steps.pop();
                }
            }
        }
        self.comments_before(search, usize::MAX);
        Ok(())
    }

    /// Tests a scalar.
    fn scalar(&mut self, search: &mut Search<'_>, kind: Kind, value: Value<'a>) -> Result<()> {
        let secrets = search.targets.secrets;
        let mut decoded = Vec::new();
        match kind {
            Kind::String => self.string(search, value, decode(value.string()?, &mut decoded)?),
            Kind::Number => {
                let number = secrets.echoed_number(value.raw(), &mut decoded);
                number.into_iter().for_each(|number| {
                    self.copy(search, value.range(), value.raw(), EchoKind::Number, number);
                });
            }
            _ => {}
        }
        Ok(())
    }

    fn string(&mut self, search: &mut Search<'_>, value: Value<'a>, text: &[u8]) {
        let targets = search.targets;
        if is_mask(text) {
            return;
        }
        let mut found = targets.secrets.echoed(text);
        if found.is_none() && may_be_document(text) {
            let trail = self.trail(search);
            match search.document(text, Some(trail), self.depth + 1) {
                SearchOutcome::Document(inner) if !inner.is_empty() => {
                    let number = inner[0].number;
                    if self.embed(search, &value, text, inner).is_some() {
                        return;
                    }
                    found = Some(number);
                }
                SearchOutcome::Repeated => found = Some(0),
                SearchOutcome::Unread => found = targets.item(text),
                SearchOutcome::Document(_) | SearchOutcome::Text => {}
            }
        }
        let found = found.or_else(|| targets.contains(text).then_some(0));
        found.into_iter().for_each(|number| {
            self.copy(search, value.range(), text, EchoKind::Value, number);
        });
    }

    fn key(&mut self, search: &mut Search<'_>, key: Text<'a>) -> Result<()> {
        let mut decoded = Vec::new();
        let text = decode(key, &mut decoded)?;
        if text.len() < search.targets.secrets.echo_min() || is_attribute_name(text) {
            return Ok(());
        }
        if let Some(number) = search.targets.secrets.number(text) {
            let start = key.offset() - 1;
            let end = key.offset() + key.raw().len() as u64 + 1;
            self.copy(search, start..end, text, EchoKind::Key, number);
        }
        Ok(())
    }

    /// Adds the copies in the document inside a string. Returns `None` if their places in this
    /// document's text are unclear.
    fn embed(
        &mut self,
        search: &mut Search<'_>,
        value: &Value<'a>,
        text: &[u8],
        inner: Vec<FoundCopy>,
    ) -> Option<()> {
        let place = self.places.of(value.range())?;
        let source = place.style.inside(place.range.clone())?;
        let ranges = inner.iter().map(|copy| copy.range.clone());
        let positions = place.style.spelled(self.text.get(source.clone())?, text, ranges)?;
        self.comments_before(search, place.range.start);
        self.copies.extend(inner.into_iter().zip(positions).map(|(copy, range)| FoundCopy {
            range: source.start + range.start..source.start + range.end,
            mask: place.style.escaped(&copy.mask),
            ..copy
        }));
        Some(())
    }

    /// Adds a copy at a range of the JSON text.
    fn copy(
        &mut self,
        search: &mut Search<'_>,
        json: Range<u64>,
        text: &[u8],
        kind: EchoKind,
        number: u32,
    ) {
        let trail = self.trail(search);
        let path = search.trails.digest(trail);
        let mask = (search.mask)(&Unmasked { text, kind, number, path });
        // Without a place, the mask has no effect, and the search in the masked text finds the copy
        // again.
        let Some(place) = self.places.of(json) else {
            let range = self.text.len()..self.text.len();
            return self.copies.push(FoundCopy { range, kind, number, trail, mask: String::new() });
        };
        self.comments_before(search, place.range.start);
        let mask = place.style.token(mask.as_deref());
        self.copies.push(FoundCopy { range: place.range, kind, number, trail, mask });
    }

    /// Adds the comments before a position that count as copies.
    fn comments_before(&mut self, search: &mut Search<'_>, position: usize) {
        while let Some((range, number)) = self.comments.next_if(|(it, _)| it.start < position) {
            let (kind, trail) = (EchoKind::Value, self.document);
            let path = search.trails.digest(trail) ^ self.copies.len() as u64;
            let text = &self.text[range.clone()];
            let mask = (search.mask)(&Unmasked { text, kind, number, path });
            let mask = format!(" {}", Style::Block.token(mask.as_deref()));
            self.copies.push(FoundCopy { range, kind, number, trail, mask });
        }
    }

    /// Returns the path to the current value.
    fn trail(&mut self, search: &mut Search<'_>) -> TrailId {
        let known = self.steps.iter().rposition(|(_, node)| node.is_some());
        let mut around = known.and_then(|at| self.steps[at].1).unwrap_or(self.document);
        for (step, node) in &mut self.steps[known.map_or(0, |at| at + 1)..] {
            let key = match step {
                Step::Key(key) => key.decode().unwrap_or_default(),
                Step::Index(_) => String::new(),
            };
            let step = match step {
                Step::Key(_) => TrailStep::Key(&key),
                Step::Index(index) => TrailStep::Index(*index),
            };
            around = search.trails.push(Some(around), step);
            *node = Some(around);
        }
        around
    }
}
