//! Reads the plans of an input, in order, and reports each result to a [`Reader`].

use super::documents::{DocumentTurn, Note, Visited, Visitor, numbered, visit_all};
use super::plan_assertions::PlanAssertions;
use crate::assertion::Outcome;
use crate::config::Blocks;
use crate::error::{Error, ErrorKind, Result};
use crate::input::Source;
use crate::limits::Limit;
use crate::plan::Documents;
use crate::record::view::{Detail, View, ViewSettings};
use crate::record::{
    AssertionRequest, Label, Record, RecordOptions, Sifted, Warning, sift_next,
    sift_with_assertions, sift_with_view,
};
use crate::secret::{self, Collected};
use crate::sink::Sink;
use crate::sink::joined::Joined;

/// Receives the records and results of an input's plans.
pub trait Reader {
    /// Returns the sink for the records.
    fn sink(&mut self) -> &mut dyn Sink;

    /// Called after a plan that was read to its end.
    fn done(&mut self, label: Label<'_>, sifted: &Sifted);

    /// Called after a plan that failed. The sink has the error already.
    fn failed(&mut self, label: Label<'_>, error: &Error);

    /// Reports a failed plan or input to the sink, then to [`Reader::failed`].
    ///
    /// # Errors
    ///
    /// Fails if the sink fails.
    fn refuse(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.sink().failed(label, error)?;
        self.failed(label, error);
        Ok(())
    }

    /// Maximum number of plans to read from an input.
    fn plans_max(&self) -> u64 {
        u64::MAX
    }

    /// Called with a remark between two plans. `input` is the label of the whole input.
    fn note(&mut self, input: Label<'_>, note: Note);
}

/// Which parts of the attributes of changes the records contain.
pub enum Attributes<'a> {
    /// No attributes.
    None,
    /// The paths of attributes.
    Paths,
    /// The values of attributes.
    Values(Values<'a>),
    /// No attributes, but the configuration blocks of the resources. The function indexes the
    /// configuration of the plan at an offset, in bytes.
    Blocks(&'a mut dyn FnMut(u64) -> Result<Blocks>),
}

/// Which values the records contain, and how to find the secrets among them.
pub struct Values<'a> {
    /// Whether the records contain the values of all attributes, not only of changed ones.
    pub all: bool,
    /// How much of each value the records contain.
    pub detail: Detail,
    /// Which values are secret.
    pub options: &'a secret::SecretOptions,
    /// Collects the secrets of the plan at an offset, in bytes.
    pub collect: &'a mut dyn FnMut(u64) -> Result<Collected>,
}

/// Reads all plans of an input, and checks assertions against them. With [`Attributes::Blocks`],
/// assertions are ignored.
///
/// # Errors
///
/// Fails if the output cannot be written or the run was stopped. All other errors go to the reader.
pub fn read_plans<'v>(
    source: impl Source,
    input: Label<'_>,
    options: &RecordOptions,
    attributes: Attributes<'v>,
    plan_assertions: Option<PlanAssertions<'v>>,
    reader: &mut impl Reader,
) -> Result<()> {
    let mut documents = Documents::new(source, &options.read);
    visit_all(&mut documents, &mut Plans { input, options, attributes, plan_assertions, reader })
}

struct Plans<'a, 'v, R> {
    input: Label<'a>,
    options: &'a RecordOptions,
    attributes: Attributes<'v>,
    plan_assertions: Option<PlanAssertions<'v>>,
    reader: &'a mut R,
}

impl<S: Source, R: Reader> Visitor<S> for Plans<'_, '_, R> {
    type End = Error;

    fn visit(&mut self, turn: DocumentTurn<'_, S>) -> Result<Visited> {
        let DocumentTurn { documents, number, at } = turn;
        let Plans { input, options, attributes, plan_assertions, reader } = self;
        let source = numbered(input.source, number);
        let workspace = input.workspace.map(|name| numbered(name, number));
        let label = Label { source: &source, workspace: workspace.as_deref() };
        if number > reader.plans_max() {
            let error = Error::new(ErrorKind::Limit { limit: Limit::Plans, value: number - 1 });
            reader.refuse(label, &error)?;
            return Ok(Visited::Enough);
        }
        // The first of two passes finds the secrets, or the blocks.
        let first_pass = match attributes {
            Attributes::Values(values) => (values.collect)(at).map(|it| (Some(it), None)),
            Attributes::Blocks(index) => index(at).map(|it| (None, Some(it))),
            Attributes::None | Attributes::Paths => Ok((None, None)),
        };
        let sifted = match first_pass {
            Ok((_, Some(blocks))) => {
                let mut sink = Joined::new(reader.sink(), &blocks);
                sift_next(documents, label, options, &mut sink).map(|mut sifted| {
                    if !blocks.is_present {
                        sifted.warnings.push(Warning::LacksConfiguration);
                    }
                    sifted
                })
            }
            Ok((collected, None)) => {
                match (view(attributes, collected.as_ref()), plan_assertions) {
                    (view, Some(plan_assertions)) => {
                        let assertions = plan_assertions.assertions;
                        let mask = &mut |outcomes: &mut [Outcome]| {
                            plan_assertions.mask(outcomes, collected.as_ref(), at)
                        };
                        let request = AssertionRequest { assertions, mask };
                        sift_with_assertions(
                            documents,
                            label,
                            options,
                            view,
                            request,
                            reader.sink(),
                        )
                    }
                    (Some(view), None) => {
                        sift_with_view(documents, label, options, view, reader.sink())
                    }
                    (None, None) => sift_next(documents, label, options, reader.sink()),
                }
            }
            // The first pass failed, so the plan fails. The second pass finds the next plan of the
            // input, or an error that says more.
            Err(error) => sift_next(documents, label, options, &mut Discard).and(Err(error)),
        };
        match sifted {
            Ok(sifted) => {
                reader.done(label, &sifted);
                Ok(Visited::Done)
            }
            Err(error) if ends_run(&error) => Err(error),
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

/// Whether an error ends the run. Any other error only fails the plan.
pub(super) fn ends_run(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Write | ErrorKind::Stopped)
}

pub(crate) struct Discard;

impl Sink for Discard {
    fn record(&mut self, _: &Record<'_>) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

fn view<'v>(attributes: &'v Attributes<'_>, collected: Option<&'v Collected>) -> Option<View<'v>> {
    match (attributes, collected) {
        (Attributes::None | Attributes::Blocks(_), _) => None,
        (Attributes::Values(Values { all, detail, options, .. }), Some(collected)) => {
            let known = ViewSettings { collected, options, detail: *detail };
            Some(if *all { View::All(known) } else { View::Changed(known) })
        }
        _ => Some(View::Paths),
    }
}

/// Whether a plan changes anything, or is unfinished and may change more.
pub fn has_changes(sifted: &Sifted) -> bool {
    sifted.has_changes || sifted.summary.has_more()
}
