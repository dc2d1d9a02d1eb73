//! The output folder of a batch.
//!
//! ```text
//! DIR/journal            the terms of the run, the inputs and their outcomes (journal.rs)
//! DIR/lock               locked by the run that writes here
//! DIR/records/NAME.EXT   the complete records of an input
//! DIR/report.ndjson      the report: a few seconds old during a run, final at its end
//! DIR/.plansift-N        unfinished records
//! ```
//!
//! A commit has three steps, each synced before the next: the record file, its name, and the line
//! of the journal. Only then does the input count as done. Each sync waits for the disk. So
//! [`Folder::commit`] takes a group of inputs and syncs their files in parallel.
//!
//! The trap: an earlier outcome is valid until the journal has a newer one. An outcome whose record
//! file is missing is invalid. So if an input fails in this run, its old record file is removed
//! before the journal is written.

use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::fault::FolderFault;
use super::journal::{self, Access, Journal, KnownRecords, Listed, OutcomeSummary, Terms};
use super::outcome::{Outcome, Written};
use super::regular;
use crate::output::UNFINISHED;
use plansift_core::allocation::thread_builder;
use plansift_core::error::{Error, ErrorKind, Result};

const LOCK: &str = "lock";
/// The folder of finished record files.
pub const RECORDS: &str = "records";
/// The name of the report.
pub const REPORT: &str = "report.ndjson";

/// The output folder of a running batch, locked against other runs.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    extension: &'static str,
    journal: Journal,
    /// The lock file. The lock lasts while the file is open.
    _lock: File,
}

