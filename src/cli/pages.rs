//! The files of a report that is split into parts: the named file, and numbered files next to it.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::inputs::Listed;
use super::messages::say;
use super::output::Output;
use plansift_core::error::{Error, Result};
use plansift_fleet::output::{is_same, replaces};
use plansift_report::markdown::Open;

/// The parts of all reports, except the first part of each.
pub struct Pages {
    opened: Rc<RefCell<Vec<(PathBuf, Output)>>>,
    /// Outputs and inputs, which no part may replace.
    taken: Rc<(Vec<PathBuf>, Vec<PathBuf>)>,
}

impl Pages {
    /// Creates an empty list of parts. No part may replace an output or an input.
    pub fn new(outputs: impl Iterator<Item = PathBuf>, listed: &Listed) -> Pages {
        let inputs = listed.files().map(Path::to_owned).collect();
        Pages { opened: Rc::default(), taken: Rc::new((outputs.collect(), inputs)) }
    }

    /// Returns a function that opens parts. `first` is the opened first part. The paths of the
    /// other parts derive from its `path`.
    pub fn opener(&self, path: Option<PathBuf>, first: BufWriter<File>) -> Open<'static> {
        let (opened, taken) = (self.opened.clone(), self.taken.clone());
        let mut first = Some(first);
        Box::new(move |number| {
            if let Some(first) = first.take() {
                return Ok(Box::new(first));
            }
            let path = part_path(path.as_deref().unwrap_or(Path::new("")), number);
            let (outputs, inputs) = &*taken;
            if outputs.iter().any(|output| is_same(Some(output), Some(&path)))
                || inputs.iter().any(|input| replaces(&path, input))
            {
                let text = format!("part {number} would replace an input or another output");
                let error = io::Error::new(io::ErrorKind::AlreadyExists, text);
                return Err(Error::write(error));
            }
            let output = Output::open(Some(&path))?;
            let writer = output.writer()?;
            opened.borrow_mut().push((path, output));
            Ok(Box::new(BufWriter::new(writer)))
        })
    }

    /// Gives the complete files their final names. If a file cannot be synced or renamed, fails
    /// with its path.
    pub fn finish(self) -> std::result::Result<(), (PathBuf, Error)> {
        for (path, output) in self.opened.take() {
            output.finish().map_err(|error| (path, error))?;
        }
        Ok(())
    }
}

/// Returns the path of a part: inserts the number before the extension.
fn part_path(path: &Path, number: u64) -> PathBuf {
    let mut extension = OsString::from(number.to_string());
    if let Some(own) = path.extension() {
        extension.push(".");
        extension.push(own);
    }
    path.with_extension(extension)
}

/// Opens the file that an environment variable names, for appending. If the variable is not set,
/// prints `otherwise` and returns `None`. Fails if the file cannot be opened.
pub fn appended(variable: &str, otherwise: &str) -> Result<Option<File>> {
    match std::env::var_os(variable).filter(|path| !path.is_empty()) {
        Some(path) => {
            let file = File::options().append(true).create(true).open(path);
            file.map(Some).map_err(|error| {
                let error = io::Error::new(error.kind(), format!("{variable}: {error}"));
                Error::write(error)
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
    fn a_part_number_precedes_the_file_extension() {
        for (path, second) in
            [("a.md", "a.2.md"), ("d.x/a.b.md", "d.x/a.b.2.md"), ("d.x/a", "d.x/a.2")]
        {
            assert_eq!(part_path(Path::new(path), 2), Path::new(second));
        }
    }
}
