//! Sources of configuration files: a folder, or the snapshot in a plan file.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::directory::is_configuration;
use crate::hcl::json::{Document, Kept, Kind};
use crate::hcl::position::Position;
use plansift_core::budget::Budget;
use plansift_core::error::Error;
use plansift_core::input::regular;
use plansift_core::limits::{Limit, Limits};
use plansift_planfile::{ConfigurationFiles, PlanFileFault};

/// Maximum size of a configuration file, in bytes.
pub(super) const FILE_MAX: u64 = 64 << 20;

/// Maximum size of the list of installed modules, in bytes.
const MANIFEST_MAX: u64 = 16 << 20;

/// A failure to read a folder or a file.
#[derive(Debug)]
pub enum SourceError {
    /// The operating system reports an error about one file or folder.
    Io(io::Error),
    /// The file is longer than 64 MiB.
    TooLarge,
    /// The whole configuration cannot be read: a plan file is damaged, or a limit is exceeded.
    Failed(Error),
}

impl std::fmt::Display for SourceError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SourceError::Io(error) => write!(out, "{error}"),
            SourceError::TooLarge => out.write_str("the file is longer than 64 MiB"),
            SourceError::Failed(error) => write!(out, "{error}"),
        }
    }
}

impl std::error::Error for SourceError {}

impl From<io::Error> for SourceError {
    fn from(error: io::Error) -> SourceError {
        SourceError::Io(error)
    }
}

impl From<Error> for SourceError {
    fn from(error: Error) -> SourceError {
        SourceError::Failed(error)
    }
}

/// The files of a configuration. Paths have slashes and are relative to the root module.
pub trait Files {
    /// Returns the names of the configuration files in a folder.
    ///
    /// # Errors
    ///
    /// The folder cannot be read.
    fn list(&self, folder: &str) -> Result<Vec<String>, SourceError>;

    /// Returns the content of a file.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is too large.
    fn read(&self, path: &str) -> Result<Vec<u8>, SourceError>;

    /// Returns the folder of each installed module. The key is the names of the module calls,
    /// joined by dots.
    fn installed(&self) -> HashMap<String, String>;
}

/// A folder of the file system.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// Creates a source of files from the folder of a root module.
    pub fn new(root: &Path) -> Folder {
        Folder { root: root.to_owned() }
    }
}

impl Files for Folder {
    fn list(&self, folder: &str) -> Result<Vec<String>, SourceError> {
        let mut names = Vec::new();
        for entry in fs::read_dir(self.root.join(folder))? {
            let entry = entry?;
            // Skips names that are not UTF-8.
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            // Skips folders, FIFOs, sockets and devices.
            let is_other = || fs::metadata(entry.path()).is_ok_and(|found| !found.is_file());
            if is_configuration(&name) && !is_other() {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, SourceError> {
        read(&self.root.join(path), FILE_MAX)
    }

    fn installed(&self) -> HashMap<String, String> {
        let manifest = self.root.join(".terraform/modules/modules.json");
        let text = read(&manifest, MANIFEST_MAX).unwrap_or_default();
        let listed = manifest_of(&text, Limits::default().configuration);
        listed.ok().flatten().unwrap_or_default().into_iter().collect()
    }
}

/// Reads a regular file. Fails if it is longer than `max` bytes.
fn read(path: &Path, max: u64) -> Result<Vec<u8>, SourceError> {
    let file = regular::open(path, OpenOptions::new().read(true))?;
    let file = file.ok_or_else(|| io::Error::other("this is not a regular file"))?;
    // A text that grows while it is read would take up to three times its size.
    let len = file.metadata()?.len().min(max + 1);
    let mut text = Vec::with_capacity(len as usize + 1);
    file.take(max + 1).read_to_end(&mut text)?;
    if text.len() as u64 > max { Err(SourceError::TooLarge) } else { Ok(text) }
}

/// The configuration that is stored in a plan file: the members `tfconfig/modules.json` and
/// `tfconfig/m-KEY/NAME`.
pub struct Snapshot<'a> {
    files: ConfigurationFiles<'a>,
    /// The members of the files in each folder: `m-KEY/NAME`, by name.
    folders: BTreeMap<String, BTreeMap<String, String>>,
    installed: HashMap<String, String>,
    /// The maximum size of a file, in bytes.
    max: u64,
}

/// The member with the list of modules.
const MANIFEST: &str = "modules.json";

impl<'a> Snapshot<'a> {
    /// Reads the list of modules in a plan file. Returns `None` if the plan file has no
    /// configuration.
    ///
    /// # Errors
    ///
    /// Fails if the list is missing or damaged, if a module in it has no files, or if files belong
    /// to no module in it. The tools refuse such a plan file too.
    pub fn new(
        files: ConfigurationFiles<'a>,
        limits: &Limits,
    ) -> Result<Option<Snapshot<'a>>, Error> {
        let max = limits.configuration;
        if files.paths().next().is_none() {
            return Ok(None);
        }
        if files.size(MANIFEST).is_some_and(|size| size > MANIFEST_MAX) {
            return Err(damaged());
        }
        let listed = manifest_of(&files.read(MANIFEST)?, max)?.ok_or_else(damaged)?;
        let mut modules: HashMap<String, (String, BTreeMap<String, String>)> = HashMap::new();
        for (key, folder) in listed {
            modules.insert(key, (folder, BTreeMap::new()));
        }
        for path in files.paths().filter(|path| *path != MANIFEST) {
            let (folder, name) = path.split_once('/').unwrap_or_default();
            let Some(key) = folder.strip_prefix("m-") else { continue };
            let (_, names) = modules.get_mut(key).ok_or_else(damaged)?;
            names.insert(name.to_owned(), path.to_owned());
        }
        let (folders, installed) = (BTreeMap::new(), HashMap::new());
        let mut snapshot = Snapshot { files, folders, installed, max };
        for (key, (folder, names)) in modules {
            if names.is_empty() {
                return Err(Error::new(PlanFileFault::Missing).within(PLACE));
            }
            let names = names.into_iter().filter(|(name, _)| is_configuration(name));
            snapshot.folders.entry(folder.clone()).or_default().extend(names);
            snapshot.installed.insert(key, folder);
        }
        Ok(Some(snapshot))
    }
}

/// The place of the configuration in a plan file.
const PLACE: &str = "tfconfig/";

fn damaged() -> Error {
    Error::new(PlanFileFault::Modules).within(PLACE)
}

impl Files for Snapshot<'_> {
    fn list(&self, folder: &str) -> Result<Vec<String>, SourceError> {
        let files = self.folders.get(folder);
        Ok(files.map(|files| files.keys().cloned().collect()).unwrap_or_default())
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, SourceError> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let member = self.folders.get(folder).and_then(|files| files.get(name));
        let member = member.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        if self.files.size(member).is_some_and(|size| size > self.max) {
            return Err(Error::limit(Limit::Configuration, self.max, 0).within(path).into());
        }
        Ok(self.files.read(member)?)
    }

