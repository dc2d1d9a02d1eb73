//! Sources of configuration files: a folder, or the snapshot in a plan file.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::directory::is_configuration;
use crate::hcl::json::{Document, Kind};

/// Maximum size of a configuration file, in bytes.
pub(super) const FILE_MAX: u64 = 64 << 20;

/// Maximum size of the list of installed modules, in bytes.
const MANIFEST_MAX: u64 = 16 << 20;

/// A failure to read a folder or a file.
#[derive(Debug)]
pub enum SourceError {
    /// The operating system reports an error.
    Io(io::Error),
    /// The file is longer than 64 MiB.
    TooLarge,
}

impl std::fmt::Display for SourceError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SourceError::Io(error) => write!(out, "{error}"),
            SourceError::TooLarge => out.write_str("the file is longer than 64 MiB"),
        }
    }
}

impl std::error::Error for SourceError {}

impl From<io::Error> for SourceError {
    fn from(error: io::Error) -> SourceError {
        SourceError::Io(error)
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
            if is_configuration(&name) && !entry.path().is_dir() {
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
        read(&manifest, MANIFEST_MAX).map_or_else(|_| HashMap::new(), |text| manifest_of(&text))
    }
}

/// Reads a file. Fails if it is longer than `max` bytes.
fn read(path: &Path, max: u64) -> Result<Vec<u8>, SourceError> {
    let mut text = Vec::new();
    File::open(path)?.take(max + 1).read_to_end(&mut text)?;
    if text.len() as u64 > max { Err(SourceError::TooLarge) } else { Ok(text) }
}

/// The configuration that is stored in a plan file.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// The contents of files, by folder and by name.
    folders: BTreeMap<String, BTreeMap<String, Vec<u8>>>,
    installed: HashMap<String, String>,
}

impl Snapshot {
    /// Creates a snapshot from the members of a plan file: `tfconfig/modules.json` and
    /// `tfconfig/m-KEY/NAME`.
    pub fn new(members: impl IntoIterator<Item = (String, Vec<u8>)>) -> Snapshot {
        let mut snapshot = Snapshot::default();
        let mut files = Vec::new();
        for (path, text) in members {
            match path.strip_prefix("tfconfig/") {
                Some("modules.json") => snapshot.installed = manifest_of(&text),
                Some(path) => files.push((path.to_owned(), text)),
                None => {}
            }
        }
        for (path, text) in files {
            let key =
                path.split_once('/').and_then(|(key, name)| Some((key.strip_prefix("m-")?, name)));
            let Some((key, name)) = key.filter(|(_, name)| is_configuration(name)) else {
                continue;
            };
            let folder = snapshot.installed.get(key).cloned().unwrap_or_else(|| key.to_owned());
            snapshot.folders.entry(folder).or_default().insert(name.to_owned(), text);
        }
        snapshot
    }

    /// True if the plan file has no configuration.
    pub fn is_empty(&self) -> bool {
        self.folders.is_empty()
    }
}

impl Files for Snapshot {
    fn list(&self, folder: &str) -> Result<Vec<String>, SourceError> {
        let files = self.folders.get(folder);
        Ok(files.map(|files| files.keys().cloned().collect()).unwrap_or_default())
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, SourceError> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let file = self.folders.get(folder).and_then(|files| files.get(name));
        file.cloned().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound).into())
    }

    fn installed(&self) -> HashMap<String, String> {
        self.installed.clone()
    }
}

/// Reads a list of installed modules: objects with `Key` and `Dir`, in an array or in `Modules`.
fn manifest_of(text: &[u8]) -> HashMap<String, String> {
    let Ok((document, _)) = Document::parse(text) else {
        return HashMap::new();
    };
    let root = Document::ROOT;
    let member = |object, name: &str| {
        document.inside(object).find(|(_, node)| node.name() == name).map(|(at, _)| at)
    };
    let is_array = document.get(root).is_some_and(|node| node.kind == Kind::Array);
    let modules = if is_array { Some(root) } else { member(root, "Modules") };
    let text = |object, name: &str| match &document.get(member(object, name)?)?.kind {
        Kind::String(text) => Some(text.to_string()),
        _ => None,
    };
    let modules = modules.into_iter().flat_map(|modules| document.inside(modules));
    modules
        .filter_map(|(module, _)| Some((text(module, "Key")?, normal(&text(module, "Dir")?))))
        .collect()
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
        assert_eq!(manifest_of(snapshot).get("m"), Some(&String::from("m")));
        assert_eq!(manifest_of(folder).get("m"), Some(&String::from("m")));
        assert!(manifest_of(b"[{").is_empty());
    }
}
