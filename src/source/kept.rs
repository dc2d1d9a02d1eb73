//! An input that is read more than once.

use crate::error::Result;
use crate::input::{Input, Options, Rereadable, Threads};
use crate::limits::Limits;
use crate::planfile;

/// An input that can be read several times, with the same text each time.
///
/// The JSON of a plan file is made again for each reading. It never is in a file, because it has
/// secrets in the clear.
#[derive(Clone, Debug)]
pub struct Kept {
    file: Rereadable,
    is_plan_file: bool,
}

impl Kept {
    /// Examines the first bytes of a file.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, or if it is a compressed plan file that exceeds the limit
    /// on spooled inputs.
    pub(super) fn new(file: Rereadable, limits: &Limits) -> Result<Kept> {
        if planfile::is_archive(&file)? {
            return Ok(Kept { file, is_plan_file: true });
        }
        let options = Options { limits: *limits, threads: Threads::One, ..Options::default() };
        let mut input = file.input(&options)?;
        if !planfile::is_plan_file(&mut input)? {
            return Ok(Kept { file, is_plan_file: false });
        }
        Ok(Kept { file: input.into_rereadable(limits)?, is_plan_file: true })
    }

    /// Returns the length of the file in bytes: that of the text, unless it is compressed or a plan
    /// file.
    pub fn len(&self) -> u64 {
        self.file.len()
    }

    /// Whether the file is empty.
    pub fn is_empty(&self) -> bool {
        self.file.is_empty()
    }

    /// The files of the configuration in a plan file, by the paths of their members; empty for
    /// other inputs.
    ///
    /// # Errors
    ///
    /// Fails like [`planfile::configuration`].
    pub fn configuration(&self, limits: &Limits) -> Result<Vec<(String, Vec<u8>)>> {
        if self.is_plan_file { planfile::configuration(&self.file, limits) } else { Ok(Vec::new()) }
    }

    /// Opens the text at its start. Several readers may be open at the same time.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, or is a damaged plan file.
    pub fn input(&self, options: &Options) -> Result<Input> {
        if !self.is_plan_file {
            return self.file.input(options);
        }
        let document = planfile::open(&self.file, None, &options.limits)?;
        Input::from_reader(Box::new(document), options)
    }
}
