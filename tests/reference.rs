//! Reads reference files. The large files in `corpus/` are compressed with zstd.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The bytes of a file. If it does not exist, decompresses the file with `.zst` after the name.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path.extension().is_some_and(|extension| extension == "zst") {
        return zstd::decode_all(File::open(path)?);
    }
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut compressed = OsString::from(path);
            compressed.push(".zst");
            zstd::decode_all(File::open(PathBuf::from(compressed)).map_err(|_| error)?)
        }
        read => read,
    }
}

/// The text of a file that [`read`] finds.
#[track_caller]
pub fn text(path: &Path) -> String {
    let bytes = read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    String::from_utf8(bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
