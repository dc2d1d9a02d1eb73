//! The command line arguments. Only this module and its submodules use clap.

mod assert;
mod audit;
mod batch;
mod blocks;
mod budget;
mod changes;
mod compare;
mod completions;
mod config;
mod examples;
mod hints;
mod inputs;
mod limits;
mod manual;
mod mcp;
mod output;
mod paths;
mod redact;
mod refused;
mod report;
mod show;
mod summary;
mod type_sets;
mod values;
mod wire;

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub(super) use self::assert::Assert;
pub(super) use self::audit::{Audit, FindingsFormat};
pub(super) use self::batch::{Batch, Merge, ReportFormat};
pub(super) use self::blocks::{Blocks, BlocksFormat, SourceArgs};
pub(super) use self::changes::{Changes, ChangesFormat};
pub(super) use self::compare::{Approve, Compare, Digest, Extra, FilterArgs};
pub(super) use self::completions::completions;
pub(super) use self::config::{Config, ConfigFormat};
pub(super) use self::inputs::InputArgs;
pub(super) use self::limits::LimitArgs;
pub(super) use self::manual::{manual, pages};
pub(super) use self::mcp::Mcp;
use self::output::file;
use self::paths::{path, path_of_values, place};
pub(super) use self::redact::{Echo, Mask, MaskArgs, Redact, SecretArgs, Slim};
pub(super) use self::report::{Ignore, NoiseArgs, Report, Target, Values};
pub(super) use self::show::ShowPlanFile;
pub(super) use self::summary::{Summary, SummaryFormat};
pub(super) use self::type_sets::{TypeSetArgs, TypeSetFiles, type_set_files};
pub(super) use self::values::{Checks, Outputs, Resources, RowArgs, RowFormat, Variables};
pub(super) use self::wire::{
    Bytes, Decode, Encode, Spelling, TypeArgs, Wire, WireCheck, WireCommand, WireForm,
};
use plansift_check::assertion::Pack;
use plansift_core::limits::{Limit, Limits, parse_amount};
use plansift_core::nearest::{did_you_mean, nearest};
use plansift_core::path::AddressPattern;
use plansift_plan::record::Show;
use plansift_redact::slim::PlanPart;
use plansift_report::Form;
use plansift_report::fleet::{Column, FleetGrouping, Shape, Sort};

/// Headings of the options in the help.
const INPUT: &str = "Input";
const OUTPUT: &str = "Output";
const FILTERS: &str = "Filters";
const GATES: &str = "Gates";
const SECRETS: &str = "Secrets";
const LIMITS: &str = "Limits (sizes take K, M, G and T: powers of 1024)";

