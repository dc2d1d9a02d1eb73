//! Files of assertions, and the rules that stand for assertions in reports.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::exit::Exit;
use super::messages::{say, usage};
use crate::assertion::{self, Assertion, Assertions, FILE_MAX, Syntax, parse};
use crate::batch::asked;
use crate::sink::gate::{Rule, Severity};

/// Assertions, and a digest of their files.
pub struct Files {
    /// The assertions of all files.
    pub assertions: Vec<Assertion>,
    /// The digest of the names and texts of the files.
    pub digest: String,
}

/// Reads files of assertions. `option` is the option that names them.
///
/// # Errors
///
/// Fails if a file cannot be read or is wrong. Prints the error, with its line.
pub fn in_files(option: &str, paths: &[PathBuf]) -> Result<Files, Exit> {
    let (mut assertions, mut texts) = (Vec::new(), Vec::new());
    for path in paths {
        let name = path.display().to_string();
        let text = text_of(option, path)?;
        let parsed = parse(&text, Syntax::of(&name));
        let parsed = parsed.map_err(|error| usage(&format!("{name}: {error}")))?;
        assertions.extend(parsed.into_iter().map(|it| Assertion { file: name.clone(), ..it }));
        texts.push((name, text));
    }
    let texts = texts.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    Ok(Files { assertions, digest: asked::digest(texts) })
}

fn text_of(option: &str, path: &Path) -> Result<String, Exit> {
    let mut text = String::new();
    let limit = FILE_MAX as u64 + 1;
    let read = File::open(path).and_then(|file| file.take(limit).read_to_string(&mut text));
    read.map_err(|error| {
        say(&format!("{option} {}: cannot read it: {error}", path.display()));
        Exit::Failed
    })?;
    Ok(text)
}

/// The rules that stand for assertions.
pub fn rules(assertions: &Assertions) -> impl Iterator<Item = Rule> {
    assertions.list().iter().zip(assertions.ids()).enumerate().map(|(index, (assertion, id))| {
        let severity = match assertion.severity {
            assertion::Severity::Error => Severity::Error,
            assertion::Severity::Warning => Severity::Warning,
        };
        let rule = Rule::of_assertion(index, &assertion.name, id, severity);
        let rule = rule.with_message(assertion.message.as_deref());
        match assertion.file.as_str() {
            "" => rule,
            file => rule.at(file, assertion.line as u64),
        }
    })
}
