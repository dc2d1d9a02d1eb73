//! The arguments of `plansift report`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::budget::BudgetArgs;
use super::{
    AssertionArgs, Echo, FILTERS, GateArgs, OUTPUT, Plans, RecordArgs, SecretArgs, SourceArgs,
    words,
};
use plansift_core::nearest::{did_you_mean, nearest};
use plansift_core::path::{self, AddressPattern};
use plansift_report::ReportForm;
use plansift_report::annotate::Annotated;
use plansift_report::filter::{ActionFilter, DriftFilter, Noise, Only};
use plansift_report::markdown::{FIT_MIN, Fit};
use plansift_report::source_link::UrlTemplate;
use plansift_report::view::Detail;

/// `plansift report`.
#[derive(Debug, Args)]
pub struct Report {
    /// The reports to write
    #[arg(help_heading = OUTPUT, short = 'o', long = "output", value_name = "FORMAT[=FILE]",
          value_parser = target, help = targets_help(), long_help = targets_long_help(),
          default_value = ReportForm::Term.name())]
    pub targets: Vec<Target>,
    /// Limit Markdown to the size of a comment on github, gitlab or azure, or to N characters. The
    /// most severe changes stay, and the last line counts the others
    #[arg(help_heading = OUTPUT, long, value_name = "HOST|N", value_parser = fit)]
    pub fit: Option<u64>,
    /// Split Markdown into parts that fit: FILE, and files with .2, .3 and so on before the
    /// extension
    #[arg(help_heading = OUTPUT, long, requires = "fit")]
    pub split: bool,
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Show the values of these attributes [default: changed; with --full: all]. Sensitive values,
    /// and values that repeat one, are never shown
    #[arg(help_heading = OUTPUT, long, value_enum, value_name = "WHICH")]
    pub values: Option<Values>,
    /// Show values whole, unchanged values too, and a row for each instance. By default values end
    /// after 16 KiB, and texts show only their differences
    #[arg(help_heading = OUTPUT, long)]
    pub full: bool,
    /// Wrap values in term reports at N columns; 0 never wraps [default: the width of the terminal;
    /// 1000 for files and pipes]
    #[arg(help_heading = OUTPUT, long, value_name = "N", value_parser = width)]
    pub width: Option<usize>,
    /// Say for each resource that is destroyed, replaced or forgotten what depends on it, and where
    /// unknown values come from. Reads plans once more
    #[arg(help_heading = OUTPUT, long)]
    pub impact: bool,
    #[command(flatten)]
    pub source: SourceArgs,
    /// Link changes in Markdown, HTML and terminals to their lines by this URL, like
    /// 'https://host/owner/repo/blob/{sha}/{path}#L{line}'. {end_line} is the last line, {sha} the
    /// commit in GITHUB_SHA or CI_COMMIT_SHA
    #[arg(help_heading = OUTPUT, long, value_name = "TEMPLATE", value_parser = source_url)]
    pub source_url: Option<UrlTemplate>,
    /// Annotate these changes at their blocks in github, sarif and code-quality [default: losses,
    /// if the blocks are known]
    #[arg(help_heading = OUTPUT, long, value_parser = annotated(), value_name = "WHICH")]
    pub annotate: Option<Annotated>,
    #[command(flatten)]
    pub noise: NoiseArgs,
    #[command(flatten)]
    pub secrets: SecretArgs,
    #[command(flatten)]
    pub gate: GateArgs,
    #[command(flatten)]
    pub assertions: AssertionArgs,
    #[command(flatten)]
    pub records: RecordArgs,
    #[command(flatten)]
    pub plans: Plans,
}

/// Parses `--echo` without `off`: a report never shows a text that repeats a secret.
pub(super) fn echo() -> impl TypedValueParser<Value = Echo> {
    let known = [Echo::Equal, Echo::Contains, Echo::Encoded];
    let words = known.iter().filter_map(ValueEnum::to_possible_value);
    PossibleValuesParser::new(words).map(|text| Echo::from_str(&text, false).unwrap_or(Echo::Equal))
}

impl Report {
    /// Returns which values the report shows.
    pub fn values(&self) -> Values {
        self.values.unwrap_or(if self.full { Values::All } else { Values::Changed })
    }

    /// Returns how much of each value the report shows.
    pub fn detail(&self) -> Detail {
        if self.full { Detail::Full } else { Detail::Excerpts }
    }
}

/// Parses which changes to annotate.
fn annotated() -> impl TypedValueParser<Value = Annotated> {
    words([
        ("losses", Annotated::Losses, "Changes that delete, replace or forget"),
        ("all", Annotated::All, "Changes of all kinds"),
        ("none", Annotated::None, "Annotate no change, only failed checks and broken rules"),
    ])
}