impl Folder {
    /// Creates a folder, or resumes one of a run with the same terms. Removes unfinished files.
    ///
    /// # Errors
    ///
    /// Fails with a [`FolderFault`], or if the folder cannot be created or written.
    pub fn open(path: &Path, terms: &Terms, extension: &'static str) -> Result<Folder> {
        std::fs::create_dir_all(path).map_err(Error::write)?;
        let is_there = || path.join(journal::NAME).try_exists().map_err(Error::write);
        let is_new = || is_there().map(|is_there| !is_there);
        if is_new()? {
            refuse_foreign(path)?;
        }
        let lock = lock(path)?;
        // Another run may have begun before this one got the lock.
        if is_new()? {
            replace(path, journal::NAME, |out| {
                out.write_all(&Journal::first_line(terms)?).map_err(Error::write)
            })?;
        }
        let journal = Journal::open(path, Access::Append)?;
        if let Some(option) = journal.terms().differ(terms) {
            return Err(Error::new(FolderFault::Begun(option)));
        }
        regular::require(path, REPORT)?;
        remove_unfinished(path).map_err(Error::write)?;
        std::fs::create_dir_all(path.join(RECORDS)).map_err(Error::write)?;
        sync_folder(path)?;
        Ok(Folder { path: path.to_owned(), extension, journal, _lock: lock })
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the journal of the folder.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Records the list of inputs in the journal. Calls `inputs` twice; both calls must yield the
    /// same inputs.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be written.
    pub fn list<I: ExactSizeIterator<Item = Listed>>(
        &mut self,
        inputs: impl Fn() -> I,
    ) -> Result<()> {
        self.journal.list(inputs)
    }

    /// Returns the state of an input in this folder. Reads the whole record file, if there is one,
    /// to compare its digest.
    ///
    /// # Errors
    ///
    /// Fails with [`FolderFault::NotAFile`] if the record file's path is not a regular file, or
    /// if the journal can no longer be read.
    pub fn standing(&self, input: &Listed) -> Result<Standing> {
        let name = self.records_name(&input.name);
        regular::require(&self.path, &name)?;
        let Some(records) = self.written(input)? else { return Ok(Standing::Missing) };
        let path = self.path.join(&name);
        Ok(match std::fs::symlink_metadata(&path) {
            Err(_) => Standing::Missing,
            Ok(_) if is_there(&path, records.len) && self.is_as_written(&name, &records) => {
                Standing::Done
            }
            Ok(_) => Standing::Altered(name),
        })
    }

    /// Whether an earlier run processed the input, the input is unchanged and its record file
    /// exists with the right length. Does not read the record file.
    ///
    /// # Errors
    ///
    /// Fails if the journal can no longer be read.
    pub fn has(&self, input: &Listed) -> Result<bool> {
        let is_there = |written: KnownRecords| is_there(&self.records(&input.name), written.len);
        Ok(self.written(input)?.is_some_and(is_there))
    }

    /// Returns the records that an earlier run wrote for an input; `None` if the input has changed
    /// since then, cannot be recognised, or failed.
    fn written(&self, input: &Listed) -> Result<Option<KnownRecords>> {
        if input.identity.is_none() {
            return Ok(None);
        }
        let known = self.journal.known(input)?.filter(|known| !known.has_failed());
        Ok(known.and_then(OutcomeSummary::into_records))
    }

    /// Whether a record file has the digest in the journal; false if the file cannot be read.
    fn is_as_written(&self, name: &str, written: &KnownRecords) -> bool {
        let options = &mut File::options();
        let file = regular::open(&self.path, name, options.read(true), ErrorKind::Read);
        let mut digest = blake3::Hasher::new();
        let read = file.is_ok_and(|file| digest.update_reader(file).is_ok());
        read && digest.finalize() == written.blake3
    }

    /// Returns the path of the record file with this name, given without the extension.
    fn records(&self, name: &str) -> PathBuf {
        self.path.join(self.records_name(name))
    }

    /// Returns the path of a record file, relative to the folder.
    pub(super) fn records_name(&self, name: &str) -> String {
        format!("{RECORDS}/{name}.{}", self.extension)
    }

    /// Commits finished inputs: renames their record files into place and appends their outcomes to
    /// the journal.
    ///
    /// # Errors
    ///
    /// Fails if anything cannot be written. Then none of these inputs counts as done.
    pub fn commit(&mut self, finished: Vec<Finished>) -> Result<()> {
        let files = finished.iter().filter_map(|input| input.file.as_ref());
        sync_files(&files.map(|file| file.path.as_path()).collect::<Vec<_>>())
            .map_err(Error::write)?;
        let mut outcomes = Vec::with_capacity(finished.len());
        for Finished { outcome, file } in finished {
            let path = self.records(&outcome.name);
            match file {
                Some(file) => file.rename(&path)?,
                None => remove_if_there(&path).map_err(Error::write)?,
            }
            outcomes.push(outcome);
        }
        sync_folder(&self.path.join(RECORDS))?;
        self.journal.add(&outcomes)
    }

    /// Replaces a file of the folder atomically.
    ///
    /// # Errors
    ///
    /// Fails if `write` fails, or if the file cannot be written.
    pub fn replace(
        &self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> Result<()>,
    ) -> Result<()> {
        replace(&self.path, name, write)
    }
}

/// The state of an input in the folder of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The record file has the length and digest that the journal states.
    Done,
    /// The folder has no valid result for the input.
    Missing,
    /// The record file changed after it was written. Holds its path, relative to the folder.
    Altered(String),
}

/// The outcome of an input, and its records, which are not committed yet.
#[derive(Debug)]
pub struct Finished {
    /// The outcome of the input.
    pub outcome: Outcome,
    /// The records; `None` if no plan of the input could be read.
    pub file: Option<Unfinished>,
}

/// A file without its final name. Dropping it removes the file.
#[derive(Debug)]
pub struct Unfinished {
    /// The temporary path; empty after the file is renamed.
    path: PathBuf,
}

