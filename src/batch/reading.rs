//! The plans of an input, one after the other: their records for a sink, and what is to be said.

use std::borrow::Cow;
use std::fmt;

use crate::error::{Error, ErrorKind, Result};
use crate::input::Source;
use crate::limits::Limit;
use crate::plan::{Documents, Next};
use crate::record::counts::Summary;
use crate::record::view::View;
use crate::record::{Label, Options, Sifted, sift_next, sift_with_view};
use crate::sink::Sink;

/// Takes the records of an input's plans, and what is to be said of them.
pub trait Reader {
    /// Takes the records.
    fn sink(&mut self) -> &mut dyn Sink;

    /// Takes note of a plan that was read to its end.
    fn done(&mut self, label: Label<'_>, sifted: &Sifted);

    /// Takes note of a plan that failed; the sink knows.
    fn failed(&mut self, label: Label<'_>, error: &Error);

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

/// Reads all plans of an input. The records of the first one have the attributes of `view`; of the
/// others, whose secrets nobody knows, paths at most.
///
/// # Errors
///
/// The output cannot be written, or the run was stopped. All else is told the reader.
pub fn read_plans(
    source: impl Source,
    input: Label<'_>,
    options: &Options,
    view: Option<View<'_>>,
    reader: &mut impl Reader,
) -> Result<()> {
    let mut documents = Documents::new(source, &options.read);
    for number in 1_u64.. {
        let source = numbered(input.source, number);
        let workspace = input.workspace.map(|name| numbered(name, number));
        let label = Label { source: &source, workspace: workspace.as_deref() };
        if number > reader.plans_max() {
            let error = Error::new(ErrorKind::Limit { limit: Limit::Plans, value: number - 1 });
            reader.sink().failed(label, &error)?;
            reader.failed(label, &error);
            break;
        }
        let view = if number == 1 { view } else { view.map(|_| View::Paths) };
        let sifted = match view {
            Some(view) => sift_with_view(&mut documents, label, options, view, reader.sink()),
            None => sift_next(&mut documents, label, options, reader.sink()),
        };
        let error = match sifted {
            Ok(sifted) => {
                reader.done(label, &sifted);
                None
            }
            Err(error) if matches!(error.kind(), ErrorKind::Write | ErrorKind::Stopped) => {
                return Err(error);
            }
            Err(error) => {
                reader.sink().failed(label, &error)?;
                reader.failed(label, &error);
                Some(error.kind())
            }
        };
        match (documents.find_next(), error) {
            (Next::Document(at), Some(_)) => reader.note(input, Note::GoesOn(at)),
            (Next::Document(_), None) => {}
            // Of a single plan there is nothing more to say.
            (Next::Unknown, Some(error)) if number > 1 && error != ErrorKind::Truncated => {
                reader.note(input, Note::Lost(number));
                break;
            }
            _ => break,
        }
    }
    Ok(())
}

/// The name of one of several plans of an input.
fn numbered(name: &str, number: u64) -> Cow<'_, str> {
    if number == 1 { Cow::Borrowed(name) } else { Cow::Owned(format!("{name}#{number}")) }
}

/// Whether a plan changes anything, or did not get as far as to know.
pub fn has_changes(sifted: &Sifted) -> bool {
    let summary: &Summary = &sifted.summary;
    sifted.has_changes
        || summary.output_changes.keys().any(|action| action != "no-op")
        || summary.applyable == Some(true)
        || summary.complete == Some(false)
        || summary.errored == Some(true)
        || !summary.deferred_changes.is_empty()
}
