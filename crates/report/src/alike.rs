//! Groups the instances of a resource that change alike.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::view::Detail;
use plansift_core::inert::visible;
use plansift_plan::record::{Attributes, ResourceChange};

/// Maximum number of instances listed for a resource.
pub(crate) const NAMED: usize = 3;

/// Consecutive instances of a resource that change alike.
#[derive(Debug)]
pub(crate) struct Instances {
    /// The address of the resource without its module and index.
    pub name: String,
    /// The first [`NAMED`] indexes.
    pub indexes: Vec<String>,
    pub count: u64,
    /// See [`likeness`].
    likeness: Option<u64>,
}

impl Instances {
    /// Creates a group of one instance. Other instances can join only with [`Detail::Excerpts`].
    pub fn of(change: &ResourceChange<'_>, detail: Detail) -> Instances {
        let (name, index) = names(change);
        let likeness = likeness(change).filter(|_| detail == Detail::Excerpts);
        Instances { name, indexes: index.into_iter().collect(), count: 1, likeness }
    }

    /// Adds an instance if it changes alike. Returns whether it was added.
    pub fn take(&mut self, other: &Instances) -> bool {
        let is_alike = !self.indexes.is_empty()
            && !other.indexes.is_empty()
            && self.likeness.is_some()
            && (&self.name, self.likeness) == (&other.name, other.likeness);
        if is_alike {
            self.count += 1;
            if self.indexes.len() < NAMED {
                self.indexes.extend_from_slice(&other.indexes);
            }
        }
        is_alike
    }

    /// Returns the number of instances and the number of unlisted instances, in words. Empty for a
    /// single instance.
    pub fn others(&self) -> String {
        let count = self.count;
        match count - self.indexes.len() as u64 {
            _ if count == 1 => String::new(),
            0 => format!(" ({count} alike)"),
            more => format!(" and {more} more ({count} alike)"),
        }
    }
}

/// Returns a resource's address without its module, split into the name and the index. The name of
/// a deposed object contains its index and its deposed key.
fn names(change: &ResourceChange<'_>) -> (String, Option<String>) {
    let address = &*change.label();
    let module =
        change.resource.module_address.as_deref().and_then(|module| address.strip_prefix(module));
    let name = module.and_then(|rest| rest.strip_prefix('.')).unwrap_or(address);
    let deposed =
        change.resource.deposed.as_deref().map(|key| format!(" (deposed {})", visible(key)));
    let at = change.resource.index.as_ref().and_then(|_| name.find('['));
    match (at, deposed) {
        (Some(at), None) => (visible(&name[..at]), Some(visible(&name[at..]))),
        (_, deposed) => (visible(name) + &deposed.unwrap_or_default(), None),
    }
}

/// Returns a hash of everything in a change except its address. Changes with the same hash are
/// alike.
///
/// Comparing the rendered lines is not enough, because they may leave something out. Returns `None`
/// if the change has no complete list of attributes. Such a change is never alike.
fn likeness(change: &ResourceChange<'_>) -> Option<u64> {
    let Attributes { list, left_out: 0, unchanged, .. } = &change.attributes else { return None };
    let mut hasher = DefaultHasher::new();
    let importing = change.importing.as_ref().map(|importing| importing.get());
    let reasons = (&change.action_reason, &change.deferred_reason, change.generated_config);
    let attributes = (list, unchanged);
    (&change.actions, change.moved_from(), importing, reasons, attributes).hash(&mut hasher);
    Some(hasher.finish())
}
