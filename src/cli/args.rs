//! The arguments. The only place that knows clap.

mod batch;
mod inputs;
mod limits;
mod report;

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::error::{ContextKind, ErrorKind};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub use self::batch::{Batch, Merge, ReportFormat};
pub use self::inputs::InputArgs;
pub use self::limits::LimitArgs;
use self::limits::size;
pub use self::report::{Ignore, NoiseArgs, Report, ReportAs, Target, Values};
use crate::path::{self, AddressPattern};
use crate::record::Show;
use crate::slim::Part;

/// Reads Terraform and OpenTofu plans (`show -json`) of any size and tells what they change.
#[derive(Debug, Parser)]
#[command(
    name = "plansift",
    version = super::version::SHORT,
    long_version = super::version::LONG,
    max_term_width = 100
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

impl Command {
    /// The plans to read, and how; none for what reads no plan.
    pub fn plans(&self) -> Option<&Plans> {
        match self {
            Command::Summary(Summary { plans, .. })
            | Command::Changes(Changes { plans, .. })
            | Command::Report(Report { plans, .. })
            | Command::Batch(Batch { plans, .. }) => Some(plans),
            Command::Redact(Redact { plans, .. })
            | Command::Slim(Slim { plans, .. })
            | Command::Audit(Audit { plans, .. }) => Some(plans),
            Command::Merge(_) | Command::Schema(_) | Command::Completions(_) | Command::Man(_) => {
                None
            }
        }
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// What a plan does, for a person: counts, a table, warnings; of several, one table
    Summary(Summary),
    /// The record stream of a plan: one record for each change
    Changes(Changes),
    /// What plans change, with values, for people and for pipelines: several formats at once
    #[command(mut_arg("echo", |echo| echo.value_parser(self::report::echo())))]
    Report(Report),
    /// A record file for each of many plans, and a report: resumable, bounded
    Batch(Batch),
    /// One report of what `batch` wrote to several folders, or to one so far
    Merge(Merge),
    /// The same document without its secrets
    Redact(Redact),
    /// Where the secrets of a plan or a state are, marked or not; never a value
    Audit(Audit),
    /// The same plan cut down to what policies and people read, without its secrets
    Slim(Slim),
    /// The JSON Schema of the records
    Schema(Schema),
    /// Completions for a shell, to be loaded by it
    Completions(Completions),
    /// Manual pages, in the format of man
    Man(Man),
}

/// `plansift completions`.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell that loads them
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// `plansift man`.
#[derive(Debug, Args)]
pub struct Man {
    /// The command to describe; plansift itself without one
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}

/// `plansift schema`.
#[derive(Debug, Args)]
pub struct Schema {
    /// What is described
    #[arg(long, value_enum, default_value_t = SchemaOf::Records, value_name = "WHAT")]
    pub of: SchemaOf,
}

/// What a schema describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaOf {
    /// What `changes` writes
    Records,
    /// What `audit --format ndjson` and `redact --report` write
    Audit,
    /// What `batch` writes to report.ndjson, and `merge --format ndjson`
    Report,
    /// What `report --output json` writes
    Fleet,
}

/// `plansift audit`.
#[derive(Debug, Args)]
pub struct Audit {
    /// Form of the findings
    #[arg(short, long, value_enum, default_value_t = FindingsFormat::Table)]
    pub format: FindingsFormat,
    /// Write cells that look like formulas as they are, for programs instead of spreadsheets
    #[arg(long)]
    pub csv_raw: bool,
    /// Exit with 3 when a marked value is repeated where nobody marked it
    #[arg(long)]
    pub fail_on_echo: bool,
    /// What is secret besides what is marked
    #[command(flatten)]
    pub secrets: SecretArgs,
    /// Write to a file: whole, or not at all
    #[arg(short, long, value_name = "FILE", value_parser = file())]
    pub output: Option<PathBuf>,
    /// The documents, and how to read them
    #[command(flatten)]
    pub plans: Plans,
}

