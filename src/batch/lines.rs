//! Lists of names: files, or standard input, with a name a line or between zero bytes.
//!
//! A name stands as it is: no quotes, no comments. Empty lines are passed over, and so is the
//! carriage return that some editors leave. What looks like JSON is no name: a plan that was taken
//! for a list must not be told line by line.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;

use crate::error::{Error, ErrorKind, Result};

/// Longest name, in bytes: many times what any system takes.
const NAME_MAX: u64 = 64 << 10;

/// What stands between the names of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Separator {
    /// The end of a line.
    #[default]
    Line,
    /// A zero byte, as `find -print0` writes.
    Null,
}

/// Where a list is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum List {
    /// In a file.
    File(PathBuf),
    /// On standard input.
    Stdin,
}

/// The names of a list, read one by one.
pub(super) struct Lines {
    reader: Box<dyn BufRead + Send>,
    separator: Separator,
    is_first: bool,
}

impl Lines {
    pub(super) fn open(list: &List, separator: Separator) -> Result<Lines> {
        let reader: Box<dyn BufRead + Send> = match list {
            List::File(path) => Box::new(BufReader::new(File::open(path).map_err(read_error)?)),
            List::Stdin => Box::new(BufReader::new(io::stdin())),
        };
        Ok(Lines { reader, separator, is_first: true })
    }

    /// The next name; `None`: there are no more.
    ///
    /// # Errors
    ///
    /// The list cannot be read, or holds something that is no name, or is no list.
    pub(super) fn next(&mut self) -> Result<Option<OsString>> {
        let end = match self.separator {
            Separator::Line => b'\n',
            Separator::Null => 0,
        };
        loop {
            let mut name = Vec::new();
            let mut limited = (&mut self.reader).take(NAME_MAX);
            if limited.read_until(end, &mut name).map_err(read_error)? == 0 {
                return Ok(None);
            }
            if name.last() == Some(&end) {
                name.pop();
            } else if name.len() as u64 == NAME_MAX {
                return Err(read_error(io::ErrorKind::InvalidFilename.into()));
            }
            if self.separator == Separator::Line && name.last() == Some(&b'\r') {
                name.pop();
            }
            if std::mem::take(&mut self.is_first) && name.starts_with(MARK) {
                name.drain(..MARK.len());
            }
            if is_json(&name) || (self.separator == Separator::Line && name.contains(&0)) {
                return Err(Error::new(ErrorKind::NotAList));
            }
            if !name.is_empty() {
                return os_string(name).map(Some);
            }
        }
    }
}

/// A byte order mark, which some editors put before the first name.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Whether a line looks like one of JSON: an object or array begins, or a key. Names of folders may
/// begin with a bracket all the same (`[id]`, `{{ name }}`).
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

fn read_error(error: io::Error) -> Error {
    Error::io(ErrorKind::Read, error)
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
    fn json_is_told_from_names() {
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
