//! The output formats: each sink writes records in one format.

#[cfg(feature = "report")]
mod alike;
#[cfg(feature = "report")]
pub mod annotate;
#[cfg(feature = "assert")]
pub mod assertions;
#[cfg(feature = "report")]
mod cells;
#[cfg(feature = "report")]
pub mod code_quality;
#[cfg(feature = "report")]
pub mod configuration;
#[cfg(feature = "report")]
pub mod csv;
#[cfg(feature = "report")]
mod figures;
#[cfg(feature = "report")]
pub mod filter;
#[cfg(feature = "report")]
pub mod findings;
#[cfg(feature = "report")]
pub mod fleet;
#[cfg(feature = "report")]
pub mod gate;
#[cfg(feature = "report")]
pub mod github;
#[cfg(feature = "report")]
pub mod gitlab;
#[cfg(feature = "report")]
pub mod html;
#[cfg(feature = "report")]
pub mod joined;
pub mod json;
#[cfg(feature = "report")]
pub mod junit;
#[cfg(feature = "report")]
mod loss;
#[cfg(feature = "report")]
pub mod markdown;
#[cfg(feature = "report")]
mod markup;
#[cfg(feature = "report")]
pub mod moves;
pub mod ndjson;
#[cfg(feature = "report")]
pub mod origin;
#[cfg(feature = "report")]
mod overview;
#[cfg(feature = "report")]
mod patterns;
#[cfg(feature = "report")]
mod phrase;
#[cfg(feature = "report")]
mod report;
#[cfg(feature = "report")]
pub mod sarif;
#[cfg(feature = "report")]
pub mod screen;
#[cfg(feature = "report")]
pub mod several;
#[cfg(feature = "report")]
mod short;
#[cfg(feature = "report")]
pub mod source_link;
#[cfg(feature = "report")]
mod spool;
#[cfg(feature = "report")]
pub mod summary;
#[cfg(feature = "report")]
pub mod term;
#[cfg(feature = "report")]
mod tool;
#[cfg(feature = "report")]
pub mod values;
#[cfg(feature = "report")]
pub mod variables;
#[cfg(feature = "report")]
mod wrap;

#[cfg(feature = "report")]
use self::csv::{Csv, Formulas};
#[cfg(feature = "report")]
pub use self::report::{ReportOptions, Streams};
use crate::error::{Error, ErrorKind};

pub use crate::record::{NullSink, Rendered, Renderer, Sink};

/// The format of machine-readable records.
#[cfg(feature = "report")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// See [`ndjson`].
    Ndjson,
    /// See [`json`].
    Json,
    /// See [`csv`].
    Csv(Formulas),
}

#[cfg(feature = "report")]
impl Form {
    /// Every format, in the order of the help.
    pub const ALL: [Form; 3] = [Form::Ndjson, Form::Json, Form::Csv(Formulas::Quoted)];

    /// Returns the format with this name; `None` if there is none.
    pub fn named(name: &str) -> Option<Form> {
        Form::ALL.into_iter().find(|form| form.extension() == name)
    }

    /// Returns the description of the format in the help of a command.
    pub fn description(self) -> &'static str {
        match self {
            Form::Ndjson => "One compact JSON object a line",
            Form::Json => "One JSON array",
            Form::Csv(_) => "Comma-separated values, safe for spreadsheets",
        }
    }

    /// Creates a sink that writes this format to `out`.
    pub fn sink<'a>(self, out: impl std::io::Write + 'a) -> Box<dyn Sink + 'a> {
        match self {
            Form::Ndjson => Box::new(ndjson::Ndjson::new(out)),
            Form::Json => Box::new(json::Json::new(out)),
            Form::Csv(formulas) => Box::new(Csv::new(out, formulas)),
        }
    }

    /// Returns the name of this format, which is also its file extension without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Form::Ndjson => "ndjson",
            Form::Json => "json",
            Form::Csv(_) => "csv",
        }
    }
}

/// The format of a report: the changes of all plans, for people or for another program.
#[cfg(feature = "report")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportForm {
    /// See [`term`].
    Term,
    /// See [`markdown`].
    Markdown,
    /// See [`html`].
    Html,
    /// See [`github`].
    Github,
    /// See [`fleet::document`].
    Json,
    /// See [`variables`].
    Variables,
    /// See [`junit`].
    Junit,
    /// See [`sarif`].
    Sarif,
    /// See [`gitlab`].
    Gitlab,
    /// See [`code_quality`].
    CodeQuality,
}

/// The name, description and properties of a [`ReportForm`].
#[cfg(feature = "report")]
struct Described {
    name: &'static str,
    description: &'static str,
    /// The endings of file names in this format.
    endings: &'static [&'static str],
    shows_attributes: bool,
}

#[cfg(feature = "report")]
impl ReportForm {
    /// Every format, in the order of the help.
    pub const ALL: [ReportForm; 10] = [
        ReportForm::Term,
        ReportForm::Markdown,
        ReportForm::Html,
        ReportForm::Github,
        ReportForm::Json,
        ReportForm::Variables,
        ReportForm::Junit,
        ReportForm::Sarif,
        ReportForm::Gitlab,
        ReportForm::CodeQuality,
    ];

