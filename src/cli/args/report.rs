//! The arguments of `plansift report`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::{Echo, GateArgs, Plans, RecordArgs, SecretArgs};
use crate::glob::Glob;
use crate::nearest::nearest;
use crate::path::{self, AddressPattern};
use crate::record::view::Detail;
use crate::sink::filter::{Does, Noise, Only, Part};
use crate::sink::markdown::{FIT_MIN, Fit};

/// `plansift report`.
#[derive(Debug, Args)]
pub struct Report {
    /// What to write: term, markdown, html, github, json, variables, junit, sarif or gitlab; behind
    /// = the file, otherwise to standard output. Again for more, in the same run
    #[arg(short = 'o', long = "output", value_name = "FORMAT[=FILE]", value_parser = target,
          default_value = "term")]
    pub targets: Vec<Target>,
    /// Characters that markdown may have: those of a comment on github, gitlab or azure, or a
    /// number. What matters most is kept, whole rows only, and the last line counts the rest
    #[arg(long, value_name = "HOST|N", value_parser = fit)]
    pub fit: Option<u64>,
    /// Markdown in parts that fit instead: FILE, and beside it the same with .2, .3 before the
    /// extension
    #[arg(long, requires = "fit")]
    pub split: bool,
    /// Values of attributes: changed, unless there is --full; those that are sensitive, or repeat
    /// one that is, are never shown
    #[arg(long, value_enum, value_name = "WHICH")]
    pub values: Option<Values>,
    /// All of every value, list and text, those that stay too, and a row for each instance;
    /// otherwise 16 KiB of each value are shown, and of texts what differs
    #[arg(long)]
    pub full: bool,
    /// Columns of a line in reports for a terminal: longer values take several lines; 0: they never
    /// do. By default those of the terminal; files and pipes have room for 1000
    #[arg(long, value_name = "N", value_parser = width)]
    pub width: Option<usize>,
    /// What is left out of reports for people
    #[command(flatten)]
    pub noise: NoiseArgs,
    /// What is secret besides what is marked
    #[command(flatten)]
    pub secrets: SecretArgs,
    /// What the plans must not do
    #[command(flatten)]
    pub gate: GateArgs,
    /// Which records there are
    #[command(flatten)]
    pub records: RecordArgs,
    /// The plans, and how to read them
    #[command(flatten)]
    pub plans: Plans,
}

/// Which texts repeat a marked one: a report shows none of them, so there is no `off`.
pub(super) fn echo() -> impl TypedValueParser<Value = Echo> {
    let known = [Echo::Equal, Echo::Contains];
    let words = known.iter().filter_map(ValueEnum::to_possible_value);
    PossibleValuesParser::new(words)
        .map(|text| if text == "contains" { Echo::Contains } else { Echo::Equal })
}

impl Report {
    /// Which values are shown.
    pub fn values(&self) -> Values {
        self.values.unwrap_or(if self.full { Values::All } else { Values::Changed })
    }

    /// How much of each is shown.
    pub fn detail(&self) -> Detail {
        if self.full { Detail::Full } else { Detail::Excerpts }
    }
}

/// What is left out of reports for people. Rules and counts are about all of a plan.
#[derive(Debug, Args)]
pub struct NoiseArgs {
    /// Only changes to these types, addresses or modules, like 'aws_*', aws_vpc.main or
    /// module.network with everything in it; or by action, type, module, address or path of an
    /// attribute, as in action:delete or path:tags. Of each kind one must match
    #[arg(long, value_name = "[KIND:]GLOB", value_parser = only)]
    pub only: Vec<Only>,
    /// Without these attributes and all below them, like tags or '*.password'; an update of those
    /// alone is left out. What forces a replacement stays
    #[arg(long, value_name = "PATH", value_parser = super::path)]
    pub ignore_path: Vec<path::Pattern>,
    /// Without resources whose type matches
    #[arg(long, value_name = "GLOB", value_parser = nonempty)]
    pub ignore_type: Vec<String>,
    /// Without this
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    pub ignore: Vec<Ignore>,
    /// Drift alone
    #[arg(long, conflicts_with = "changes_only")]
    pub drift_only: bool,
    /// Everything but drift
    #[arg(long)]
    pub changes_only: bool,
}

/// What is mostly noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Ignore {
    /// Updates of tags and labels alone
    TagsOnly,
    /// Texts that differ in white space or formatting alone
    Whitespace,
    /// Lists that differ in their order alone
    SetOrder,
}

impl NoiseArgs {
    /// What it says.
    pub fn noise(&self) -> Noise {
        let ignores = |what| self.ignore.contains(&what);
        Noise {
            only: self.only.clone(),
            paths: self.ignore_path.clone(),
            types: self.ignore_type.iter().map(|text| Glob::new(text)).collect(),
            tags: ignores(Ignore::TagsOnly),
            format: ignores(Ignore::Whitespace),
            order: ignores(Ignore::SetOrder),
            part: match (self.drift_only, self.changes_only) {
                (true, _) => Part::Drift,
                (_, true) => Part::Changes,
                _ => Part::All,
            },
        }
    }
}

