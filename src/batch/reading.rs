//! The plans of an input, one after the other: their records for a sink, and what is to be said.

use super::documents::{Note, Turn, Visited, Visitor, numbered, visit_all};
use crate::error::{Error, ErrorKind, Result};
use crate::input::Source;
use crate::limits::Limit;
use crate::plan::Documents;
use crate::record::view::{Detail, Known, View};
use crate::record::{Label, Options, Record, Sifted, sift_next, sift_with_view};
use crate::secret::{self, Collected};
use crate::sink::Sink;

/// Takes the records of an input's plans, and what is to be said of them.
pub trait Reader {
    /// Takes the records.
    fn sink(&mut self) -> &mut dyn Sink;

    /// Takes note of a plan that was read to its end.
    fn done(&mut self, label: Label<'_>, sifted: &Sifted);

    /// Takes note of a plan that failed; the sink knows.
    fn failed(&mut self, label: Label<'_>, error: &Error);

    /// Takes note of what no plan comes of, or not to its end, and so does its sink.
    ///
    /// # Errors
    ///
    /// The sink's.
    fn refuse(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.sink().failed(label, error)?;
        self.failed(label, error);
        Ok(())
    }

    /// How many plans it takes of an input.
    fn plans_max(&self) -> u64 {
        u64::MAX
    }

    /// Takes note of how it goes on, or that it does not; `input` is that of all of its plans.
    fn note(&mut self, input: Label<'_>, note: Note);
}

/// What of the attributes of changes is in the records.
pub enum Attributes<'a> {
    /// Nothing.
    None,
    /// Paths.
    Paths,
    /// Values.
    Values(Values<'a>),
}

/// Which values are in the records, and how the secrets among them are told.
pub struct Values<'a> {
    /// Those of all attributes, not only of those that change.
    pub all: bool,
    /// How much of each.
    pub detail: Detail,
    /// How secrets are told.
    pub options: &'a secret::Options,
    /// Reads the plan at an offset for its secrets.
    pub collect: &'a mut dyn FnMut(u64) -> Result<Collected>,
}

/// Reads all plans of an input.
///
/// # Errors
///
/// The output cannot be written, or the run was stopped. The reader takes all other errors.
pub fn read_plans(
    source: impl Source,
    input: Label<'_>,
    options: &Options,
    attributes: Attributes<'_>,
    reader: &mut impl Reader,
) -> Result<()> {
    let mut documents = Documents::new(source, &options.read);
    visit_all(&mut documents, &mut Plans { input, options, attributes, reader })
}

/// Reads each plan of an input for a reader.
struct Plans<'a, 'v, R> {
    input: Label<'a>,
    options: &'a Options,
    attributes: Attributes<'v>,
    reader: &'a mut R,
}

impl<S: Source, R: Reader> Visitor<S> for Plans<'_, '_, R> {
    type End = Error;

    fn visit(&mut self, turn: Turn<'_, S>) -> Result<Visited> {
        let Turn { documents, number, at } = turn;
        let Plans { input, options, attributes, reader } = self;
        let source = numbered(input.source, number);
        let workspace = input.workspace.map(|name| numbered(name, number));
        let label = Label { source: &source, workspace: workspace.as_deref() };
        if number > reader.plans_max() {
            let error = Error::new(ErrorKind::Limit { limit: Limit::Plans, value: number - 1 });
            reader.refuse(label, &error)?;
            return Ok(Visited::Enough);
        }
        let secrets = match attributes {
            Attributes::Values(values) => Some((values.collect)(at)),
            Attributes::None | Attributes::Paths => None,
        };
        let sifted = match secrets.transpose() {
            Ok(secrets) => match view(attributes, secrets.as_ref()) {
                Some(view) => sift_with_view(documents, label, options, view, reader.sink()),
                None => sift_next(documents, label, options, reader.sink()),
            },
            // The first pass failed, so the plan fails. The second pass finds the next plan of the
            // input, or an error that says more.
            Err(error) => sift_next(documents, label, options, &mut Discard).and(Err(error)),
        };
        match sifted {
            Ok(sifted) => {
                reader.done(label, &sifted);
                Ok(Visited::Done)
            }
            Err(error) if matches!(error.kind(), ErrorKind::Write | ErrorKind::Stopped) => {
                Err(error)
            }
            Err(error) => {
                reader.refuse(label, &error)?;
                Ok(Visited::Failed(error.kind()))
            }
        }
    }

    fn note(&mut self, note: Note) {
        self.reader.note(self.input, note);
    }
}

/// Takes the records of a plan that is refused.
struct Discard;

impl Sink for Discard {
    fn record(&mut self, _: &Record<'_>) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

fn view<'v>(attributes: &'v Attributes<'_>, secrets: Option<&'v Collected>) -> Option<View<'v>> {
    match (attributes, secrets) {
        (Attributes::None, _) => None,
        (Attributes::Values(Values { all, detail, options, .. }), Some(collected)) => {
            let known = Known { collected, options, detail: *detail };
            Some(if *all { View::All(known) } else { View::Changed(known) })
        }
        _ => Some(View::Paths),
    }
}

/// Whether a plan changes anything, or did not get as far as to know.
pub fn has_changes(sifted: &Sifted) -> bool {
    sifted.has_changes || sifted.summary.has_more()
}
