//! Globs: those that name inputs, and those that pick files of a folder.
//!
//! `*` and `?` stop at a slash, `**` does not; `[...]` and `{a,b}` are known.

use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher, GlobSet, GlobSetBuilder};
use walkdir::WalkDir;

use super::Unlisted;
use super::walk::{is_hidden, path_of};
use crate::error::{Error, ErrorKind, Result};

/// Which files of a folder are taken.
///
/// A glob without a slash is held against names, one with a slash against the path below the folder
/// that was named. A folder that is excluded is not entered.
#[derive(Clone, Debug, Default)]
pub struct Globs {
    include: Option<Either>,
    exclude: Either,
    takes_states: bool,
}

/// Globs of names and globs of paths.
#[derive(Clone, Debug, Default)]
struct Either {
    names: GlobSet,
    paths: GlobSet,
}

impl Either {
    fn new(patterns: &[String]) -> Result<Either> {
        let (mut names, mut paths) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        for pattern in patterns {
            let set = if pattern.contains('/') { &mut paths } else { &mut names };
            set.add(glob(pattern.trim_matches('/'))?);
        }
        let built = names.build().and_then(|names| Ok(Either { names, paths: paths.build()? }));
        built.map_err(|_| Error::new(ErrorKind::Pattern))
    }

    fn holds(&self, path: &Path) -> bool {
        path.file_name().is_some_and(|name| self.names.is_match(name)) || self.paths.is_match(path)
    }
}

impl Globs {
    /// Takes what one of `include` holds, or everything when there are none, without what one of
    /// `exclude` holds.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Pattern`].
    pub fn new(include: &[String], exclude: &[String]) -> Result<Globs> {
        let include = if include.is_empty() { None } else { Some(Either::new(include)?) };
        Ok(Globs { include, exclude: Either::new(exclude)?, takes_states: false })
    }

    /// The same, of states as well as of plans.
    pub fn with_states(self) -> Globs {
        Globs { takes_states: true, ..self }
    }

    /// Whether the JSON of a state is taken.
    pub(super) fn takes_states(&self) -> bool {
        self.takes_states
    }

    /// Whether a file at this path below the folder is taken.
    pub(super) fn includes(&self, path: &Path) -> bool {
        self.include.as_ref().is_none_or(|include| include.holds(path))
    }

    /// Whether a file or folder at this path below the folder is left out.
    pub(super) fn excludes(&self, path: &Path) -> bool {
        self.exclude.holds(path)
    }
}

/// A glob that is well formed.
pub(super) fn glob(pattern: &str) -> Result<globset::Glob> {
    let built = GlobBuilder::new(pattern).literal_separator(true).build();
    built.map_err(|_| Error::new(ErrorKind::Pattern))
}

/// Whether a name that is no file may be a glob.
pub(super) fn is_glob(name: &str) -> bool {
    name.contains(['*', '?', '[', '{'])
}

/// The files and folders that a glob names, as a shell would expand it: sorted, and hidden ones
/// only where the glob has the dot.
pub(super) struct Expansion {
    /// What stands before the glob; nothing, if it begins with one.
    root: PathBuf,
    /// The folder that is walked: that, or the current one.
    walked: PathBuf,
    matcher: GlobMatcher,
    entries: walkdir::IntoIter,
    /// Components below `root` that anything named has at most.
    depth_max: usize,
    names_hidden: bool,
    /// A glob after whose matches a slash stands names folders.
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
                // What cannot be a part of a glob stands before it, or is taken by its name.
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

    /// The next file or folder that is named.
    pub(super) fn next(&mut self) -> Option<std::result::Result<PathBuf, Unlisted>> {
        loop {
            let entry = match self.entries.next()? {
                Ok(entry) => entry,
                Err(error) => return Some(Err(path_of(error))),
            };
            let is_folder = entry.file_type().is_dir();
            let below = entry.path().strip_prefix(&self.walked).unwrap_or(entry.path());
            let is_passed_over = is_hidden(&entry) && !self.names_hidden;
            let path = self.root.join(below);
            let is_named = !is_passed_over
                && self.matcher.is_match(below)
                && (!self.is_of_folders || path.is_dir());
            let ends_here = is_passed_over || is_named || entry.depth() >= self.depth_max;
            if is_folder && ends_here {
                self.entries.skip_current_dir();
            }
            if is_named {
                return Some(Ok(path));
            }
        }
    }
}

/// Whether a component of a glob is one end of a brace that holds slashes.
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
