//! Finds the echoes in a chunk (unmarked values that repeat a secret), and masks them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::iter::Peekable;
use std::ops::Range;

use super::chunk::{Chunk, Edit, Span};
use super::echo_context::EchoContexts;
use super::mask::{Mask, Masking};
use crate::secret::copies::{Found, FoundCopy};
use crate::secret::echo::{Echo, EchoKind, EchoTargets, Echoes};
use crate::secret::spells_attribute_name;
use crate::secret::strings::Strings;
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::limits::{Limit, Limits};
use plansift_core::pool::Worker;
use plansift_core::scan::Isa;

/// A worker that finds the echoes in chunks.
pub(super) struct Masker<'s> {
    targets: EchoTargets<'s>,
    masking: &'s Masking,
    echoes: Echoes,
    contexts: EchoContexts,
    /// Scratch space for decoded text.
    decoded: Vec<u8>,
    /// Maximum number of echoes in one piece.
    echoes_max: u64,
}

impl<'s> Masker<'s> {
    pub fn new(targets: EchoTargets<'s>, masking: &'s Masking, isa: Isa, limits: Limits) -> Self {
        let (echoes, contexts) = (Echoes::new(isa), EchoContexts::new(isa, limits));
        let (decoded, echoes_max) = (Vec::new(), limits.marks);
        Masker { targets, masking, echoes, contexts, decoded, echoes_max }
    }

    /// Finds the echoes in a chunk whose `pieces` lists only the marked pieces. Returns `false` if
    /// an echo is outside these pieces; the chunk then needs all its pieces.
    ///
    /// # Errors
    ///
    /// Fails if the text has changed since it was validated.
    pub fn mask_marked(&mut self, chunk: &mut Chunk) -> Result<bool> {
        let mut is_outside = false;
        let masked = self.mask(chunk, || {
            is_outside = true;
            // Only stops the search; the caller drops this error.
            Err(Error::new(ErrorKind::Changed))
        });
        if is_outside { Ok(false) } else { masked.map(|()| true) }
    }

    /// Finds the echoes in a chunk. Calls `outside` for each echo outside the listed pieces; an
    /// error stops the search.
    fn mask(&mut self, chunk: &mut Chunk, mut outside: impl FnMut() -> Result<()>) -> Result<()> {
        self.contexts.clear();
        let mut found = std::mem::take(&mut chunk.echoes);
        let masked = self
            .texts(chunk, &mut found, &mut outside)
            .and_then(|()| self.documents(chunk, &mut found, &mut outside));
        chunk.echoes = found;
        masked
    }

    /// Finds the strings, keys and numbers that are echoes.
    fn texts(
        &mut self,
        chunk: &Chunk,
        found: &mut Vec<Edit>,
        outside: &mut impl FnMut() -> Result<()>,
    ) -> Result<()> {
        let mut pieces = Pieces::of(chunk, self.echoes_max);
        let Masker { targets, masking, echoes, contexts, .. } = self;
        echoes.find(&chunk.bytes, targets, &mut |echo| {
            let piece = pieces.count(1, chunk.start + echo.range.start as u64, outside)?;
            found.extend(edit_of(&echo, piece, chunk, masking, contexts)?);
            Ok(())
        })
    }

    /// Finds the echoes in documents in strings.
    fn documents(
        &mut self,
        chunk: &Chunk,
        found: &mut Vec<Edit>,
        outside: &mut impl FnMut() -> Result<()>,
    ) -> Result<()> {
        let mut pieces = Pieces::of(chunk, self.echoes_max);
        let mut strings = Strings::of(&chunk.bytes, &self.targets);
        let texts = found.len();
        while let Some(range) = strings.next()? {
            let start = chunk.start + range.start as u64;
            match self.copies(chunk, pieces.at(start), range.clone()) {
                Found::Nothing => {}
                Found::Whole(number) => {
                    let piece = pieces.count(1, start, outside)?;
                    let echo = Echo { range, kind: EchoKind::Value, number };
                    let contexts = &mut self.contexts;
                    found.extend(edit_of(&echo, piece, chunk, self.masking, contexts)?);
                }
                Found::Inside(copies) => {
                    pieces.count(copies.list.len() as u64, start, outside)?;
                    found.extend(copies.list.into_iter().map(
                        |FoundCopy { range, mask, .. }| Edit {
                            range: start + range.start as u64..start + range.end as u64,
                            mask: Mask::Spelled(mask.into()),
                        },
                    ));
                }
            }
        }
        if found.len() > texts && texts > 0 {
            found.sort_by_key(Edit::order);
        }
        Ok(())
    }

    /// Finds the copies in the string at `range`. The mask of a copy in `after` says whether
    /// `before` has another secret at the same path.
    fn copies(&mut self, chunk: &Chunk, piece: Option<&Span>, range: Range<usize>) -> Found {
        let (start, string) = (chunk.start + range.start as u64, &chunk.bytes[range]);
        let mut before = HashMap::new();
        let found = self.copies_with(chunk, piece, string, &before);
        if !matches!((&found, self.masking), (Found::Inside(_), Masking::Text)) {
            return found;
        }
        let range = piece.and_then(|piece| self.contexts.before(chunk, piece, start));
        let Some(range) = range else { return found };
        let Masker { targets, decoded, .. } = self;
        targets.search_string(chunk.text(range), decoded, &mut |copy| {
            before.insert(copy.path, targets.secrets.digest(copy.text));
            None
        });
        self.copies_with(chunk, piece, string, &before)
    }

