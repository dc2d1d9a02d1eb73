//! The rules of `--fail-on`, and the messages about broken ones.

use std::cell::Cell;
use std::path::Path;

use super::args::GateArgs;
use super::exit::Exit;
use super::messages::{read_text, say_with, usage};
use plansift_plan::sink::Sink;
use plansift_report::gate::{Answer, Gate, Rule, RuleFault, with_strict_rules, without_document};

/// Maximum number of resources in a message.
pub const NAMED: usize = 3;

/// Parses the rules of the arguments and of the files that they name. If a rule is malformed or a
/// file cannot be read, prints the error and fails.
pub fn rules(gate: &GateArgs) -> Result<Vec<Rule>, Exit> {
    let mut rules = Vec::new();
    for text in &gate.fail_on {
        match text.strip_prefix('@') {
            Some(path) => rules.extend(in_file(path)?),
            None => rules.push(rule(text)?),
        }
    }
    Ok(if gate.strict_rules { with_strict_rules(rules) } else { rules })
}

/// Longest file of rules, in bytes.
const FILE_MAX: u64 = 1 << 20;

/// Parses the rules of a file, one on each line. A `#` starts a comment, and empty lines are
/// skipped. An error quotes no more than the first word, because the user may have named the wrong
/// file.
fn in_file(path: &str) -> Result<Vec<Rule>, Exit> {
    let text = read_text("--fail-on @", Path::new(path), FILE_MAX)?;
    if text.len() as u64 > FILE_MAX {
        return Err(usage(&format!(
            "--fail-on @{path}: this is not a file of rules: it has more than {FILE_MAX} bytes"
        )));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let lines = text.lines().map(|line| without_comment(line).trim()).zip(1_u64..);
    let rules: Vec<Rule> = lines
        .filter(|(line, _)| !line.is_empty())
        .map(|(line, number)| {
            let place = || format!("{path}: line {number}{}", word_of(line));
            Rule::parse(line).map_err(|fault| refused(&place(), fault))
        })
        .collect::<Result<_, Exit>>()?;
    if rules.is_empty() {
        return Err(usage(&format!("--fail-on @{path}: this file has no rules")));
    }
    Ok(rules)
}

/// Returns a comma and the quoted first word of a line if the word looks like a keyword of a rule.
/// Otherwise returns an empty string, because a word in a wrong file may be secret.
fn word_of(line: &str) -> String {
    /// Longest word, in bytes.
    const WORD_MAX: usize = 16;
    let end = line.find(|character: char| !matches!(character, 'a'..='z' | '-'));
    let (word, rest) = line.split_at(end.unwrap_or(line.len()));
    let is_word = !word.is_empty() && word.len() <= WORD_MAX;
    match is_word && rest.chars().next().is_none_or(|next| matches!(next, ' ' | ':' | '>')) {
        true => format!(", '{word}'"),
        false => String::new(),
    }
}

/// Cuts a line at a `#` that starts the line or follows a blank, outside quotes.
fn without_comment(line: &str) -> &str {
    let (mut is_quoted, mut is_escaped, mut after_blank) = (false, false, true);
    let comment = line.char_indices().find(|&(_, character)| {
        let begins = character == '#' && after_blank && !is_quoted;
        is_quoted ^= character == '"' && !is_escaped;
        is_escaped = character == '\\' && is_quoted && !is_escaped;
        after_blank = character.is_whitespace();
        begins
    });
    comment.map_or(line, |(at, _)| &line[..at])
}

fn rule(text: &str) -> Result<Rule, Exit> {
    Rule::parse(text).map_err(|fault| match fault {
        // The user wrote this argument, so the message may repeat all of it.
        RuleFault::Blank(word) => {
            let place = format!("--fail-on: '{text}'");
            let pattern = text.trim_start().strip_prefix(word).unwrap_or(text);
            let pattern = pattern.trim_start_matches([' ', '\t', ':']).trim_end();
            let pattern = if pattern.is_empty() { "PATTERN" } else { pattern };
            usage(&format!(
                "{place}: a colon stands before a pattern: did you mean {word}:{pattern}?"
            ))
        }
        fault
            if let Some(reason) = fault.document_reason()
                && let Some(instead) = without_document(text) =>
        {
            usage(&format!("--fail-on: '{text}': {reason}: write {instead}"))
        }
        RuleFault::Unknown(_) if Path::new(text).is_file() => {
            usage(&format!("--fail-on: '{text}' is a file: write @{text} to read its rules"))
        }
        _ => refused(&format!("--fail-on: '{text}'"), fault),
    })
}

fn refused(place: &str, fault: RuleFault) -> Exit {
    let hint = match fault {
        RuleFault::Unknown(_) => {
            let subjects: Vec<_> = Rule::subjects().collect();
            format!("; rules begin with {}", subjects.join(", "))
        }
        _ => String::new(),
    };
    usage(&format!("{place}: {fault}{hint}"))
}

/// Wraps a sink in a check of the rules. A broken rule sets `is_broken`, unless it only warns.
pub fn before<'s>(
    sink: Box<dyn Sink + 's>,
    rules: &[Rule],
    is_broken: &'s Cell<bool>,
) -> Box<dyn Sink + 's> {
    if rules.is_empty() {
        return sink;
    }
    let report = |broken: &Answer<'_>| {
        is_broken.set(is_broken.get() || broken.fails());
        let (source, rule) = (broken.source, broken.rule);
        let level = if broken.fails() { "" } else { "warning: " };
        let kind = if rule.assertion().is_some() { "assertion failed" } else { "rule broken" };
        let mut line = format!("{source}: {level}{kind}: {}", rule.text());
        if rule.assertion().is_some() || broken.is_unknown || !broken.first.is_empty() {
            line += &format!(": {}", broken.words(NAMED, str::to_owned));
        }
        say_with(&line, rule.message());
    };
    Box::new(Gate::new(rules, sink, report))
}
