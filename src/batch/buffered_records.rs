//! A recording of the events of an input. A worker thread records an input, and the main thread
//! replays the recordings in input order.
//!
//! A worker gives up on an input that fails, holds a state, causes a note, or exceeds the memory of
//! a recording. The main thread then reads that input again, so failures and notes have one code
//! path.

use super::documents::Note;
use super::reading::{Reader, ends_run};
use crate::error::{Error, ErrorKind, Result};
use crate::record::holdings::Holdings;
use crate::record::{Label, Plan, Record, SCHEMA_VERSION, Sifted, owned, weight};
use crate::sink::Sink;

/// The memory limit of a recording, in bytes.
const MAX: u64 = 1 << 20;

/// The estimated memory of a plan without its rows, in bytes.
const PLAN: u64 = 4 << 10;

/// The recorded events of an input, in order.
#[derive(Debug, Default)]
pub struct BufferedRecords {
    events: Vec<Event>,
    /// The estimated memory of the events, in bytes.
    size: u64,
    /// True after an event that cannot be recorded.
    is_partial: bool,
}

#[derive(Debug)]
enum Event {
    /// The first record of a plan.
    Plan { name: Name, format_version: Option<String>, terraform_version: Option<String> },
    /// A record between the first and the last.
    Row(Box<Record<'static>>),
    /// The last record of a plan, and its end.
    Done(Name, Box<Sifted>),
}

#[derive(Debug)]
struct Name {
    source: String,
    workspace: Option<String>,
}

impl Name {
    fn of(label: Label<'_>) -> Name {
        let Label { source, workspace } = label;
        Name { source: source.to_owned(), workspace: workspace.map(str::to_owned) }
    }

    fn label(&self) -> Label<'_> {
        Label { source: &self.source, workspace: self.workspace.as_deref() }
    }
}

impl BufferedRecords {
    /// Records the events that `read` produces. Returns `None` if the caller must read the input
    /// again.
    pub fn of(read: impl FnOnce(&mut BufferedRecords) -> Result<()>) -> Option<BufferedRecords> {
        let mut buffered = BufferedRecords::default();
        let is_read = read(&mut buffered).is_ok();
        (is_read && !buffered.is_partial).then_some(buffered)
    }

    /// Replays all events to a reader.
    ///
    /// # Errors
    ///
    /// Fails like [`read_plans`](super::reading::read_plans).
    pub fn replay(self, reader: &mut impl Reader) -> Result<()> {
        // True until the end of a plan that the sink refuses.
        let mut is_refused = false;
        self.events.into_iter().try_for_each(|event| match event {
            Event::Plan { name, format_version, terraform_version } => {
                let Label { source, workspace } = name.label();
                let recorded = reader.sink().record(&Record::Plan(Plan {
                    schema_version: SCHEMA_VERSION,
                    source,
                    workspace,
                    format_version: format_version.as_deref(),
                    terraform_version: terraform_version.as_deref(),
                }));
                match recorded {
                    Err(error) if !ends_run(&error) => {
                        is_refused = true;
                        reader.refuse(name.label(), &error)
                    }
                    recorded => recorded,
                }
            }
            Event::Row(_) if is_refused => Ok(()),
            Event::Row(row) => reader.sink().record(&row),
            Event::Done(..) if is_refused => {
                is_refused = false;
                Ok(())
            }
            Event::Done(name, sifted) => {
                reader.sink().record(&Record::Summary(&sifted.summary))?;
                reader.done(name.label(), &sifted);
                Ok(())
            }
        })
    }

    /// Adds to the estimated memory. Fails if the total exceeds the limit.
    fn admit(&mut self, size: u64) -> Result<()> {
        self.size += size;
        if self.size > MAX { Err(given_up()) } else { Ok(()) }
    }
}

/// Returns the error that ends a recording; the main thread then reads the input again.
fn given_up() -> Error {
    Error::new(ErrorKind::Stopped)
}

