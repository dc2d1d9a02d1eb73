//! Writes a plain text for models and for people in a hurry, as long as a budget allows.
//!
//! The text begins with the counts and warnings. Then it has one line for each change, in the order
//! of [`Risk`]. Below these lines come the paths that change, and in their place the values, as far
//! as the budget goes (`layout`).
//!
//! ```text
//!  records ─▶ group ─▶ runs, paths, values ─┐ at the end:
//!          └▶ overview ─────────────────────┴▶ layout
//! ```
//!
//! Lines of the program begin in the first column. Lines with texts from a plan are indented, and
//! no text from a plan begins a line.

mod entry;
mod layout;
mod overview;
mod risk;

use std::io::Write;
use std::sync::Arc;

use self::entry::{CompactEntry, EntryRenderer, Group, Run};
pub use self::risk::Risk;
use crate::cut::cut;
use crate::entry_store::{Entry, EntryStore, Room};
use crate::fit::Measure;
use crate::gate::CountedRules;
use crate::impact::with_impact;
use crate::overview::Overview;
use crate::phrase;
pub use crate::phrase::{remark, stand_in};
use crate::report::ReportOptions;
use crate::tool::Clues;
use crate::{Sink, write_error};
use plansift_core::error::{Error, Result};
use plansift_plan::record::patterns::UnmatchedPatterns;
use plansift_plan::record::{ActionInvocation, Hidden, Label, Record, ResourceChange};

/// Maximum number of characters of the version of a tool.
const VERSION: usize = 40;

/// Maximum number of characters of a name in the words about a change.
const NAME: usize = 200;

/// Returns what a change does besides its action, and why, in words. Empty if there is nothing to
/// say. Long names are shortened.
pub fn words(change: &ResourceChange<'_>) -> String {
    let quote = |text: &str| cut(text, NAME);
    with_impact(phrase::brief(change, |_, text| quote(text)), change, quote).join(", ")
}

/// Returns when an action is invoked, or why it is deferred, in words. Long names are shortened.
pub fn words_of_invocation(invoked: &ActionInvocation<'_>) -> String {
    phrase::invoked(invoked, |_, text| cut(text, NAME))
}

/// A sink that writes all plans as one text.
pub struct Compact<W: Write> {
    out: W,
    max: u64,
    counted_rules: CountedRules,
    patterns: Option<Arc<UnmatchedPatterns>>,
    overview: Overview,
    clues: Clues,
    /// The tool and the version that made the last plan.
    made_by: Option<String>,
    plans: u64,
    renderer: EntryRenderer,
    stores: Stores,
    /// The last changes. The next change joins them if it is alike.
    group: Option<Group>,
    /// The last changes. The next change joins them if only its index and its values differ.
    run: Option<Run>,
}

/// The entries until the text is written.
struct Stores {
    /// The lines of changes to the instances of a resource, without bodies.
    runs: EntryStore<Risk>,
    /// The lines of changes, with the paths that change as bodies.
    paths: EntryStore<Risk>,
    /// The values of the entries in `paths`, without heads.
    values: EntryStore<Risk>,
}

impl<W: Write> Compact<W> {
    /// Writes at most `max` bytes to `out`, after the last plan.
    pub fn new(out: W, max: u64, options: &ReportOptions<'_>) -> Compact<W> {
        let store = || EntryStore::new(Measure::Bytes, max);
        Compact {
            out,
            max,
            counted_rules: CountedRules::new(options.rules),
            patterns: options.patterns.clone(),
            overview: Overview::new(cut, 0),
            clues: Clues::default(),
            made_by: None,
            plans: 0,
            renderer: EntryRenderer::new(max, options.detail, options.links()),
            stores: Stores { runs: store(), paths: store(), values: store() },
            group: None,
            run: None,
        }
    }

    fn change(&mut self, risk: Risk, change: &ResourceChange<'_>) -> Result<()> {
        if self.stores.runs.room(risk) == Room::None {
            self.stores.runs.count(risk, 1);
            return Ok(());
        }
        let run = self.renderer.run(risk, change);
        if let Some(next) = Run::join(&mut self.run, run) {
            self.stores.runs.add(next.risk, &self.renderer.entry_of_run(&next))?;
        }
        if self.stores.paths.room(risk) == Room::None {
            return Ok(());
        }
        let instances = self.renderer.instances(change);
        if self.group.as_mut().is_some_and(|group| group.take(risk, &instances)) {
            return Ok(());
        }
        self.flush_group()?;
        self.group = Some(self.renderer.group(risk, instances, change));
        Ok(())
    }