/// Reads Terraform and OpenTofu plans of any size, as plan files (`plan -out`) or as JSON
/// (`show -json`), and shows what they change.
#[derive(Debug, Parser)]
#[command(
    name = "plansift",
    version = super::version::SHORT,
    long_version = super::version::LONG,
    max_term_width = 100,
    after_help = examples::help("plansift"),
    mut_subcommands(examples::added)
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// The command.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Summarize plans for a person: counts, a table, warnings
    #[command(mut_arg("inputs", self::inputs::with_states))]
    Summary(Summary),
    /// Write one record for each change: NDJSON, JSON or CSV
    Changes(Changes),
    /// Report changes with their values, for people and pipelines, in several formats at once
    #[command(mut_arg("echo", |echo| echo.value_parser(self::report::echo())))]
    Report(Report),
    /// Check plans and states against assertions
    #[command(mut_arg("echo", |echo| echo.value_parser(self::report::echo())))]
    #[command(mut_arg("inputs", self::inputs::with_states))]
    Assert(Assert),
    /// Compare a plan with an earlier one: is this still what was approved?
    #[command(mut_args(self::compare::of_two))]
    Compare(Compare),
    /// Write what a plan does to an approval file, without values
    #[command(mut_args(self::compare::of_one))]
    Approve(Approve),
    /// Print one line that identifies what each plan does
    #[command(mut_arg("inputs", self::inputs::with_states))]
    Digest(Digest),
    /// Write a record file for each of many plans, and a report; resumable, with bounded memory
    Batch(Batch),
    /// Merge the folders that `batch` writes into one report
    Merge(Merge),
    /// List the resources of plans and states, or count them by type, module or provider
    #[command(mut_arg("echo", |echo| echo.value_parser(self::report::echo())))]
    #[command(mut_arg("inputs", self::inputs::with_states))]
    Resources(Resources),
    /// List the outputs of plans and states
    #[command(mut_arg("echo", |echo| echo.value_parser(self::report::echo())))]
    #[command(mut_arg("inputs", self::inputs::with_states))]
    Outputs(Outputs),
    /// List the variables of plans
    #[command(mut_arg("echo", |echo| echo.value_parser(self::report::echo())))]
    Variables(Variables),
    /// List the checks of plans and states, with their instances and problems
    #[command(mut_arg("echo", |echo| echo.value_parser(self::report::echo())))]
    #[command(mut_arg("inputs", self::inputs::with_states))]
    Checks(Checks),
    /// Mask the secrets of plans and states
    #[command(mut_arg("inputs", self::inputs::with_states))]
    Redact(Redact),
    /// List where plans and states have secrets, marked or not, without their values
    #[command(mut_arg("inputs", self::inputs::with_states))]
    Audit(Audit),
    /// Cut plans down to the parts that policies and people read, and mask their secrets
    Slim(Slim),
    /// Print the plan in a binary plan file (`plan -out`) as JSON, without Terraform
    #[command(mut_args(self::show::of_one_file))]
    Show(ShowPlanFile),
    /// List or draw the configuration in plans: elements, references, dependencies
    Config(Config),
    /// List the blocks of a configuration with their files and lines
    Blocks(Blocks),
    /// Decode and encode values of providers and plan files, by type or by schema
    Wire(Wire),
    /// Answer the questions of a model about plans, without their secrets (Model Context Protocol)
    Mcp(Mcp),
    /// Print the JSON Schema of an output
    Schema(Schema),
    /// Print completions for a shell
    Completions(Completions),
    /// Print manual pages, in the format of man
    Man(Man),
}

/// `plansift completions`.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// `plansift man`.
#[derive(Debug, Args)]
pub struct Man {
    /// The command to describe, like summary or wire-decode [default: plansift itself]
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
    /// List the commands that have a page
    #[arg(long, conflicts_with = "command")]
    pub list: bool,
}

/// `plansift schema`.
#[derive(Debug, Args)]
pub struct Schema {
    /// The output that the schema describes
    #[arg(long, value_enum, default_value_t = SchemaOf::Records, value_name = "WHAT")]
    pub of: SchemaOf,
}

/// An output with a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaOf {
    /// Records: the output of `changes`
    Records,
    /// Findings: the output of `audit --format ndjson` and `redact --report`
    Audit,
    /// The output of `resources --format ndjson`
    Resources,
    /// The output of `outputs --format ndjson`
    Outputs,
    /// The output of `variables --format ndjson`
    Variables,
    /// The output of `checks --format ndjson`
    Checks,
    /// Batch report: report.ndjson of `batch`, and `merge --format ndjson`
    Report,
    /// JSON report: the output of `report --output json`
    Fleet,
    /// JSON summary: the output of `summary --format json`
    Summary,
    /// Files of assertions: the input of `assert --file`
    Assertions,
    /// Results of assertions: the output of `assert --format ndjson`
    AssertResults,
    /// Elements of a configuration: the output of `config --format ndjson`
    Config,
    /// Comparisons: the output of `compare --format ndjson`
    Comparison,
}

/// Format of the records.
#[derive(Debug, Args)]
pub struct FormArgs {
    /// Format of the records
    #[arg(help_heading = OUTPUT, short, long, value_parser = form(), default_value = "ndjson")]
    pub format: Form,
    /// Write CSV cells that look like formulas unquoted, for programs instead of spreadsheets
    #[arg(help_heading = OUTPUT, long)]
    pub csv_raw: bool,
}

/// The arguments that `summary` and `changes` share.
#[derive(Debug, Args)]
pub struct SharedArgs {
    #[command(flatten)]
    pub(super) source: SourceArgs,
    #[command(flatten)]
    pub(super) records: RecordArgs,
    #[command(flatten)]
    pub(super) gate: GateArgs,
    /// Write to a file, which appears only when it is complete
    #[arg(help_heading = OUTPUT, short, long, value_name = "FILE", value_parser = file())]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub(super) plans: Plans,
}

