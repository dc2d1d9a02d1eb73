//! The oracle for echoes: strings, numbers, and documents in strings.

use super::super::texts::{self, Judge};
use super::super::tree::{Kind, Node};
use super::{Echo, Model, Put, is_attribute, is_mask};

impl Model<'_> {
    /// What takes the place of a string or number that is an echo, or of a string with echoes in
    /// its document.
    pub(super) fn echo(&self, node: &Node) -> Option<Put> {
        let is_changed = self.changed.contains(&node.range.start);
        let mask = if is_changed { Put::Changed } else { Put::Mask };
        let Kind::Text(text) = &node.kind else { return self.is_copy(node).then_some(mask) };
        if is_mask(text) {
            return None;
        }
        let is_document = texts::json(text).is_some_and(|document| self.is_marked(&document));
        if self.is_equal(node) || is_document {
            return Some(mask);
        }
        match texts::masked(text, self) {
            Some((document, 1..)) if !self.contains(&document) => Some(Put::Document(document)),
            _ => self.contains(text).then_some(mask),
        }
    }

    /// Whether a string or number equals a secret that is long enough for an echo.
    fn is_equal(&self, node: &Node) -> bool {
        let Some(text) = node.text().filter(|text| !is_mask(text)) else { return false };
        let is_echo = |text: &str| text.len() >= self.options.echo_min && self.repeats(text);
        is_echo(text) || node.texts().iter().any(|text| is_echo(text))
    }

    /// Whether a text contains a secret, if the options ask for that. White space does not count in
    /// a text of several lines.
    fn contains(&self, text: &str) -> bool {
        if self.options.echo != Echo::Contains {
            return false;
        }
        let squeezed = |text: &str| text.split_ascii_whitespace().collect::<String>();
        let is_spread = |secret: &str| {
            let inner = squeezed(secret);
            text.contains('\n')
                && inner.len() < secret.len()
                && inner.len() >= self.options.echo_min
                && squeezed(text).contains(&inner)
        };
        self.candidates().any(|secret| text.contains(secret.as_str()) || is_spread(secret))
    }
}

impl Judge for Model<'_> {
    fn is_copy(&self, node: &Node) -> bool {
        let is_containing = match &node.kind {
            // A document is searched for copies first.
            Kind::Text(text) => {
                !is_mask(text)
                    && self.contains(text)
                    && texts::masked(text, self).is_none_or(|(masked, _)| self.contains(&masked))
            }
            _ => false,
        };
        self.is_equal(node) || is_containing
    }

    fn is_key(&self, key: &str) -> bool {
        !is_attribute(key) && self.is_candidate(key)
    }

    fn is_marked(&self, node: &Node) -> bool {
        !node.children().is_empty() && self.contents.contains(&texts::content(node))
    }
}