    fn installed(&self) -> HashMap<String, String> {
        self.installed.clone()
    }
}

/// Reads a list of installed modules: objects with `Key` and `Dir`, in an array or in `Modules`.
/// Returns the keys and folders. Returns `None` if the text is no such list. Fails if the list
/// takes more than `max` bytes of memory.
fn manifest_of(text: &[u8], max: u64) -> Result<Option<Vec<(String, String)>>, Error> {
    let mut budget = Budget::new(Limit::Configuration, max);
    let (document, faults) = Document::parse_at(text, Position::START, Kept::All, &mut budget)?;
    Ok(if faults.is_empty() { modules_of(&document) } else { None })
}

fn modules_of(document: &Document) -> Option<Vec<(String, String)>> {
    let root = Document::ROOT;
    let member = |object, name: &str| {
        document.inside(object).find(|(_, node)| node.name() == name).map(|(at, _)| at)
    };
    let is_array = |at| document.get(at).is_some_and(|node| node.kind == Kind::Array);
    let modules = if is_array(root) { root } else { member(root, "Modules")? };
    if !is_array(modules) {
        return None;
    }
    let text = |object, name: &str| match &document.get(member(object, name)?)?.kind {
        Kind::String(text) => Some(text.to_string()),
        _ => None,
    };
    let modules = document.inside(modules);
    modules.map(|(module, _)| Some((text(module, "Key")?, normal(&text(module, "Dir")?)))).collect()
}

/// Normalizes a relative path: removes `.`, and leaves `..` only at the start.
pub(super) fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalized() {
        for (path, expected) in [
            (".", ""),
            ("./m", "m"),
            ("a/./b/../c", "a/c"),
            ("../x", "../x"),
            ("a/../../x", "../x"),
            ("a//b/", "a/b"),
        ] {
            assert_eq!(normal(path), expected, "{path}");
        }
    }

    #[test]
    fn both_lists_of_modules_are_read() {
        let snapshot = br#"[{"Key":"","Dir":"."},{"Key":"m","Source":"./m","Dir":"m"}]"#;
        let folder = br#"{"Modules":[{"Key":"m","Source":"./m","Dir":"./m"}]}"#;
        let manifest_of = |text: &[u8]| manifest_of(text, 1 << 20).expect("a short list");
        let listed = |key: &str, folder: &str| (key.to_owned(), folder.to_owned());
        assert_eq!(manifest_of(snapshot), Some(vec![listed("", ""), listed("m", "m")]));
        assert_eq!(manifest_of(folder), Some(vec![listed("m", "m")]));
        for damaged in ["[{", "", "null", "{}", r#"{"Modules":1}"#, r#"[{"Key":""}]"#, "[1]"] {
            assert_eq!(manifest_of(damaged.as_bytes()), None, "{damaged}");
        }
    }
}
