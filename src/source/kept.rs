//! An input that is read more than once.

use crate::error::Result;
use crate::input::{Input, Options, Rereadable, Threads};
use crate::limits::Limits;
use crate::planfile::{self, SchemaFiles};

/// An input that can be read several times, with the same text each time.
///
/// The JSON of a plan file or state file is made again for each reading. It never is in a file,
/// because it has secrets in the clear.
#[derive(Clone, Debug)]
pub struct Kept {
    file: Rereadable,
    form: Form,
    /// The schemas for a plan file.
    schemas: SchemaFiles,
}

/// What the text is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// The file is the text.
    Text,
    PlanFile,
    StateFile,
}

impl Kept {
    /// Examines the first bytes of a file. Fails if the file cannot be read, or if it is a
    /// compressed plan file or state file that exceeds the limit on spooled inputs.
    pub(super) fn new(file: Rereadable, schemas: SchemaFiles, limits: &Limits) -> Result<Kept> {
        if planfile::is_archive(&file)? {
            return Ok(Kept { file, form: Form::PlanFile, schemas });
        }
        let options = Options { limits: *limits, threads: Threads::One, ..Options::default() };
        let mut input = file.input(&options)?;
        let form = if planfile::is_plan_file(&mut input)? {
            Form::PlanFile
        } else if planfile::is_state_file(&mut input)? {
            Form::StateFile
        } else {
            return Ok(Kept { file, form: Form::Text, schemas });
        };
        Ok(Kept { file: input.into_rereadable(limits)?, form, schemas })
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
        match self.form {
            Form::PlanFile => planfile::configuration(&self.file, limits),
            Form::Text | Form::StateFile => Ok(Vec::new()),
        }
    }

    /// Opens the text at its start. Several readers may be open at the same time.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, or is a damaged plan file.
    pub fn input(&self, options: &Options) -> Result<Input> {
        match self.form {
            Form::Text => self.file.input(options),
            Form::PlanFile => {
                let document = planfile::open(&self.file, &self.schemas, &options.limits)?;
                Input::from_reader(Box::new(document), options)
            }
            Form::StateFile => {
                let document = planfile::open_state(&self.file, &options.limits)?;
                Input::from_reader(Box::new(document), options)
            }
        }
    }
}
