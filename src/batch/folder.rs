//! The folder that a batch writes to.
//!
//! ```text
//! DIR/journal            what was asked for, the inputs, what came of each (journal.rs)
//! DIR/lock               locked by the run that writes here
//! DIR/records/NAME.EXT   the records of an input, whole
//! DIR/report.ndjson      what came of all, as it was a few seconds ago, or at the end
//! DIR/.plansift-N        records in the making
//! ```
//!
//! A record file is on the disk before it gets its name, its name before the journal tells of it,
//! and the journal's line before the input counts as done. That is three waits for the disk, so
//! inputs are taken in groups, whose files are brought to the disk at once.
//!
//! The trap: an outcome of before holds until another one is in the journal. So a file that must
//! go, because its input has failed meanwhile, goes first: an outcome without its file holds not.

use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::journal::{self, Access, Journal, Known, KnownRecords, Listed, Terms};
use super::outcome::{Outcome, Written};
use super::regular;
use crate::error::{Error, ErrorKind, FolderProblem, Result};

/// What the names of unfinished files begin with.
const UNFINISHED: &str = ".plansift-";
/// The lock's name.
const LOCK: &str = "lock";
/// The folder of finished record files.
pub const RECORDS: &str = "records";
/// The report's name.
pub const REPORT: &str = "report.ndjson";

/// The folder of a batch that runs; no other run can have it meanwhile.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Of the record files.
    extension: &'static str,
    journal: Journal,
    /// Kept for its lock.
    _lock: File,
}

