//! Opens files that must be regular.
//!
//! Opening a FIFO blocks until its other end is open, and opening a device may have any effect. So
//! the file type is checked before opening, and again on the open file in case the file was
//! replaced in between. The open itself does not block.

use std::fs::{File, OpenOptions, metadata};
use std::io;
use std::path::Path;

/// Opens a file. Returns `None` if it is a FIFO, a socket, a device or a folder.
pub fn open(path: &Path, options: &mut OpenOptions) -> io::Result<Option<File>> {
    if metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Ok(None);
    }
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    }
    let file = options.open(path)?;
    Ok(file.metadata()?.is_file().then_some(file))
}