    /// Finds the copies in a string. `before` has the digests of the earlier secrets by their
    /// paths.
    fn copies_with(
        &mut self,
        chunk: &Chunk,
        piece: Option<&Span>,
        string: &[u8],
        before: &HashMap<u64, u64>,
    ) -> Found {
        let Masker { targets, masking, contexts, decoded, .. } = self;
        targets.search_string(string, decoded, &mut |copy| {
            let mask = match (copy.kind, piece) {
                (EchoKind::Key, Some(piece)) => {
                    Mask::Key(contexts.free_number(chunk, piece, copy.number))
                }
                (EchoKind::Key, None) => Mask::Key(copy.number),
                (kind, _) => {
                    let digest = targets.secrets.digest(copy.text);
                    let is_changed = before.get(&copy.path).is_some_and(|it| *it != digest);
                    masking.of_copy(copy.text, kind, is_changed)
                }
            };
            mask.text().map(Cow::into_owned)
        })
    }
}

/// The pieces of a chunk, for echoes in ascending order.
struct Pieces<'c> {
    rest: Peekable<std::slice::Iter<'c, Span>>,
    /// Number of echoes in the current piece, and its maximum.
    count: u64,
    max: u64,
}

impl<'c> Pieces<'c> {
    fn of(chunk: &'c Chunk, max: u64) -> Pieces<'c> {
        Pieces { rest: chunk.pieces.iter().peekable(), count: 0, max }
    }

    /// The piece that contains an offset. Offsets must not decrease.
    fn at(&mut self, offset: u64) -> Option<&'c Span> {
        while self.rest.next_if(|piece| piece.range.end <= offset).is_some() {
            self.count = 0;
        }
        self.rest.peek().copied().filter(|piece| piece.range.start <= offset)
    }

    /// Counts echoes at an offset, and returns the piece that contains them. Calls `outside` if
    /// there is none. Fails if the piece has too many echoes.
    fn count(
        &mut self,
        echoes: u64,
        offset: u64,
        outside: &mut impl FnMut() -> Result<()>,
    ) -> Result<Option<&'c Span>> {
        let piece = self.at(offset);
        self.count += echoes;
        if self.count > self.max {
            return Err(Error::limit(Limit::Marks, self.max, offset));
        }
        if piece.is_none() {
            outside()?;
        }
        Ok(piece)
    }
}

/// The edit that masks an echo; `None` if the echo is not masked.
fn edit_of(
    echo: &Echo,
    piece: Option<&Span>,
    chunk: &Chunk,
    masking: &Masking,
    contexts: &mut EchoContexts,
) -> Result<Option<Edit>> {
    let range = chunk.start + echo.range.start as u64..chunk.start + echo.range.end as u64;
    let raw = &chunk.bytes[echo.range.clone()];
    let mask = match (echo.kind, piece) {
        // Keys between pieces are names from the configuration.
        (EchoKind::Key, None) => return Ok(None),
        (EchoKind::Key, Some(_)) if spells_attribute_name(&raw[1..raw.len() - 1]) => {
            return Ok(None);
        }
        (EchoKind::Key, Some(piece)) => Mask::Key(contexts.free_number(chunk, piece, echo.number)),
        (kind, None) => masking.of_echo(raw, kind, false)?,
        (_, Some(piece)) if contexts.is_word(chunk, piece, range.start) => return Ok(None),
        (kind, Some(piece)) => {
            let is_changed = contexts.is_changed(chunk, piece, range.start);
            masking.of_echo(raw, kind, is_changed)?
        }
    };
    Ok(Some(Edit { range, mask }))
}

impl Worker for Masker<'_> {
    type Job = Chunk;

    fn work(&mut self, chunk: &mut Chunk) {
        chunk.failed = self.mask(chunk, || Ok(())).err();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Secrets;
    use plansift_plan::plan::PieceKind;

    /// A change to an output that begins at the offset 0, as a chunk with one piece.
    fn chunk(before: &str, after: &str) -> Chunk {
        let text = format!(r#"{{"before":{before},"after":{after}}}"#);
        let [end, len] = [text.len() as u64 - 1, after.len() as u64];
        let (range, kind, after) = (0..end + 1, PieceKind::OutputChange, end - len..end);
        let pieces = vec![Span { range, kind, after }];
        Chunk { bytes: text.into_bytes(), pieces, ..Chunk::default() }
    }

    /// The chunks of another document may have the same offsets.
    #[test]
    fn a_masker_does_not_mix_up_chunks() {
        let limits = Limits::default();
        let mut secrets = Secrets::new(8, &limits);
        for text in ["secret-one", "secret-two"] {
            secrets.insert(text.as_bytes(), 0).unwrap();
        }
        let targets = EchoTargets { secrets: &secrets, contained: None };
        let mut masker = Masker::new(targets, &Masking::Text, Isa::best(), limits);
        let [one, two, other] = [r#""secret-one""#, r#""secret-two""#, r#""something!""#];
        for (before, changed) in [(one, false), (two, true), (other, true), (one, false)] {
            let mut chunk = chunk(before, one);
            masker.work(&mut chunk);
            assert!(chunk.failed.is_none());
            let found = chunk.echoes.last().map(|echo| echo.mask.clone());
            let expected = if changed { Mask::Changed } else { Mask::Text };
            assert_eq!(found, Some(expected), "{before}");
        }
    }
}
