//! A stretch of a document on its way out: its bytes, what is to be replaced in them, and what comes
//! of that.
//!
//! A stretch begins and ends between pieces, so that each can be looked at on its own, by any
//! thread. What is marked was found when it was read; its echoes are found here.

use std::ops::Range;

use super::Counts;
use super::mask::{Mask, Masking};
use super::pairs::changed_scalars;
use crate::crew::Worker;
use crate::error::{Error, Result};
use crate::input::Slice;
use crate::json::Validation;
use crate::json::cursor::Cursor;
use crate::json::outline::Outline;
use crate::json::value::{Kind, Value};
use crate::limits::Limits;
use crate::plan::PieceKind;
use crate::scan::Isa;
use crate::secret::echo::{Echo, EchoKind, Echoes};
use crate::secret::{Secrets, is_attribute_name};

/// Something to replace. Offsets count from the start of the input.
#[derive(Clone, Debug)]
pub(super) struct Edit {
    pub range: Range<u64>,
    pub mask: Mask,
}

/// A stretch of a document.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// The offset of its first byte.
    pub start: u64,
    pub bytes: Vec<u8>,
    /// What is marked in it, in any order.
    pub edits: Vec<Edit>,
    /// The pieces in it, in order.
    pub pieces: Vec<(Range<u64>, PieceKind)>,
    /// What is to be written instead, once it was worked on.
    pub out: Vec<u8>,
    pub counts: Counts,
    pub failed: Option<Error>,
}

impl Chunk {
    /// Forgets everything and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.edits.clear();
        self.pieces.clear();
        self.out.clear();
        self.counts = Counts::default();
    }

    pub fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }
}

/// Finds echoes and replaces what is to be replaced.
pub(super) struct Masker<'s> {
    secrets: &'s Secrets,
    masking: &'s Masking,
    limits: Limits,
    isa: Isa,
    echoes: Echoes,
    found: Vec<Echo>,
}

impl<'s> Masker<'s> {
    pub fn new(secrets: &'s Secrets, masking: &'s Masking, isa: Isa, limits: Limits) -> Self {
        Masker { secrets, masking, limits, isa, echoes: Echoes::new(isa), found: Vec::new() }
    }

    fn mask(&mut self, chunk: &mut Chunk) -> Result<()> {
        self.found.clear();
        let found = &mut self.found;
        self.echoes.find(&chunk.bytes, self.secrets, &mut |echo| found.push(echo))?;
        let marked = chunk.edits.len();
        let mut looks = Looks { isa: self.isa, limits: self.limits, last: None };
        let mut pieces = chunk.pieces.iter().peekable();
        for echo in self.found.drain(..) {
            let [start, end] = [echo.range.start, echo.range.end].map(|at| chunk.start + at as u64);
            while pieces.next_if(|(range, _)| range.end <= start).is_some() {}
            let piece = match pieces.peek().filter(|(range, _)| range.start <= start) {
                Some((range, kind)) => Some(looks.at(chunk, range, *kind)?),
                None => None,
            };
            let raw = &chunk.bytes[echo.range];
            let mask = match (echo.kind, piece) {
                // Between pieces there are names that the configuration gave.
                (EchoKind::Key, None) => continue,
                (EchoKind::Key, Some(_)) if is_attribute_name(&raw[1..raw.len() - 1]) => continue,
                (EchoKind::Key, Some(_)) => Mask::Key(echo.number),
                (_, Some(piece)) if piece.words.binary_search(&start).is_ok() => continue,
                (kind, piece) => {
                    let is_changed =
                        piece.is_some_and(|piece| piece.changed.binary_search(&start).is_ok());
                    self.masking.of_echo(raw, kind, is_changed)?
                }
            };
            chunk.edits.push(Edit { range: start..end, mask });
        }
        chunk.counts.echoes += replace(chunk, marked) as u64;
        Ok(())
    }
}

/// Looks into the pieces that have echoes in them, each once.
struct Looks {
    isa: Isa,
    limits: Limits,
    last: Option<(u64, Look)>,
}