/// Form of the findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FindingsFormat {
    /// Counts, echoes and suspects, for a person
    Table,
    /// One compact JSON object a line
    Ndjson,
    /// Comma-separated values, safe for spreadsheets
    Csv,
}

/// `plansift redact`.
#[derive(Debug, Args)]
pub struct Redact {
    /// What is masked besides what is marked
    #[command(flatten)]
    pub secrets: SecretArgs,
    /// What stands for it
    #[command(flatten)]
    pub mask: MaskArgs,
    /// Write what was masked, and where, as JSON lines; never a value
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Write to a file: whole, or not at all
    #[arg(short, long, value_name = "FILE", value_parser = file())]
    pub output: Option<PathBuf>,
    /// The documents, and how to read them
    #[command(flatten)]
    pub plans: Plans,
}

/// `plansift slim`.
///
/// The scalars of the plan always stay: versions, timestamp, applyable, complete, errored. The same
/// keys in the same order, the same bytes for what stays.
#[derive(Debug, Args)]
pub struct Slim {
    /// Sections to keep, by these names or their keys: changes, outputs, drift, deferred, actions,
    /// variables, planned, prior, configuration, relevant, checks, other (unknown ones)
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = part,
          default_value = "changes,outputs")]
    pub keep: Vec<Part>,
    /// Keep resources of these types, addresses or modules, like 'aws_db_*', aws_vpc.main or
    /// module.network with everything in it; * is any text. Again for more
    #[arg(long, value_name = "GLOB", value_parser = address)]
    pub only: Vec<AddressPattern>,
    /// Keep these attributes of resources and all below them, like tags, '*_arn' or
    /// ingress.cidr_blocks; elements of lists always stay. Again for more
    #[arg(long, value_name = "PATH", value_parser = path)]
    pub paths: Vec<path::Pattern>,
    /// Also resources that stay as they are
    #[arg(long)]
    pub all: bool,
    /// Put the plan into an object, for hosts that expect that
    #[arg(long, value_enum, value_name = "IN")]
    pub wrap: Option<WrapIn>,
    /// Leave the secrets of the plan in what is written
    #[arg(long, conflicts_with_all = ["echo", "echo_min", "also_names", "mask", "key_file"])]
    pub no_redact: bool,
    /// What is masked besides what is marked
    #[command(flatten)]
    pub secrets: SecretArgs,
    /// What stands for it
    #[command(flatten)]
    pub mask: MaskArgs,
    /// Write to a file: whole, or not at all
    #[arg(short, long, value_name = "FILE", value_parser = file())]
    pub output: Option<PathBuf>,
    /// The plans, and how to read them
    #[command(flatten)]
    pub plans: Plans,
}

/// What a slim plan is put into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WrapIn {
    /// {"terraform": PLAN}
    Terraform,
}

/// What is secret besides what is marked.
#[derive(Debug, Args)]
pub struct SecretArgs {
    /// Take texts that repeat a marked one for secrets
    #[arg(long, value_enum, default_value_t = Echo::Equal, value_name = "HOW")]
    pub echo: Echo,
    /// Least length of a text that is looked for, in bytes
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN.saturating_add(7))]
    pub echo_min: NonZeroUsize,
    /// Take the values of keys that match for secrets, marked or not, in every section;
    /// '^(secret_key|access_key)$' matches whole keys
    #[arg(long, value_name = "REGEX")]
    pub also_names: Option<regex::Regex>,
}

/// What stands for a secret.
#[derive(Debug, Args)]
pub struct MaskArgs {
    /// What stands in the place of a secret
    #[arg(long, value_enum, default_value_t = Mask::Text, value_name = "WHAT")]
    pub mask: Mask,
    /// Key of --mask hash: a file of 16 random bytes or more
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
}

/// Which texts repeat a marked one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Echo {
    /// Those that are equal to it
    Equal,
    /// Those that contain it
    Contains,
    /// None; redact and slim then read their input once, audit still reads it twice
    Off,
}

