//! The arguments of `compare`, `approve` and `digest`.

use std::path::PathBuf;

use clap::{Arg, ArgAction, Args, ValueEnum};

use super::refused::refused;
use super::report::{address, fit, only};
use super::{FILTERS, GATES, INPUT, OUTPUT, Plans, SECRETS, SecretArgs, file, words};
use clap::builder::TypedValueParser;
use plansift_core::path::{self, AddressPattern};
use plansift_plan::record::{CompareLevel, Direction};
use plansift_report::comparison::ComparisonForm;
use plansift_report::filter::{DriftFilter, Noise, Only};

/// `plansift compare`.
#[derive(Debug, Args)]
pub struct Compare {
    /// Decide at this level. Each level includes the levels before it
    #[arg(help_heading = INPUT, long, value_parser = level(), default_value = "paths",
          value_name = "LEVEL")]
    pub level: CompareLevel,
    /// Exit with 3 if NEW does more than OLD, or if anything differs
    #[arg(help_heading = GATES, long, value_enum, value_name = "WHAT")]
    pub fail_on: Option<FailOn>,
    /// Fail if a folder has a file that is not a plan, or a link to another folder
    #[arg(help_heading = GATES, long)]
    pub strict_rules: bool,
    /// Exit with 2 if the documents differ at the level
    #[arg(help_heading = GATES, long)]
    pub detailed_exitcode: bool,
    /// Compare these parts, too. They differ between two runs of one configuration and have no
    /// effect, so by default they are only counted
    #[arg(help_heading = INPUT, long, value_enum, value_name = "PARTS", value_delimiter = ',')]
    pub with: Vec<Extra>,
    /// Show these values [default: changed from --level values on, else none]. Sensitive values,
    /// and values that repeat one, are never shown
    #[arg(help_heading = OUTPUT, long, value_enum, value_name = "WHICH")]
    pub values: Option<ComparedValues>,
    #[command(flatten)]
    pub filters: FilterArgs,
    #[command(flatten)]
    pub secrets: SecretArgs,
    /// Key file of an approval that was made with one
    #[arg(help_heading = SECRETS, long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// Format of the result
    #[arg(help_heading = OUTPUT, short, long, value_parser = format(), default_value = "term",
          value_name = "FORMAT")]
    pub format: ComparisonForm,
    /// List all differences of each object
    #[arg(help_heading = OUTPUT, long)]
    pub full: bool,
    /// Limit Markdown to the size of a comment on github, gitlab or azure, or to N characters
    #[arg(help_heading = OUTPUT, long, value_name = "HOST|N", value_parser = fit)]
    pub fit: Option<u64>,
    /// Write to a file, which appears only when it is complete
    #[arg(help_heading = OUTPUT, short, long, value_name = "FILE", value_parser = file())]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub plans: Plans,
}

/// What breaks the gate of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// NEW does something that OLD does not
    More,
    /// The documents differ
    Any,
}

impl FailOn {
    /// Whether a verdict breaks the gate. `None` means that the documents are the same.
    pub fn is_broken_by(self, verdict: Option<Direction>) -> bool {
        match self {
            FailOn::More => verdict == Some(Direction::More),
            FailOn::Any => verdict.is_some(),
        }
    }

    /// The word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            FailOn::More => "more",
            FailOn::Any => "any",
        }
    }
}

/// The values that a comparison shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ComparedValues {
    /// No values; the inputs are read fewer times
    None,
    /// Values that differ
    Changed,
}

impl Compare {
    /// Whether the comparison shows values.
    pub fn shows_values(&self) -> bool {
        match self.values {
            Some(values) => values == ComparedValues::Changed,
            None => self.level >= CompareLevel::Values,
        }
    }
}

/// A part of plans that has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Extra {
    /// The time of the plan
    Timestamp,
    /// The versions of the tool and of the format
    Versions,
    /// Whether the plan can be applied
    Applyable,
    /// The attributes that the plan depends on
    RelevantAttributes,
    /// The JSON text of objects that are planned alike
    Text,
}

/// Filters of objects and paths.
#[derive(Debug, Args)]
pub struct FilterArgs {
    /// Compare only matching types, addresses or modules, like 'aws_*', aws_vpc.main or
    /// module.network. KIND is action, type, module, address or path, as in action:delete.
    /// Repeatable: an object must match one GLOB of each KIND
    #[arg(help_heading = FILTERS, long, value_name = "[KIND:]GLOB", value_parser = checked(only))]
    pub only: Vec<String>,
    /// Leave out these attributes and everything below them, like tags or '*.password', and updates
    /// that change nothing else. Attributes that force a replacement stay
    #[arg(help_heading = FILTERS, long, value_name = "PATH", value_parser = checked(super::path))]
    pub ignore_path: Vec<String>,
    /// Leave out resources whose type matches
    #[arg(help_heading = FILTERS, long, value_name = "GLOB", value_parser = checked(address))]
    pub ignore_type: Vec<String>,
    /// Leave out changes of this kind
    #[arg(help_heading = FILTERS, long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    pub ignore: Vec<IgnoredChange>,
    /// Leave out drift
    #[arg(help_heading = FILTERS, long)]
    pub changes_only: bool,
}

/// A kind of change that has no effect on real objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IgnoredChange {
    /// Moves: an object keeps its previous address
    Moves,
}

/// Accepts the texts that `parse` accepts.
fn checked<T: Send + Sync + 'static>(
    parse: fn(&str) -> Result<T, String>,
) -> impl Fn(&str) -> Result<String, String> + Clone + Send + Sync + 'static {
    move |text| parse(text).map(|_| text.to_owned())
}

