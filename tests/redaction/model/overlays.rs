//! The oracle for the overlays of values that are masked as a whole.

use super::super::marks::marks_nothing;
use super::super::tree::{Node, Step};
use super::{Model, Put};
use crate::naive;

impl Model<'_> {
    /// Replaces the overlays of a value that is masked as a whole. An overlay of parts becomes
    /// `false` if the change adds or removes the mark of the whole value.
    pub(super) fn hide_keys_of_marks(&mut self, change: &Node, place: &[Step]) {
        let at = |key: &str| change.get(key).and_then(|side| side.at(place));
        let members = ["before", "after", "after_unknown", "before_sensitive", "after_sensitive"]
            .map(|key| {
                (key.to_owned(), at(key).map(|node| node.value(self.text)).unwrap_or_default())
            });
        let changes =
            naive::changes_whole_mark(&serde_json::Value::Object(members.into_iter().collect()));
        for (key, is_lost) in ["before_sensitive", "after_sensitive"].into_iter().zip(changes) {
            match at(key).filter(|overlay| !marks_nothing(overlay)) {
                Some(overlay) if is_lost => self.edit(&overlay.range, Put::Word(false)),
                overlay => self.hide_parts(overlay),
            }
        }
    }

    /// Replaces an overlay of a value that is masked as a whole, if the overlay has parts and a
    /// mark.
    pub(super) fn hide_keys_of_mark(&mut self, overlay: Option<&Node>) {
        self.hide_parts(overlay.filter(|overlay| !marks_nothing(overlay)));
    }

    /// Replaces an overlay with keys by a boolean.
    pub(super) fn hide_keys(&mut self, unknown: Option<&Node>) {
        let has_keys = |node: &Node| node.all().iter().any(|node| !node.members().is_empty());
        self.hide_parts(unknown.filter(|unknown| has_keys(unknown)));
    }

    /// Replaces an overlay of parts by a boolean: whether it has a `true`.
    fn hide_parts(&mut self, overlay: Option<&Node>) {
        if let Some(overlay) = overlay {
            let all = overlay.all();
            if all.len() > 1 {
                self.edit(&overlay.range, Put::Word(all.iter().any(|node| node.is_true())));
            }
        }
    }
}
