//! The files of a batch's folder, which must be regular files.
//!
//! Opening a FIFO waits for its other end, and opening a device may do anything. So the type of a
//! file is looked up before it is opened, and again once it is open: somebody may have put another
//! one there in between. The open itself does not block.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

use crate::error::{Error, ErrorKind, FolderProblem, Result};

/// Opens a file of the folder by its name there.
///
/// # Errors
///
/// [`FolderProblem::NotAFile`]; those of the system, as errors of that kind.
pub(super) fn open(
    folder: &Path,
    name: &str,
    options: &mut OpenOptions,
    kind: ErrorKind,
) -> Result<File> {
    require(folder, name)?;
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    }
    let file = options.open(folder.join(name)).map_err(|error| Error::io(kind, error))?;
    let metadata = file.metadata().map_err(|error| Error::io(kind, error))?;
    check(&metadata, name)?;
    Ok(file)
}

/// Refuses what stands in the place of a file of the folder and is none. A link counts as what it
/// leads to; where nothing is, there is nothing to refuse.
///
/// # Errors
///
/// [`FolderProblem::NotAFile`].
pub(super) fn require(folder: &Path, name: &str) -> Result<()> {
    match std::fs::metadata(folder.join(name)) {
        Ok(metadata) => check(&metadata, name),
        Err(_) => Ok(()),
    }
}

fn check(metadata: &Metadata, name: &str) -> Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let name = io::Error::other(name.to_owned());
    Err(Error::io(ErrorKind::Folder(FolderProblem::NotAFile), name))
}
