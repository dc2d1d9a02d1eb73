//! Opens inputs, for one pass or for several, and watches their reads.

use super::large::ElementPermit;
use crate::source::{InputEntry, RereadableInput, Stop};
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::input::{Hook, Hooked, Input, InputOptions, Source};
use plansift_plan::plan::{Accepts, Documents, NextDocument, PlanOptions};
use plansift_redact::secret::Collecting;

/// Which passes a run makes over each input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    /// One pass.
    One,
    /// One pass. Some documents need a first pass as well, for which the input is opened again.
    OneReopened,
    /// Like `OneReopened`, for inputs that cannot be opened again: the input is kept.
    OneKept,
    /// Two passes: the first one collects the secrets of documents of these kinds, or indexes their
    /// blocks. The input is kept.
    Two(Accepts),
    /// Like `Two`. Another pass reads the configuration.
    Three(Accepts),
    /// Like `Two` for plans and states. The first pass also makes the redaction cheaper.
    Redaction,
}

impl Passes {
    /// Returns how often most bytes are read.
    pub fn count(self) -> u64 {
        match self {
            Passes::One | Passes::OneReopened | Passes::OneKept => 1,
            Passes::Two(_) | Passes::Redaction => 2,
            Passes::Three(_) => 3,
        }
    }
}

/// Receives the progress of a run.
pub trait ReadProgress {
    /// The run starts to read several inputs. They have a total of bytes, which are read in this
    /// many passes.
    fn begin_inputs(&self, _inputs: usize, _bytes: u64, _passes: u64) {}

    /// An input was opened. It has this length in bytes, if known, and is read in this many passes.
    fn begin_input(&self, _input: &InputEntry, _len: Option<u64>, _passes: u64) {}

    /// A pass has read this many more bytes of the current input.
    fn read(&self, bytes: u64);

    /// This many of several inputs are done. These have a total of bytes.
    fn reach(&self, _done: usize, _inputs: usize, _bytes: u64) {}
}

/// How a run opens and reads its inputs.
#[derive(Clone, Copy)]
pub struct Opening<'r> {
    /// How to read documents.
    pub read: PlanOptions,
    /// How to open inputs.
    pub access: InputOptions,
    /// Stops the run; `None` if nothing stops it.
    pub stop: Option<&'r Stop>,
    /// Receives the progress.
    pub progress: Option<&'r dyn ReadProgress>,
    /// The permit to hold a large element, if several threads share memory for one.
    pub permit: Option<&'r ElementPermit>,
}

impl Opening<'_> {
    /// Creates the options of a run that nothing watches.
    pub fn new(read: PlanOptions, access: InputOptions) -> Opening<'static> {
        Opening { read, access, stop: None, progress: None, permit: None }
    }
}

/// An input of a run.
pub type RunSource<'r> = Hooked<Input, ReadHook<'r>>;

/// Watches the reads of an input for its run.
pub struct ReadHook<'r> {
    stop: Option<&'r Stop>,
    progress: Option<&'r dyn ReadProgress>,
    permit: Option<&'r ElementPermit>,
    /// The position up to which the progress is reported.
    position: u64,
}

impl Hook for ReadHook<'_> {
    fn fill(&mut self, source: &mut impl Source, keep: u64) -> Result<bool> {
        if self.stop.is_some_and(Stop::is_set) {
            return Err(Error::new(ErrorKind::Stopped));
        }
        let filled = match self.permit {
            Some(permit) => permit.fill(source, keep),
            None => source.fill(keep),
        };
        if let Some(progress) = self.progress {
            let position = source.offset() + source.window().len() as u64;
            progress.read(position - self.position);
            self.position = position;
        }
        filled
    }
}

/// Opens one input, as often as needed.
#[derive(Clone)]
struct Opener<'r> {
    stored: Stored<'r>,
    opening: Opening<'r>,
}

#[derive(Clone)]
enum Stored<'r> {
    Entry(&'r InputEntry),
    Kept(RereadableInput),
}

impl<'r> Opener<'r> {
    fn open(&self) -> Result<RunSource<'r>> {
        let Opening { access, stop, progress, permit, .. } = self.opening;
        let input = match (&self.stored, stop) {
            (Stored::Kept(kept), _) => kept.input(&access)?,
            (Stored::Entry(entry), Some(stop)) => entry.open_until(&access, stop)?,
            (Stored::Entry(entry), None) => entry.open(&access)?,
        };
        Ok(Hooked::new(input, ReadHook { stop, progress, permit, position: 0 }))
    }

    fn documents(&self) -> Result<Documents<RunSource<'r>>> {
        Ok(Documents::new(self.open()?, &self.opening.read))
    }

    /// Returns an opener for a pass that the progress does not show.
    fn unshown(&self) -> Opener<'r> {
        let opening = Opening { progress: None, permit: None, ..self.opening };
        Opener { stored: self.stored.clone(), opening }
    }

    fn secrets(self, accepts: Accepts) -> SecretPass<'r> {
        Collecting::new(Box::new(move || self.open()), accepts)
    }
}

/// Collects the secrets of each document of an input.
pub type SecretPass<'r> = Collecting<Box<dyn FnMut() -> Result<RunSource<'r>> + 'r>, RunSource<'r>>;