    fn described(self) -> Described {
        let (name, description, endings, shows_attributes): (_, _, &[_], _) = match self {
            ReportForm::Term => ("term", "For a person at a terminal", &[".txt"], true),
            ReportForm::Markdown => (
                "markdown",
                "For a comment on a pull or merge request",
                &[".md", ".markdown"],
                true,
            ),
            ReportForm::Html => (
                "html",
                "A single page for a browser, which needs no network",
                &[".html", ".htm"],
                true,
            ),
            ReportForm::Github => (
                "github",
                "Annotations, a summary and outputs for a step of GitHub Actions",
                &[],
                true,
            ),
            ReportForm::Json => ("json", "All plans as one document", &[".json"], false),
            ReportForm::Variables => (
                "variables",
                "Counts of all plans, for a shell or GitLab's dotenv",
                &[".env"],
                false,
            ),
            ReportForm::Junit => ("junit", "Tests: one for each rule and check", &[".xml"], false),
            ReportForm::Sarif => {
                ("sarif", "Findings: one for each broken rule and check", &[".sarif"], false)
            }
            ReportForm::Gitlab => {
                ("gitlab", "Counts, for GitLab's merge request widget", &[], false)
            }
            ReportForm::CodeQuality => {
                ("code-quality", "Findings, for GitLab's code quality report", &[], false)
            }
        };
        Described { name, description, endings, shows_attributes }
    }

    /// Returns the format with this name; `None` if there is none.
    pub fn named(name: &str) -> Option<ReportForm> {
        ReportForm::ALL.into_iter().find(|form| form.name() == name)
    }

    /// Guesses the format of a file from the ending of its name.
    pub fn of_file(name: &str) -> Option<ReportForm> {
        let name = name.to_ascii_lowercase();
        let fits =
            |form: &ReportForm| form.described().endings.iter().any(|end| name.ends_with(end));
        ReportForm::ALL.into_iter().find(fits)
    }

    /// Returns the name of this format.
    pub fn name(self) -> &'static str {
        self.described().name
    }

    /// Returns the description of the format in the help of a command.
    pub fn description(self) -> &'static str {
        self.described().description
    }

    /// Returns whether the format shows individual attributes. Only such formats are filtered.
    pub fn shows_attributes(self) -> bool {
        self.described().shows_attributes
    }

    /// Creates a sink that writes this format to `streams`.
    ///
    /// # Errors
    ///
    /// Fails if the first page cannot be opened.
    pub fn sink<'s>(
        self,
        mut streams: Streams<'s>,
        options: ReportOptions<'_>,
    ) -> crate::error::Result<Box<dyn Sink + 's>> {
        let rules = options.rules;
        Ok(match self {
            ReportForm::Term => {
                let term = term::Term::new(streams.first_page()?, options.screen.color, rules);
                options.filtered(Box::new(term.with(&options)))
            }
            ReportForm::Html => {
                options.filtered(Box::new(html::Html::new(streams.first_page()?, &options)))
            }
            ReportForm::Markdown => options.filtered(options.markdown(streams.pages, options.fit)),
            ReportForm::Github => {
                let (out, outputs) = (streams.first_page()?, streams.step_outputs);
                let summary = streams
                    .step_summary
                    .map(|pages| options.filtered(options.markdown(pages, github::SUMMARY_FIT)));
                Box::new(github::Github::new(out, summary, outputs, &options))
            }
            ReportForm::Json => {
                Box::new(fleet::document::Document::new(streams.first_page()?, rules))
            }
            ReportForm::Variables => {
                Box::new(variables::Variables::new(streams.first_page()?, rules))
            }
            ReportForm::Junit => Box::new(junit::Junit::new(streams.first_page()?, &options)),
            ReportForm::Sarif => Box::new(sarif::Sarif::new(streams.first_page()?, &options)),
            ReportForm::Gitlab => Box::new(gitlab::Gitlab::new(streams.first_page()?, rules)),
            ReportForm::CodeQuality => {
                Box::new(code_quality::CodeQuality::new(streams.first_page()?, &options))
            }
        })
    }
}

fn write_error(error: impl Into<std::io::Error>) -> Error {
    Error::io(ErrorKind::Write, error.into())
}

/// Size of an output buffer, in bytes.
const BUFFER: usize = 64 << 10;

/// Decides when to flush: at once for the first rows, so that a waiting reader sees them soon, and
/// then rarely, so that large outputs are written in large chunks.
struct Pace {
    /// Time of the last flush.
    flushed: std::time::Instant,
    rows: u32,
}

impl Pace {
    fn new() -> Pace {
        Pace { flushed: std::time::Instant::now(), rows: 0 }
    }

    /// Counts `rows` more rows and returns whether to flush now.
    fn is_due(&mut self, rows: usize) -> bool {
        /// Number of first rows that are flushed one by one.
        const EARLY: u32 = 16;
        /// Minimum time between later flushes.
        const PAUSE: std::time::Duration = std::time::Duration::from_millis(50);
        let before = self.rows / 64;
        self.rows = self.rows.saturating_add(rows as u32);
        // Reading the clock for every row would be slow, so it is read about every 64 rows.
        let due =
            self.rows <= EARLY || (self.rows / 64 != before && self.flushed.elapsed() > PAUSE);
        if due {
            self.flushed = std::time::Instant::now();
        }
        due
    }
}

#[cfg(all(test, feature = "report"))]
mod tests;
