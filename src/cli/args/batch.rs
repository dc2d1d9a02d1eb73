//! The arguments of `plansift batch` and `plansift merge`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::output::refuse_format;
use super::{
    AssertionArgs, COLOR, FormArgs, GATES, INPUT, LIMITS, OUTPUT, Plans, RecordArgs, SECRETS,
    TableArgs, Target, When, file, parse_amount, positive, when,
};
use plansift_core::nearest::{did_you_mean, nearest};
use plansift_fleet::batch::Shard;
use plansift_plan::record::CompareLevel;

/// The help of `--group-by`, without the sentence about states, which these commands do not read.
const GROUP_BY: &str = "Group the table by this [default: workspace]";

/// `plansift batch`.
///
/// A rerun with the same options processes missing, failed and changed inputs. At the end, `batch`
/// prints the table of `summary`.
#[derive(Debug, Args)]
#[command(mut_arg("group_by", |group_by| group_by.help(GROUP_BY)))]
pub struct Batch {
    /// Write to this folder: records/, report.ndjson, journal
    #[arg(help_heading = OUTPUT, long, value_name = "DIR")]
    pub out: PathBuf,
    #[command(flatten)]
    pub form: FormArgs,
    /// Read at most N inputs at once [default: one for each processor]; large inputs use several
    /// threads
    #[arg(help_heading = INPUT, short, long, value_name = "N", value_parser = positive,
          conflicts_with = "threads")]
    pub jobs: Option<NonZeroUsize>,
    /// Limit the memory of the whole run, in bytes; K, M, G and T are powers of 1024, and the least
    /// limit is 37M. Each job counts as 16M: less memory means fewer jobs, at least one. A resource
    /// change takes up to four times its size. An input with a change that does not fit fails, and
    /// the run goes on with the other inputs
    #[arg(help_heading = LIMITS, long, value_name = "SIZE", value_parser = parse_amount,
          default_value = "256M")]
    pub memory: u64,
    /// Also write all records as tables, to DIR/TABLE/dt=DATE/part-I-of-N.parquet
    #[arg(help_heading = OUTPUT, long, value_name = "DIR")]
    pub tables: Option<PathBuf>,
    /// Date in the paths of the tables [default: the current day in UTC]
    #[arg(help_heading = OUTPUT, long, value_name = "YYYY-MM-DD", requires = "tables")]
    pub date: Option<String>,
    /// Add the digest of each plan at this level to report.ndjson, as `plansift digest` prints it.
    /// Digests of values need --key-file
    #[arg(help_heading = OUTPUT, long, value_parser = super::compare::level(),
          value_name = "LEVEL")]
    pub digest: Option<CompareLevel>,
    /// Key of the digests of values: 16 random bytes or more
    #[arg(help_heading = SECRETS, long, value_name = "FILE", requires = "digest")]
    pub key_file: Option<PathBuf>,
    /// Process only the Ith of N parts of the inputs; `merge` joins the reports
    #[arg(help_heading = INPUT, long, value_name = "I/N", value_parser = shard,
          default_value = "1/1")]
    pub shard: Shard,
    /// Stop at the first input that fails
    #[arg(help_heading = INPUT, long)]
    pub fail_fast: bool,
    #[command(flatten)]
    pub table: TableArgs,
    /// Write the table to a file, which appears only when it is complete
    #[arg(help_heading = OUTPUT, short, long, value_name = "FILE", value_parser = file())]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub assertions: AssertionArgs,
    /// Also fail if a pattern in an assertion covers nothing, or if a folder has a file that is not
    /// a plan
    #[arg(help_heading = GATES, long)]
    pub strict_rules: bool,
    #[command(flatten)]
    pub records: RecordArgs,
    #[command(flatten)]
    pub plans: Plans,
}

/// `plansift merge`.
#[derive(Debug, Args)]
#[command(mut_arg("group_by", |group_by| group_by.help(GROUP_BY)))]
pub struct Merge {
    /// Folders of `batch`: one, one for each shard, or several batches without shards
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,
    /// Compare with this folder of an earlier `batch`, by workspace: new failures, destroys,
    /// planned changes and drift, and what is gone or unchanged. Repeat it for each shard or batch
    #[arg(help_heading = INPUT, long, value_name = "DIR",
          conflicts_with_all = ["group_by", "sort"])]
    pub since: Vec<PathBuf>,
    /// Format of the report
    #[arg(help_heading = OUTPUT, short, long, value_enum, default_value_t = ReportFormat::Table)]
    pub format: ReportFormat,
    /// Accept missing shards
    #[arg(help_heading = INPUT, long)]
    pub partial: bool,
    #[command(flatten)]
    pub table: TableArgs,
    /// Write to a file, which appears only when it is complete, in the format of --format or in
    /// FORMAT, as in html=fleet.html. Repeatable: one run writes all files
    #[arg(help_heading = OUTPUT, short, long, value_name = "[FORMAT=]FILE",
          value_parser = output())]
    pub output: Vec<OutputFile>,
    /// Exit with 2 if there are changes; with --since, if a workspace has new failures, destroys,
    /// planned changes or drift
    #[arg(help_heading = GATES, long)]
    pub detailed_exitcode: bool,
    /// Use colours
    #[arg(help_heading = OUTPUT, long, value_parser = when(COLOR), default_value = "auto",
          value_name = "WHEN")]
    pub color: When,
}

/// Format of the report of many plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// The table of `summary`
    Table,
    /// One compact JSON object for each plan, and one for all plans. With --since, one for each
    /// workspace, and one for all
    Ndjson,
    /// The objects of ndjson in one JSON array
    Json,
    /// A summary and a table of workspaces, for a comment or a job summary
    Markdown,
    /// A single page with all workspaces for a browser, which needs no network
    Html,
}

/// A file to write, and its format if the argument names one.
#[derive(Clone, Debug)]
pub struct OutputFile {
    format: Option<ReportFormat>,
    file: PathBuf,
}

impl Merge {
    /// Returns the reports to write: each file, or standard output without a file.
    pub fn targets(&self) -> Vec<Target<ReportFormat>> {
        let targets = self.output.iter().map(|output| Target {
            format: output.format.unwrap_or(self.format),
            file: Some(output.file.clone()),
        });
        match self.output.is_empty() {
            true => vec![Target { format: self.format, file: None }],
            false => targets.collect(),
        }
    }
}

/// Parses a file with or without a format. A file whose name begins with a format and `=` needs a
/// folder in front, as in `./html=a`.
fn output() -> impl TypedValueParser<Value = OutputFile> {
    PathBufValueParser::new().try_map(|path| {
        let names = ReportFormat::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let names: Vec<String> = names.map(|format| format.get_name().to_owned()).collect();
        let of_format = path.to_str().and_then(|text| text.split_once('='));
        if let Some((word, file)) = of_format {
            if let Ok(format) = ReportFormat::from_str(word, false) {
                return Ok(OutputFile { format: Some(format), file: file.into() });
            }
            if let Some(near) = nearest(word, names.iter().map(String::as_str)) {
                let near = format!("{near}={file}");
                return Err(format!("'{word}' is no format{}", did_you_mean(Some(&near))));
            }
        }
        match path.to_str().filter(|text| names.iter().any(|name| name == text)) {
            Some(name) => Err(format!(
                "'{name}' is a format: write -o {name}=FILE, or -o ./{name} for a file of that name"
            )),
            None => refuse_format(path, "merge").map(|file| OutputFile { format: None, file }),
        }
    })
}

fn shard(text: &str) -> Result<Shard, String> {
    Shard::parse(text).map_err(|_| "expected a part and the number of parts, like 2/8".to_owned())
}
