//! Reads files of sets of types, and installs the sets for all patterns of the process.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

use super::args::{self, TypeSetFiles};
use super::exit::Exit;
use super::messages::{read_text, say, usage};
use plansift_core::nearest::nearest;
use plansift_core::path::{TypeSet, TypeSetError, TypeSets};
use plansift_fleet::batch::settings;

/// The digest of the files that are installed.
static DIGEST: OnceLock<String> = OnceLock::new();

/// The files that are installed.
static FILES: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// Installs the sets in the files that the arguments name. If a file is unreadable or invalid, or
/// if a set has no types, prints the error with its line and fails.
pub fn install(args: &[OsString]) -> Result<(), Exit> {
    let TypeSetFiles { named_by, files } = args::type_set_files(args);
    if files.is_empty() {
        return Ok(());
    }
    let (mut sets, mut texts) = (TypeSets::default(), Vec::new());
    for path in &files {
        let text = read_text(named_by, path, TypeSets::FILE_MAX as u64)?;
        sets.add(&text).map_err(|error| refused(&files, &error))?;
        texts.push(text);
    }
    sets.check().map_err(|error| refused(&files, &error))?;
    sets.install().map_err(|error| usage(&error.to_string()))?;
    // A second call cannot install sets.
    let _ = FILES.set(files);
    let _ = DIGEST.set(settings::digest(texts.iter().map(|text| ("", text.as_str()))));
    Ok(())
}

fn refused(files: &[PathBuf], error: &TypeSetError) -> Exit {
    usage(&format!("{}: {error}", files[error.place.file].display()))
}

/// Warns about sets that may have a typo in their name: no pattern names the set, and the name is
/// similar to that of a built-in set. Call it after all patterns were parsed.
pub fn warn_of_misnamed() {
    let Some(files) = FILES.get() else { return };
    for (name, place) in TypeSets::unused() {
        let Some(near) = nearest(name, TypeSet::NAMES) else { continue };
        let (file, line) = (files[place.file].display(), place.line);
        say(&format!(
            "warning: {file}: line {line}: no pattern names the set {name}: did you mean {near}?"
        ));
    }
}

/// Returns the digest of the contents of the files; `None` without files.
pub fn digest() -> Option<String> {
    DIGEST.get().cloned()
}