/// What stands in the place of a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mask {
    /// (sensitive value)
    Text,
    /// A keyed digest: equal secrets have equal ones
    Hash,
    /// null
    Null,
}

/// Form of the records.
#[derive(Debug, Args)]
pub struct FormArgs {
    /// Form of the records
    #[arg(short, long, value_enum, default_value_t = Format::Ndjson)]
    pub format: Format,
    /// Write cells that look like formulas as they are, for programs instead of spreadsheets
    #[arg(long)]
    pub csv_raw: bool,
}

/// `plansift changes`.
#[derive(Debug, Args)]
pub struct Changes {
    /// Form of the records
    #[command(flatten)]
    pub form: FormArgs,
    /// Only what becomes of each resource, not where it changes: values are not looked at, which is
    /// faster by far
    #[arg(long)]
    pub no_paths: bool,
    /// Which records there are
    #[command(flatten)]
    pub records: RecordArgs,
    /// What the plans must not do
    #[command(flatten)]
    pub gate: GateArgs,
    /// Write to a file: whole, or not at all
    #[arg(short, long, value_name = "FILE", value_parser = file())]
    pub output: Option<PathBuf>,
    /// The plans, and how to read them
    #[command(flatten)]
    pub plans: Plans,
}

/// `plansift summary`.
#[derive(Debug, Args)]
pub struct Summary {
    /// The table of several plans
    #[command(flatten)]
    pub table: TableArgs,
    /// Which records there are
    #[command(flatten)]
    pub records: RecordArgs,
    /// What the plans must not do
    #[command(flatten)]
    pub gate: GateArgs,
    /// Write to a file: whole, or not at all
    #[arg(short, long, value_name = "FILE", value_parser = file())]
    pub output: Option<PathBuf>,
    /// The plans, and how to read them
    #[command(flatten)]
    pub plans: Plans,
}

/// The table of several plans, and the lists of any.
#[derive(Debug, Args)]
pub struct TableArgs {
    /// What the rows of the table of several plans are [default: workspace]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub group_by: Option<GroupBy>,
    /// What the rows are sorted by [default: changes]
    #[arg(long, value_enum, value_name = "COLUMN")]
    pub sort: Option<SortBy>,
    /// Rows of each table and list at most [default: 20 of a table, 5 or 8 of a list]
    #[arg(long, value_name = "N")]
    pub top: Option<NonZeroUsize>,
}

/// What the rows of the table of several plans are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "each word says it")]
pub enum GroupBy {
    Workspace,
    Type,
    Module,
    Provider,
    Action,
}

/// What the rows are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "each word says it")]
pub enum SortBy {
    /// Errors, then changes of all kinds
    Changes,
    Name,
    /// The order of the inputs
    Input,
    Add,
    Change,
    #[value(alias = "delete")]
    Destroy,
    Replace,
    Import,
    Move,
    Forget,
    Drift,
    Checks,
    Errors,
}

/// What plans must not do.
#[derive(Debug, Args)]
pub struct GateArgs {
    /// Exit with 3 when a plan breaks this rule, like delete:aws_db_*, replace, 'changes>200' or
    /// 'unknown-path:*.password'; @FILE: the rules in a file, a line each. `warning` before a rule
    /// shows it without failing, and a text in quotes behind it is its message. Again for more
    #[arg(long, value_name = "RULE")]
    pub fail_on: Vec<String>,
}

impl GateArgs {
    /// The files that rules are in.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.fail_on.iter().filter_map(|rule| rule.strip_prefix('@')).map(PathBuf::from)
    }
}

/// Form of the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One compact JSON object a line
    Ndjson,
    /// One JSON array
    Json,
    /// Comma-separated values, safe for spreadsheets
    Csv,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// When to show progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Progress {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How much of the JSON grammar to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Check {
    /// Every byte, in skipped values too
    Grammar,
    /// Only UTF-8, strings and brackets in skipped values: faster, but a plan that lost some bytes
    /// can pass, and its changes are then missing. For plans that the same job has just made
    Structure,
}

