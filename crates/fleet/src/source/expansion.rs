//! Expands globs that name inputs.

use std::path::{Component, Path, PathBuf};

use globset::GlobMatcher;
use walkdir::WalkDir;

use super::globs::{glob, is_glob};
use super::input_entry::Unlisted;
use super::walk::{is_hidden, path_of};
use plansift_core::error::Result;

/// Expands a glob to files and folders, as a shell does. The result is sorted. A glob matches
/// hidden files only if one of its components begins with a dot.
pub(super) struct Expansion {
    /// The folder before the first component with a wildcard; empty if the first component has one.
    root: PathBuf,
    /// The folder to walk: `root`, or `.` if it is empty.
    walked: PathBuf,
    matcher: GlobMatcher,
    entries: walkdir::IntoIter,
    /// The maximum number of components below `root` that a match can have.
    depth_max: usize,
    names_hidden: bool,
    /// True if the glob ends with a slash, and therefore matches only folders.
    is_of_folders: bool,
}

impl Expansion {
    pub(super) fn new(name: &str) -> Result<Expansion> {
        let is_of_folders = name.ends_with('/');
        let mut root = PathBuf::new();
        let mut rest: Vec<String> = Vec::new();
        for component in Path::new(name).components() {
            let text = component.as_os_str().to_string_lossy().into_owned();
            match component {
                Component::Normal(_) if !rest.is_empty() || is_glob(&text) => rest.push(text),
                // Components before the first wildcard belong to the root.
                Component::Normal(_) => root.push(text),
                other => root.push(other),
            }
        }
        let matcher = glob(&rest.join("/"))?.compile_matcher();
        let is_deep = rest.iter().any(|component| component.contains("**") || is_split(component));
        let depth_max = if is_deep { usize::MAX } else { rest.len() };
        let walked = if root.as_os_str().is_empty() { PathBuf::from(".") } else { root.clone() };
        let entries = WalkDir::new(&walked).min_depth(1).sort_by_file_name().into_iter();
        let names_hidden = rest.iter().any(|component| component.starts_with('.'));
        Ok(Expansion { root, walked, matcher, entries, depth_max, names_hidden, is_of_folders })
    }

    /// Returns the next file or folder that matches.
    pub(super) fn next(&mut self) -> Option<std::result::Result<PathBuf, Unlisted>> {
        loop {
            let entry = match self.entries.next()? {
                Ok(entry) => entry,
                Err(error) => return Some(Err(path_of(error))),
            };
            let is_folder = entry.file_type().is_dir();
            let below = entry.path().strip_prefix(&self.walked).unwrap_or(entry.path());
            let is_skipped = is_hidden(&entry) && !self.names_hidden;
            let path = self.root.join(below);
            let is_named = !is_skipped
                && self.matcher.is_match(below)
                && (!self.is_of_folders || path.is_dir());
            let ends_here = is_skipped || is_named || entry.depth() >= self.depth_max;
            if is_folder && ends_here {
                self.entries.skip_current_dir();
            }
            if is_named {
                return Some(Ok(path));
            }
        }
    }
}

/// Whether a component of a glob is part of a brace group that contains a slash, as in `{a,b/c}`.
fn is_split(component: &str) -> bool {
    component.matches('{').count() != component.matches('}').count()
}
