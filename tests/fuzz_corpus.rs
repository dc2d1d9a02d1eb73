//! Runs the checks of the fuzz targets on the corpus.
//!
//! `corpus/fuzz/<target>/` has inputs that fuzzing found, with descriptive names. These and all
//! other files of `corpus/`, valid or not, must pass every check of every target. By day, a file is
//! checked by its own target and by some of the others ([`FOLDERS`]).

use std::fs;
use std::path::{Path, PathBuf};

use crate::run;

#[path = "../fuzz/src/checks/mod.rs"]
mod checks;

/// Longest file that is read, in bytes. Other tests cover large files.
const LEN_MAX: u64 = 1 << 20;

/// The folders of the corpus with the least number of their files, and by day a file is checked by
/// one target of how many.
const FOLDERS: [(&str, usize, usize); 19] = [
    ("assertions", 3, 4),
    ("attack", 20, 4),
    ("cases", 14, 4),
    ("checks", 5, 4),
    ("compare", 15, 4),
    ("fuzz", 15, 4),
    ("graphs", 80, 4),
    ("hostile", 320, 4),
    ("native-states", 6, 4),
    ("nights", 5, 4),
    ("planfiles", 86, 4),
    ("plans", 984, 8),
    ("real", 428, 16),
    ("sources", 3, 4),
    ("states", 2, 4),
    ("type-sets", 1, 4),
    ("vectors", 139, 16),
    ("wire", 2, 4),
    ("wrong", 58, 4),
];

#[test]
fn every_finding_has_a_target() {
    for folder in fs::read_dir(run::corpus("fuzz")).expect("the findings") {
        let name = folder.expect("a folder").file_name();
        assert!(checks::ALL.iter().any(|(target, _)| name == *target), "{}", name.display());
    }
}

#[test]
fn the_corpus_passes_every_check() {
    for (folder, least, step) in FOLDERS {
        documents(&run::corpus(folder), least, step);
    }
}

#[test]
fn every_folder_of_the_corpus_is_checked() {
    let entries = fs::read_dir(run::corpus("")).expect("the corpus");
    let folders = entries.map(|entry| entry.expect("an entry")).filter(|it| it.path().is_dir());
    let mut there: Vec<_> = folders.map(|it| it.file_name()).collect();
    there.sort();
    assert_eq!(there, FOLDERS.map(|(folder, ..)| folder));
}

#[test]
fn the_shared_documents_pass_every_check() {
    let Some(shared) = run::shared() else { return };
    documents(&shared.join("json"), 319, 4);
    documents(&shared.join("plans/terraform-show-json"), 18, 4);
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
        if seed % 4 == 0 {
            checks::compare::check(&choices);
        }
    }
}

/// Runs every check on the documents of a folder, which has at least `least` files. By day, one of
/// `step` checks.
fn documents(folder: &Path, least: usize, step: usize) {
    let mut failures = Vec::new();
    let files = files(folder);
    assert!(files.len() >= least, "{}: only {} files", folder.display(), files.len());
    for (file_number, file) in files.into_iter().enumerate() {
        if fs::metadata(&file).expect("a file").len() > LEN_MAX {
            continue;
        }
        let bytes = fs::read(&file).expect("a file of the corpus");
        for (number, (target, check)) in checks::ALL.into_iter().enumerate() {
            let is_own = file.iter().any(|part| part == target);
            if !is_own && !run::is_tried_of(step, file_number + number) {
                continue;
            }
            if std::panic::catch_unwind(|| check(&bytes)).is_err() {
                failures.push(format!("{target}: {}", file.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// All files below a folder, sorted by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry of a folder").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}
