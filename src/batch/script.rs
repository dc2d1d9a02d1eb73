//! What came of an input, kept to be told again when its turn comes: so several threads can have an
//! input each, and all is told in the order of the inputs.
//!
//! Only what is simple is kept. An input of which anything fails, or more comes than is kept, is
//! left to whoever tells, and read once more: so failures are told in one way only.

use super::documents::Note;
use super::reading::Reader;
use crate::error::{Error, ErrorKind, Result};
use crate::record::{Label, Plan, Record, SCHEMA_VERSION, Sifted, owned, weight};
use crate::sink::Sink;

/// How much is kept of an input, in bytes of memory.
const MAX: u64 = 1 << 20;

/// About what is kept of a plan beside its rows, in bytes of memory.
const PLAN: u64 = 4 << 10;

/// The records of an input's plans, and what else a reader is told of them.
#[derive(Debug, Default)]
pub struct Script {
    told: Vec<Told>,
    /// About what that takes in memory, in bytes.
    size: u64,
    /// Something is not in it.
    is_partial: bool,
}

#[derive(Debug)]
enum Told {
    Plan {
        name: Name,
        format_version: Option<String>,
        terraform_version: Option<String>,
    },
    Row(Box<Record<'static>>),
    /// And the last record before, which it holds.
    Done(Name, Box<Sifted>),
}

/// The label of a plan.
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

impl Script {
    /// What `read` tells of an input; `None`: that is to be read again by whoever tells.
    pub fn of(read: impl FnOnce(&mut Script) -> Result<()>) -> Option<Script> {
        let mut script = Script::default();
        let is_read = read(&mut script).is_ok();
        (is_read && !script.is_partial).then_some(script)
    }

    /// Tells a reader all of it.
    ///
    /// # Errors
    ///
    /// Those of the reader's sink.
    pub fn tell(self, reader: &mut impl Reader) -> Result<()> {
        self.told.into_iter().try_for_each(|told| match told {
            Told::Plan { name, format_version, terraform_version } => {
                let Label { source, workspace } = name.label();
                reader.sink().record(&Record::Plan(Plan {
                    schema_version: SCHEMA_VERSION,
                    source,
                    workspace,
                    format_version: format_version.as_deref(),
                    terraform_version: terraform_version.as_deref(),
                }))
            }
            Told::Row(row) => reader.sink().record(&row),
            Told::Done(name, sifted) => {
                reader.sink().record(&Record::Summary(&sifted.summary))?;
                reader.done(name.label(), &sifted);
                Ok(())
            }
        })
    }

    /// Makes room for something of that size.
    fn admit(&mut self, size: u64) -> Result<()> {
        self.size += size;
        if self.size > MAX { Err(left()) } else { Ok(()) }
    }
}

/// Ends the reading of what is left to whoever tells.
fn left() -> Error {
    Error::new(ErrorKind::Stopped)
}

impl Sink for Script {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        match record {
            Record::Plan(plan) => {
                let Plan { source, workspace, format_version, terraform_version, .. } = *plan;
                self.told.push(Told::Plan {
                    name: Name::of(Label { source, workspace }),
                    format_version: format_version.map(str::to_owned),
                    terraform_version: terraform_version.map(str::to_owned),
                });
                self.admit(PLAN)
            }
            // It comes with what is done.
            Record::Summary(_) => Ok(()),
            row => {
                self.told.extend(owned(row).map(|row| Told::Row(Box::new(row))));
                self.admit(weight(row))
            }
        }
    }

    fn failed(&mut self, _: Label<'_>, _: &Error) -> Result<()> {
        Err(left())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    fn waiting_max(&self) -> u64 {
        MAX
    }
}

impl Reader for Script {
    fn sink(&mut self) -> &mut dyn Sink {
        self
    }

    fn done(&mut self, label: Label<'_>, sifted: &Sifted) {
        self.told.push(Told::Done(Name::of(label), Box::new(sifted.clone())));
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
    use crate::record::Options;
    use crate::sink::ndjson::Ndjson;

    const INPUT: Label<'_> = Label { source: "plans.json", workspace: Some("w") };

    /// A plan of so many changes.
    fn plan(changes: usize) -> String {
        let change = r#"{"address":"a.b","change":{"actions":["create"]}}"#;
        let changes = vec![change; changes].join(",");
        format!(r#"{{"format_version":"1.2","resource_changes":[{changes}],"errored":true}}"#)
    }

    fn read(text: &str, reader: &mut impl Reader) -> Result<()> {
        let source = Slice(text.as_bytes());
        read_plans(source, INPUT, &Options::default(), Attributes::None, reader)
    }

    /// What a reader is told, in its order.
    struct Kept<'a> {
        sink: Ndjson<&'a mut Vec<u8>>,
        done: Vec<String>,
    }

    impl Reader for Kept<'_> {
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

    fn kept(tell: impl FnOnce(&mut Kept<'_>) -> Result<()>) -> (String, Vec<String>) {
        let mut text = Vec::new();
        let mut kept = Kept { sink: Ndjson::new(&mut text), done: Vec::new() };
        tell(&mut kept).and_then(|()| kept.sink.finish()).expect("it is told");
        let done = std::mem::take(&mut kept.done);
        drop(kept);
        (String::from_utf8(text).expect("UTF-8"), done)
    }

    #[test]
    fn what_is_kept_is_told_as_it_was_read() {
        let text = [plan(3), plan(0), plan(200)].join("\n");
        let script = Script::of(|script| read(&text, script)).expect("all of it");
        let expected = kept(|kept| read(&text, kept));
        assert_eq!(expected.1.len(), 3);
        assert_eq!(kept(|kept| script.tell(kept)), expected);
    }

    #[test]
    fn what_is_not_simple_is_left() {
        let broken = plan(2).replace("create", "create\\x");
        for text in ["", "[]", &broken, &[plan(1), broken.clone(), plan(1)].join("\n")] {
            assert!(Script::of(|script| read(text, script)).is_none(), "{text}");
        }
    }

    #[test]
    fn no_more_is_kept_than_a_little() {
        let mut changes = 1;
        while Script::of(|script| read(&plan(changes), script)).is_some() {
            changes *= 2;
        }
        assert!((500..100_000).contains(&changes), "{changes}");
        let plans = vec![plan(0); (MAX / PLAN) as usize].join("\n");
        assert!(Script::of(|script| read(&plans, script)).is_some());
        let more = [&plans, "\n", &plan(0)].concat();
        assert!(Script::of(|script| read(&more, script)).is_none());
    }
}