/// The plans, and how to read them.
#[derive(Debug, Args)]
pub struct Plans {
    /// Plans as JSON, plain, gzip or zstd: files, folders, globs, addresses (s3://, gs://, az://,
    /// https://, http://, file://), @ with a list, - for standard input
    #[arg(value_name = "INPUT")]
    pub inputs: Vec<OsString>,
    /// More of them
    #[command(flatten)]
    pub more: InputArgs,
    /// How much of the JSON grammar to check
    #[arg(long, value_enum, default_value_t = Check::Grammar, value_name = "WHAT")]
    pub check: Check,
    /// Refuse text before or after the document, which CI wrappers print, instead of skipping it
    #[arg(long)]
    pub strict: bool,
    /// Colours
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
    /// No warnings and no progress
    #[arg(short, long)]
    pub quiet: bool,
    /// Progress, on standard error
    #[arg(long, value_enum, default_value_t = Progress::Auto, value_name = "WHEN",
          num_args = 0..=1, default_missing_value = "always", require_equals = true)]
    pub progress: Progress,
    /// Bytes, seconds, speed and peak memory, on standard error
    #[arg(long)]
    pub stats: bool,
    /// Threads to use at most [default: one for each processor]; the output is the same with any
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Read files instead of mapping them into memory
    #[arg(long)]
    pub no_mmap: bool,
    /// The bounds
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Which records there are, and what they say of the plans.
#[derive(Debug, Args)]
pub struct RecordArgs {
    /// Also what stays as it is: no-op changes, checks that pass
    #[arg(long)]
    pub all: bool,
    /// Exit with 2 when there are changes
    #[arg(long)]
    pub detailed_exitcode: bool,
}

impl RecordArgs {
    /// Which changes become records.
    pub fn show(&self) -> Show {
        if self.all { Show::All } else { Show::Changes }
    }
}

fn part(name: &str) -> Result<Part, String> {
    Part::named(name).ok_or_else(|| {
        let names: Vec<_> = Part::NAMES.iter().map(|(name, _)| *name).collect();
        format!("the names of sections are {}", names.join(", "))
    })
}

fn address(text: &str) -> Result<AddressPattern, String> {
    match text {
        "" => Err("nothing has an empty address or type".to_owned()),
        // A colon of an address stands in quotes.
        text => match text.split_once(':').filter(|(word, _)| !word.contains(['"', '*'])) {
            None => Ok(AddressPattern::new(text)),
            Some((word, _)) => Err(format!(
                "a type, an address or a module stands here, as in 'aws_db_*': '{word}:' is no \
                 word of it; report --only has such words"
            )),
        },
    }
}

/// A file to write to.
fn file() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.to_str() {
        Some(name) if FORMATS.contains(&name) => Err(format!(
            "-o takes a file here, and '{name}' is a format: write -o ./{name} for a file of that \
             name, or use a command with this format: changes --format ndjson|json|csv, report -o \
             term|markdown|html|github|json|variables|junit|sarif|gitlab, audit --format \
             table|ndjson|csv"
        )),
        _ => Ok(path),
    })
}

/// Names of formats, of any command.
const FORMATS: [&str; 12] = [
    "term",
    "markdown",
    "html",
    "github",
    "json",
    "ndjson",
    "csv",
    "variables",
    "junit",
    "sarif",
    "gitlab",
    "table",
];

fn path(text: &str) -> Result<path::Pattern, String> {
    path::Pattern::parse(text).map_err(|error| {
        let at = error.location().map_or(0, |location| location.offset);
        format!("{}: a path is like tags.Name, *_arn or tags[\"a.b\"]", wrong_at(text, at))
    })
}

/// Where an argument is wrong.
fn wrong_at(text: &str, offset: u64) -> String {
    match usize::try_from(offset).ok().and_then(|offset| text.get(offset..)) {
        None | Some("") => "the path ends too early".to_owned(),
        Some(rest) => format!("no path goes on with '{rest}'"),
    }
}

