//! Instances of a resource that change alike: their names, and what they have in common.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::inert::visible;
use crate::record::{Attributes, ResourceChange};

/// A resource's address without its module, split into the name and the index. The name of a
/// deposed object contains its index and its deposed key.
pub(in crate::sink) fn names(change: &ResourceChange<'_>) -> (String, Option<String>) {
    let address = &*change.label();
    let module = change.module_address.as_deref().and_then(|module| address.strip_prefix(module));
    let name = module.and_then(|rest| rest.strip_prefix('.')).unwrap_or(address);
    let deposed = change.deposed.as_deref().map(|key| format!(" (deposed {})", visible(key)));
    let at = change.index.as_ref().and_then(|_| name.find('['));
    match (at, deposed) {
        (Some(at), None) => (visible(&name[..at]), Some(visible(&name[at..]))),
        (_, deposed) => (visible(name) + &deposed.unwrap_or_default(), None),
    }
}

/// A hash of everything in a change except its address. Changes with the same hash count as alike.
///
/// Comparing the rendered lines is not enough, because they may leave something out. `None` if some
/// attributes are left out: such a change is like no other.
pub(in crate::sink) fn likeness(change: &ResourceChange<'_>) -> Option<u64> {
    let Attributes { list, left_out: 0, unchanged } = &change.attributes else { return None };
    let mut hasher = DefaultHasher::new();
    let importing = change.importing.as_ref().map(|importing| importing.get());
    let reasons = (&change.action_reason, &change.deferred_reason, change.generated_config);
    let attributes = (list, unchanged);
    (&change.actions, change.moved_from(), importing, reasons, attributes).hash(&mut hasher);
    Some(hasher.finish())
}
