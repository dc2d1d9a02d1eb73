//! How an element of a list is shown if it is added or removed as a whole.

use std::collections::HashSet;
use std::sync::Arc;

/// How an element of a list is shown as a whole.
#[derive(Clone, Debug, Default)]
pub(super) struct Element {
    /// The keys whose `null` is shown. All other members with `null` are left out. `None` means all
    /// keys.
    pub nulls: Option<Arc<HashSet<String>>>,
    /// The members that are not known yet, with their texts, in the order of the keys.
    pub unknown: Vec<(String, &'static str)>,
}
