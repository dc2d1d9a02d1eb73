//! The outputs of a command. A signal that ends the run removes their unfinished files.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
#[cfg(feature = "tables")]
use std::path::PathBuf;

use super::exit::Exit;
#[cfg(target_os = "linux")]
use super::interrupt;
use super::messages::fail;
use plansift_core::error::{Error, Result};
use plansift_fleet::output::{OutputFile, UNFINISHED};
use plansift_plan::sink::Sink;

/// Where a command writes its result.
pub enum Output {
    File(OutputFile),
    /// Several files in one folder.
    #[cfg(feature = "tables")]
    Folder(Folder),
}

impl Output {
    /// Opens the output at a path; `None` is standard output. Fails if the file's directory cannot
    /// be written to.
    pub fn open(path: Option<&Path>) -> Result<Output> {
        open_file(path, UNFINISHED).map(Output::File)
    }

    /// Returns a writer to the output. Fails if the system has no more file handles.
    pub fn writer(&self) -> Result<File> {
        match self {
            Output::File(file) => file.writer(),
            #[cfg(feature = "tables")]
            Output::Folder(_) => Err(Error::write(io::ErrorKind::IsADirectory.into())),
        }
    }

    /// Whether the output is written in place: standard output, a device or a pipe.
    pub fn is_in_place(&self) -> bool {
        match self {
            Output::File(file) => file.is_in_place(),
            #[cfg(feature = "tables")]
            Output::Folder(_) => false,
        }
    }

    /// Gives the complete file its final name. Fails if the file cannot be synced or renamed.
    pub fn finish(self) -> Result<()> {
        match self {
            Output::File(file) => file.finish(),
            #[cfg(feature = "tables")]
            Output::Folder(mut folder) => {
                std::mem::take(&mut folder.outputs).into_iter().try_for_each(OutputFile::finish)
            }
        }
    }
}

/// Opens the output at a path. The name of an unfinished file starts with `prefix`.
fn open_file(path: Option<&Path>, prefix: &str) -> Result<OutputFile> {
    OutputFile::open_with(path, prefix, |make| {
        #[cfg(target_os = "linux")]
        let make = || interrupt::unfinished(make);
        make()
    })
}

/// The unfinished files of a folder and of folders in it. Folders that were created for them and
/// stay empty are removed.
#[cfg(feature = "tables")]
pub struct Folder {
    /// The folders that were created for the files, each after its parent.
    created: Vec<PathBuf>,
    outputs: Vec<OutputFile>,
}

#[cfg(feature = "tables")]
impl Output {
    /// Creates a folder for several files, and its missing parents.
    pub fn folder(path: &Path) -> Result<Folder> {
        let mut folder = Folder { created: Vec::new(), outputs: Vec::new() };
        folder.create(path)?;
        Ok(folder)
    }
}

#[cfg(feature = "tables")]
impl Folder {
    /// Opens a file of the folder, or of a folder in it, and returns a writer to it.
    pub fn add(&mut self, path: &Path) -> Result<File> {
        path.parent().map_or(Ok(()), |parent| self.create(parent))?;
        let output = open_file(Some(path), &unfinished(path))?;
        let writer = output.writer()?;
        self.outputs.push(output);
        Ok(writer)
    }

    /// Removes the unfinished files that killed runs left for the file at a path.
    pub fn remove_unfinished(path: &Path) -> Result<()> {
        let Some(folder) = path.parent().filter(|folder| folder.is_dir()) else { return Ok(()) };
        let prefix = unfinished(path);
        for entry in folder.read_dir().map_err(Error::write)? {
            let entry = entry.map_err(Error::write)?;
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                std::fs::remove_file(entry.path()).map_err(Error::write)?;
            }
        }
        Ok(())
    }

    /// Creates a folder and its missing parents.
    fn create(&mut self, path: &Path) -> Result<()> {
        let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.is_dir();
        let missing: Vec<&Path> = path.ancestors().take_while(is_missing).collect();
        for folder in missing.into_iter().rev() {
            match std::fs::create_dir(folder) {
                Ok(()) => self.created.push(folder.to_owned()),
                // Another run created it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {}
                Err(error) => return Err(Error::write(error)),
            }
        }
        Ok(())
    }
}

/// The start of the names of the unfinished files for the file at a path.
#[cfg(feature = "tables")]
fn unfinished(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!("{UNFINISHED}{name}-")
}

#[cfg(feature = "tables")]
impl Drop for Folder {
    fn drop(&mut self) {
        self.outputs.clear();
        for folder in self.created.iter().rev() {
            // Fails if the folder has files.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

/// Opens the output at a path, and a writer to it. If that fails, prints the error.
pub fn open(path: Option<&Path>) -> std::result::Result<(File, Output), Exit> {
    let opened = Output::open(path).and_then(|output| Ok((output.writer()?, output)));
    opened.map_err(|error| fail(path, &error))
}

/// Opens the output at a path, and the sink that writes to it. If that fails, prints the error.
pub fn open_sink<'s>(
    path: Option<&Path>,
    sink: impl FnOnce(File) -> Box<dyn Sink + 's>,
) -> std::result::Result<(Box<dyn Sink + 's>, Output), Exit> {
    open(path).map(|(out, output)| (sink(out), output))
}

pub fn is_closed_pipe(error: &Error) -> bool {
    error.io_error().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Writes a whole output. Fails if the output cannot be written.
pub fn write_whole(path: Option<&Path>, text: &[u8]) -> Result<()> {
    let output = Output::open(path)?;
    output.writer()?.write_all(text).map_err(Error::write)?;
    output.finish()
}

pub fn lies_in(path: &Path, folder: &Path) -> bool {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = std::fs::canonicalize(parent.unwrap_or(Path::new(".")));
    let folder = std::fs::canonicalize(folder);
    parent.is_ok_and(|parent| folder.is_ok_and(|folder| parent.starts_with(folder)))
}
