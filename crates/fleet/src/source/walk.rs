//! Finds the plans in a folder.
//!
//! The walk skips names that begin with a dot. A link to a file counts as that file. A link to a
//! folder is followed only if the user named it. So there are no loops, and no plan is found twice.
//! Pipes and devices are never opened.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use super::fault::SourceFault;
use super::globs::Globs;
use super::input_entry::{InputEntry, Item, Skipped, Unlisted};
use plansift_core::error::{Error, Result};
use plansift_core::input::{Input, InputOptions, Mapping, Threads};
use plansift_core::limits::Limits;
pub use plansift_plan::plan::{self, InputKind};

/// The number of bytes of a file to examine. This is enough for the first block of a compressed
/// file.
const LEN: u64 = 256 << 10;

impl Skipped {
    /// Counts a file that is not a plan.
    pub(super) fn count_other(&mut self, path: &Path, kind: &Result<InputKind>) {
        match kind {
            Ok(InputKind::EncryptedState) => self.encrypted += 1,
            _ if is_named_source(path) => self.sources += 1,
            _ => self.others += 1,
        }
    }
}

/// Iterates over the plans of a folder.
pub(super) struct Walk {
    root: PathBuf,
    entries: walkdir::IntoIter,
}

impl Walk {
    pub(super) fn new(root: PathBuf) -> Walk {
        let entries = WalkDir::new(&root).min_depth(1).sort_by_file_name().into_iter();
        Walk { root, entries }
    }

    /// Returns the next plan. Counts the files that it skips.
    pub(super) fn next(&mut self, globs: &Globs, skipped: &mut Skipped) -> Option<Item> {
        loop {
            let entry = match self.entries.next()? {
                Ok(entry) => entry,
                Err(error) => return Some(Err(path_of(error))),
            };
            let below = entry.path().strip_prefix(&self.root).unwrap_or(entry.path());
            let is_folder = entry.file_type().is_dir();
            let skipped_as = match () {
                () if is_hidden(&entry) => Some(&mut skipped.hidden),
                () if globs.excludes(below) => Some(&mut skipped.excluded),
                () => None,
            };
            if let Some(count) = skipped_as {
                *count += 1;
                if is_folder {
                    self.entries.skip_current_dir();
                }
                continue;
            }
            if is_folder {
                continue;
            }
            if !globs.includes(below) {
                skipped.excluded += 1;
                continue;
            }
            if let Some(item) = found(entry.into_path(), globs, skipped) {
                return Some(item);
            }
        }
    }
}

/// Returns the entry of a file found in a folder, if the file is an input. A file without readable
/// metadata is an input, so that opening it reports the error.
fn found(path: PathBuf, globs: &Globs, skipped: &mut Skipped) -> Option<Item> {
    let Ok(metadata) = std::fs::metadata(&path) else { return Some(Ok(InputEntry::of_file(path))) };
    // A pipe or a device is never opened, whatever its name is.
    let fault = match () {
        () if metadata.is_file() => None,
        () if metadata.is_dir() => Some(SourceFault::LinkToFolder),
        () => Some(SourceFault::NotAFile),
    };
    match fault {
        Some(fault) if globs.takes_others() => {
            return Some(Err(unlisted(&path, Error::new(fault))));
        }
        Some(SourceFault::LinkToFolder) => {
            skipped.links += 1;
            return None;
        }
        _ => {}
    }
    let kind =
        if metadata.is_file() { kind_of_file(&path, &metadata) } else { Ok(InputKind::NotAPlan) };
    if !is_input(&kind, &path, globs) {
        skipped.count_other(&path, &kind);
        return None;
    }
    Some(Ok(InputEntry::of_file_with(path, &metadata)))
}

fn unlisted(path: &Path, error: Error) -> Unlisted {
    Unlisted { source: path.to_string_lossy().into_owned(), error }
}

fn kind_of_file(path: &Path, metadata: &Metadata) -> Result<InputKind> {
    if metadata.len() == 0 {
        return Ok(InputKind::Empty);
    }
    let file = File::open(path).map_err(Error::read)?;
    kind_of_head(Box::new(Pieces(file.take(LEN))))
}