fn nonempty(text: &str) -> Result<String, String> {
    match text {
        "" => Err("nothing has an empty name".to_owned()),
        text => Ok(text.to_owned()),
    }
}

fn only(text: &str) -> Result<Only, String> {
    type Make = fn(&str) -> Result<Only, String>;
    let kinds: [(&str, Make); 5] = [
        ("address", |text| address(text).map(Only::Address)),
        ("type", |text| address(text).map(Only::Type)),
        ("module", |text| Ok(Only::Module(AddressPattern::new(text)))),
        ("action", |text| action(text).map(Only::Action)),
        ("path", |text| super::path(text).map(Only::Path)),
    ];
    let (word, rest) = text.split_once(':').unwrap_or(("", text));
    match kinds.iter().find(|(kind, _)| *kind == word) {
        Some((_, make)) => make(rest),
        // A colon of an address stands in quotes.
        None if text.contains(':') && !word.contains(['"', '*']) => {
            let kinds = kinds.map(|(kind, _)| kind);
            Err(format!("before the colon stands one of {}", kinds.join(", "))
                + &did_you_mean(nearest(word, kinds)))
        }
        None => address(text).map(Only::Name),
    }
}

fn address(text: &str) -> Result<AddressPattern, String> {
    nonempty(text).map(|text| AddressPattern::new(&text))
}

fn action(text: &str) -> Result<Does, String> {
    Does::named(text).ok_or_else(|| {
        let words: Vec<&str> = Does::words().collect();
        let near = nearest(text, words.iter().copied());
        format!("unknown action: the actions are {}", words.join(", ")) + &did_you_mean(near)
    })
}

/// Something to write, and where.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its form.
    pub format: ReportAs,
    /// The file; none: standard output.
    pub file: Option<PathBuf>,
}

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportAs {
    /// For a person at a terminal
    Term,
    /// For a comment on a pull or merge request
    Markdown,
    /// A page of its own for a browser, which needs no network
    Html,
    /// For a step of GitHub Actions: annotations to the output, and what the files named by
    /// GITHUB_STEP_SUMMARY and GITHUB_OUTPUT are for, to these
    Github,
    /// All plans as one document
    Json,
    /// Numbers of all plans, for a shell or GitLab's dotenv
    Variables,
    /// Tests: one for each rule and check
    Junit,
    /// Findings: one for each broken rule and check
    Sarif,
    /// Counts, as GitLab wants them
    Gitlab,
}

impl ReportAs {
    /// The form that a file probably is to have, by the end of its name.
    fn of_file(name: &str) -> Option<&'static str> {
        let formats = [
            (".txt", "term"),
            (".md", "markdown"),
            (".markdown", "markdown"),
            (".html", "html"),
            (".htm", "html"),
            (".json", "json"),
            (".env", "variables"),
            (".xml", "junit"),
            (".sarif", "sarif"),
        ];
        let name = name.to_ascii_lowercase();
        formats.into_iter().find_map(|(end, format)| name.ends_with(end).then_some(format))
    }

    /// Whether it tells what becomes of single attributes.
    pub fn shows_attributes(self) -> bool {
        match self {
            ReportAs::Term | ReportAs::Markdown | ReportAs::Html | ReportAs::Github => true,
            ReportAs::Json
            | ReportAs::Variables
            | ReportAs::Junit
            | ReportAs::Sarif
            | ReportAs::Gitlab => false,
        }
    }
}

/// Which values are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Values {
    /// None: the plan is read once
    None,
    /// Those of attributes that change
    Changed,
    /// Those of attributes that stay, too
    All,
}

/// Least columns of a line.
const WIDTH_MIN: usize = 40;

fn width(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Ok(usize::MAX),
        Ok(width) if width >= WIDTH_MIN => Ok(width),
        _ => Err(format!("a number from {WIDTH_MIN}, or 0")),
    }
}

fn fit(text: &str) -> Result<u64, String> {
    Fit::named(text).ok_or_else(|| format!("github, gitlab, azure, or a number from {FIT_MIN}"))
}

fn target(text: &str) -> Result<Target, String> {
    let (format, file) = match text.split_once('=') {
        Some((format, file)) => (format, Some(PathBuf::from(file))),
        None => (text, None),
    };
    match ReportAs::from_str(format, false) {
        Ok(format) => Ok(Target { format, file }),
        Err(_) => {
            let names: Vec<_> = ReportAs::value_variants()
                .iter()
                .filter_map(|it| it.to_possible_value())
                .map(|it| it.get_name().to_owned())
                .collect();
            let meant = match ReportAs::of_file(text) {
                Some(format) => did_you_mean(Some(&format!("{format}={text}"))),
                None => did_you_mean(nearest(format, names.iter().map(String::as_str))),
            };
            Err(format!("write FORMAT or FORMAT=FILE; the formats are {}{meant}", names.join(", ")))
        }
    }
}

/// What is probably meant, as the end of a message.
fn did_you_mean(near: Option<&str>) -> String {
    near.map(|near| format!("; did you mean {near}?")).unwrap_or_default()
}
