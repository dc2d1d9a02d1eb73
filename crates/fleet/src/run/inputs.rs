//! The loop over inputs, and over the documents of each input.

use std::num::NonZeroUsize;

use super::counts::{DocumentOutcome, Events, RunCounts};
use super::opening::{OpenInput, Opening, Passes};
use super::plans::PlanReader;
use super::recording::{Recording, record};
use super::turn::{Handler, Numbered, Turn, Visited, ends_run, find_next};
use crate::source::{InputEntry, Inputs, Unlisted};
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::input::{InputOptions, Mapping, Threads};
use plansift_core::limits::Limit;
use plansift_core::pool::{Pool, Queue, Spawn, Worker};
use plansift_plan::plan::Flow;
use plansift_plan::record::Label;
use plansift_plan::sink::Sink;

/// What a run makes of its documents.
#[expect(clippy::large_enum_variant, reason = "a run has only one consumer")]
pub enum Consumer<'r> {
    /// The records of plans, which go to the sink. Workers read small inputs ahead.
    Records(PlanReader<'r>, &'r mut dyn Sink),
    /// Whatever the handler makes of them, in these passes.
    Documents(Passes, &'r mut dyn Handler),
}

impl Consumer<'_> {
    fn passes(&self) -> Passes {
        match self {
            Consumer::Records(reader, _) => reader.passes(),
            Consumer::Documents(passes, _) => *passes,
        }
    }
}

/// A run of one command, or of one job of a batch.
pub struct DocumentLoop<'r, 'e> {
    consumer: Consumer<'r>,
    events: &'e mut dyn Events,
    /// The counts so far.
    pub counts: RunCounts,
    /// Maximum number of documents to read from an input.
    pub documents_max: u64,
}

impl<'r, 'e> DocumentLoop<'r, 'e> {
    /// Creates a run that has read nothing yet.
    pub fn new(consumer: Consumer<'r>, events: &'e mut dyn Events) -> DocumentLoop<'r, 'e> {
        DocumentLoop { consumer, events, counts: RunCounts::default(), documents_max: u64::MAX }
    }

    /// Reads all documents of all inputs, in order.
    ///
    /// # Errors
    ///
    /// Fails if the output failed, or if the run was stopped.
    pub fn inputs(&mut self, inputs: &Inputs, opening: &Opening<'_>) -> Result<()> {
        let (entries, passes) = (&inputs.entries, self.consumer.passes());
        let progress = opening.progress.filter(|_| entries.len() > 1);
        if let Some(progress) = progress {
            progress.begin_inputs(entries.len(), entries.iter().map(len_of).sum(), passes.count());
        }
        let queue = Queue::default();
        std::thread::scope(|scope| {
            let mut ahead = match &self.consumer {
                Consumer::Records(reader, _) => {
                    Some(Ahead::new(scope, &queue, inputs, reader.clone()))
                }
                Consumer::Documents(..) => None,
            };
            let mut done = 0;
            for (index, input) in entries.iter().enumerate() {
                let recording = ahead.as_mut().and_then(|ahead| ahead.next(index, done));
                let flow = match input {
                    Ok(entry) => {
                        let (source, workspace) = (entry.source(), workspace(inputs, entry));
                        let label = Label { source: &source, workspace: workspace.as_deref() };
                        match recording {
                            Some(recording) => self.replay(label, recording),
                            None => match OpenInput::new(entry, opening, passes) {
                                Ok(opened) => self.documents(label, opened),
                                Err(error) => self.fail(label, &error),
                            },
                        }
                    }
                    Err(unlisted) => {
                        let label = Label { source: &unlisted.source, workspace: None };
                        self.fail(label, &unlisted.error)
                    }
                };
                if flow? == Flow::Stop {
                    return Ok(());
                }
                done += len_of(input);
                if let Some(progress) = progress {
                    progress.reach(index + 1, entries.len(), done);
                }
            }
            Ok(())
        })
    }

    /// Reads all documents of an input, in order. [`Flow::Stop`] means that the handler ends the
    /// run.
    ///
    /// # Errors
    ///
    /// Fails if the output failed, or if the run was stopped.
    pub fn documents(&mut self, input: Label<'_>, opened: OpenInput<'_>) -> Result<Flow> {
        let OpenInput { mut documents, mut first } = opened;
        let mut next = Some(0);
        for number in 1_u64.. {
            let Some(at) = next else { break };
            let numbered = Numbered::new(input, number);
            let label = numbered.label();
            if number > self.documents_max {
                let value = self.documents_max;
                let limit = ErrorKind::Limit { limit: Limit::Plans, value };
                return self.fail(label, &Error::new(limit));
            }
            let turn = Turn { label, documents: &mut documents, at, first: first.as_mut() };
            let visited = match &mut self.consumer {
                Consumer::Records(reader, sink) => {
                    reader.read(turn, *sink).map(|outcome| Visited::Done(outcome.into()))
                }
                Consumer::Documents(_, handler) => handler.document(turn),
            };
            let failed = match visited {
                Ok(Visited::Enough) => break,
                Ok(Visited::Done(outcome)) => {
                    self.done(label, outcome);
                    None
                }
                Ok(Visited::Refused(reason)) => {
                    self.counts.failed += 1;
                    self.events.failed(label, &reason);
                    None
                }
                Err(error) if ends_run(&error) => return Err(error),
                Err(error) => {
                    if self.fail(label, &error)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                    Some(error.kind())
                }
            };
            let remark;
            (next, remark) = find_next(&mut documents, number, failed);
            if let Some(remark) = remark {
                self.events.remark(input.source, remark);
            }
        }
        Ok(Flow::Continue)
    }