    fn flush_group(&mut self) -> Result<()> {
        match self.group.take() {
            Some(group) => self.stores.put(group.run.risk, self.renderer.entry(group)),
            None => Ok(()),
        }
    }

    fn flush(&mut self) -> Result<()> {
        if let Some(run) = self.run.take() {
            self.stores.runs.add(run.risk, &self.renderer.entry_of_run(&run))?;
        }
        self.flush_group()
    }

    /// Adds the entry of a record that has one. The overview lists failed assertions among the
    /// broken rules.
    fn entry(&mut self, record: &Record<'_>) -> Result<()> {
        let Some(risk) = Risk::of(record) else { return Ok(()) };
        match record {
            Record::OutputChange(output) => self.add(risk, |renderer| renderer.output(output)),
            Record::ActionInvocation(invoked) | Record::DeferredActionInvocation(invoked) => {
                self.add(risk, |renderer| renderer.invocation(invoked))
            }
            Record::Check(check) => self.add(risk, |renderer| renderer.check(check)),
            record => record.resource().map_or(Ok(()), |change| self.change(risk, change)),
        }
    }

    fn add(
        &mut self,
        risk: Risk,
        render: impl FnOnce(&EntryRenderer) -> CompactEntry,
    ) -> Result<()> {
        if self.stores.runs.room(risk) == Room::None {
            self.stores.runs.count(risk, 1);
            return Ok(());
        }
        let entry = render(&self.renderer);
        let CompactEntry { count, head, .. } = &entry;
        let run = Entry { count: *count, head: head.clone(), ..Entry::default() };
        self.stores.runs.add(risk, &run)?;
        self.stores.put(risk, entry)
    }
}

impl Stores {
    fn put(&mut self, risk: Risk, entry: CompactEntry) -> Result<()> {
        if self.paths.room(risk) == Room::None {
            return Ok(());
        }
        let CompactEntry { count, head, paths, values } = entry;
        self.paths.add(risk, &Entry { count, head, body: paths, ..Entry::default() })?;
        self.values.add(risk, &Entry { count, body: values, ..Entry::default() })
    }

    fn each(&mut self) -> [&mut EntryStore<Risk>; 3] {
        [&mut self.runs, &mut self.paths, &mut self.values]
    }
}

impl<W: Write> Sink for Compact<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.clues.note(record);
        self.counted_rules.note(record);
        self.overview.note(record, &self.counted_rules);
        match record {
            Record::Plan(plan) => {
                let name = plan.workspace.unwrap_or(plan.source);
                let is_one_of_several = plan.workspace.is_some() || self.plans > 0;
                (self.group, self.run) = (None, None);
                self.renderer.plan = is_one_of_several.then(|| name.to_owned());
                self.plans += 1;
                Ok(())
            }
            Record::Summary(summary) => {
                self.flush()?;
                self.stores.each().into_iter().for_each(EntryStore::mark);
                let version = self.clues.version(summary).map(|version| cut(version, VERSION));
                let tool = self.clues.tool(summary).name();
                self.made_by = version.map(|version| format!("{tool} {version}"));
                Ok(())
            }
            record => self.entry(record),
        }
    }

    fn unseen(&mut self, record: &Record<'_>) -> Result<()> {
        self.clues.note(record);
        self.counted_rules.note(record);
        self.overview.note(record, &self.counted_rules);
        Ok(())
    }

    fn hidden(&mut self, hidden: &Hidden) -> Result<()> {
        self.overview.hide(hidden);
        Ok(())
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        (self.group, self.run) = (None, None);
        self.overview.fail(label, &error.to_string());
        self.stores.each().into_iter().try_for_each(EntryStore::forget)
    }

    fn finish(&mut self) -> Result<()> {
        self.overview.end(self.patterns.as_deref());
        // The overview gets half of the text, the entries the other half.
        let text = overview::text(&self.overview, self.made_by.as_deref(), self.max / 2);
        self.out.write_all(text.as_bytes()).map_err(write_error)?;
        let room = self.max.saturating_sub(text.len() as u64);
        layout::write(&mut self.out, &mut self.stores, self.overview.tool(), room)?;
        self.out.flush().map_err(write_error)
    }
}
