//! Globs that name inputs, and globs that select files of a folder.
//!
//! `*` and `?` do not match a slash; `**` does. `[...]` and `{a,b}` are supported.

use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher, GlobSet, GlobSetBuilder};
use walkdir::WalkDir;

use super::Unlisted;
use super::walk::{is_hidden, path_of};
use crate::error::{Error, ErrorKind, Result};

/// Selects the files of a folder.
///
/// A glob without a slash matches the names of files and folders. A glob with a slash matches paths
/// relative to the folder that the user named. The walk does not enter excluded folders.
#[derive(Clone, Debug, Default)]
pub struct Globs {
    include: Option<GlobSets>,
    exclude: GlobSets,
    takes_states: bool,
}

/// Globs that match names, and globs that match paths.
#[derive(Clone, Debug, Default)]
struct GlobSets {
    names: GlobSet,
    paths: GlobSet,
}

impl GlobSets {
    fn new(patterns: &[String]) -> Result<GlobSets> {
        let (mut names, mut paths) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        for pattern in patterns {
            let set = if pattern.contains('/') { &mut paths } else { &mut names };
            set.add(glob(pattern.trim_matches('/'))?);
        }
        let built = names.build().and_then(|names| Ok(GlobSets { names, paths: paths.build()? }));
        built.map_err(|_| Error::new(ErrorKind::Pattern))
    }

    fn matches(&self, path: &Path) -> bool {
        path.file_name().is_some_and(|name| self.names.is_match(name)) || self.paths.is_match(path)
    }
}

impl Globs {
    /// Selects the files that match a glob of `include`, or all files if it is empty, except those
    /// that match a glob of `exclude`.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Pattern`] if a glob is malformed.
    pub fn new(include: &[String], exclude: &[String]) -> Result<Globs> {
        let include = if include.is_empty() { None } else { Some(GlobSets::new(include)?) };
        Ok(Globs { include, exclude: GlobSets::new(exclude)?, takes_states: false })
    }

    /// Also selects states, not only plans.
    pub fn with_states(self) -> Globs {
        Globs { takes_states: true, ..self }
    }

    /// Whether to select the JSON of a state.
    pub(super) fn takes_states(&self) -> bool {
        self.takes_states
    }

    /// Whether a file at this path below the folder is included.
    pub(super) fn includes(&self, path: &Path) -> bool {
        self.include.as_ref().is_none_or(|include| include.matches(path))
    }

    /// Whether a file or folder at this path below the folder is excluded.
    pub(super) fn excludes(&self, path: &Path) -> bool {
        self.exclude.matches(path)
    }
}

/// Parses a glob.
pub(super) fn glob(pattern: &str) -> Result<globset::Glob> {
    let built = GlobBuilder::new(pattern).literal_separator(true).build();
    built.map_err(|_| Error::new(ErrorKind::Pattern))
}

/// Whether a name contains a character that is special in globs.
pub(super) fn is_glob(name: &str) -> bool {
    name.contains(['*', '?', '[', '{'])
}

/// Expands a glob to files and folders as a shell does: sorted, and with hidden ones only if the
/// glob spells their dot.
pub(super) struct Expansion {
    /// The folder before the first component with a glob; empty if that is the first component.
    root: PathBuf,
    /// The folder to walk: `root`, or `.` if it is empty.
    walked: PathBuf,
    matcher: GlobMatcher,
    entries: walkdir::IntoIter,
    /// The maximum number of components below `root` that a match can have.
    depth_max: usize,
    names_hidden: bool,
    /// True if the glob ends with a slash and so matches only folders.
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
                // Components before the first glob belong to the root.
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

    /// The next file or folder that matches.
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

/// Whether a component of a glob holds one end of a brace that contains slashes.
fn is_split(component: &str) -> bool {
    component.matches('{').count() != component.matches('}').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_without_a_slash_are_of_names() {
        let strings = |list: &[&str]| list.iter().map(|text| text.to_string()).collect::<Vec<_>>();
        let globs = Globs::new(&strings(&["*.json", "prod/**"]), &strings(&["old*", "a/b"]));
        let globs = globs.expect("globs");
        for (path, included, excluded) in [
            ("x.json", true, false),
            ("a/x.json", true, false),
            ("a/x.txt", false, false),
            ("prod/x.txt", true, false),
            ("prod/a/x.txt", true, false),
            ("a/prod/x.txt", false, false),
            ("oldest.json", true, true),
            ("a/old/x", false, false),
            ("a/old", false, true),
            ("a/b", false, true),
            ("c/a/b", false, false),
        ] {
            let path = Path::new(path);
            assert_eq!(
                (globs.includes(path), globs.excludes(path)),
                (included, excluded),
                "{path:?}"
            );
        }
        assert!(
            Globs::default().includes(Path::new("x")) && !Globs::default().excludes(Path::new("x"))
        );
        assert_eq!(Globs::new(&strings(&["a["]), &[]).unwrap_err().kind(), ErrorKind::Pattern);
    }
}
