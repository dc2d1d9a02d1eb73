//! Decides which files a call may read: files and folders below one folder.
//!
//! A name is relative to that folder, or absolute and below it. Links are resolved, and what they
//! lead to must be below the folder, too. A name that leads out of the folder and a name without a
//! file get the same answer, so an answer does not tell what is outside.

use std::fmt;
use std::fs::{self, File, Metadata};
use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use plansift_core::input::FileState;

use crate::answer::Refusal;

/// The folder that a server reads.
#[derive(Clone, Debug)]
pub struct Root {
    /// The folder, with links resolved.
    folder: PathBuf,
}

/// Why a folder cannot be the root.
#[derive(Debug)]
pub enum RootError {
    /// The folder cannot be read.
    Read(io::Error),
    /// The path names something else.
    NoFolder,
}

impl fmt::Display for RootError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RootError::Read(error) => write!(f, "cannot read the folder: {error}"),
            RootError::NoFolder => f.write_str("this is not a folder"),
        }
    }
}

impl std::error::Error for RootError {}

/// A file or a folder below the root.
#[derive(Clone, Debug)]
pub struct Place {
    /// The path, with links resolved.
    pub path: PathBuf,
    /// The path from the root.
    pub name: String,
    /// The state of the file or the folder.
    pub state: FileState,
    /// The opened file.
    pub file: Option<Arc<File>>,
}

const NO_FILE: &str = "there is no such file below the root";
const NO_FOLDER: &str = "there is no such folder below the root";
const NAME_A_FILE: &str = "name a plan file, or the JSON of a plan, by its path from the root; \
                           `fleet` lists the plans of a folder";

impl Root {
    /// Opens the folder.
    ///
    /// # Errors
    ///
    /// Fails if the path is not a folder that can be read.
    pub fn new(folder: &Path) -> Result<Root, RootError> {
        let folder = folder.canonicalize().map_err(RootError::Read)?;
        fs::read_dir(&folder).map_err(|error| match folder.is_dir() {
            true => RootError::Read(error),
            false => RootError::NoFolder,
        })?;
        Ok(Root { folder })
    }

    /// Returns a regular file.
    pub(crate) fn file(&self, name: &str) -> Result<Place, Refusal> {
        match self.find(name) {
            Some((place, kind)) if kind.is_file() => {
                self.open(place).ok_or(Refusal::new(NO_FILE, NAME_A_FILE))
            }
            Some((_, kind)) if kind.is_dir() => {
                Err(Refusal::new("this is a folder, and the tool reads one plan", NAME_A_FILE))
            }
            Some(_) => Err(Refusal::new("this is not a regular file", NAME_A_FILE)),
            None => Err(Refusal::new(NO_FILE, NAME_A_FILE)),
        }
    }

    /// Returns a folder.
    pub(crate) fn folder(&self, name: &str) -> Result<Place, Refusal> {
        match self.find(name) {
            Some((place, kind)) if kind.is_dir() => Ok(place),
            _ => Err(Refusal::new(NO_FOLDER, "name a folder by its path from the root, or `.`")),
        }
    }

    /// Returns the name of a path if it leads to a regular file below the root.
    pub(crate) fn regular(&self, path: &Path) -> Option<Place> {
        let (place, kind) = self.resolve(path)?;
        if kind.is_file() { self.open(place) } else { None }
    }

    fn find(&self, name: &str) -> Option<(Place, Metadata)> {
        if name.is_empty() || !stays_below(Path::new(name), &self.folder) {
            return None;
        }
        self.resolve(&self.folder.join(name))
    }

    fn resolve(&self, path: &Path) -> Option<(Place, Metadata)> {
        let path = path.canonicalize().ok()?;
        let name = path.strip_prefix(&self.folder).ok()?;
        let name = match name.as_os_str().is_empty() {
            true => ".".to_owned(),
            false => name.to_str()?.to_owned(),
        };
        let metadata = fs::metadata(&path).ok()?;
        let state = FileState::of(&metadata);
        Some((Place { path, name, state, file: None }, metadata))
    }

    /// Opens a file, and checks that it is the one below the root: another process may have put a
    /// link in its place. The path then names the open file.
    #[cfg(target_os = "linux")]
    fn open(&self, place: Place) -> Option<Place> {
        let file = File::open(&place.path).ok()?;
        let metadata = file.metadata().ok()?;
        let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        let is_below = fs::read_link(&path).ok()?.starts_with(&self.folder);
        let state = FileState::of(&metadata);
        let file = Some(Arc::new(file));
        (is_below && metadata.is_file()).then_some(Place { path, state, file, ..place })
    }

