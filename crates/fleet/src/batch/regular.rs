//! Opens the files of a batch's folder, which must be regular files.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use super::fault::FolderFault;
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::input::regular;

/// Opens a file of the folder by its name. Fails with [`FolderFault::NotAFile`] if the file is
/// not regular, and with `kind` if the system cannot open it.
pub(super) fn open(
    folder: &Path,
    name: &str,
    options: &mut OpenOptions,
    kind: ErrorKind,
) -> Result<File> {
    let file = regular::open(&folder.join(name), options);
    file.map_err(|error| Error::io(kind, error))?.ok_or_else(|| not_a_file(name))
}

/// Checks that a name in the folder is a regular file, a link to one, or missing. Fails with
/// [`FolderFault::NotAFile`] if it is anything else.
pub(super) fn require(folder: &Path, name: &str) -> Result<()> {
    match std::fs::metadata(folder.join(name)) {
        Ok(metadata) if !metadata.is_file() => Err(not_a_file(name)),
        _ => Ok(()),
    }
}

fn not_a_file(name: &str) -> Error {
    let name = io::Error::other(name.to_owned());
    Error::io(FolderFault::NotAFile, name)
}
