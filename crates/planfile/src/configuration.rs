//! The configuration files in a plan file: the members in the folder `tfconfig/`.

use std::collections::BTreeMap;

use super::archive::{Archive, CONFIGURATION, DirectoryEntry};
use super::fault::PlanFileFault;
use plansift_core::error::{Error, Result};
use plansift_core::input::Rereadable;
use plansift_core::limits::Limits;

/// The configuration files in a plan file. Each file is inflated when it is read.
pub struct ConfigurationFiles<'a> {
    archive: Archive<'a>,
    members: BTreeMap<String, DirectoryEntry>,
}

impl<'a> ConfigurationFiles<'a> {
    /// Lists the configuration files of a plan file.
    ///
    /// # Errors
    ///
    /// Fails if the file is not a plan file, if it is damaged, or if the configuration is longer
    /// than [`Limits::change`].
    pub fn open(file: &'a Rereadable, limits: &Limits) -> Result<ConfigurationFiles<'a>> {
        let archive = Archive::open(file, limits)?;
        let members = archive.folder(CONFIGURATION, limits)?;
        Ok(ConfigurationFiles { archive, members })
    }

    /// Returns the path of each file, relative to `tfconfig/`, in alphabetical order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.members.keys().filter_map(|path| path.strip_prefix(CONFIGURATION))
    }

    /// Returns the size of a file in bytes. Returns `None` if the plan file does not have it.
    pub fn size(&self, path: &str) -> Option<u64> {
        self.members.get(&format!("{CONFIGURATION}{path}")).map(DirectoryEntry::size)
    }

    /// Returns the content of a file.
    ///
    /// # Errors
    ///
    /// Fails if the plan file does not have the file, or if the file is damaged.
    pub fn read(&self, path: &str) -> Result<Vec<u8>> {
        let path = format!("{CONFIGURATION}{path}");
        let missing = || Error::new(PlanFileFault::Missing).within(CONFIGURATION);
        let found = *self.members.get(&path).ok_or_else(missing)?;
        let member = self.archive.inflate_in(&path, found)?;
        let mut text = Vec::new();
        member.copy(0..member.len(), &mut text)?;
        Ok(text)
    }
}
