//! Shows texts of plans in answers: secrets masked, hidden characters visible, long texts cut.

use plansift_core::inert::visible;
use plansift_core::path::Path;
use plansift_redact::secret::{Collected, SecretOptions};
use plansift_report::view::{Detail, Quotes, ViewSettings};

use crate::answer::{NAME_MAX, shortened};

/// Shows the texts of one document, or of two documents that are compared.
#[derive(Debug)]
pub struct Texts<'s> {
    /// The secrets of each document.
    quotes: Vec<Quotes<'s>>,
}

impl<'s> Texts<'s> {
    /// Hides the secrets that were collected from the documents with these options.
    pub fn new(documents: &'s [Collected], options: &'s SecretOptions) -> Texts<'s> {
        let known = |collected| ViewSettings { collected, options, detail: Detail::Excerpts };
        Texts { quotes: documents.iter().map(known).map(Quotes::new).collect() }
    }

    /// Returns a text without secrets and hidden characters.
    pub fn show(&self, text: &str) -> String {
        visible(&self.masked(text))
    }

    /// Like [`Texts::show`], and shortens a long name.
    pub fn name(&self, text: &str) -> String {
        shortened(&self.show(text), NAME_MAX)
    }

    /// Returns a text without secrets.
    pub fn masked(&self, text: &str) -> String {
        self.quotes.iter().fold(text.to_owned(), |text, quotes| quotes.text(text))
    }

    /// Returns the number of steps to the outermost value on a path that is secret by the name of
    /// its key, or by a mark of the changes of the address `marked_at`; `None` without such a
    /// value.
    pub fn secret_depth(&self, path: Path<'_>, marked_at: Option<&str>) -> Option<usize> {
        let depths = self.quotes.iter().flat_map(|quotes| {
            let marked = |address| quotes.marked_depth(address, path.steps());
            [quotes.named_depth(path.steps()), marked_at.and_then(marked)]
        });
        depths.flatten().min()
    }

    /// Whether a key of a path repeats a secret.
    pub fn hides_key(&self, key: &str) -> bool {
        self.quotes.iter().any(|quotes| quotes.hides_key(key))
    }
}