/// Arguments about the table of several plans, and about lists.
#[derive(Debug, Args)]
pub struct TableArgs {
    /// Group the table of several plans by this [default: workspace]. With states, list only these
    /// groups
    #[arg(help_heading = OUTPUT, long, value_parser = group_by(), value_name = "WHAT")]
    pub group_by: Option<FleetGrouping>,
    /// Sort rows by this column [default: changes]
    #[arg(help_heading = OUTPUT, long, value_parser = sort(), value_name = "COLUMN")]
    pub sort: Option<Sort>,
    /// Show at most N rows of each table and list [default: 20 of a table, 5 or 8 of a list]
    #[arg(help_heading = OUTPUT, long, value_name = "N", value_parser = positive)]
    pub top: Option<NonZeroUsize>,
}

impl TableArgs {
    /// Returns the shape of the table.
    pub fn shape(&self) -> Shape {
        let TableArgs { group_by, sort, top } = *self;
        Shape { by: group_by, sort: sort.unwrap_or_default(), top: top.map(NonZeroUsize::get) }
    }
}

fn group_by() -> impl TypedValueParser<Value = FleetGrouping> {
    words([
        ("workspace", FleetGrouping::Workspace, ""),
        ("type", FleetGrouping::Type, ""),
        ("module", FleetGrouping::Module, ""),
        ("provider", FleetGrouping::Provider, ""),
        ("action", FleetGrouping::Action, ""),
    ])
}

fn sort() -> impl TypedValueParser<Value = Sort> {
    let column = |name, column| (PossibleValue::new(name), Sort::Column(column));
    possible_values([
        (PossibleValue::new("changes").help("Errors, then changes of all kinds"), Sort::Changes),
        (PossibleValue::new("name"), Sort::Name),
        (PossibleValue::new("input").help("The order of the inputs"), Sort::Input),
        column("add", Column::Add),
        column("change", Column::Change),
        (
            PossibleValue::new("destroy").alias("delete").help("Deletions and replacements"),
            Sort::Column(Column::Destroy),
        ),
        column("replace", Column::Replace),
        column("import", Column::Import),
        column("move", Column::Move),
        column("forget", Column::Forget),
        column("drift", Column::Drift),
        column("checks", Column::Checks),
        column("errors", Column::Errors),
    ])
}

/// Arguments about rules.
#[derive(Debug, Args)]
pub struct GateArgs {
    /// Exit with 3 if a plan breaks this rule, like delete:aws_db_*, replace, 'changes>200' or
    /// 'unknown-path:*.password'. @FILE reads rules from a file, one on each line. Put `warning`
    /// before a rule to only warn, and a quoted message after it. Repeatable
    #[arg(help_heading = GATES, long, value_name = "RULE")]
    pub fail_on: Vec<String>,
    /// Also fail if a rule or an assertion matches nothing, if a check fails or is unknown, or if a
    /// folder has a file that is not a plan
    #[arg(help_heading = GATES, long)]
    pub strict_rules: bool,
}

impl GateArgs {
    /// Whether the arguments ask for rules.
    pub fn are_given(&self) -> bool {
        self.strict_rules || !self.fail_on.is_empty()
    }

    /// Lists the files that contain rules.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.fail_on.iter().filter_map(|rule| rule.strip_prefix('@')).map(PathBuf::from)
    }
}

/// Arguments about assertions.
#[derive(Debug, Args)]
pub struct AssertionArgs {
    /// Check the assertions in a file, as `plansift assert --file` does, and exit with 3 if a plan
    /// fails one. Repeatable
    #[arg(help_heading = GATES, long, value_name = "FILE")]
    pub assert: Vec<PathBuf>,
    /// Check the assertions of a pack, as `plansift assert --pack` does. Repeatable
    #[arg(help_heading = GATES, long = "pack", value_name = "PACK", value_parser = pack())]
    pub packs: Vec<Pack>,
}

/// Parses the name of a pack of assertions.
fn pack() -> impl TypedValueParser<Value = Pack> {
    words(Pack::ALL.map(|pack| (pack.name, pack, pack.about)))
}

/// Parses the name of a format of records.
fn form() -> impl TypedValueParser<Value = Form> {
    words(Form::ALL.map(|form| (form.extension(), form, form.description())))
}

/// Parses one of several words, each with its value and its help. An empty help is none.
fn words<T: Clone + Send + Sync + 'static, const N: usize>(
    words: [(&'static str, T, &'static str); N],
) -> impl TypedValueParser<Value = T> {
    possible_values(words.map(|(word, value, help)| {
        let word = PossibleValue::new(word);
        (if help.is_empty() { word } else { word.help(help) }, value)
    }))
}