impl FilterArgs {
    /// Returns the filter.
    pub fn noise(&self) -> Noise {
        let parsed = |texts: &[String]| -> Vec<path::Pattern> {
            texts.iter().filter_map(|text| super::path(text).ok()).collect()
        };
        let only: Vec<Only> = self.only.iter().filter_map(|text| only(text).ok()).collect();
        Noise {
            only,
            paths: parsed(&self.ignore_path),
            types: self.ignore_type.iter().map(|text| AddressPattern::new(text)).collect(),
            drift: if self.changes_only { DriftFilter::Changes } else { DriftFilter::All },
            ..Noise::default()
        }
    }

    /// Whether objects are named by their previous addresses, and moves do not count.
    pub fn ignores_moves(&self) -> bool {
        self.ignore.contains(&IgnoredChange::Moves)
    }

    /// Returns the filters as arguments of the command line, sorted.
    pub fn texts(&self) -> Vec<String> {
        let named = |option: &str, texts: &[String]| -> Vec<String> {
            texts.iter().map(|text| format!("--{option}={text}")).collect()
        };
        let mut texts = named("only", &self.only);
        texts.extend(named("ignore-path", &self.ignore_path));
        texts.extend(named("ignore-type", &self.ignore_type));
        texts.extend(self.ignores_moves().then(|| "--ignore=moves".to_owned()));
        texts.extend(self.changes_only.then(|| "--changes-only".to_owned()));
        texts.sort_unstable();
        texts.dedup();
        texts
    }

    /// Parses filters from arguments of the command line; `None` if one is no filter.
    pub fn of_texts(texts: &[String]) -> Option<FilterArgs> {
        let mut filters = FilterArgs {
            only: Vec::new(),
            ignore_path: Vec::new(),
            ignore_type: Vec::new(),
            ignore: Vec::new(),
            changes_only: false,
        };
        for text in texts {
            match text.split_once('=') {
                Some(("--only", text)) => filters.only.push(only(text).ok().map(|_| text.into())?),
                Some(("--ignore-path", text)) => {
                    filters.ignore_path.push(super::path(text).ok().map(|_| text.into())?);
                }
                Some(("--ignore", "moves")) => filters.ignore.push(IgnoredChange::Moves),
                Some(("--ignore-type", text)) => {
                    filters.ignore_type.push(address(text).ok().map(|_| text.into())?);
                }
                None if text == "--changes-only" => filters.changes_only = true,
                _ => return None,
            }
        }
        Some(filters)
    }
}

/// Parses the format of a comparison.
fn format() -> impl TypedValueParser<Value = ComparisonForm> {
    words(ComparisonForm::ALL.map(|form| (form.name(), form, form.description())))
}

/// Parses a level.
pub(super) fn level() -> impl TypedValueParser<Value = CompareLevel> {
    words([
        ("actions", CompareLevel::Actions, "Addresses and actions"),
        ("paths", CompareLevel::Paths, "Also changed paths, reasons, and causes of replacement"),
        ("values", CompareLevel::Values, "Also planned values that are known"),
        ("all", CompareLevel::All, "Also sensitive places"),
    ])
}

/// Changes the arguments about many inputs to arguments about two.
pub(super) fn of_two(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "inputs" => arg.value_names(["OLD", "NEW"]).num_args(2).required(true).help(
            "Two plans, two states, or an approval and a plan: files, URLs, - for standard input; \
             or two folders, whose plans are paired by workspace",
        ),
        "files_from" | "null" => refused(arg),
        "echo" => arg.value_parser(super::report::echo()),
        _ => arg,
    }
}

/// `plansift approve`.
///
/// The approval has a line for each change and no value. `plansift compare APPROVAL NEW` answers
/// from it.
#[derive(Debug, Args)]
pub struct Approve {
    /// Answer up to this level. Below `values`, the approval holds nothing of any value
    #[arg(help_heading = OUTPUT, long, value_parser = level(), default_value = "all",
          value_name = "LEVEL")]
    pub level: CompareLevel,
    #[command(flatten)]
    pub filters: FilterArgs,
    /// Key of the digests: 16 random bytes or more. Whoever has the approval but not the key cannot
    /// test guesses of values [default: a random key, written into the approval]
    #[arg(help_heading = SECRETS, long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// Write to a file, which appears only when it is complete
    #[arg(help_heading = OUTPUT, short, long, value_name = "FILE", value_parser = file())]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub plans: Plans,
}

/// Changes the arguments about many inputs to arguments about one plan.
pub(super) fn of_one(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "inputs" => arg
            .value_name("PLAN")
            .action(ArgAction::Set)
            .num_args(0..=1)
            .help("The plan: a plan file or JSON, plain, gzip or zstd; a file, a URL, or -"),
        "files_from" | "null" | "include" | "exclude" | "workspace_from" => refused(arg),
        _ => arg,
    }
}

/// `plansift digest`.
#[derive(Debug, Args)]
pub struct Digest {
    /// Digest at this level. Digests of values need --key-file
    #[arg(help_heading = OUTPUT, long, value_parser = level(), default_value = "paths",
          value_name = "LEVEL")]
    pub level: CompareLevel,
    #[command(flatten)]
    pub filters: FilterArgs,
    /// Key of the digests of values: 16 random bytes or more
    #[arg(help_heading = SECRETS, long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// Write to a file, which appears only when it is complete
    #[arg(help_heading = OUTPUT, short, long, value_name = "FILE", value_parser = file())]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub plans: Plans,
}
