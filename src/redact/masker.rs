//! Finds the echoes in a chunk (unmarked values that repeat a secret), and masks them.

use super::chunk::{Chunk, Edit, Span};
use super::echo_context::EchoContexts;
use super::mask::{Mask, Masking};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::{Limit, Limits};
use crate::pool::Worker;
use crate::scan::Isa;
use crate::secret::echo::{Echo, EchoKind, EchoTargets, Echoes};
use crate::secret::spells_attribute_name;

/// A worker that finds the echoes in chunks.
pub(super) struct Masker<'s> {
    targets: EchoTargets<'s>,
    masking: &'s Masking,
    echoes: Echoes,
    contexts: EchoContexts,
    /// Maximum number of echoes in one piece.
    echoes_max: u64,
}

impl<'s> Masker<'s> {
    pub fn new(targets: EchoTargets<'s>, masking: &'s Masking, isa: Isa, limits: Limits) -> Self {
        let (echoes, contexts) = (Echoes::new(isa), EchoContexts::new(isa, limits));
        Masker { targets, masking, echoes, contexts, echoes_max: limits.marks }
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
        let mut pieces = chunk.pieces.iter().peekable();
        // Number of echoes in the current piece.
        let mut count = 0;
        let masked = self.echoes.find(&chunk.bytes, &self.targets, &mut |echo| {
            let start = chunk.start + echo.range.start as u64;
            while pieces.next_if(|piece| piece.range.end <= start).is_some() {
                count = 0;
            }
            count += 1;
            if count > self.echoes_max {
                return Err(Error::limit(Limit::Marks, self.echoes_max, start));
            }
            let piece = pieces.peek().copied().filter(|piece| piece.range.start <= start);
            if piece.is_none() {
                outside()?;
            }
            let range = start..chunk.start + echo.range.end as u64;
            let mask = mask_of(&echo, piece, chunk, self.masking, &mut self.contexts)?;
            found.extend(mask.map(|mask| Edit { range, mask }));
            Ok(())
        });
        chunk.echoes = found;
        masked
    }
}

/// The mask for an echo; `None` if the echo is not masked.
fn mask_of(
    echo: &Echo,
    piece: Option<&Span>,
    chunk: &Chunk,
    masking: &Masking,
    contexts: &mut EchoContexts,
) -> Result<Option<Mask>> {
    let start = chunk.start + echo.range.start as u64;
    let raw = &chunk.bytes[echo.range.clone()];
    Ok(match (echo.kind, piece) {
        // Keys between pieces are names from the configuration.
        (EchoKind::Key, None) => None,
        (EchoKind::Key, Some(_)) if spells_attribute_name(&raw[1..raw.len() - 1]) => None,
        (EchoKind::Key, Some(piece)) => {
            Some(Mask::Key(contexts.free_number(chunk, piece, echo.number)))
        }
        (kind, None) => Some(masking.of_echo(raw, kind, false)?),
        (_, Some(piece)) if contexts.is_word(chunk, piece, start) => None,
        (kind, Some(piece)) => {
            let is_changed = contexts.is_changed(chunk, piece, start);
            Some(masking.of_echo(raw, kind, is_changed)?)
        }
    })
}

impl Worker for Masker<'_> {
    type Job = Chunk;

    fn work(&mut self, chunk: &mut Chunk) {
        chunk.failed = self.mask(chunk, || Ok(())).err();
    }
}
