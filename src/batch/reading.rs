//! The plans of an input, one after the other: their records for a sink, and what is to be said.

use std::borrow::Cow;
use std::fmt;

use crate::error::{Error, ErrorKind, Result};
use crate::input::Source;
use crate::limits::Limit;
use crate::plan::{Documents, Next};
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

/// What is to be said between two plans of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// A plan failed, and another one begins at this offset.
    GoesOn(u64),
    /// Behind the plan of this number there is more, and nobody knows where it begins.
    Lost(u64),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::GoesOn(at) => {
                write!(f, "going on at byte {at}, where a line begins the next plan")
            }
            Note::Lost(number) => write!(
                f,
                "what follows plan {number} was not read: no line certainly begins the next one"
            ),
        }
    }
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
/// The output cannot be written, or the run was stopped. All else is told the reader.
pub fn read_plans(
    source: impl Source,
    input: Label<'_>,
    options: &Options,
    mut attributes: Attributes<'_>,
    reader: &mut impl Reader,
) -> Result<()> {
    let mut documents = Documents::new(source, &options.read);
    let mut next = Some(0);
    for number in 1_u64.. {
        let Some(at) = next else { break };
        let source = numbered(input.source, number);
        let workspace = input.workspace.map(|name| numbered(name, number));
        let label = Label { source: &source, workspace: workspace.as_deref() };
        if number > reader.plans_max() {
            let error = Error::new(ErrorKind::Limit { limit: Limit::Plans, value: number - 1 });
            reader.refuse(label, &error)?;
            break;
        }
        let secrets = match &mut attributes {
            Attributes::Values(values) => Some((values.collect)(at)),
            Attributes::None | Attributes::Paths => None,
        };
        let sifted = match secrets.transpose() {
            Ok(secrets) => match view(&attributes, secrets.as_ref()) {
                Some(view) => sift_with_view(&mut documents, label, options, view, reader.sink()),
                None => sift_next(&mut documents, label, options, reader.sink()),
            },
            // What the first reading refuses is refused. The plan is read once more all the same:
            // that finds the next plan of the input, or an error that says more.
            Err(error) => sift_next(&mut documents, label, options, &mut Discard).and(Err(error)),
        };
        let failed = match sifted {
            Ok(sifted) => {
                reader.done(label, &sifted);
                None
            }
            Err(error) if matches!(error.kind(), ErrorKind::Write | ErrorKind::Stopped) => {
                return Err(error);
            }
            Err(error) => {
                reader.refuse(label, &error)?;
                Some(error.kind())
            }
        };
        let (found, note) = find_next(&mut documents, number, failed);
        next = found;
        if let Some(note) = note {
            reader.note(input, note);
        }
    }
    Ok(())
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

/// Where the next document begins, if there is one, and what is to be said of it. `number`: that of
/// the one before it, and `failed` how it failed.
pub fn find_next<S: Source>(
    documents: &mut Documents<S>,
    number: u64,
    failed: Option<ErrorKind>,
) -> (Option<u64>, Option<Note>) {
    match (documents.find_next(), failed) {
        (Next::Document(at), Some(_)) => (Some(at), Some(Note::GoesOn(at))),
        (Next::Document(at), None) => (Some(at), None),
        (Next::Unknown { seems_more }, Some(error)) if error != ErrorKind::Truncated => {
            // Of a single document there is nothing more to say.
            let is_one_of_several = number > 1 || seems_more;
            (None, is_one_of_several.then_some(Note::Lost(number)))
        }
        _ => (None, None),
    }
}

/// The name of one of several documents of an input.
pub fn numbered(name: &str, number: u64) -> Cow<'_, str> {
    if number == 1 { Cow::Borrowed(name) } else { Cow::Owned(format!("{name}#{number}")) }
}

/// Whether a plan changes anything, or did not get as far as to know.
pub fn has_changes(sifted: &Sifted) -> bool {
    sifted.has_changes || sifted.summary.has_more()
}