impl Unfinished {
    fn rename(mut self, to: &Path) -> Result<()> {
        std::fs::rename(&self.path, to).map_err(Error::write)?;
        self.path.clear();
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            // If this fails, the next run removes the file.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// The size of the buffer of a [`Draft`], in bytes.
const BUFFER: usize = 64 << 10;

/// Writes an unfinished file. [`Write::flush`] does nothing; only [`Draft::finish`] writes the
/// rest of the buffer.
#[derive(Debug)]
pub struct Draft {
    file: File,
    unfinished: Unfinished,
    buffer: Vec<u8>,
    digest: blake3::Hasher,
    len: u64,
}

impl Draft {
    /// Creates the unfinished file with this number in `folder`.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be created.
    pub fn new(folder: &Path, number: usize) -> Result<Draft> {
        let path = folder.join(format!("{UNFINISHED}{number}"));
        let file =
            File::options().write(true).create_new(true).open(&path).map_err(Error::write)?;
        let (unfinished, buffer) = (Unfinished { path }, Vec::with_capacity(BUFFER));
        Ok(Draft { file, unfinished, buffer, digest: blake3::Hasher::new(), len: 0 })
    }

    /// Writes the rest of the buffer, and returns the file with its length and digest.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn finish(mut self) -> Result<(Unfinished, Written)> {
        self.write_buffer().map_err(Error::write)?;
        let blake3 = self.digest.finalize().to_hex().to_string();
        Ok((self.unfinished, Written { len: self.len, blake3 }))
    }

    fn write_buffer(&mut self) -> io::Result<()> {
        self.digest.update(&self.buffer);
        self.len += self.buffer.len() as u64;
        self.file.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.len() + bytes.len() > BUFFER {
            self.write_buffer()?;
        }
        let taken = bytes.len().min(BUFFER);
        self.buffer.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads the journal of a folder. A run may be appending to the journal.
///
/// # Errors
///
/// Fails if [`Journal::open`] fails.
pub fn read_journal(folder: &Path) -> Result<Journal> {
    Journal::open(folder, Access::Read)
}

/// Whether a record file exists as a regular file of `len` bytes.
pub(super) fn is_there(records: &Path, len: u64) -> bool {
    let found = std::fs::symlink_metadata(records);
    found.is_ok_and(|found| found.is_file() && found.len() == len)
}

fn lock(folder: &Path) -> Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(false);
    let file = regular::open(folder, LOCK, &mut options, ErrorKind::Write)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::new(FolderFault::InUse)),
        Err(TryLockError::Error(error)) => Err(Error::write(error)),
    }
}

/// Refuses a folder that contains files other than those of a batch.
fn refuse_foreign(folder: &Path) -> Result<()> {
    for entry in folder.read_dir().map_err(Error::write)? {
        let name = entry.map_err(Error::write)?.file_name();
        let is_own = name == LOCK || name.to_string_lossy().starts_with(UNFINISHED);
        if !is_own {
            return Err(Error::new(FolderFault::Foreign));
        }
    }
    Ok(())
}

fn remove_unfinished(folder: &Path) -> io::Result<()> {
    for entry in folder.read_dir()? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            remove_if_there(&entry.path())?;
        }
    }
    Ok(())
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Syncs files to the disk in parallel: many files take little longer than one.
fn sync_files(paths: &[&Path]) -> io::Result<()> {
    const THREADS_MAX: usize = 16;
    let next = AtomicUsize::new(0);
    let sync = || -> io::Result<()> {
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            // Finished files are closed until this sync, so only files in progress need a handle.
            // The sync also reports write errors that occurred after the file was closed.
            File::options().write(true).open(path)?.sync_data()?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let start = |_| thread_builder("sync").ok()?.spawn_scoped(scope, sync).ok();
        let others: Vec<_> = (1..THREADS_MAX.min(paths.len())).map_while(start).collect();
        let own = sync();
        others.into_iter().fold(own, |all, other| match other.join() {
            Ok(synced) => all.and(synced),
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })
}

/// Replaces a file of a folder atomically.
fn replace(
    folder: &Path,
    name: &str,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let path = folder.join(format!("{UNFINISHED}{name}"));
    remove_if_there(&path).map_err(Error::write)?;
    let file = File::options().write(true).create_new(true).open(&path).map_err(Error::write)?;
    let unfinished = Unfinished { path };
    let mut out = io::BufWriter::new(file);
    write(&mut out)?;
    out.flush().and_then(|()| out.get_ref().sync_data()).map_err(Error::write)?;
    unfinished.rename(&folder.join(name))?;
    sync_folder(folder)
}

/// Syncs the names in a folder to the disk.
#[cfg(unix)]
fn sync_folder(path: &Path) -> Result<()> {
    File::open(path).and_then(|folder| folder.sync_all()).map_err(Error::write)
}

/// Does nothing: other systems cannot sync a folder.
#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> Result<()> {
    Ok(())
}