/// Determines the kind of a document from its first bytes.
pub(super) fn kind_of_head(head: Box<dyn Read + Send>) -> Result<InputKind> {
    let options =
        InputOptions { limits: Limits::default(), mapping: Mapping::NEVER, threads: Threads::One };
    plan::input_kind(&mut Input::from_reader(head, &options)?)
}

/// Whether a file of this kind is an input. A file that cannot be examined is an input, unless its
/// name is that of a configuration file.
pub(super) fn is_input(kind: &Result<InputKind>, path: &Path, globs: &Globs) -> bool {
    match kind {
        Ok(InputKind::Plan | InputKind::PlanFile | InputKind::Unreadable) => true,
        _ if globs.takes_others() => !is_named_source(path),
        Ok(InputKind::Remnant) | Err(_) => !is_named_source(path),
        Ok(InputKind::State | InputKind::EncryptedState) => globs.takes_states(),
        Ok(InputKind::Approval) => globs.takes_approvals(),
        // A failed `terraform show -json PLANFILE > plan.json` leaves an empty file.
        Ok(InputKind::Empty) => is_named_json(path) || is_named_plan(path),
        // A file with the name of a plan must not be missing from the result of a gate.
        Ok(InputKind::Other) => is_named_plan(path),
        Ok(InputKind::NotAPlan) => false,
    }
}

/// Limits the size of each read. So the examination of an uncompressed file reads only as much as
/// it needs.
struct Pieces<R>(R);

impl<R: Read> Read for Pieces<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        const PIECE: usize = 64 << 10;
        let len = buffer.len().min(PIECE);
        self.0.read(&mut buffer[..len])
    }
}

/// Whether a file has the name of a configuration file: a module, values of variables, a test or a
/// lock file.
pub(super) fn is_named_source(path: &Path) -> bool {
    let name = name_of(path);
    let stem = name.strip_suffix(".json").unwrap_or(&name);
    let endings = [".tf", ".tofu", ".tfvars", ".tftest.hcl", ".tofutest.hcl", ".hcl"];
    endings.iter().any(|ending| stem.ends_with(ending))
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// Whether the name of a file ends with `.json`, `.json.gz` or `.json.zst`.
fn is_named_json(path: &Path) -> bool {
    without(&name_of(path), &[".gz", ".zst"]).ends_with(".json")
}

/// Whether a file has the name of a plan: one of the words `tfplan`, `plan` and `planfile`, alone
/// or after a dot, perhaps with an extension that users give to the files of `plan -out` and `show
/// -json`. With such an extension, the word may also follow a hyphen or an underscore.
pub(super) fn is_named_plan(path: &Path) -> bool {
    let name = name_of(path);
    let stem = without(&name, &[".gz", ".zst", ".xz", ".bz2"]);
    let stem = without(stem, &[".json"]);
    let stem = without(stem, &[".out", ".bin", ".binary", ".cache"]);
    let is_separator = |character| match character {
        '.' => true,
        '-' | '_' => stem.len() < name.len(),
        _ => false,
    };
    let word = stem.rsplit(is_separator).next().unwrap_or_default();
    matches!(word, "tfplan" | "plan" | "planfile")
}

/// Returns a name without the first of these endings that it has.
fn without<'n>(name: &'n str, endings: &[&str]) -> &'n str {
    endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

/// Whether the name of a file or folder begins with a dot.
pub(super) fn is_hidden(entry: &DirEntry) -> bool {
    entry.file_name().as_encoded_bytes().starts_with(b".")
}

/// Converts an error of the walk to the path that cannot be read, with the reason.
pub(super) fn path_of(error: walkdir::Error) -> Unlisted {
    let source = error.path().map(|path| path.to_string_lossy().into_owned());
    let error = error.into_io_error().unwrap_or_else(|| std::io::ErrorKind::Other.into());
    Unlisted { source: source.unwrap_or_default(), error: Error::read(error) }
}