    /// Other systems do not tell the path of an open file.
    #[cfg(not(target_os = "linux"))]
    fn open(&self, place: Place) -> Option<Place> {
        Some(place)
    }
}

/// Whether a path does not leave the root, as far as its text tells. Links are not resolved.
fn stays_below(path: &Path, root: &Path) -> bool {
    let rest = match path.is_absolute() {
        true => match path.strip_prefix(root) {
            Ok(rest) => rest,
            Err(_) => return false,
        },
        false => path,
    };
    let mut depth = 0_usize;
    rest.components().all(|component| match component {
        Component::Normal(_) => {
            depth += 1;
            true
        }
        Component::CurDir => true,
        Component::ParentDir => {
            let is_inside = depth > 0;
            depth = depth.saturating_sub(1);
            is_inside
        }
        Component::RootDir | Component::Prefix(_) => false,
    })
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let inside = folder.path().join("root");
        fs::create_dir_all(inside.join("a/b")).expect("folders");
        fs::write(folder.path().join("outside.json"), "{}").expect("a file");
        fs::write(inside.join("plan.json"), "{}").expect("a file");
        fs::write(inside.join("a/b/plan.json"), "{}").expect("a file");
        symlink("b/plan.json", inside.join("a/link.json")).expect("a link");
        symlink("../../outside.json", inside.join("a/out.json")).expect("a link");
        symlink("../..", inside.join("a/up")).expect("a link");
        symlink("nowhere", inside.join("a/broken")).expect("a link");
        folder
    }

    #[test]
    fn files_below_the_root_are_found() {
        let folder = folder();
        let root = Root::new(&folder.path().join("root/a/..")).expect("a root");
        let absolute = root.folder.join("plan.json").to_str().expect("text").to_owned();
        for (name, found) in [
            ("plan.json", "plan.json"),
            ("./a/../plan.json", "plan.json"),
            ("a/link.json", "a/b/plan.json"),
            (&*absolute, "plan.json"),
        ] {
            assert_eq!(root.file(name).expect(name).name, found);
        }
        assert_eq!(root.folder(".").expect("the root").name, ".");
        assert_eq!(root.folder("a/b").expect("a folder").name, "a/b");
    }

    #[test]
    fn other_names_are_refused_alike() {
        let folder = folder();
        let root = Root::new(&folder.path().join("root")).expect("a root");
        let outside = folder.path().join("outside.json").to_str().expect("text").to_owned();
        for name in [
            "",
            "-",
            "..",
            "../outside.json",
            "../missing.json",
            "a/../../outside.json",
            "a/out.json",
            "a/up/outside.json",
            "a/broken",
            "missing.json",
            "https://example.com/plan.json",
            "@list",
            "*.json",
            "plan.json\0",
            "/etc/passwd",
            &outside,
        ] {
            assert_eq!(root.file(name).expect_err(name).error, NO_FILE, "{name:?}");
        }
        assert_eq!(root.folder("a/up").expect_err("outside").error, NO_FOLDER);
    }

    /// Another process may put a link in the place of a file that was found.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_became_a_link_is_not_opened() {
        let folder = folder();
        let root = Root::new(&folder.path().join("root")).expect("a root");
        let found = |name: &str| {
            let path = root.folder.join(name);
            let state = FileState::of(&fs::metadata(&path).expect("a file"));
            root.open(Place { path, name: name.to_owned(), state, file: None })
        };
        assert!(found("a/b/plan.json").is_some());
        assert!(found("a/out.json").is_none() && found("a/up/outside.json").is_none());
    }

    #[test]
    fn other_files_are_refused() {
        let folder = folder();
        let root = Root::new(&folder.path().join("root")).expect("a root");
        let socket = folder.path().join("root/socket");
        let _listener = std::os::unix::net::UnixListener::bind(socket).expect("a socket");
        let error = root.file("socket").expect_err("not a regular file").error;
        assert_eq!(error, "this is not a regular file");
        let error = root.file("a").expect_err("a folder").error;
        assert_eq!(error, "this is a folder, and the tool reads one plan");
    }
}
