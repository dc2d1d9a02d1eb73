//! Writes a Markdown report for a comment on a pull or merge request. The most important parts come
//! first, and details are folded.
//!
//! ```text
//!  records ─▶ entry ─▶ store, by class ─┐ at the end:
//!          └▶ overview ─────────────────┴▶ layout ─▶ pages
//! ```
//!
//! All text from a plan is in code spans or fences (`quoted`), so no host reads it as markup. If a
//! plan fails half-way, its entries are dropped, and it gets a row with its error.

mod attributes;
mod entry;
mod entry_store;
mod fit;
pub mod fleet;
mod layout;
mod overview;
mod quoted;

use std::io::Write;
use std::sync::Arc;

use self::entry::{AlikeChanges, EntryRenderer, MarkdownEntry};
use self::entry_store::{EntryStore, Room};
use self::layout::{Layout, has_room};
use self::quoted::span;
use crate::gate::{CountedRules, Rule};
use crate::loss;
use crate::overview::{Class, Overview};
use crate::source_link::SourceLinks;
use crate::view::Detail;
use plansift_core::error::{Error, Result};
use plansift_plan::record::patterns::UnmatchedPatterns;
use plansift_plan::record::{Hidden, Label, Record, ResourceChange};
use plansift_plan::sink::Sink;

pub use self::fit::{FIT_MIN, Fit, Measure, Rest};

/// The output of a page.
pub type Page<'s> = Box<dyn Write + 's>;

/// Opens the page of the given number, from 1. Only [`Rest::Parts`] has more than one page.
pub type Open<'s> = Box<dyn FnMut(u64) -> Result<Page<'s>> + 's>;

/// A sink that writes all plans as one report.
pub struct Markdown<'s> {
    open: Open<'s>,
    fit: Fit,
    counted_rules: CountedRules,
    patterns: Option<Arc<UnmatchedPatterns>>,
    overview: Overview,
    /// A hash of the plans' names that does not depend on their order. It identifies the report.
    key: u64,
    store: EntryStore,
    /// The entries without any cuts, for a report that has room for all of them. `None` once they
    /// exceed the length limit.
    full: Option<EntryStore>,
    renderer: EntryRenderer,
    plans: u64,
    /// The name of the current plan.
    name: String,
    /// The last changes. The next change joins them if it is alike.
    pending: Option<AlikeChanges>,
}

impl<'s> Markdown<'s> {
    /// Creates a report that lists the broken `rules`. It opens its pages after the last plan.
    pub fn new(open: Open<'s>, rules: &[Rule], fit: Fit) -> Markdown<'s> {
        let part = |share: u64| usize::try_from(fit.max / share).unwrap_or(usize::MAX);
        let (kept_max, [lines_max, plain_max]) = match (fit.rest, fit.max) {
            (Rest::LeftOut, u64::MAX) => (u64::MAX, [usize::MAX; 2]),
            // A single change gets a small share of the page.
            (Rest::LeftOut, max) => (max, [part(16), part(64)]),
            (Rest::Parts, _) => (u64::MAX, [part(2); 2]),
        };
        let (detail, links) = (Detail::Excerpts, SourceLinks::default());
        let renders_full = lines_max < usize::MAX && fit.rest == Rest::LeftOut;
        Markdown {
            open,
            fit,
            counted_rules: CountedRules::new(rules),
            patterns: None,
            overview: Overview::new(span, overview::LISTED),
            key: 0,
            store: EntryStore::new(fit.measure, kept_max),
            full: renders_full.then(|| EntryStore::new(fit.measure, kept_max)),
            renderer: EntryRenderer {
                plan: None,
                lines_max,
                plain_max,
                renders_full,
                detail,
                links,
            },
            plans: 0,
            name: String::new(),
            pending: None,
        }
    }

    /// Sets how much of each value to show, and links changes, outputs and checks to their blocks.
    /// With full detail, alike changes are not grouped. The report lists the `patterns` that
    /// match nothing.
    pub fn with(
        mut self,
        detail: Detail,
        links: SourceLinks,
        patterns: Option<Arc<UnmatchedPatterns>>,
    ) -> Markdown<'s> {
        (self.renderer.detail, self.renderer.links, self.patterns) = (detail, links, patterns);
        self
    }

    fn add_to_key(&mut self, name: &str) {
        let digest = *blake3::hash(name.as_bytes()).as_bytes();
        let [a, b, c, d, e, f, g, h, ..] = digest;
        self.key = self.key.wrapping_add(u64::from_le_bytes([a, b, c, d, e, f, g, h]));
    }