/// Parses one of several words, each with its value.
fn possible_values<T: Clone + Send + Sync + 'static, const N: usize>(
    words: [(PossibleValue, T); N],
) -> impl TypedValueParser<Value = T> {
    let known = words.clone().map(|(word, _)| word);
    PossibleValuesParser::new(known).try_map(move |text| {
        let found = words.iter().find(|(word, _)| word.matches(&text, false));
        found.map(|(_, value)| value.clone()).ok_or("there is no such word")
    })
}

/// When to use colours, or to show progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each name says it")]
pub enum When {
    Auto,
    Always,
    Never,
}

/// Parses when to do something. `auto` says when by default.
fn when(auto: &'static str) -> impl TypedValueParser<Value = When> {
    words([
        ("auto", When::Auto, auto),
        ("always", When::Always, "Always"),
        ("never", When::Never, "Never"),
    ])
}

/// When to use colours by default.
const COLOR: &str = "On a terminal, unless NO_COLOR is set";

/// How much of the JSON grammar to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Check {
    /// Every byte, including skipped values
    Grammar,
    /// Only UTF-8, strings and brackets in skipped values: faster, but a damaged plan can pass, and
    /// its changes are then missing. Use it for plans that the same job has just made
    Structure,
}

/// Arguments about the plans, shared by most commands.
#[derive(Debug, Args)]
pub struct Plans {
    /// Plan files (`plan -out`) and plans as JSON (`show -json`), plain, gzip or zstd: files,
    /// folders, globs, URLs (s3://, gs://, az://, https://, http://, file://), @FILE for a list of
    /// inputs, - for standard input
    #[arg(value_name = "INPUT")]
    pub inputs: Vec<OsString>,
    #[command(flatten)]
    pub(super) more: InputArgs,
    /// Check this much of the JSON grammar
    #[arg(help_heading = INPUT, long, value_enum, default_value_t = Check::Grammar,
          value_name = "WHAT")]
    pub check: Check,
    /// Refuse text around a plan, which CI wrappers print, instead of skipping it
    #[arg(help_heading = INPUT, long)]
    pub strict: bool,
    /// Use colours
    #[arg(help_heading = OUTPUT, long, value_parser = when(COLOR), default_value = "auto",
          value_name = "WHEN")]
    pub color: When,
    /// Print no warnings and no progress
    #[arg(help_heading = OUTPUT, short, long)]
    pub quiet: bool,
    /// Show progress on standard error
    #[arg(help_heading = OUTPUT, long, value_parser = when("On a terminal"),
          default_value = "auto", value_name = "WHEN",
          num_args = 0..=1, default_missing_value = "always", require_equals = true)]
    pub progress: When,
    /// Print bytes, seconds, speed and peak memory to standard error
    #[arg(help_heading = OUTPUT, long)]
    pub stats: bool,
    /// Use at most N threads, up to 8 [default: one for each processor]. The output does not depend
    /// on N
    #[arg(help_heading = INPUT, long, value_name = "N", value_parser = positive)]
    pub threads: Option<NonZeroUsize>,
    /// Read files instead of mapping them into memory
    #[arg(help_heading = INPUT, long)]
    pub no_mmap: bool,
    /// Arguments about limits
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Arguments about records.
#[derive(Debug, Args)]
pub struct RecordArgs {
    /// Include no-op changes and checks that pass
    #[arg(help_heading = FILTERS, long)]
    pub all: bool,
    /// Exit with 2 if there are changes
    #[arg(help_heading = GATES, long)]
    pub detailed_exitcode: bool,
}

impl RecordArgs {
    /// Returns which changes become records.
    pub fn show(&self) -> Show {
        if self.all { Show::All } else { Show::Changes }
    }
}

fn positive(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "expected a whole number from 1".to_owned())
}

fn part(name: &str) -> Result<PlanPart, String> {
    PlanPart::named(name).ok_or_else(|| {
        let names: Vec<_> = PlanPart::NAMES.iter().map(|(name, _)| *name).collect();
        let meant = match name {
            "all" => "; `plansift redact` keeps all of them".to_owned(),
            _ => did_you_mean(nearest(name, names.iter().copied())),
        };
        format!("the names of sections are {}{meant}", names.join(", "))
    })
}

