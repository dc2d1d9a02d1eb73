//! Which values overlays mark, and what happens to an overlay that does not fit its value.

use std::collections::BTreeSet;

use super::tree::{Kind, Node, Step};

pub type Path = Vec<Step>;

/// Which side of a change an overlay is applied to: its own side or the other side.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Own,
    Other,
}

/// Marked places, relative to the value.
#[derive(Default)]
pub struct Places {
    found: BTreeSet<Path>,
    /// The places that are marked because an overlay does not fit.
    pub misfits: BTreeSet<Path>,
    /// The places where an overlay is `true`.
    pub whole: BTreeSet<Path>,
}

impl Places {
    /// Adds the places that an overlay marks in a value. The value may be absent.
    pub fn add(&mut self, overlay: Option<&Node>, value: Option<&Node>, side: Side) {
        if let Some(overlay) = overlay {
            self.walk(overlay, value, side, &mut Path::new());
        }
    }

    /// Adds the places without values where one overlay is an object and the other an array.
    pub fn add_mismatches(&mut self, overlays: [&Node; 2], sides: [Option<&Node>; 2], at: &Path) {
        if overlays.into_iter().any(|it| marks_nothing(it) || it.children().is_empty()) {
            return;
        }
        let is_absent = sides.into_iter().flatten().all(Node::is_null);
        let [one, two] = overlays.map(|it| std::mem::discriminant(&it.kind));
        if is_absent && one != two {
            self.found.insert(at.clone());
            self.misfits.insert(at.clone());
        }
        for (step, one) in overlays[0].children() {
            if let Some(two) = overlays[1].child(&step) {
                let sides = sides.map(|side| side.and_then(|value| value.child(&step)));
                self.add_mismatches([one, two], sides, &[&at[..], &[step]].concat());
            }
        }
    }

    /// Adds a place that another section marks.
    pub fn insert(&mut self, place: &[Step]) {
        self.found.insert(place.to_vec());
    }

    /// The places that are not below another place.
    pub fn outermost(&self) -> Vec<Path> {
        let covered = |path: &&Path| (0..path.len()).any(|len| self.found.contains(&path[..len]));
        self.found.iter().filter(|path| !covered(path)).cloned().collect()
    }

    fn walk(&mut self, overlay: &Node, value: Option<&Node>, side: Side, at: &mut Path) {
        let value = value.filter(|value| !value.is_null());
        if marks_nothing(overlay) {
            return;
        }
        if overlay.is_true() {
            self.found.insert(at.clone());
            self.whole.insert(at.clone());
        } else if fits(overlay, value, side) {
            for (step, inner) in overlay.children() {
                let below = value.and_then(|value| value.child(&step));
                at.push(step);
                self.walk(inner, below, side, at);
                at.pop();
            }
        } else {
            self.found.insert(at.clone());
            self.misfits.insert(at.clone());
        }
    }
}

/// Whether an overlay has only objects, lists, `false` and `null`.
pub fn marks_nothing(overlay: &Node) -> bool {
    overlay.text().is_none()
        && !overlay.is_true()
        && overlay.children().iter().all(|(_, inner)| marks_nothing(inner))
}

/// Whether the marks in an overlay can be looked up in the value.
fn fits(overlay: &Node, value: Option<&Node>, side: Side) -> bool {
    match (&overlay.kind, value.map(|value| &value.kind)) {
        (Kind::Object(_), None | Some(Kind::Object(_))) | (Kind::Array(_), None) => true,
        (Kind::Array(marks), Some(Kind::Array(elements))) => {
            side == Side::Other || marks.len() == elements.len()
        }
        _ => false,
    }
}
