//! Stops a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::store::Stores;

/// Stops a run, from any thread. A stopped run opens no further inputs, and abandons open inputs at
/// their next window.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<State>);

#[derive(Debug, Default)]
struct State {
    is_set: AtomicBool,
    stores: Stores,
}

impl Stop {
    /// Creates a stop that also closes `stores`, so that no thread waits for their responses.
    pub fn with(stores: Stores) -> Stop {
        Stop(Arc::new(State { is_set: AtomicBool::new(false), stores }))
    }

    /// Stops the run.
    pub fn stop(&self) {
        self.0.is_set.store(true, Ordering::Relaxed);
        self.0.stores.close();
    }

    /// Whether the run was stopped.
    pub fn is_set(&self) -> bool {
        self.0.is_set.load(Ordering::Relaxed)
    }
}
