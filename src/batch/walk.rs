//! The plans of a folder.
//!
//! Names that begin with a dot are passed over. A link to a file counts as the file; a link to a
//! folder is not followed (unless it is the one that was named), so there are no loops, and no plan
//! comes twice. What is neither file nor link, like a pipe, is never opened.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use super::{Entry, Globs, Skipped, Unlisted};
use crate::error::{Error, ErrorKind, Result};
use crate::input::{Input, Mapping, Options, Threads};
use crate::limits::Limits;
use crate::plan::{self, Look};

/// How much of a file is read to look at it, in bytes: compressed, what holds the first block.
const LEN: u64 = 256 << 10;

/// The plans of a folder, one by one.
pub(super) struct Walk {
    root: PathBuf,
    entries: walkdir::IntoIter,
}

impl Walk {
    pub(super) fn new(root: PathBuf) -> Walk {
        let entries = WalkDir::new(&root).min_depth(1).sort_by_file_name().into_iter();
        Walk { root, entries }
    }

    /// The next plan; what is none is counted.
    pub(super) fn next(
        &mut self,
        globs: &Globs,
        skipped: &mut Skipped,
    ) -> Option<std::result::Result<Entry, Unlisted>> {
        loop {
            let entry = match self.entries.next()? {
                Ok(entry) => entry,
                Err(error) => return Some(Err(path_of(error))),
            };
            let below = entry.path().strip_prefix(&self.root).unwrap_or(entry.path());
            let is_folder = entry.file_type().is_dir();
            let passed_over = match () {
                () if is_hidden(&entry) => Some(&mut skipped.hidden),
                () if globs.excludes(below) => Some(&mut skipped.excluded),
                () => None,
            };
            if let Some(count) = passed_over {
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
            if let Some(entry) = found(entry.into_path(), globs, skipped) {
                return Some(Ok(entry));
            }
        }
    }
}

/// A file of a folder as an input, if it is one. What cannot be looked at is: reading it tells why.
fn found(path: PathBuf, globs: &Globs, skipped: &mut Skipped) -> Option<Entry> {
    let Ok(metadata) = std::fs::metadata(&path) else { return Some(Entry::of_file(path)) };
    if metadata.is_dir() {
        skipped.links += 1;
        return None;
    }
    let look = if metadata.is_file() { look_at(&path, &metadata) } else { Ok(Look::Other) };
    if !is_input(&look, &path, globs) {
        skipped.count_other(&path, &look);
        return None;
    }
    Some(Entry::of_file_with(path, &metadata))
}

fn look_at(path: &Path, metadata: &Metadata) -> Result<Look> {
    if metadata.len() == 0 {
        return Ok(Look::Empty);
    }
    let file = File::open(path).map_err(|error| Error::io(ErrorKind::Read, error))?;
    look_into(Box::new(Pieces(file.take(LEN))))
}

/// Looks at the first bytes of something.
pub(super) fn look_into(head: Box<dyn Read + Send>) -> Result<Look> {
    let options =
        Options { limits: Limits::default(), mapping: Mapping::Never, threads: Threads::One };
    plan::look(&mut Input::from_reader(head, &options)?)
}

/// Whether what was found and looked at is an input. What cannot be looked at is.
pub(super) fn is_input(look: &Result<Look>, path: &Path, globs: &Globs) -> bool {
    match look {
        Ok(Look::Plan) => true,
        Ok(Look::Remnant) | Err(_) => !is_named_source(path),
        Ok(Look::State) => globs.takes_states(),
        // `terraform show -json PLANFILE > plan.json` that failed leaves this.
        Ok(Look::Empty) => is_named_json(path),
        Ok(Look::PlanFile | Look::Other) => false,
    }
}

/// A reader that is read no further than it is looked at, if it is a plain text.
struct Pieces<R>(R);

impl<R: Read> Read for Pieces<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        const PIECE: usize = 64 << 10;
        let len = buffer.len().min(PIECE);
        self.0.read(&mut buffer[..len])
    }
}

/// Whether a file is called as the source of a configuration is: its modules, the values of its
/// variables, its tests and its lock file.
pub(super) fn is_named_source(path: &Path) -> bool {
    let name = name_of(path);
    let stem = name.strip_suffix(".json").unwrap_or(&name);
    let endings = [".tf", ".tofu", ".tfvars", ".tftest.hcl", ".tofutest.hcl", ".hcl"];
    endings.iter().any(|ending| stem.ends_with(ending))
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// Whether a file is called JSON, compressed or not.
fn is_named_json(path: &Path) -> bool {
    let name = name_of(path);
    let compressed = [".gz", ".zst"].iter().find_map(|extension| name.strip_suffix(extension));
    compressed.unwrap_or(&name).ends_with(".json")
}

/// Whether a file or folder is not to be seen unless it is named.
pub(super) fn is_hidden(entry: &DirEntry) -> bool {
    entry.file_name().as_encoded_bytes().starts_with(b".")
}

/// What cannot be walked, and why.
pub(super) fn path_of(error: walkdir::Error) -> Unlisted {
    let source = error.path().map(|path| path.to_string_lossy().into_owned());
    let error = error.into_io_error().unwrap_or_else(|| std::io::ErrorKind::Other.into());
    Unlisted { source: source.unwrap_or_default(), error: Error::io(ErrorKind::Read, error) }
}
