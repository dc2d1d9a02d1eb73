//! Reads files of sets of types, and installs the sets for all patterns of the process.

use std::ffi::OsString;
use std::sync::OnceLock;

use super::args::{self, TypeSetFiles};
use super::exit::Exit;
use super::messages::{read_text, usage};
use plansift_core::path::TypeSets;
use plansift_fleet::batch::settings;

/// The digest of the files that are installed.
static DIGEST: OnceLock<String> = OnceLock::new();

/// Installs the sets in the files that the arguments name. If a file is unreadable or invalid,
/// prints the error with its line and fails.
pub fn install(args: &[OsString]) -> Result<(), Exit> {
    let TypeSetFiles { named_by, files } = args::type_set_files(args);
    if files.is_empty() {
        return Ok(());
    }
    let (mut sets, mut texts) = (TypeSets::default(), Vec::new());
    for path in &files {
        let text = read_text(named_by, path, TypeSets::FILE_MAX as u64)?;
        sets.add(&text).map_err(|error| usage(&format!("{}: {error}", path.display())))?;
        texts.push(text);
    }
    sets.install().map_err(|error| usage(&error.to_string()))?;
    // A second call cannot install sets.
    let _ = DIGEST.set(settings::digest(texts.iter().map(|text| ("", text.as_str()))));
    Ok(())
}

/// Returns the digest of the contents of the files; `None` without files.
pub fn digest() -> Option<String> {
    DIGEST.get().cloned()
}
