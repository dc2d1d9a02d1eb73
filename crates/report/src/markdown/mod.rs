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
mod entries;
mod entry;
pub mod fleet;
mod layout;
mod overview;
mod quoted;

use std::io::Write;
use std::sync::Arc;

pub(crate) use self::entries::Entries;
use self::entry::AlikeChanges;
pub(crate) use self::entry::EntryRenderer;
pub(crate) use self::overview::list;
pub(crate) use self::quoted::{span, text_span};
use crate::gate::{CountedRules, Rule};
use crate::loss;
use crate::overview::{Class, Overview};
use crate::source_link::SourceLinks;
use crate::view::Detail;
use plansift_core::error::{Error, Result};
use plansift_plan::record::patterns::UnmatchedPatterns;
use plansift_plan::record::{Hidden, Label, Record, ResourceChange};
use plansift_plan::sink::Sink;

pub use crate::fit::{FIT_MIN, Fit, Measure, Rest};

/// The output of a page.
pub type Page<'s> = Box<dyn Write + 's>;

/// Opens the page of the given number, from 1. Only [`Rest::Parts`] has more than one page.
pub type Open<'s> = Box<dyn FnMut(u64) -> Result<Page<'s>> + 's>;

/// A sink that writes all plans as one report.
pub struct Markdown<'s> {
    counted_rules: CountedRules,
    patterns: Option<Arc<UnmatchedPatterns>>,
    overview: Overview,
    entries: Entries<'s>,
    plans: u64,
    /// The name of the current plan.
    name: String,
    /// The last changes. The next change joins them if it is alike.
    pending: Option<AlikeChanges>,
}

impl<'s> Markdown<'s> {
    /// Creates a report that lists the broken `rules`. It opens its pages after the last plan.
    pub fn new(open: Open<'s>, rules: &[Rule], fit: Fit) -> Markdown<'s> {
        Markdown {
            counted_rules: CountedRules::new(rules),
            patterns: None,
            overview: Overview::new(span, overview::LISTED),
            entries: Entries::new(open, fit),
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
        (self.entries.renderer.detail, self.entries.renderer.links) = (detail, links);
        self.patterns = patterns;
        self
    }

    fn change(&mut self, class: Class, change: &ResourceChange<'_>) -> Result<()> {
        if !self.entries.has_room(class) {
            self.entries.count(class);
            return Ok(());
        }
        let next = self.entries.renderer.change(class, change);
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
        let entry = alike.entry(&self.entries.renderer);
        self.entries.put(class, entry)
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
                self.entries.renderer.plan = is_one_of_several.then(|| name.to_owned());
                name.clone_into(&mut self.name);
                self.plans += 1;
                Ok(())
            }
            Record::ResourceChange(change) => {
                let (class, renderer) = (Class::of(change), &self.entries.renderer);
                if let Some(rank) = loss::rank(change) {
                    self.overview.losses.note(rank, || renderer.loss(class, change));
                }
                self.change(class, change)
            }
            Record::ResourceDrift(change) => self.change(Class::Drift, change),
            Record::DeferredChange(change) => self.change(Class::Deferred, change),
            Record::OutputChange(output) => {
                self.entries.add(Class::Output, |renderer| renderer.output(output))
            }
            Record::ActionInvocation(invoked) => {
                self.entries.add(Class::Invocation, |renderer| renderer.invocation(invoked))
            }
            Record::DeferredActionInvocation(deferred) => {
                self.entries.add(Class::DeferredAction, |renderer| renderer.invocation(deferred))
            }
            Record::Check(check) => {
                self.entries.add(Class::Check, |renderer| renderer.check(check))
            }
            Record::Summary(_) => {
                self.flush()?;
                let name = std::mem::take(&mut self.name);
                self.entries.add_to_key(&name);
                self.entries.mark();
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
        self.entries.add_to_key(name);
        self.overview.fail(label, &error.to_string());
        self.entries.forget()
    }

    fn finish(&mut self) -> Result<()> {
        self.overview.end(self.patterns.as_deref());
        // The overview gets half of the first page, the entries the other half.
        let Fit { max, measure, .. } = self.entries.fit();
        let text = overview::text(&self.overview, measure, max / 2);
        self.entries.write(&text, self.overview.tool())
    }
}