impl Folder {
    /// Makes a folder, or takes up one where a run with the same terms was. What is unfinished
    /// there is removed.
    ///
    /// # Errors
    ///
    /// [`FolderProblem`]; it cannot be made, or written to.
    pub fn open(path: &Path, terms: &Terms, extension: &'static str) -> Result<Folder> {
        std::fs::create_dir_all(path).map_err(write_error)?;
        let is_there = || path.join(journal::NAME).try_exists().map_err(write_error);
        let is_new = || is_there().map(|is_there| !is_there);
        if is_new()? {
            refuse_foreign(path)?;
        }
        let lock = lock(path)?;
        // Another run may have begun meanwhile.
        if is_new()? {
            replace(path, journal::NAME, |out| {
                out.write_all(&Journal::first_line(terms)?).map_err(write_error)
            })?;
        }
        let journal = Journal::open(path, Access::Append)?;
        if let Some(option) = journal.terms().differ(terms) {
            return Err(problem(FolderProblem::Begun(option)));
        }
        regular::require(path, REPORT)?;
        remove_unfinished(path).map_err(write_error)?;
        std::fs::create_dir_all(path.join(RECORDS)).map_err(write_error)?;
        sync_folder(path)?;
        Ok(Folder { path: path.to_owned(), extension, journal, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is known so far.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Says which inputs there are from now on. They are asked for twice, and must be the same.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn list<I: Iterator<Item = Listed>>(&mut self, inputs: impl Fn() -> I) -> Result<()> {
        self.journal.list(inputs)
    }

    /// The state of an input in this folder. Reads the whole record file, if there is one, to
    /// compare its digest.
    ///
    /// # Errors
    ///
    /// [`FolderProblem::NotAFile`]: something else stands in the place of its record file. The
    /// journal cannot be read any more.
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

    /// Whether an input was done before, is the same as then, and its record file is there. Does
    /// not read the file.
    ///
    /// # Errors
    ///
    /// The journal cannot be read any more.
    pub fn has(&self, input: &Listed) -> Result<bool> {
        let is_there = |written: KnownRecords| is_there(&self.records(&input.name), written.len);
        Ok(self.written(input)?.is_some_and(is_there))
    }

    /// The records that an earlier run wrote of an input, if the input has not changed since.
    fn written(&self, input: &Listed) -> Result<Option<KnownRecords>> {
        if input.identity.is_none() {
            return Ok(None);
        }
        let known = self.journal.known(input)?.filter(|known| !known.has_failed());
        Ok(known.and_then(Known::into_records))
    }

    /// Whether a record file has the digest that the journal says. One that cannot be read has not.
    fn is_as_written(&self, name: &str, written: &KnownRecords) -> bool {
        let options = &mut File::options();
        let file = regular::open(&self.path, name, options.read(true), ErrorKind::Read);
        let mut digest = blake3::Hasher::new();
        let read = file.is_ok_and(|file| digest.update_reader(file).is_ok());
        read && digest.finalize() == written.blake3
    }

    /// The record file of an input, by its name without the extension.
    fn records(&self, name: &str) -> PathBuf {
        self.path.join(self.records_name(name))
    }

    /// The path of a record file, relative to the folder.
    fn records_name(&self, name: &str) -> String {
        format!("{RECORDS}/{name}.{}", self.extension)
    }

    /// Makes inputs count as done: their files get their names, and the journal tells of them.
    ///
    /// # Errors
    ///
    /// Something cannot be written. Of these inputs none counts as done then.
    pub fn commit(&mut self, finished: Vec<Finished>) -> Result<()> {
        let files = finished.iter().filter_map(|it| it.file.as_ref());
        sync_files(&files.map(|file| file.path.as_path()).collect::<Vec<_>>())
            .map_err(write_error)?;
        let mut outcomes = Vec::with_capacity(finished.len());
        for Finished { outcome, file } in finished {
            let path = self.records(&outcome.name);
            match file {
                Some(file) => file.rename(&path)?,
                None => remove_if_there(&path).map_err(write_error)?,
            }
            outcomes.push(outcome);
        }
        sync_folder(&self.path.join(RECORDS))?;
        self.journal.add(&outcomes)
    }

    /// Writes a file of the folder, whole or not at all.
    ///
    /// # Errors
    ///
    /// Those of `write`; it cannot be written.
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
    /// Its records, as they were written.
    Done,
    /// Nothing that holds.
    Missing,
    /// A record file of that name in the folder that is not what was written.
    Altered(String),
}

/// What came of an input, and its records, which have no name yet.
#[derive(Debug)]
pub struct Finished {
    /// What came of it.
    pub outcome: Outcome,
    /// Its records, unless none of its plans could be read.
    pub file: Option<Unfinished>,
}

/// A file in the making. Dropped, it is gone.
#[derive(Debug)]
pub struct Unfinished {
    /// Empty once it has another name.
    path: PathBuf,
}

impl Unfinished {
    fn rename(mut self, to: &Path) -> Result<()> {
        std::fs::rename(&self.path, to).map_err(write_error)?;
        self.path.clear();
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            // What stays is removed by the next run.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Length of the buffer of a file in the making, in bytes.
const BUFFER: usize = 64 << 10;

/// Writes a file in the making. It is not flushed before its end, whatever is asked.
#[derive(Debug)]
pub struct Draft {
    file: File,
    unfinished: Unfinished,
    buffer: Vec<u8>,
    digest: blake3::Hasher,
    len: u64,
}

impl Draft {
    /// The `number`th of a run in that folder.
    ///
    /// # Errors
    ///
    /// It cannot be made.
    pub fn new(folder: &Path, number: usize) -> Result<Draft> {
        let path = folder.join(format!("{UNFINISHED}{number}"));
        let file = File::options().write(true).create_new(true).open(&path).map_err(write_error)?;
        let (unfinished, buffer) = (Unfinished { path }, Vec::with_capacity(BUFFER));
        Ok(Draft { file, unfinished, buffer, digest: blake3::Hasher::new(), len: 0 })
    }

    /// Writes what is left, and tells what was written.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn finish(mut self) -> Result<(Unfinished, Written)> {
        self.empty().map_err(write_error)?;
        let blake3 = self.digest.finalize().to_hex().to_string();
        Ok((self.unfinished, Written { len: self.len, blake3 }))
    }

    fn empty(&mut self) -> io::Result<()> {
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
            self.empty()?;
        }
        let taken = bytes.len().min(BUFFER);
        self.buffer.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads the journal of a folder, which may be written to meanwhile.
///
/// # Errors
///
/// Those of [`Journal::open`].
pub fn read_journal(folder: &Path) -> Result<Journal> {
    Journal::open(folder, Access::Read)
}

/// Whether a record file is there as it was written.
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
        Err(TryLockError::WouldBlock) => Err(problem(FolderProblem::InUse)),
        Err(TryLockError::Error(error)) => Err(write_error(error)),
    }
}

/// Refuses a folder that has something of somebody else's in it.
fn refuse_foreign(folder: &Path) -> Result<()> {
    for entry in folder.read_dir().map_err(write_error)? {
        let name = entry.map_err(write_error)?.file_name();
        let is_own = name == LOCK || name.to_string_lossy().starts_with(UNFINISHED);
        if !is_own {
            return Err(problem(FolderProblem::Foreign));
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

/// Brings files to the disk, several at once: it takes many nearly as fast as one.
fn sync_files(paths: &[&Path]) -> io::Result<()> {
    const THREADS_MAX: usize = 16;
    let next = AtomicUsize::new(0);
    let sync = || -> io::Result<()> {
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            // Opened anew, so that only what is being written needs a handle. What went wrong on
            // the way to the disk since it was closed is told here all the same.
            File::options().write(true).open(path)?.sync_data()?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, sync).ok();
        let others: Vec<_> = (1..THREADS_MAX.min(paths.len())).map_while(start).collect();
        let own = sync();
        others.into_iter().fold(own, |all, other| match other.join() {
            Ok(synced) => all.and(synced),
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })
}

/// Writes a file of a folder, whole or not at all.
fn replace(
    folder: &Path,
    name: &str,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let path = folder.join(format!("{UNFINISHED}{name}"));
    remove_if_there(&path).map_err(write_error)?;
    let file = File::options().write(true).create_new(true).open(&path).map_err(write_error)?;
    let unfinished = Unfinished { path };
    let mut out = io::BufWriter::new(file);
    write(&mut out)?;
    out.flush().and_then(|()| out.get_ref().sync_data()).map_err(write_error)?;
    unfinished.rename(&folder.join(name))?;
    sync_folder(folder)
}

/// Brings the names in a folder to the disk.
#[cfg(unix)]
fn sync_folder(path: &Path) -> Result<()> {
    File::open(path).and_then(|folder| folder.sync_all()).map_err(write_error)
}

/// Other systems have no such thing.
#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> Result<()> {
    Ok(())
}

fn problem(problem: FolderProblem) -> Error {
    Error::new(ErrorKind::Folder(problem))
}

fn write_error(error: io::Error) -> Error {
    Error::io(ErrorKind::Write, error)
}
