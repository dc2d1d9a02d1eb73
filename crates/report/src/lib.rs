#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod alike;
pub mod annotate;
pub mod assertions;
mod attribute_line;
mod cells;
mod change_list;
pub mod code_quality;
pub mod compact;
pub mod comparison;
pub mod configuration;
pub mod csv;
mod cut;
mod entry_store;
mod figures;
pub mod filter;
pub mod findings;
mod fit;
pub mod fleet;
pub mod gate;
pub mod github;
pub mod gitlab;
pub mod html;
mod impact;
pub mod joined;
pub mod junit;
mod loss;
pub mod markdown;
mod markup;
pub mod moves;
pub mod origin;
mod overview;
mod patterns;
mod phrase;
mod report;
pub mod sarif;
pub mod screen;
pub mod several;
mod short;
pub mod source_link;
mod spool;
pub mod summary;
pub mod summary_document;
pub mod term;
mod tool;
pub mod values;
pub mod variables;
pub mod view;
mod wrap;

use self::csv::{Csv, Formulas};
pub use self::report::{ReportOptions, Streams};

pub use plansift_plan::sink::{BUFFER, Pace, Sink, json, ndjson, write_error};

/// The format of machine-readable records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// See [`ndjson`].
    Ndjson,
    /// See [`json`].
    Json,
    /// See [`csv`].
    Csv(Formulas),
}

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

/// The name, description and properties of a [`ReportForm`].
struct Described {
    name: &'static str,
    description: &'static str,
    /// The endings of file names in this format.
    endings: &'static [&'static str],
    shows_attributes: bool,
}

/// Makes [`ReportForm`] from rows of: variant, name, description, endings of file names, whether
/// the format shows individual attributes.
macro_rules! report_forms {
    ($($(#[$doc:meta])* $variant:ident, $name:literal, $description:literal, $endings:expr,
        $shows_attributes:literal;)*) => {
        /// The format of a report: the changes of all plans, for people or for another program.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ReportForm {
            $($(#[$doc])* $variant,)*
        }

        impl ReportForm {
            /// Every format, in the order of the help.
            pub const ALL: [ReportForm; [$($name),*].len()] = [$(ReportForm::$variant),*];

            fn described(self) -> Described {
                match self {
                    $(ReportForm::$variant => Described {
                        name: $name,
                        description: $description,
                        endings: &$endings,
                        shows_attributes: $shows_attributes,
                    },)*
                }
            }
        }
    };
}

report_forms! {
    /// See [`term`].
    Term, "term", "For a person at a terminal", [".txt"], true;
    /// See [`markdown`].
    Markdown, "markdown", "For a comment on a pull or merge request", [".md", ".markdown"], true;
    /// See [`compact`].
    Compact, "compact", "Plain text for models and for people in a hurry, within --max-bytes", [],
        true;
    /// See [`html`].
    Html, "html", "A single page for a browser, which needs no network", [".html", ".htm"], true;
    /// See [`github`].
    Github, "github", "Annotations, a summary and outputs for a step of GitHub Actions", [], true;
    /// See [`fleet::document`].
    Json, "json", "All plans as one document", [".json"], false;
    /// See [`variables`].
    Variables, "variables", "Counts of all plans, for a shell or GitLab's dotenv", [".env"], false;
    /// See [`junit`].
    Junit, "junit", "Tests: one for each rule and check", [".xml"], false;
    /// See [`sarif`].
    Sarif, "sarif", "Findings: one for each broken rule and check", [".sarif"], false;
    /// See [`gitlab`].
    Gitlab, "gitlab", "Counts, for GitLab's merge request widget", [], false;
    /// See [`code_quality`].
    CodeQuality, "code-quality", "Findings, for GitLab's code quality report", [], false;
}

impl ReportForm {
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
    ) -> plansift_core::error::Result<Box<dyn Sink + 's>> {
        let rules = options.rules;
        Ok(match self {
            ReportForm::Term => {
                let term = term::Term::new(streams.first_page()?, options.screen.color, rules);
                options.filtered(Box::new(term.with(&options)))
            }
            ReportForm::Html => {
                options.filtered(Box::new(html::Html::new(streams.first_page()?, &options)))
            }
            ReportForm::Compact => {
                let (out, max) = (streams.first_page()?, options.max_bytes);
                options.filtered(Box::new(compact::Compact::new(out, max, &options)))
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

#[cfg(test)]
mod tests;