/// Takes the arguments apart, the program's name first. Prints nothing.
///
/// # Errors
///
/// Help or the version was asked for, or an argument is wrong.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Command, Refusal> {
    let args: Vec<OsString> = args.into_iter().collect();
    let options = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    let is_batch = args.get(1).is_some_and(|command| command == "batch");
    let translated = args.iter().enumerate().map(|(at, arg)| match at < options {
        true => translated(arg, is_batch),
        false => arg.clone(),
    });
    let args: Vec<OsString> = translated.collect();
    if let Some(refusal) = one_dash(&args[..options]) {
        return Err(refusal);
    }
    Cli::try_parse_from(args).map(|cli| cli.command).map_err(Refusal)
}

/// The completions for a shell, as the shell reads them.
pub fn completions(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "plansift", &mut script);
    script
}

/// The manual page of a command, or of plansift without one, in the format of man. `None` if there
/// is no such command.
pub fn manual(command: Option<&str>) -> Option<Vec<u8>> {
    let mut cli = Cli::command();
    cli.build();
    let described = match command {
        Some(name) => cli.find_subcommand(name)?.clone(),
        None => cli,
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(described).render(&mut page).ok()?;
    Some(page)
}

/// Refuses a long option with one dash, like `-format`, which would read as `-f ormat`.
fn one_dash(args: &[OsString]) -> Option<Refusal> {
    let names = args.iter().filter_map(|arg| {
        let name = arg.to_str()?.strip_prefix('-')?;
        let name = name.split_once('=').map_or(name, |(name, _)| name);
        (name.len() > 1 && !name.starts_with('-')).then_some(name)
    });
    let mut names = names.peekable();
    // Most runs have no such argument, and to build the command takes as long as to parse it.
    names.peek()?;
    let mut cli = Cli::command();
    cli.build();
    let command = cli.find_subcommand_mut(args.get(1)?)?;
    let name = names.find(|name| command.get_arguments().any(|it| it.get_long() == Some(name)))?;
    let text = format!("-{name} has one dash: did you mean --{name}?");
    Some(Refusal(command.error(ErrorKind::UnknownArgument, text)))
}

/// Why there is nothing to do.
#[derive(Debug)]
pub struct Refusal(clap::Error);

impl Refusal {
    /// The lines of the error message; `None` if the user asked for the help or the version.
    pub fn lines(&self) -> Option<Vec<String>> {
        if let ErrorKind::DisplayHelp | ErrorKind::DisplayVersion = self.0.kind() {
            return None;
        }
        let mut lines: Vec<String> =
            self.0.render().to_string().lines().map(str::to_owned).collect();
        // Only records have the format that is called so.
        if self.0.get(ContextKind::InvalidArg).is_some_and(|arg| arg.to_string() == "--format") {
            lines.push(String::new());
            lines.push(
                "  -json and --format are for records, which `plansift changes` writes: \
                 run `plansift changes -json`"
                    .to_owned(),
            );
        }
        Some(lines)
    }

    /// Prints the help or the version.
    pub fn print(&self) {
        // A closed pipe is no reason to fail here either.
        let _ = self.0.print();
    }
}

/// Terraform's one-dash spellings of its own options as ours. `batch` has a folder for its output.
fn translated(arg: &OsString, is_batch: bool) -> OsString {
    let out = if is_batch { "--out" } else { "--output" };
    match arg.to_str() {
        Some("-json") => "--format=json".into(),
        Some("-out") => out.into(),
        Some("-no-color") => "--color=never".into(),
        Some("-detailed-exitcode") => "--detailed-exitcode".into(),
        Some("-help") => "--help".into(),
        Some("-version") => "--version".into(),
        Some(text) => match text.strip_prefix("-out=") {
            Some(file) => format!("{out}={file}").into(),
            None => arg.clone(),
        },
        None => arg.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }
}
