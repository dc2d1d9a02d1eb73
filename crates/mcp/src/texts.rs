//! Shows texts of plans in answers: secrets masked, hidden characters visible, long texts cut.

use plansift_core::inert::visible;
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

    /// Whether a key of a path repeats a secret.
    pub fn hides_key(&self, key: &str) -> bool {
        self.quotes.iter().any(|quotes| quotes.hides_key(key))
    }
}