/// The first pass over an input. It opens the input when it is first used.
pub struct FirstPass<'r> {
    /// Collects the secrets of a document.
    pub secrets: SecretPass<'r>,
    opener: Opener<'r>,
    /// Reads the documents again.
    again: Option<Documents<RunSource<'r>>>,
    /// The passes of an audit.
    audit: Option<(Documents<RunSource<'r>>, SecretPass<'r>)>,
}

impl<'r> FirstPass<'r> {
    fn new(opener: Opener<'r>, accepts: Accepts) -> FirstPass<'r> {
        let secrets = opener.clone().secrets(accepts);
        FirstPass { secrets, opener, again: None, audit: None }
    }

    /// Returns a further reader, at the document at an offset.
    ///
    /// # Errors
    ///
    /// Fails if the input cannot be opened again, or has changed.
    pub fn again(&mut self, at: u64) -> Result<&mut Documents<RunSource<'r>>> {
        let opened = match self.again.take() {
            Some(opened) => opened,
            None => self.opener.documents()?,
        };
        let documents = self.again.insert(opened);
        documents.follow(NextDocument::Document(at))?;
        Ok(documents)
    }

    /// Returns a further reader, at the document at an offset, and its own first pass, to audit a
    /// document that was read already.
    ///
    /// # Errors
    ///
    /// Fails if the input cannot be opened again, or has changed.
    pub fn audit(
        &mut self,
        at: u64,
    ) -> Result<(&mut Documents<RunSource<'r>>, &mut SecretPass<'r>)> {
        let opened = match self.audit.take() {
            Some(opened) => opened,
            None => {
                let opener = self.opener.unshown();
                (opener.documents()?, opener.secrets(Accepts::States))
            }
        };
        let (documents, secrets) = self.audit.insert(opened);
        documents.follow(NextDocument::Document(at))?;
        Ok((documents, secrets))
    }
}

/// An input that is open, before its first document.
pub struct OpenInput<'r> {
    pub(super) documents: Documents<RunSource<'r>>,
    pub(super) first: Option<FirstPass<'r>>,
}

impl<'r> OpenInput<'r> {
    /// Opens an input for these passes.
    ///
    /// # Errors
    ///
    /// Fails if the input cannot be read, or if the run was stopped.
    pub fn new(
        entry: &'r InputEntry,
        opening: &Opening<'r>,
        passes: Passes,
    ) -> Result<OpenInput<'r>> {
        let begin = |len| {
            if let Some(progress) = opening.progress {
                progress.begin_input(entry, len, passes.count());
            }
        };
        if let Passes::One | Passes::OneReopened = passes {
            let opener = Opener { stored: Stored::Entry(entry), opening: *opening };
            let documents = opener.documents()?;
            begin(entry.len);
            let first = (passes == Passes::OneReopened)
                .then(|| FirstPass::new(opener.unshown(), Accepts::States));
            return Ok(OpenInput { documents, first });
        }
        let kept = entry.keep(&opening.read.limits)?;
        begin(Some(kept.len()));
        let opener = Opener { stored: Stored::Kept(kept), opening: *opening };
        OpenInput::again(opener, passes)
    }

    /// Opens an input that can be opened again.
    fn again(opener: Opener<'r>, passes: Passes) -> Result<OpenInput<'r>> {
        let documents = opener.documents()?;
        let accepts = match passes {
            Passes::Two(accepts) | Passes::Three(accepts) => accepts,
            _ => Accepts::States,
        };
        let mut first = FirstPass::new(opener, accepts);
        if passes == Passes::Redaction {
            first.secrets = first.secrets.for_redaction();
        }
        Ok(OpenInput { documents, first: Some(first) })
    }
}

/// An input that several runs read, one after the other.
#[derive(Clone)]
pub struct KeptInput<'r> {
    entry: &'r InputEntry,
    opener: Opener<'r>,
    len: u64,
}

impl<'r> KeptInput<'r> {
    /// Keeps an input. Copies it to a temporary file if it cannot be opened again.
    ///
    /// # Errors
    ///
    /// Fails if the input cannot be read, or exceeds the limit on spooled inputs.
    pub fn new(entry: &'r InputEntry, opening: &Opening<'r>) -> Result<KeptInput<'r>> {
        let kept = entry.keep(&opening.read.limits)?;
        let len = kept.len();
        Ok(KeptInput {
            entry,
            opener: Opener { stored: Stored::Kept(kept), opening: *opening },
            len,
        })
    }

    /// Opens the input for a run, which has a reader of the whole input, and may read it again.
    ///
    /// # Errors
    ///
    /// Fails if the input cannot be opened again, or has changed.
    pub fn open(&self) -> Result<OpenInput<'r>> {
        if let Some(progress) = self.opener.opening.progress {
            progress.begin_input(self.entry, Some(self.len), 1);
        }
        OpenInput::again(self.opener.clone(), Passes::OneKept)
    }

    /// Returns the source of the input, from its first byte on.
    ///
    /// # Errors
    ///
    /// Fails if the input cannot be opened again, or has changed.
    pub fn source(&self) -> Result<RunSource<'r>> {
        self.opener.unshown().open()
    }
}