    fn change(&mut self, class: Class, change: &ResourceChange<'_>) -> Result<()> {
        if self.store.room(class) == Room::None {
            self.store.count(class, 1);
            return Ok(());
        }
        let next = self.renderer.change(class, change);
        let unmerged = match &mut self.pending {
            Some(alike) => alike.take(next),
            None => Some(next),
        };
        if unmerged.is_some() {
            self.flush()?;
            self.pending = unmerged;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        let Some(alike) = self.pending.take() else { return Ok(()) };
        let class = alike.class;
        let entry = alike.entry(&self.renderer);
        self.put(class, entry)
    }

    fn put(&mut self, class: Class, mut entry: MarkdownEntry) -> Result<()> {
        self.store.add(class, &entry)?;
        if let Some(full) = &mut self.full {
            entry.body = entry.full.take().unwrap_or(entry.body);
            full.add(class, &entry)?;
            if full.size() > self.fit.max {
                (self.full, self.renderer.renders_full) = (None, false);
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        class: Class,
        render: impl FnOnce(&EntryRenderer) -> MarkdownEntry,
    ) -> Result<()> {
        if self.store.room(class) == Room::None {
            self.store.count(class, 1);
            return Ok(());
        }
        let entry = render(&self.renderer);
        self.put(class, entry)
    }
}

impl Sink for Markdown<'_> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.counted_rules.note(record);
        self.overview.note(record, &self.counted_rules);
        match record {
            Record::Plan(plan) => {
                let name = plan.workspace.unwrap_or(plan.source);
                let is_one_of_several = plan.workspace.is_some() || self.plans > 0;
                self.renderer.plan = is_one_of_several.then(|| name.to_owned());
                name.clone_into(&mut self.name);
                self.plans += 1;
                Ok(())
            }
            Record::ResourceChange(change) => {
                let (class, renderer) = (Class::of(change), &self.renderer);
                if let Some(rank) = loss::rank(change) {
                    self.overview.losses.note(rank, || renderer.loss(class, change));
                }
                self.change(class, change)
            }
            Record::ResourceDrift(change) => self.change(Class::Drift, change),
            Record::DeferredChange(change) => self.change(Class::Deferred, change),
            Record::OutputChange(output) => {
                self.add(Class::Output, |renderer| renderer.output(output))
            }
            Record::ActionInvocation(invoked) => {
                self.add(Class::Invocation, |renderer| renderer.invocation(invoked))
            }
            Record::DeferredActionInvocation(deferred) => {
                self.add(Class::DeferredAction, |renderer| renderer.invocation(deferred))
            }
            Record::Check(check) => self.add(Class::Check, |renderer| renderer.check(check)),
            Record::Summary(_) => {
                self.flush()?;
                let name = std::mem::take(&mut self.name);
                self.add_to_key(&name);
                self.store.mark();
                self.full.iter_mut().for_each(EntryStore::mark);
                Ok(())
            }
            // The overview lists failed assertions among the broken rules.
            _ => Ok(()),
        }
    }

    fn unseen(&mut self, record: &Record<'_>) -> Result<()> {
        self.counted_rules.note(record);
        self.overview.note(record, &self.counted_rules);
        Ok(())
    }

    fn hidden(&mut self, hidden: &Hidden) -> Result<()> {
        self.overview.hide(hidden);
        Ok(())
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.pending = None;
        let name = label.workspace.unwrap_or(label.source);
        self.add_to_key(name);
        self.overview.fail(label, &error.to_string());
        self.full.iter_mut().try_for_each(EntryStore::forget)?;
        self.store.forget()
    }

    fn finish(&mut self) -> Result<()> {
        self.overview.end(self.patterns.as_deref());
        let Markdown { fit, overview, key, store, full, open, .. } = self;
        // The overview gets half of the first page, the entries the other half.
        let text = overview::text(overview, fit.measure, fit.max / 2);
        let (key, tool) = (*key, overview.tool());
        if let Some(full) = full.as_mut().filter(|full| has_room(*fit, tool, &text, full)) {
            std::mem::swap(store, full);
        }
        let parts = match fit.rest {
            Rest::LeftOut => 1,
            Rest::Parts => {
                let mut nowhere: Open<'_> = Box::new(|_| Ok(Box::new(std::io::sink())));
                Layout::new(*fit, [key, 0], tool, &text, &mut nowhere).write(store)?
            }
        };
        Layout::new(*fit, [key, parts], tool, &text, open).write(store)?;
        Ok(())
    }
}