fn address(text: &str) -> Result<AddressPattern, String> {
    match text {
        "" => Err("expected a type, an address or a module, as in 'aws_db_*'".to_owned()),
        // Addresses contain colons only inside quotes.
        text => match text.split_once(':').filter(|(word, _)| !word.contains(['"', '*'])) {
            None => AddressPattern::parse(text).map_err(|error| error.to_string()),
            Some((word, _)) => Err(format!(
                "expected a type, an address or a module, as in 'aws_db_*': only `report --only` \
                 has kinds like '{word}:'"
            )),
        },
    }
}

/// Parses the arguments without printing. The first argument is the name of the program. Fails if
/// an argument is wrong, or if the user asked for the help or the version.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Command, Refusal> {
    let (args, options) = translated(args);
    let parsed = match hints::one_dash(&args[..options]) {
        Some(error) => Err(error),
        None => refused::parsed(&args),
    };
    parsed.map(|cli| cli.command).map_err(|error| Refusal { error, args })
}

/// Returns the limits that arguments set. Returns `None` if the arguments are wrong, or if the
/// command has no limits.
pub fn limits(args: impl IntoIterator<Item = OsString>) -> Option<Limits> {
    let mut cli = Cli::command();
    let matches = cli.try_get_matches_from_mut(translated(args).0).ok()?;
    let (name, matches) = matches.subcommand()?;
    let mut known = cli.find_subcommand(name)?.get_arguments().map(|arg| arg.get_id().as_str());
    let has_limits = known.any(|name| Limit::ALL.iter().any(|limit| limit.option() == name));
    let arguments = has_limits.then(|| LimitArgs::from_arg_matches(matches))?;
    arguments.ok().map(|arguments| arguments.limits())
}

/// The reason why no command runs: a wrong argument, or a request for help.
#[derive(Debug)]
pub struct Refusal {
    error: clap::Error,
    args: Vec<OsString>,
}

impl Refusal {
    /// Returns the lines of the error message; `None` for a request for help or the version.
    pub fn lines(&self) -> Option<Vec<String>> {
        if let ErrorKind::DisplayHelp | ErrorKind::DisplayVersion = self.error.kind() {
            return None;
        }
        let text = self.error.render().to_string();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let hint = hints::of(&self.error, &self.args);
        // clap suggests to pass the option as a value, which is never what the user means.
        let tip = if hint.is_some() { "  tip: " } else { "  tip: to pass '--" };
        lines.retain(|line| !line.starts_with(tip));
        lines.dedup();
        if let Some(hint) = hint {
            let end = lines.iter().position(String::is_empty).unwrap_or(lines.len());
            lines.splice(end..end, [String::new(), format!("  {hint}")]);
        }
        Some(lines)
    }

    /// Prints the help or the version.
    pub fn print(&self) {
        // A closed pipe is not an error.
        let _ = self.error.print();
    }
}

/// Translates Terraform's options with one dash, up to `--`. Also returns the number of arguments
/// before `--`.
fn translated(args: impl IntoIterator<Item = OsString>) -> (Vec<OsString>, usize) {
    let mut args: Vec<OsString> = args.into_iter().collect();
    let options = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    let command = args.get(1).and_then(|command| command.to_str()).unwrap_or_default().to_owned();
    args[..options].iter_mut().for_each(|arg| *arg = option(arg, &command));
    (args, options)
}

/// Translates an option of Terraform. `batch` writes to a folder.
fn option(arg: &OsString, command: &str) -> OsString {
    let out = if command == "batch" { "--out" } else { "--output" };
    match arg.to_str() {
        Some("-json") if command == "show" => "--json".into(),
        Some("-json") if matches!(command, "changes" | "batch") => "--format=json".into(),
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
    fn limits_are_those_of_the_arguments() {
        let limits = |line: &str| limits(line.split(' ').map(OsString::from));
        let of_depth = Limits { depth: 7, ..Limits::default() };
        assert_eq!(limits("plansift changes -out=a --limit-depth 7 plan.json"), Some(of_depth));
        assert_eq!(limits("plansift merge a"), None);
        assert_eq!(limits("plansift schema --limit-depth 7"), None);
    }

    #[test]
    fn clap_accepts_the_command_definition() {
        Cli::command().debug_assert();
    }
}