    /// Writes the plans of an input that a worker read ahead.
    pub(super) fn replay(&mut self, input: Label<'_>, recording: Recording) -> Result<Flow> {
        for ((plan, outcome), number) in recording.into_iter().zip(1..) {
            let Consumer::Records(_, sink) = &mut self.consumer else { break };
            let numbered = Numbered::new(input, number);
            let label = numbered.label();
            match plan.replay(label, *sink) {
                Ok(()) => self.done(label, outcome),
                Err(error) if ends_run(&error) => return Err(error),
                Err(error) => drop(self.fail(label, &error)?),
            }
        }
        Ok(Flow::Continue)
    }

    fn done(&mut self, label: Label<'_>, outcome: DocumentOutcome) {
        self.counts.add(&outcome);
        self.events.done(label, outcome);
    }

    /// Counts and reports a document or an input that failed. Fails if the output fails.
    fn fail(&mut self, label: Label<'_>, error: &Error) -> Result<Flow> {
        let flow = match &mut self.consumer {
            Consumer::Records(_, sink) => sink.failed(label, error).map(|()| Flow::Continue),
            Consumer::Documents(_, handler) => handler.failed(label, error),
        }?;
        self.counts.failed += 1;
        self.events.failed(label, error);
        Ok(flow)
    }
}

/// Bytes to read before worker threads start. A run with fewer bytes is faster without them.
const ALONE: u64 = 512 << 10;

/// Maximum number of bytes of a document that a worker reads, counted after decompression.
const SMALL: u64 = 4 << 20;

/// Maximum number of secrets, and of marked paths, of a document that a worker reads.
const SECRETS: u64 = 10_000;

/// Workers that read small inputs ahead of the run.
struct Ahead<'scope, 'a: 'scope> {
    pool: Pool<'scope, PlanReader<'a>>,
    /// Has limits that bound the memory of a worker.
    reader: PlanReader<'a>,
    inputs: &'a Inputs,
    /// The index of the next input to submit.
    submitted: usize,
}

impl<'scope, 'a: 'scope> Ahead<'scope, 'a> {
    fn new(
        scope: &'scope dyn Spawn<'scope>,
        queue: &'scope Queue<SmallInput<'a>>,
        inputs: &'a Inputs,
        mut reader: PlanReader<'a>,
    ) -> Ahead<'scope, 'a> {
        let threads = reader.options.read.threads.take().map_or(1, NonZeroUsize::get);
        let limits = &mut reader.options.read.limits;
        limits.document = limits.document.min(SMALL);
        limits.string_kept = limits.string_kept.min(SMALL / 8);
        limits.secrets = limits.secrets.min(SECRETS);
        limits.document_marks = limits.document_marks.min(SECRETS);
        Ahead { pool: Pool::new(scope, queue, threads), reader, inputs, submitted: 0 }
    }

    /// Returns the recording of an input; `None` if the run must read the input itself. First
    /// submits further inputs. `done` is the length of the inputs before this one, in bytes.
    fn next(&mut self, index: usize, done: u64) -> Option<Recording> {
        self.submitted = self.submitted.max(index);
        while done >= ALONE
            && self.pool.threads() > 1
            && self.pool.has_room()
            && let Some(Ok(entry)) = self.inputs.entries.get(self.submitted)
            && entry.is_small()
        {
            let workspace = workspace(self.inputs, entry);
            let input = SmallInput { entry, workspace, recording: None };
            self.pool.submit(input, || self.reader.clone());
            self.submitted += 1;
        }
        if index < self.submitted { self.pool.recv()?.recording } else { None }
    }
}

/// A job: a small input that a worker reads ahead.
pub struct SmallInput<'a> {
    entry: &'a InputEntry,
    workspace: Option<String>,
    /// The result; `None` if the run must read the input itself.
    recording: Option<Recording>,
}

impl<'a> Worker for PlanReader<'a> {
    type Job = SmallInput<'a>;

    fn work(&mut self, job: &mut SmallInput<'a>) {
        let SmallInput { entry, workspace, recording } = job;
        let source = entry.source();
        let label = Label { source: &source, workspace: workspace.as_deref() };
        let read = self.options.read;
        let access =
            InputOptions { limits: read.limits, threads: Threads::One, mapping: Mapping::NEVER };
        *recording = record(|sink, events| {
            let opened = OpenInput::new(entry, &Opening::new(read, access), self.passes())?;
            let mut run = DocumentLoop::new(Consumer::Records(self.clone(), sink), events);
            run.documents(label, opened).map(drop)
        });
    }
}

/// Returns the bytes of an input, or zero if its length is unknown.
fn len_of(input: &std::result::Result<InputEntry, Unlisted>) -> u64 {
    input.as_ref().ok().and_then(|entry| entry.len).unwrap_or(0)
}

/// Returns the workspace of an input, if the output names workspaces.
fn workspace(inputs: &Inputs, entry: &InputEntry) -> Option<String> {
    inputs.shows_workspaces.then(|| inputs.workspace(entry))
}
