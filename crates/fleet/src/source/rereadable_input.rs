//! An input that is read more than once.

use plansift_core::error::Result;
use plansift_core::input::{Input, InputOptions, Rereadable, Threads};
use plansift_core::limits::Limits;
use plansift_planfile::{self as planfile, ConfigurationFiles, SchemaFiles};

/// An input that can be read several times, with the same result each time.
///
/// A plan file or state file is converted to JSON again for each reading. The JSON is never written
/// to a file, because it contains secrets in the clear.
#[derive(Clone, Debug)]
pub struct RereadableInput {
    file: Rereadable,
    form: Form,
    /// The schemas for a plan file.
    schemas: SchemaFiles,
}

/// The format of the file, which decides how to get the document from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// The document itself.
    Text,
    PlanFile,
    StateFile,
}

impl RereadableInput {
    /// Determines the format of a file. Fails if the file cannot be read, or if it is a compressed
    /// plan file or state file that exceeds the limit on spooled inputs.
    pub(super) fn new(
        file: Rereadable,
        schemas: SchemaFiles,
        limits: &Limits,
    ) -> Result<RereadableInput> {
        if planfile::is_archive(&file)? {
            return Ok(RereadableInput { file, form: Form::PlanFile, schemas });
        }
        let options =
            InputOptions { limits: *limits, threads: Threads::One, ..InputOptions::default() };
        let mut input = file.input(&options)?;
        let form = if planfile::is_plan_file(&mut input)? {
            Form::PlanFile
        } else if planfile::is_state_file(&mut input)? {
            Form::StateFile
        } else {
            return Ok(RereadableInput { file, form: Form::Text, schemas });
        };
        Ok(RereadableInput { file: input.into_rereadable(limits)?, form, schemas })
    }

    /// Returns the length of the file in bytes. The document has another length if the file is
    /// compressed, or is a plan file or state file.
    pub fn len(&self) -> u64 {
        self.file.len()
    }

    /// Whether the file is empty.
    pub fn is_empty(&self) -> bool {
        self.file.is_empty()
    }

    /// Returns the configuration files in a plan file. Returns `None` for other inputs.
    ///
    /// # Errors
    ///
    /// Fails like [`ConfigurationFiles::open`].
    pub fn configuration(&self, limits: &Limits) -> Result<Option<ConfigurationFiles<'_>>> {
        match self.form {
            Form::PlanFile => ConfigurationFiles::open(&self.file, limits).map(Some),
            Form::Text | Form::StateFile => Ok(None),
        }
    }

    /// Opens the document at its start. Several readers may be open at the same time.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, or is a damaged plan file.
    pub fn input(&self, options: &InputOptions) -> Result<Input> {
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
