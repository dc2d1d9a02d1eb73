//! Paths into documents in strings, and into documents inside these.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use plansift_core::text_document::Syntax;

/// The paths to copies, as a tree. A path that several copies share is stored once.
#[derive(Debug, Default)]
pub(crate) struct Trails {
    nodes: Vec<TrailNode>,
    /// The keys of all nodes, joined.
    keys: String,
}

/// The index of the last step of a path in a tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrailId(u32);

#[derive(Debug)]
struct TrailNode {
    around: Option<TrailId>,
    step: Packed,
    /// A digest of the path.
    digest: u64,
}

#[derive(Clone, Debug, Hash)]
enum Packed {
    Document(Syntax),
    Key(Range<usize>),
    Index(u32),
}

/// A step of the path to a copy.
#[derive(Clone, Copy, Debug, Hash)]
pub(crate) enum TrailStep<'t> {
    /// From a string to the document in it.
    Document(Syntax),
    Key(&'t str),
    Index(u32),
}

impl Trails {
    /// Returns the steps of a path.
    pub fn steps(&self, last: TrailId) -> Vec<TrailStep<'_>> {
        let node = |id: &TrailId| &self.nodes[id.0 as usize];
        let ids = std::iter::successors(Some(last), |id| node(id).around);
        let mut steps: Vec<_> = ids.map(|id| self.step(&node(&id).step)).collect();
        steps.reverse();
        steps
    }

    fn step(&self, step: &Packed) -> TrailStep<'_> {
        match step {
            Packed::Document(syntax) => TrailStep::Document(*syntax),
            Packed::Key(range) => TrailStep::Key(&self.keys[range.clone()]),
            Packed::Index(index) => TrailStep::Index(*index),
        }
    }

    /// Adds a path: a known path and one more step.
    pub(super) fn push(&mut self, around: Option<TrailId>, step: TrailStep<'_>) -> TrailId {
        let mut hasher = DefaultHasher::new();
        (around.map_or(0, |around| self.digest(around)), step).hash(&mut hasher);
        let step = match step {
            TrailStep::Document(syntax) => Packed::Document(syntax),
            TrailStep::Index(index) => Packed::Index(index),
            TrailStep::Key(key) => {
                self.keys.push_str(key);
                Packed::Key(self.keys.len() - key.len()..self.keys.len())
            }
        };
        self.nodes.push(TrailNode { around, step, digest: hasher.finish() });
        TrailId(self.nodes.len() as u32 - 1)
    }

    /// A digest of a path.
    pub(super) fn digest(&self, id: TrailId) -> u64 {
        self.nodes[id.0 as usize].digest
    }
}
