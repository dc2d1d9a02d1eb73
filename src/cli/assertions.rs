//! Reads files of assertions, and turns assertions into rules for reports.

use std::path::PathBuf;

use super::exit::Exit;
use super::messages::{read_text, usage};
use plansift_check::assertion::{self, Assertion, Assertions, FILE_MAX, Pack, Syntax, parse};
use plansift_fleet::batch::settings::digest;
use plansift_report::gate::{Rule, Severity};

/// Assertions, and a digest of their files.
pub struct Files {
    pub assertions: Vec<Assertion>,
    /// The digest of the names and contents of the files.
    pub digest: String,
}

/// Reads the files of assertions that `option` names, and the packs. If a file is unreadable or
/// invalid, prints the error with its line and fails.
pub fn in_files(option: &str, paths: &[PathBuf], packs: &[Pack]) -> Result<Files, Exit> {
    let (mut assertions, mut texts) = (Vec::new(), Vec::new());
    for path in paths {
        let name = path.display().to_string();
        let text = read_text(&format!("{option} "), path, FILE_MAX as u64)?;
        let parsed = parse(&text, Syntax::of(&name));
        let parsed = parsed.map_err(|error| usage(&format!("{name}: {error}")))?;
        assertions.extend(parsed.into_iter().map(|it| Assertion { file: name.clone(), ..it }));
        texts.push((name, text));
    }
    for pack in packs {
        assertions.extend(pack.assertions());
        texts.push((format!("--pack {}", pack.name), pack.text.to_owned()));
    }
    let texts = texts.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    Ok(Files { assertions, digest: digest(texts) })
}

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