/// What of a piece decides on the echoes in it, as offsets, in order.
#[derive(Default)]
struct Look {
    /// Words that the format defines, or that stand in the configuration as they are: they come
    /// from no value.
    words: Vec<u64>,
    /// Scalars of `after` that are others in `before`.
    changed: Vec<u64>,
}

impl Looks {
    fn at(&mut self, chunk: &Chunk, range: &Range<u64>, kind: PieceKind) -> Result<&Look> {
        if self.last.as_ref().is_none_or(|(start, _)| *start != range.start) {
            let [start, end] = [range.start, range.end].map(|at| (at - chunk.start) as usize);
            let mut look = self.look(&chunk.bytes[start..end], kind)?;
            for list in [&mut look.words, &mut look.changed] {
                list.iter_mut().for_each(|offset| *offset += range.start);
                list.sort_unstable();
            }
            self.last = Some((range.start, look));
        }
        match &self.last {
            Some((_, look)) => Ok(look),
            None => unreachable!("it was just put there"),
        }
    }

    fn look(&self, text: &[u8], kind: PieceKind) -> Result<Look> {
        let mut look = Look::default();
        let mut cursor = Cursor::new(Slice(text), 0, self.isa, Validation::Visited, self.limits);
        let mut outline = Outline::new();
        cursor.outline(&mut outline)?;
        let value = cursor.value(&mut outline);
        let change = match kind {
            PieceKind::OutputChange => Some(value),
            PieceKind::ResourceChange => value.get("change")?,
            PieceKind::DeferredChange => match value.get("resource_change")? {
                Some(resource_change) => {
                    words_of(resource_change, &mut look.words)?;
                    resource_change.get("change")?
                }
                None => None,
            },
            PieceKind::DeferredActionInvocation => {
                let invocation = value.get("action_invocation")?;
                invocation.map_or(Ok(()), |value| words_of(value, &mut look.words))?;
                None
            }
            _ => None,
        };
        match kind {
            PieceKind::Scalar => look.words.push(value.offset()),
            PieceKind::Known | PieceKind::Unknown | PieceKind::Variable | PieceKind::Output => {}
            _ => words_of(value, &mut look.words)?,
        }
        if let Some(change) = change {
            words_of(change, &mut look.words)?;
            if let (Some(before), Some(after)) = (change.get("before")?, change.get("after")?) {
                look.changed = changed_scalars(before, after)?;
            }
        }
        Ok(look)
    }
}

impl Worker for Masker<'_> {
    type Job = Chunk;

    fn work(&mut self, chunk: &mut Chunk) {
        chunk.failed = self.mask(chunk).err();
    }
}

fn words_of(element: Value<'_>, words: &mut Vec<u64>) -> Result<()> {
    const WORDS: [&str; 7] =
        ["mode", "type", "name", "provider_name", "provider_config_key", "action_reason", "reason"];
    if element.kind()? != Kind::Object {
        return Ok(());
    }
    for member in element.members()? {
        let (key, value) = member?;
        if WORDS.iter().any(|word| key.is(word)) {
            words.push(value.offset());
        } else if key.is("actions") {
            for action in value.elements()? {
                words.push(action?.offset());
            }
        }
    }
    Ok(())
}

/// Writes a chunk with its edits, and says how many of those from `first` on were made: what lies
/// in another edit is replaced with it.
fn replace(chunk: &mut Chunk, first: usize) -> usize {
    let Chunk { start, bytes, edits, out, .. } = chunk;
    // Echoes come last, and where they stand in a marked place that is replaced as a whole.
    let mut order: Vec<usize> = (0..edits.len()).collect();
    order.sort_by_key(|&place| {
        let range = &edits[place].range;
        (range.start, std::cmp::Reverse(range.end), place)
    });
    let mut written = *start;
    let mut made = 0;
    for place in order {
        let Edit { range, mask } = &edits[place];
        if range.start < written {
            continue;
        }
        out.extend_from_slice(&bytes[(written - *start) as usize..(range.start - *start) as usize]);
        mask.write(out);
        written = range.end;
        made += usize::from(place >= first);
    }
    out.extend_from_slice(&bytes[(written - *start) as usize..]);
    made
}
