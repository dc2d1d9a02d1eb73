//! Runs the checks of the fuzz targets on the corpus.
//!
//! `corpus/fuzz/<target>/` has inputs that fuzzing found, with descriptive names. These and all
//! other files of `corpus/`, valid or not, must pass every check of every target. By day, a file is
//! checked by its own target and by one of four others.

use std::fs;
use std::path::{Path, PathBuf};

use crate::run;

#[path = "../fuzz/src/checks/mod.rs"]
mod checks;

/// Longest file that is read, in bytes. Other tests cover large files.
const LEN_MAX: u64 = 1 << 20;

#[test]
fn every_finding_has_a_target() {
    let Ok(folders) = fs::read_dir(run::root().join("corpus/fuzz")) else { return };
    for folder in folders {
        let name = folder.expect("a folder").file_name();
        assert!(checks::ALL.iter().any(|(target, _)| name == *target), "{}", name.display());
    }
}

#[test]
fn the_corpus_passes_every_check() {
    documents(&run::root().join("corpus"));
}

#[test]
fn the_shared_documents_pass_every_check() {
    let Some(shared) = run::shared() else { return };
    documents(&shared.join("json"));
    documents(&shared.join("plans/terraform-show-json"));
}

#[test]
fn plans_from_random_choices_match_the_oracle() {
    for seed in 0..1000_u32 {
        let mut choices = Vec::new();
        let mut state = seed.wrapping_add(1);
        for _ in 0..2000 {
            // xorshift
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            choices.push(state as u8);
        }
        checks::records::check(&choices);
        checks::configuration::check(&choices);
    }
}

/// Runs every check on the documents of a folder.
fn documents(folder: &Path) {
    let mut failures = Vec::new();
    for (file_number, file) in files(folder).into_iter().enumerate() {
        let bytes = fs::read(&file).expect("a file of the corpus");
        for (number, (target, check)) in checks::ALL.into_iter().enumerate() {
            let is_own = file.iter().any(|part| part == target);
            if !is_own && !run::is_tried(file_number + number) {
                continue;
            }
            if std::panic::catch_unwind(|| check(&bytes)).is_err() {
                failures.push(format!("{target}: {}", file.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// All files below a folder, sorted by name. Empty if the folder does not exist.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let entry = entry.expect("an entry of a folder");
            let metadata = entry.metadata().expect("an entry of a folder");
            if metadata.is_dir() {
                folders.push(entry.path());
            } else if metadata.len() <= LEN_MAX {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    files
}