impl Sink for BufferedRecords {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        match record {
            Record::Plan(plan) => {
                let Plan { source, workspace, format_version, terraform_version, .. } = *plan;
                self.events.push(Event::Plan {
                    name: Name::of(Label { source, workspace }),
                    format_version: format_version.map(str::to_owned),
                    terraform_version: terraform_version.map(str::to_owned),
                });
                self.admit(PLAN)
            }
            // `Reader::done` records the summary.
            Record::Summary(_) => Ok(()),
            row => {
                self.events.extend(owned(row).map(|row| Event::Row(Box::new(row))));
                self.admit(weight(row))
            }
        }
    }

    fn failed(&mut self, _: Label<'_>, _: &Error) -> Result<()> {
        Err(given_up())
    }

    fn state(&mut self, _: Label<'_>, _: &Holdings) -> Result<()> {
        Err(given_up())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    fn waiting_max(&self) -> u64 {
        MAX
    }
}

impl Reader for BufferedRecords {
    fn sink(&mut self) -> &mut dyn Sink {
        self
    }

    fn done(&mut self, label: Label<'_>, sifted: &Sifted) {
        self.events.push(Event::Done(Name::of(label), Box::new(sifted.clone())));
    }

    fn failed(&mut self, _: Label<'_>, _: &Error) {
        self.is_partial = true;
    }

    fn note(&mut self, _: Label<'_>, _: Note) {
        self.is_partial = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::reading::{Attributes, read_plans};
    use crate::input::Slice;
    use crate::record::RecordOptions;
    use crate::sink::ndjson::Ndjson;

    const INPUT: Label<'_> = Label { source: "plans.json", workspace: Some("w") };

    /// Returns a plan with `changes` resource changes.
    fn plan(changes: usize) -> String {
        let change = r#"{"address":"a.b","change":{"actions":["create"]}}"#;
        let changes = vec![change; changes].join(",");
        format!(r#"{{"format_version":"1.2","resource_changes":[{changes}],"errored":true}}"#)
    }

    fn read(text: &str, reader: &mut impl Reader) -> Result<()> {
        let source = Slice(text.as_bytes());
        read_plans(source, INPUT, &RecordOptions::default(), Attributes::None, None, reader)
    }

    /// Collects the records as text, and the finished plans.
    struct Collected<'a> {
        sink: Ndjson<&'a mut Vec<u8>>,
        done: Vec<String>,
    }

    impl Reader for Collected<'_> {
        fn sink(&mut self) -> &mut dyn Sink {
            &mut self.sink
        }

        fn done(&mut self, label: Label<'_>, sifted: &Sifted) {
            self.done.push(format!("{label:?} {sifted:?}"));
        }

        fn failed(&mut self, label: Label<'_>, error: &Error) {
            panic!("{label:?}: {error}");
        }

        fn note(&mut self, _: Label<'_>, note: Note) {
            panic!("{note}");
        }
    }

    fn collected(read: impl FnOnce(&mut Collected<'_>) -> Result<()>) -> (String, Vec<String>) {
        let mut text = Vec::new();
        let mut collected = Collected { sink: Ndjson::new(&mut text), done: Vec::new() };
        read(&mut collected)
            .and_then(|()| collected.sink.finish())
            .expect("every record is written");
        let done = std::mem::take(&mut collected.done);
        drop(collected);
        (String::from_utf8(text).expect("UTF-8"), done)
    }

    #[test]
    fn a_recording_replays_the_events_of_its_input() {
        let text = [plan(3), plan(0), plan(200)].join("\n");
        let buffered = BufferedRecords::of(|buffered| read(&text, buffered)).expect("all of it");
        let expected = collected(|collected| read(&text, collected));
        assert_eq!(expected.1.len(), 3);
        assert_eq!(collected(|collected| buffered.replay(collected)), expected);
    }

    #[test]
    fn inputs_with_errors_are_not_recorded() {
        let broken = plan(2).replace("create", "create\\x");
        for text in ["", "[]", &broken, &[plan(1), broken.clone(), plan(1)].join("\n")] {
            assert!(BufferedRecords::of(|buffered| read(text, buffered)).is_none(), "{text}");
        }
    }

    #[test]
    fn recordings_have_a_memory_limit() {
        let mut changes = 1;
        while BufferedRecords::of(|buffered| read(&plan(changes), buffered)).is_some() {
            changes *= 2;
        }
        assert!((500..100_000).contains(&changes), "{changes}");
        let plans = vec![plan(0); (MAX / PLAN) as usize].join("\n");
        assert!(BufferedRecords::of(|buffered| read(&plans, buffered)).is_some());
        let more = [&plans, "\n", &plan(0)].concat();
        assert!(BufferedRecords::of(|buffered| read(&more, buffered)).is_none());
    }
}
