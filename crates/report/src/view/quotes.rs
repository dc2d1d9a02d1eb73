//! Masks what messages quote from a plan, as reports mask the values beside them. A message about
//! one value may come from any place, so a text that equals a short secret is masked, too.

use super::ViewSettings;
use super::shown::{DEEPER, ValueRenderer};
use plansift_core::path::Step;
use plansift_plan::marks::Marks;
use plansift_plan::marks::{ECHO, MASK};

/// Masks the secrets in paths and scalars that a message quotes.
#[derive(Debug)]
pub struct Quotes<'s> {
    renderer: ValueRenderer<'s>,
    marks: Marks,
}

impl<'s> Quotes<'s> {
    /// Masks the secrets that were collected from the document.
    pub fn new(known: ViewSettings<'s>) -> Quotes<'s> {
        let marks = known.options.marks(&known.options.read.limits);
        Quotes { renderer: ValueRenderer::new(known), marks }
    }

    /// Whether an output is secret as a whole, because of its declaration or its name.
    pub fn hides_output(&self, name: &str) -> bool {
        self.renderer.declared().has_output(name) || self.marks.is_name(name)
    }

    /// Returns the number of steps to the outermost value on a path that is secret by the name of
    /// its key; `None` if no name on the path makes a value secret.
    pub fn named_depth<'p>(&self, steps: impl IntoIterator<Item = Step<'p>>) -> Option<usize> {
        self.marks.named_depth(steps)
    }

    /// Returns the number of steps to the outermost value on a path that the changes of an address
    /// mark; `None` if they mark no value on the path.
    pub fn marked_depth<'p>(
        &self,
        address: &str,
        steps: impl IntoIterator<Item = Step<'p>>,
    ) -> Option<usize> {
        self.renderer.marked_paths().marked_depth(address, steps)
    }

    /// Whether a key repeats a secret.
    pub fn hides_key(&self, key: &str) -> bool {
        self.renderer.hides_key(key)
    }

    /// Whether a text equals a secret.
    pub fn hides_text(&self, text: &str) -> bool {
        self.renderer.equals_secret(text.as_bytes())
    }

    /// Returns a text with its secrets masked: a name, or a message of one or several lines.
    pub fn text(&self, text: String) -> String {
        self.renderer.text(text)
    }

    /// Returns a string in quotes, with its secrets masked.
    pub fn string(&mut self, text: String) -> String {
        if self.renderer.equals_secret(text.as_bytes()) {
            return ECHO.to_owned();
        }
        let shown = self.renderer.whole_text(text);
        match [MASK, ECHO, DEEPER].contains(&&*shown) {
            true => shown,
            false => format!("{shown:?}"),
        }
    }

    /// Returns a number, or its mask.
    pub fn number(&self, number: String) -> String {
        let text = number.as_bytes();
        match self.renderer.equals_secret(text) || self.renderer.is_secret_number(text) {
            true => ECHO.to_owned(),
            false => number,
        }
    }
}
