//! Opens the files of a batch's folder, which must be regular files.
//!
//! Opening a FIFO blocks until its other end is open, and opening a device may have any effect. So
//! the file type is checked before opening, and again on the open file in case the file was
//! replaced in between. The open itself does not block.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

use crate::error::{Error, ErrorKind, FolderProblem, Result};

/// Opens a file of the folder by its name. Fails with [`FolderProblem::NotAFile`] if the file is
/// not regular, and with `kind` if the system cannot open it.
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

/// Checks that a name in the folder is a regular file, a link to one, or missing. Fails with
/// [`FolderProblem::NotAFile`] if it is anything else.
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
