//! Hints for invalid arguments: what the user probably meant.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Command, CommandFactory};

use super::{Cli, manual};
use plansift_core::nearest::nearest;
use plansift_report::ReportForm;

/// Returns a hint for an invalid argument. The first argument is the name of the program.
pub(super) fn of(error: &Error, args: &[OsString]) -> Option<String> {
    let text = |kind| error.get(kind).map(ToString::to_string);
    match error.kind() {
        ErrorKind::InvalidSubcommand => of_command(&text(ContextKind::InvalidSubcommand)?, args),
        ErrorKind::UnknownArgument => of_option(&text(ContextKind::InvalidArg)?, args),
        ErrorKind::InvalidValue => {
            let Some(ContextValue::Strings(words)) = error.get(ContextKind::ValidValue) else {
                return None;
            };
            let command = command(args);
            let is_format = text(ContextKind::InvalidArg)?.starts_with("--format");
            if is_format && command.get_name() == "summary" {
                return of_format("summary", format(args));
            }
            let value = text(ContextKind::InvalidValue)?;
            let near = nearest(&value, words.iter().map(String::as_str))?;
            Some(format!("did you mean `{near}`?"))
        }
        _ => None,
    }
}

fn of_command(word: &str, args: &[OsString]) -> Option<String> {
    let command = command(args);
    let path = if command.get_name() == "plansift" { "" } else { "wire " };
    let near = nearest(word, command.get_subcommands().map(Command::get_name));
    match near {
        Some(near) => Some(format!("did you mean `plansift {path}{near}`?")),
        None if path.is_empty() && is_plan(word) => {
            Some(format!("did you mean `plansift summary {word}`?"))
        }
        None => None,
    }
}

/// Returns whether an argument in place of a command seems to be a plan.
fn is_plan(name: &str) -> bool {
    let endings = [".json", ".gz", ".zst", ".tfplan"];
    name == "-"
        || endings.iter().any(|ending| name.ends_with(ending))
        || std::path::Path::new(name).exists()
}

fn of_option(option: &str, args: &[OsString]) -> Option<String> {
    let option = option.split_once('=').map_or(option, |(name, _)| name);
    let command = command(args);
    if let "-f" | "--format" | "--json" = option
        && let Some(remedy) = of_format(command.get_name(), format(args))
    {
        return Some(remedy);
    }
    if let ("--fail-on", "batch" | "merge") = (option, command.get_name()) {
        return Some("run `batch --assert FILE`, or `summary --fail-on` with the plans".to_owned());
    }
    let name = option.strip_prefix("--")?;
    let near = match name {
        // Terraform calls it -out.
        "out" => options(&command).find(|known| *known == "output"),
        _ => nearest(name, options(&command)),
    };
    near.map(|near| format!("did you mean `--{near}`?")).or_else(|| of_others(name))
}

/// Returns the long options of a command.
fn options(command: &Command) -> impl Iterator<Item = &str> {
    let known = command.get_arguments().filter(|known| !known.is_hide_set());
    known.filter_map(clap::Arg::get_long)
}

/// Names the commands that have an option.
fn of_others(option: &str) -> Option<String> {
    const NAMED: usize = 6;
    let cli = manual::built();
    let having = manual::below(&cli).into_iter();
    let having = having.filter(|command| options(command).any(|known| known == option));
    let names = having.filter_map(|command| command.get_bin_name()?.strip_prefix("plansift "));
    let names: Vec<&str> = names.collect();
    let first = names.first()?;
    let (named, more) = names.split_at(names.len().min(NAMED));
    let more = if more.is_empty() { "" } else { " and others" };
    Some(format!(
        "--{option} is an option of {}{more}: run `plansift {first} --{option} ...`",
        named.join(", ")
    ))
}

/// Says how to get a format from a command, or from another one.
fn of_format(command: &str, format: Option<String>) -> Option<String> {
    Some(match command {
        "summary" => format!(
            "run `plansift changes --format json` for records, `plansift summary --format json` \
             for counts, or `plansift report -o {}` for a report",
            format.as_deref().unwrap_or("json")
        ),
        "report" => {
            format!("run `plansift report -o {}`", format.as_deref().unwrap_or("json"))
        }
        "changes" | "batch" => format!("run `plansift {command} --format json`"),
        "audit" | "merge" => format!("run `plansift {command} --format ndjson`"),
        "redact" | "slim" | "show" => "the output is always JSON".to_owned(),
        _ => return None,
    })
}

/// Returns the format of a report that is nearest to the value of `--format`.
fn format(args: &[OsString]) -> Option<String> {
    let names = ["--format", "-f"];
    let mut args = args.iter().map_while(|arg| arg.to_str());
    let value = args.find_map(|arg| {
        let value = names.iter().find_map(|name| arg.strip_prefix(name))?;
        Some(value.strip_prefix('=').unwrap_or(value))
    })?;
    let value = if value.is_empty() { args.next()? } else { value };
    nearest(value, ReportForm::ALL.map(ReportForm::name)).map(str::to_owned)
}

/// Returns the command that the arguments name, or the subcommand of `wire`.
fn command(args: &[OsString]) -> Command {
    let mut command = Cli::command();
    command.build();
    for name in args.iter().skip(1) {
        match command.find_subcommand(name) {
            Some(inner) => command = inner.clone(),
            None => break,
        }
    }
    command
}

/// Refuses a long option with one dash, like `-format`, which would read as `-f ormat`.
pub(super) fn one_dash(args: &[OsString]) -> Option<Error> {
    let names = args.iter().filter_map(|arg| {
        let name = arg.to_str()?.strip_prefix('-')?;
        let name = name.split_once('=').map_or(name, |(name, _)| name);
        (name.len() > 1 && !name.starts_with('-')).then_some(name)
    });
    let mut names = names.peekable();
    // Building the command takes as long as parsing, and most runs have no such argument.
    names.peek()?;
    let mut command = command(args);
    let text = names.find_map(|name| {
        if name == "json" {
            let remedy = of_format(command.get_name(), None)?;
            return Some(format!("`{}` has no -json: {remedy}", command.get_name()));
        }
        let is_known = command.get_arguments().any(|known| known.get_long() == Some(name));
        is_known.then(|| format!("-{name} has one dash: did you mean --{name}?"))
    })?;
    Some(command.error(ErrorKind::UnknownArgument, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_of_a_report_is_found_in_the_arguments() {
        for (args, format_of) in [
            ("report -f html", Some("html")),
            ("report --format=md x", Some("markdown")),
            ("report -fjunti", Some("junit")),
            ("report --format", None),
            ("report -f ndjson", Some("json")),
            ("report x", None),
        ] {
            let args: Vec<OsString> = args.split(' ').map(OsString::from).collect();
            assert_eq!(format(&args).as_deref(), format_of, "{args:?}");
        }
    }
}