/// Filters of reports for people. Rules and counts always cover the whole plan.
#[derive(Debug, Args)]
pub struct NoiseArgs {
    /// Show only changes to matching types, addresses or modules, like 'aws_*', aws_vpc.main or
    /// module.network. KIND is action, type, module, address or path, as in action:delete or
    /// path:tags. Repeatable: a change must match one GLOB of each KIND
    #[arg(help_heading = FILTERS, long, value_name = "[KIND:]GLOB", value_parser = only)]
    pub only: Vec<Only>,
    /// Hide these attributes and everything below them, like tags or '*.password'. Hide updates
    /// that change nothing else. Attributes that force a replacement stay
    #[arg(help_heading = FILTERS, long, value_name = "PATH", value_parser = super::path)]
    pub ignore_path: Vec<path::Pattern>,
    /// Hide resources whose type matches
    #[arg(help_heading = FILTERS, long, value_name = "GLOB", value_parser = address)]
    pub ignore_type: Vec<AddressPattern>,
    /// Hide changes of this kind
    #[arg(help_heading = FILTERS, long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    pub ignore: Vec<Ignore>,
    /// Show only drift
    #[arg(help_heading = FILTERS, long, conflicts_with = "changes_only")]
    pub drift_only: bool,
    /// Hide drift
    #[arg(help_heading = FILTERS, long)]
    pub changes_only: bool,
}

/// Changes that are mostly noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Ignore {
    /// Updates of only tags and labels
    TagsOnly,
    /// Texts that differ only in white space or formatting
    Whitespace,
    /// Lists that differ only in order
    SetOrder,
}

impl NoiseArgs {
    /// Returns the names of the options that are set.
    pub fn names(&self) -> Vec<&'static str> {
        let set = [
            (!self.only.is_empty(), "--only"),
            (!self.ignore_path.is_empty(), "--ignore-path"),
            (!self.ignore_type.is_empty(), "--ignore-type"),
            (!self.ignore.is_empty(), "--ignore"),
            (self.drift_only, "--drift-only"),
            (self.changes_only, "--changes-only"),
        ];
        set.into_iter().filter_map(|(is_set, name)| is_set.then_some(name)).collect()
    }

    /// Returns the error for the first pattern that matches only the values of documents in
    /// strings.
    pub fn refuse_document(&self) -> Option<String> {
        let only = self.only.iter().filter_map(|only| match only {
            Only::Path(path) => Some(path),
            _ => None,
        });
        only.chain(&self.ignore_path).find_map(|path| path::refuse_document(path.text()))
    }

    /// Returns the filter.
    pub fn noise(&self) -> Noise {
        let ignores = |what| self.ignore.contains(&what);
        Noise {
            only: self.only.clone(),
            paths: self.ignore_path.clone(),
            types: self.ignore_type.clone(),
            tags: ignores(Ignore::TagsOnly),
            format: ignores(Ignore::Whitespace),
            order: ignores(Ignore::SetOrder),
            drift: match (self.drift_only, self.changes_only) {
                (true, _) => DriftFilter::Drift,
                (_, true) => DriftFilter::Changes,
                _ => DriftFilter::All,
            },
        }
    }
}

fn source_url(text: &str) -> Result<UrlTemplate, String> {
    let commit = ["GITHUB_SHA", "CI_COMMIT_SHA"].iter().find_map(|name| std::env::var(name).ok());
    UrlTemplate::parse(text, commit.as_deref()).map_err(str::to_owned)
}

pub(super) fn nonempty(text: &str) -> Result<String, String> {
    match text {
        "" => Err("expected a name or a pattern, as in 'aws_*'".to_owned()),
        text => Ok(text.to_owned()),
    }
}

pub(super) fn only(text: &str) -> Result<Only, String> {
    type Make = fn(&str) -> Result<Only, String>;
    let kinds: [(&str, Make); 5] = [
        ("address", |text| not_set(text).map(Only::Address)),
        ("type", |text| address(text).map(Only::Type)),
        ("module", |text| match text {
            // The root module.
            "" => Ok(Only::Module(AddressPattern::new(text))),
            text => not_set(text).map(Only::Module),
        }),
        ("action", |text| action(text).map(Only::Action)),
        ("path", |text| super::path(text).map(Only::Path)),
    ];
    let (word, rest) = text.split_once(':').unwrap_or(("", text));
    match kinds.iter().find(|(kind, _)| *kind == word) {
        Some((_, make)) => make(rest),
        // Addresses contain colons only inside quotes.
        None if text.contains(':') && !word.contains(['"', '*']) => {
            let kinds = kinds.map(|(kind, _)| kind);
            Err(format!("expected one of {} before the colon", kinds.join(", "))
                + &did_you_mean(nearest(word, kinds)))
        }
        None => address(text).map(Only::Name),
    }
}

