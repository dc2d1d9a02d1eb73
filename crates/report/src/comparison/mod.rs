//! Reports of comparisons for people: `overview` and `object` have the words, and each format lays
//! them out.

mod html;
mod markdown;
mod object;
mod overview;
mod term;

use std::io::Write;
use std::sync::Arc;

use self::html::Html;
use self::markdown::Markdown;
use self::overview::Overview;
use self::term::Term;
use crate::markdown::{Fit, Open};
use crate::screen::Screen;
use crate::view::Detail;
use crate::{Form, Sink};
use plansift_core::error::Result;
use plansift_plan::record::patterns::UnmatchedPatterns;

/// The format of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonForm {
    /// Text for a terminal.
    Term,
    /// Markdown for a comment.
    Markdown,
    /// A page for a browser.
    Html,
    /// See [`json`](crate::json).
    Json,
    /// See [`ndjson`](crate::ndjson).
    Ndjson,
}

/// The user's options for the report of a comparison. A format ignores the options that it does not
/// support.
#[derive(Clone, Debug)]
pub struct ComparisonOptions {
    /// How many single differences of an object the report lists, and how much of each value it
    /// shows. HTML lists all.
    pub detail: Detail,
    /// The screen of a report for a terminal.
    pub screen: Screen,
    /// The limit on the length of Markdown.
    pub fit: Fit,
    /// The patterns of the filters. A report for people warns of those that match nothing.
    pub patterns: Option<Arc<UnmatchedPatterns>>,
}

impl ComparisonForm {
    /// Every format, in the order of the help.
    pub const ALL: [ComparisonForm; 5] = [
        ComparisonForm::Term,
        ComparisonForm::Markdown,
        ComparisonForm::Html,
        ComparisonForm::Json,
        ComparisonForm::Ndjson,
    ];

    /// Returns the name of the format.
    pub fn name(self) -> &'static str {
        match self {
            ComparisonForm::Term => "term",
            ComparisonForm::Markdown => "markdown",
            ComparisonForm::Html => "html",
            ComparisonForm::Json => Form::Json.extension(),
            ComparisonForm::Ndjson => Form::Ndjson.extension(),
        }
    }

    /// Returns the description of the format in the help of a command.
    pub fn description(self) -> &'static str {
        match self {
            ComparisonForm::Term => "For a person at a terminal",
            ComparisonForm::Markdown => "For a comment on a pull or merge request",
            ComparisonForm::Html => "A single page for a browser, which needs no network",
            ComparisonForm::Json => Form::Json.description(),
            ComparisonForm::Ndjson => Form::Ndjson.description(),
        }
    }

    /// Creates a sink that writes this format to `pages`. Only Markdown has more than one page.
    ///
    /// # Errors
    ///
    /// Fails if the first page cannot be opened.
    pub fn sink<'s>(
        self,
        mut pages: Open<'s>,
        options: ComparisonOptions,
    ) -> Result<Box<dyn Sink + 's>> {
        let ComparisonOptions { detail, screen, fit, patterns } = options;
        let overview = Overview::new(patterns);
        Ok(match self {
            ComparisonForm::Term => Box::new(Term::new(pages(1)?, overview, screen, detail)),
            ComparisonForm::Markdown => Box::new(Markdown::new(pages, overview, fit, detail)),
            ComparisonForm::Html => Box::new(Html::new(pages(1)?, overview)),
            ComparisonForm::Json => Form::Json.sink(pages(1)?),
            ComparisonForm::Ndjson => Form::Ndjson.sink(pages(1)?),
        })
    }
}

/// Writes text to the output of a sink.
fn write(out: &mut impl Write, text: &str) -> Result<()> {
    out.write_all(text.as_bytes()).map_err(crate::write_error)
}

#[cfg(test)]
mod tests;
