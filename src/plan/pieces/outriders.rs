//! A crew that reads pieces ahead of the walk.

use std::ops::Range;
use std::thread::Scope;

use super::ahead::{PieceFrontier, PieceScout, PieceStretch};
use crate::crew::{Crew, Desk, Worker};
use crate::plan::vanguard::{Errand, Vanguard};

/// A longer piece, in bytes, is left to the walk.
const PIECE_MAX: u64 = 256 << 10;

/// What a stretch is read with, and what came of it.
pub(crate) trait PieceErrand: Errand + Default + Send {
    /// Sends somebody to read a stretch.
    fn send(&mut self, scout: PieceScout, range: Range<u64>);

    /// What was read.
    fn stretch(&self) -> Option<&PieceStretch>;

    /// Forgets everything and keeps the memory.
    fn clear(&mut self);
}

/// The crew, and what it was sent for.
pub(crate) struct Outriders<'scope, 'env, W: Worker> {
    crew: Crew<'scope, 'env, W>,
    hire: Box<dyn Fn() -> W + 'scope>,
    ahead: Vanguard<W::Job>,
    /// Who reads in the section that is walked.
    scout: Option<PieceScout>,
    spare: Vec<W::Job>,
}

impl<'scope, 'env, W: Worker<Job: PieceErrand> + Send + 'scope> Outriders<'scope, 'env, W> {
    /// With so many threads, this one included, each with what `hire` makes.
    pub(crate) fn new(
        scope: &'scope Scope<'scope, 'env>,
        desk: &'env Desk<W::Job>,
        threads: usize,
        hire: impl Fn() -> W + 'scope,
    ) -> Self {
        let crew = Crew::new(scope, desk, threads);
        let (ahead, scout, spare) = (Vanguard::default(), None, Vec::new());
        Outriders { crew, hire: Box::new(hire), ahead, scout, spare }
    }

    /// What was read from here on, if anything was, and who read it. Sends others to read on.
    pub(crate) fn find(&mut self, frontier: &PieceFrontier<'_>) -> Option<(W::Job, &PieceScout)> {
        let Outriders { crew, hire, ahead, scout, spare } = self;
        let offset = frontier.offset();
        if !ahead.is_worth_it(offset) || crew.threads() == 1 || ahead.is_lost() {
            return None;
        }
        if scout.is_none() {
            *scout = frontier.scout().map(|scout| scout.with_change_max(PIECE_MAX));
        }
        let scout = scout.as_ref()?;
        let text_len = scout.text().len() as u64;
        while crew.has_room()
            && let Some(range) = ahead.send(offset, text_len)
        {
            let mut errand = spare.pop().unwrap_or_default();
            errand.send(scout.clone(), range);
            crew.give(errand, &*hire);
        }
        let fits = |errand: &W::Job| errand.stretch().is_some_and(|read| frontier.fits(read));
        ahead.find(offset, fits, || crew.wait(), |errand| keep(spare, errand))?;
        Some((ahead.take()?, scout))
    }

    /// Takes back the memory of what was found.
    pub(crate) fn keep(&mut self, errand: W::Job) {
        keep(&mut self.spare, errand);
    }

    /// The section has come to its end: gives up what lies ahead.
    pub(crate) fn recall(&mut self) {
        let errands = self.crew.recall().into_iter().chain(self.ahead.take());
        errands.for_each(|errand| keep(&mut self.spare, errand));
        (self.scout, self.ahead) = (None, Vanguard::default());
    }
}

fn keep<J: PieceErrand>(spare: &mut Vec<J>, mut errand: J) {
    errand.clear();
    spare.push(errand);
}