/// Parses a pattern that is not about types.
fn not_set(text: &str) -> Result<AddressPattern, String> {
    match text.starts_with('@') {
        true => Err("a set of types is no address and no module: write type:@data".to_owned()),
        false => address(text),
    }
}

pub(super) fn address(text: &str) -> Result<AddressPattern, String> {
    AddressPattern::parse(&nonempty(text)?).map_err(|error| error.to_string())
}

fn action(text: &str) -> Result<ActionFilter, String> {
    ActionFilter::named(text).ok_or_else(|| {
        let words: Vec<&str> = ActionFilter::words().collect();
        let near = nearest(text, words.iter().copied());
        format!("unknown action: the actions are {}", words.join(", ")) + &did_you_mean(near)
    })
}

/// A report to write.
#[derive(Clone, Debug)]
pub struct Target<F = ReportForm> {
    /// The format.
    pub format: F,
    /// The file; `None` is standard output.
    pub file: Option<PathBuf>,
}

/// The values to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Values {
    /// No values; the plan is read once
    None,
    /// Values of changed attributes
    Changed,
    /// Values of all attributes
    All,
}

/// Minimum width of a line, in columns.
const WIDTH_MIN: usize = 40;

fn width(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Ok(usize::MAX),
        Ok(width) if width >= WIDTH_MIN => Ok(width),
        _ => Err(format!("a number from {WIDTH_MIN}, or 0")),
    }
}

pub(super) fn fit(text: &str) -> Result<u64, String> {
    Fit::named(text).ok_or_else(|| format!("github, gitlab, azure, or a number from {FIT_MIN}"))
}

/// Returns the short help of `--output`, with the names of the formats.
fn targets_help() -> String {
    let mut names = ReportForm::ALL.map(ReportForm::name).join(", ");
    if let Some(comma) = names.rfind(", ") {
        names.replace_range(comma..comma + 1, " or");
    }
    format!(
        "Write this format: {names}, to FILE or standard output. Repeatable: one run writes all \
         formats"
    )
}

/// Returns the long help of `--output`, with a line for each format.
fn targets_long_help() -> String {
    let widest = ReportForm::ALL.map(|form| form.name().len()).into_iter().max().unwrap_or(0);
    let mut help = "Write these formats, each to FILE or standard output. Repeatable: one run \
                    writes all formats\n\nFormats:"
        .to_owned();
    for form in ReportForm::ALL {
        let name = format!("{}:", form.name());
        help += &format!("\n- {name:<0$} {1}", widest + 1, form.description());
    }
    help
}

fn target(text: &str) -> Result<Target, String> {
    let (format, file) = match text.split_once('=') {
        Some((format, file)) => (format, Some(PathBuf::from(file))),
        None => (text, None),
    };
    if let Some(format) = ReportForm::named(format) {
        return Ok(Target { format, file });
    }
    let (format, file) = match text.split_once(':') {
        Some((word, rest)) if ReportForm::named(word).is_some() => (word, Some(rest.into())),
        _ => (format, file),
    };
    let near = nearest(format, ReportForm::ALL.map(ReportForm::name));
    let guessed = |file: &str| ReportForm::of_file(file).map(ReportForm::name);
    let of_ending = || guessed(&format!(".{format}"));
    let near = near.or_else(|| of_ending().filter(|_| !format.contains('.')));
    let meant = match (near, &file) {
        (Some(near), Some(file)) => Some(format!("{near}={}", file.display())),
        (Some(near), None) => Some(near.to_owned()),
        (None, Some(_)) => None,
        (None, None) => guessed(text).map(|format| format!("{format}={text}")),
    };
    let meant = did_you_mean(meant.as_deref());
    let names = ReportForm::ALL.map(ReportForm::name).join(", ");
    Err(format!("write FORMAT or FORMAT=FILE; the formats are {names}{meant}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_of_outputs_describes_each_format() {
        let (short, long) = (targets_help(), targets_long_help());
        for form in ReportForm::ALL {
            assert!(short.contains(form.name()), "{short}");
            let describes = |line: &str| {
                line.starts_with(&format!("- {}: ", form.name()))
                    && line.ends_with(form.description())
            };
            assert!(long.lines().any(describes), "{long}");
        }
    }
}
