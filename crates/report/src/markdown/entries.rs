//! The entries of a report, and its pages.

use super::entry::EntryRenderer;
use super::layout::{Layout, has_room};
use super::{Open, Page};
use crate::entry_store::{Entry, EntryStore, Room};
use crate::fit::{Fit, Rest};
use crate::overview::Class;
use crate::source_link::SourceLinks;
use crate::tool::Tool;
use crate::view::Detail;
use plansift_core::error::Result;

/// Stores entries until the report is written.
pub(crate) struct Entries<'s> {
    open: Open<'s>,
    fit: Fit,
    /// A hash of the plans' names that does not depend on their order. It identifies the report.
    key: u64,
    store: EntryStore<Class>,
    /// The entries without any cuts, for a report that has room for all of them. `None` once they
    /// exceed the length limit.
    full: Option<EntryStore<Class>>,
    pub renderer: EntryRenderer,
}

impl<'s> Entries<'s> {
    /// Creates a report without entries. It opens its pages when it is written.
    pub fn new(open: Open<'s>, fit: Fit) -> Entries<'s> {
        let part = |share: u64| usize::try_from(fit.max / share).unwrap_or(usize::MAX);
        let (kept_max, [lines_max, plain_max]) = match (fit.rest, fit.max) {
            (Rest::LeftOut, u64::MAX) => (u64::MAX, [usize::MAX; 2]),
            // A single change gets a small share of the page.
            (Rest::LeftOut, max) => (max, [part(16), part(64)]),
            (Rest::Parts, _) => (u64::MAX, [part(2); 2]),
        };
        let (detail, links) = (Detail::Excerpts, SourceLinks::default());
        let renders_full = lines_max < usize::MAX && fit.rest == Rest::LeftOut;
        Entries {
            open,
            fit,
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
        }
    }

    /// Returns the limit on the length of the report.
    pub fn fit(&self) -> Fit {
        self.fit
    }

    /// Adds the name of a plan to the identity of the report.
    pub fn add_to_key(&mut self, name: &str) {
        let digest = *blake3::hash(name.as_bytes()).as_bytes();
        let [a, b, c, d, e, f, g, h, ..] = digest;
        self.key = self.key.wrapping_add(u64::from_le_bytes([a, b, c, d, e, f, g, h]));
    }

    /// Whether any part of another entry of a class would be stored.
    pub fn has_room(&self, class: Class) -> bool {
        self.store.room(class) != Room::None
    }

    /// Counts an item of a class without an entry.
    pub fn count(&mut self, class: Class) {
        self.store.count(class, 1);
    }

    /// Adds an entry.
    pub fn put(&mut self, class: Class, mut entry: Entry) -> Result<()> {
        self.store.add(class, &entry)?;
        if let Some(full) = &mut self.full {
            entry.body = entry.full.take().unwrap_or(entry.body);
            full.add(class, &entry)?;
            if full.all_size() > self.fit.max {
                (self.full, self.renderer.renders_full) = (None, false);
            }
        }
        Ok(())
    }

    /// Adds the entry that `render` returns, or only counts it if no part of it would be stored.
    pub fn add(
        &mut self,
        class: Class,
        render: impl FnOnce(&EntryRenderer) -> Entry,
    ) -> Result<()> {
        if !self.has_room(class) {
            self.count(class);
            return Ok(());
        }
        let entry = render(&self.renderer);
        self.put(class, entry)
    }

    /// Marks the end of a plan.
    pub fn mark(&mut self) {
        self.store.mark();
        self.full.iter_mut().for_each(EntryStore::mark);
    }

    /// Drops the entries since the last mark: their plan failed.
    pub fn forget(&mut self) -> Result<()> {
        self.full.iter_mut().try_for_each(EntryStore::forget)?;
        self.store.forget()
    }

    /// Writes the report: the overview `text`, then the entries.
    pub fn write(&mut self, text: &str, tool: Tool) -> Result<()> {
        let Entries { open, fit, key, store, full, .. } = self;
        let (fit, key) = (*fit, *key);
        if let Some(full) = full.as_mut().filter(|full| has_room(fit, tool, text, full)) {
            std::mem::swap(store, full);
        }
        let parts = match fit.rest {
            Rest::LeftOut => 1,
            Rest::Parts => {
                let nowhere = |_| -> Result<Page<'_>> { Ok(Box::new(std::io::sink())) };
                let mut nowhere: Open<'_> = Box::new(nowhere);
                Layout::new(fit, [key, 0], tool, text, &mut nowhere).write(store)?
            }
        };
        Layout::new(fit, [key, parts], tool, text, open).write(store)?;
        Ok(())
    }
}
