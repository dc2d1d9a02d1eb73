//! Reads lists of names from a file or from standard input. Each line is a name, or zero bytes
//! separate the names.
//!
//! Names are not quoted, and a list has no comments. Empty lines and a carriage return at the end
//! of a line are skipped. A line that looks like JSON is an error. If the user gives a plan instead
//! of a list, its lines must not appear in error messages as names.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;

use super::fault::SourceFault;
use plansift_core::error::{Error, Result};

/// The maximum length of a name in bytes. No system accepts names of this length.
const NAME_MAX: u64 = 64 << 10;

/// The separator between the names of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Separator {
    /// A line feed.
    #[default]
    Line,
    /// A zero byte, as `find -print0` writes.
    Null,
}

/// The location of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum List {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

/// Reads the names of a list one by one.
pub(super) struct Lines {
    reader: Box<dyn BufRead + Send>,
    separator: Separator,
    is_first: bool,
}

impl Lines {
    pub(super) fn open(list: &List, separator: Separator) -> Result<Lines> {
        let reader: Box<dyn BufRead + Send> = match list {
            List::File(path) => Box::new(BufReader::new(File::open(path).map_err(Error::read)?)),
            List::Stdin => Box::new(BufReader::new(io::stdin())),
        };
        Ok(Lines { reader, separator, is_first: true })
    }

    /// Returns the next name; `None` at the end of the list. Fails if the list cannot be read, if a
    /// name is too long or not valid Unicode where the system requires it, or if the file is not a
    /// list.
    pub(super) fn next(&mut self) -> Result<Option<OsString>> {
        let end = match self.separator {
            Separator::Line => b'\n',
            Separator::Null => 0,
        };
        loop {
            let mut name = Vec::new();
            let mut limited = (&mut self.reader).take(NAME_MAX);
            if limited.read_until(end, &mut name).map_err(Error::read)? == 0 {
                return Ok(None);
            }
            if name.last() == Some(&end) {
                name.pop();
            } else if name.len() as u64 == NAME_MAX {
                return Err(Error::read(io::ErrorKind::InvalidFilename.into()));
            }
            if self.separator == Separator::Line && name.last() == Some(&b'\r') {
                name.pop();
            }
            if std::mem::take(&mut self.is_first) && name.starts_with(MARK) {
                name.drain(..MARK.len());
            }
            if is_json(&name) || (self.separator == Separator::Line && name.contains(&0)) {
                return Err(Error::new(SourceFault::NotAList));
            }
            if !name.is_empty() {
                return os_string(name).map(Some);
            }
        }
    }
}

/// A byte order mark. Some editors write one at the start of a file.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Whether a line looks like JSON: it begins with an object, an array or a key. Folder names such
/// as `[id]` and `{{ name }}` do not look like JSON.
fn is_json(line: &[u8]) -> bool {
    match line.trim_ascii_start() {
        [b'{', inside @ ..] => {
            matches!(inside.trim_ascii_start().first(), None | Some(b'"' | b'}'))
        }
        [b'[', inside @ ..] => {
            matches!(inside.trim_ascii_start().first(), None | Some(b'"' | b'{' | b'['))
        }
        [b'"', key @ ..] => key.windows(2).any(|end| end == b"\":"),
        _ => false,
    }
}

#[cfg(unix)]
fn os_string(name: Vec<u8>) -> Result<OsString> {
    use std::os::unix::ffi::OsStringExt;
    Ok(OsString::from_vec(name))
}

#[cfg(not(unix))]
fn os_string(name: Vec<u8>) -> Result<OsString> {
    let name = String::from_utf8(name).map_err(|_| Error::new(ErrorKind::Encoding))?;
    Ok(name.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_lines_are_distinguished_from_file_names() {
        for line in [
            r#"{"format_version":"1.2","x":1}"#,
            "{",
            "  {",
            "[",
            r#"[{"a":1}]"#,
            r#"["a"]"#,
            "{}",
            r#"    "password": "x","#,
        ] {
            assert!(is_json(line.as_bytes()), "{line}");
        }
        for line in
            ["a.json", "[id]/plan.json", "{{ name }}/plan.json", "\"quoted\".json", "", "}.json"]
        {
            assert!(!is_json(line.as_bytes()), "{line}");
        }
    }
}
