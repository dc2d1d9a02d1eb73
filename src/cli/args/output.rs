//! The path of an output file.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Arg, Command, CommandFactory, Error, ValueEnum};

use super::{Cli, FindingsFormat};
use plansift_report::{Form, ReportForm};

/// Parses the path of an output file.
pub(super) fn file() -> impl TypedValueParser<Value = PathBuf> {
    File
}

/// The parser of [`file`]. Its messages depend on the command.
#[derive(Clone)]
struct File;

impl TypedValueParser for File {
    type Value = PathBuf;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<PathBuf, Error> {
        let name = command.get_name().to_owned();
        let parser = PathBufValueParser::new();
        parser.try_map(move |path| refuse_format(path, &name)).parse_ref(command, arg, value)
    }
}

/// Refuses the name of a format, alone or before `=`, as the path of a file of a command: it is
/// probably a mistake.
pub(super) fn refuse_format(path: PathBuf, command: &str) -> Result<PathBuf, String> {
    let refusal = path.to_str().and_then(|text| match text.split_once('=') {
        Some((word, file)) => refuse_target(word, file, command),
        None => refuse_name(text),
    });
    refusal.map_or(Ok(path), Err)
}

fn refuse_name(name: &str) -> Option<String> {
    let records = Form::ALL.map(Form::extension).join("|");
    let reports = ReportForm::ALL.map(ReportForm::name).join("|");
    let findings = FindingsFormat::value_variants().iter();
    let findings = findings.filter_map(|format| format.to_possible_value());
    let findings: Vec<String> = findings.map(|word| word.get_name().to_owned()).collect();
    let findings = findings.join("|");
    let mut names = [&records, &reports, &findings].into_iter().flat_map(|of| of.split('|'));
    (name == "md" || names.any(|format| format == name)).then(|| {
        format!(
            "-o takes a file here, and '{name}' is a format: write -o ./{name} for a file of \
             that name, or use a command with this format: changes --format {records}, \
             report -o {reports}, audit --format {findings}"
        )
    })
}

/// Refuses `FORMAT=FILE`. Says how to write the format, with this command or with others.
fn refuse_target(word: &str, file: &str, command: &str) -> Option<String> {
    let format = if word == "md" { ReportForm::Markdown.name() } else { word };
    let cli = Cli::command();
    let writers: Vec<&Command> =
        cli.get_subcommands().filter(|command| writes(command, format)).collect();
    let remedy = match writers.iter().find(|writer| writer.get_name() == command) {
        _ if writers.is_empty() => return None,
        Some(_) => format!("write --format {format} -o {file}"),
        None if format == "json" && matches!(command, "redact" | "slim" | "show") => {
            format!("write -o {file} (the output is always JSON)")
        }
        None => {
            // A comparison is about two plans.
            let names = writers.iter().map(|writer| writer.get_name());
            let ways = names.filter(|name| *name != "compare").take(2).map(|name| match name {
                "report" | "merge" => format!("`plansift {name} -o {format}={file}`"),
                _ => format!("`plansift {name} --format {format} -o {file}`"),
            });
            format!("use {}", ways.collect::<Vec<_>>().join(" or "))
        }
    };
    Some(format!(
        "-o takes a file here, and '{word}' is a format: {remedy}, or -o ./{word}={file} for a \
         file of that name"
    ))
}

/// Returns whether a command writes its output in a format. The format of `batch` is for the files
/// of its folder.
fn writes(command: &Command, format: &str) -> bool {
    match command.get_name() {
        "batch" => false,
        "report" => ReportForm::ALL.iter().any(|form| form.name() == format),
        _ => {
            let arg = command.get_arguments().find(|arg| arg.get_id() == "format");
            let words = arg.map(Arg::get_possible_values).unwrap_or_default();
            words.iter().any(|word| word.get_name() == format)
        }
    }
}
