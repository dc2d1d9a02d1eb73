//! Files of a report that has several: the one that was named, and those beside it.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::inputs::Listed;
use super::messages::say;
use super::output::{Output, is_same, replaces};
use crate::error::{Error, ErrorKind, Result};
use crate::sink::markdown::Open;

/// The files behind the first ones.
pub struct Pages {
    opened: Rc<RefCell<Vec<(PathBuf, Output)>>>,
    /// What none of them may be.
    taken: Rc<Taken>,
}

struct Taken {
    outputs: Vec<PathBuf>,
    read: Vec<PathBuf>,
}

impl Pages {
    /// None yet. These outputs, and the inputs, have their names already.
    pub fn new(outputs: impl Iterator<Item = PathBuf>, listed: &Listed) -> Pages {
        let taken = Taken {
            outputs: outputs.collect(),
            read: listed.files().map(Path::to_owned).collect(),
        };
        Pages { opened: Rc::default(), taken: Rc::new(taken) }
    }

    /// Opens pages: the first one is there, and the others are named after it.
    pub fn opener(&self, path: Option<PathBuf>, first: BufWriter<File>) -> Open<'static> {
        let (opened, taken) = (self.opened.clone(), self.taken.clone());
        let mut first = Some(first);
        Box::new(move |number| {
            if let Some(first) = first.take() {
                return Ok(Box::new(first));
            }
            let path = beside(path.as_deref().unwrap_or(Path::new("")), number);
            if taken.has(&path) {
                let said = format!("part {number} would replace an input or another output");
                let error = io::Error::new(io::ErrorKind::AlreadyExists, said);
                return Err(Error::io(ErrorKind::Write, error));
            }
            let output = Output::open(Some(&path))?;
            let writer = output.writer()?;
            opened.borrow_mut().push((path, output));
            Ok(Box::new(BufWriter::new(writer)))
        })
    }

    /// Gives the files their names, now that they are whole.
    ///
    /// # Errors
    ///
    /// One cannot be brought to the disk or renamed: which, and why.
    pub fn finish(self) -> std::result::Result<(), (PathBuf, Error)> {
        for (path, output) in self.opened.take() {
            output.finish().map_err(|error| (path, error))?;
        }
        Ok(())
    }
}

impl Taken {
    fn has(&self, path: &Path) -> bool {
        self.outputs.iter().any(|output| is_same(Some(output), Some(path)))
            || self.read.iter().any(|input| replaces(path, input))
    }
}

/// The name of a page: its number stands before the extension.
fn beside(path: &Path, number: u64) -> PathBuf {
    let mut extension = OsString::from(number.to_string());
    if let Some(own) = path.extension() {
        extension.push(".");
        extension.push(own);
    }
    path.with_extension(extension)
}

/// The file that a variable names, to be added to; that it names none is said.
///
/// # Errors
///
/// It cannot be opened.
pub fn appended(variable: &str, otherwise: &str) -> Result<Option<File>> {
    match std::env::var_os(variable).filter(|path| !path.is_empty()) {
        Some(path) => {
            let file = File::options().append(true).create(true).open(path);
            file.map(Some).map_err(|error| {
                let error = io::Error::new(error.kind(), format!("{variable}: {error}"));
                Error::io(ErrorKind::Write, error)
            })
        }
        None => {
            say(&format!("{variable} is not set: {otherwise}"));
            Ok(None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_before_the_extension() {
        for (path, second) in
            [("a.md", "a.2.md"), ("d.x/a.b.md", "d.x/a.b.2.md"), ("d.x/a", "d.x/a.2")]
        {
            assert_eq!(beside(Path::new(path), 2), Path::new(second));
        }
    }
}
