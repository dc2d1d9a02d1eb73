//! Parses globs, and selects the files of a folder with them.
//!
//! `*` and `?` do not match a slash; `**` does. `[...]` and `{a,b}` are supported.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::fault::SourceFault;
use plansift_core::error::{Error, Result};

/// Selects the files of a folder.
///
/// A glob without a slash matches the names of files and folders. A glob with a slash matches paths
/// relative to the folder that the user named. The walk does not enter excluded folders.
#[derive(Clone, Debug, Default)]
pub struct Globs {
    include: Option<GlobSets>,
    /// Shared by all copies, so that each copy records matches for all of them.
    exclusions: Arc<Vec<Exclusion>>,
    takes_states: bool,
    takes_approvals: bool,
    takes_others: bool,
}

/// A glob that excludes files, and whether it has excluded any.
#[derive(Debug)]
struct Exclusion {
    text: String,
    set: GlobSets,
    has_matched: AtomicBool,
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
        built.map_err(|_| Error::new(SourceFault::Pattern))
    }

    fn matches(&self, path: &Path) -> bool {
        path.file_name().is_some_and(|name| self.names.is_match(name)) || self.paths.is_match(path)
    }
}

impl Globs {
    /// Selects the files that match a glob in `include` and no glob in `exclude`. If `include` is
    /// empty, every file matches it.
    ///
    /// # Errors
    ///
    /// Fails with [`SourceFault::Pattern`] if a glob is malformed.
    pub fn new(include: &[String], exclude: &[String]) -> Result<Globs> {
        let include = if include.is_empty() { None } else { Some(GlobSets::new(include)?) };
        let exclusion = |text: &String| {
            let set = GlobSets::new(std::slice::from_ref(text))?;
            Ok(Exclusion { text: text.clone(), set, has_matched: AtomicBool::new(false) })
        };
        let exclusions = Arc::new(exclude.iter().map(exclusion).collect::<Result<_>>()?);
        Ok(Globs { include, exclusions, ..Globs::default() })
    }

    /// Returns the globs in `exclude` that have excluded nothing so far.
    pub fn unmatched(&self) -> impl Iterator<Item = &str> {
        let unmatched = |it: &&Exclusion| !it.has_matched.load(Ordering::Relaxed);
        self.exclusions.iter().filter(unmatched).map(|exclusion| &*exclusion.text)
    }

    /// Selects states, too, not only plans.
    pub fn with_states(self) -> Globs {
        Globs { takes_states: true, ..self }
    }

    /// Selects approvals, too.
    pub fn with_approvals(self) -> Globs {
        Globs { takes_approvals: true, ..self }
    }

    /// Selects files that are none of these, too. Reading such a file is an error. Source files of
    /// configurations and hidden files stay left out.
    pub fn with_others(self) -> Globs {
        Globs { takes_others: true, ..self }
    }

    /// Whether to select files that are not documents.
    pub(super) fn takes_others(&self) -> bool {
        self.takes_others
    }

    /// Whether to select approvals.
    pub(super) fn takes_approvals(&self) -> bool {
        self.takes_approvals
    }

    /// Whether to select states in JSON.
    pub(super) fn takes_states(&self) -> bool {
        self.takes_states
    }

    /// Whether to include a file. `path` is relative to the folder.
    pub(super) fn includes(&self, path: &Path) -> bool {
        self.include.as_ref().is_none_or(|include| include.matches(path))
    }

    /// Whether to exclude a file or folder. `path` is relative to the folder.
    pub(super) fn excludes(&self, path: &Path) -> bool {
        let mut is_excluded = false;
        for exclusion in self.exclusions.iter().filter(|exclusion| exclusion.set.matches(path)) {
            exclusion.has_matched.store(true, Ordering::Relaxed);
            is_excluded = true;
        }
        is_excluded
    }
}

pub(super) fn glob(pattern: &str) -> Result<globset::Glob> {
    let built = GlobBuilder::new(pattern).literal_separator(true).build();
    built.map_err(|_| Error::new(SourceFault::Pattern))
}

/// Whether a name contains a character that is special in globs.
pub(super) fn is_glob(name: &str) -> bool {
    name.contains(['*', '?', '[', '{'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_without_a_slash_match_file_names() {
        let strings = |list: &[&str]| list.iter().map(|text| text.to_string()).collect::<Vec<_>>();
        let globs = Globs::new(&strings(&["*.json", "prod/**"]), &strings(&["old*", "a/b"]));
        let globs = globs.expect("globs");
        for (included, excluded, paths) in [
            (true, false, &["x.json", "a/x.json", "prod/x.txt", "prod/a/x.txt"][..]),
            (false, false, &["a/x.txt", "a/prod/x.txt", "a/old/x", "c/a/b"]),
            (true, true, &["oldest.json"]),
            (false, true, &["a/old", "a/b"]),
        ] {
            for path in paths.iter().map(Path::new) {
                let found = (globs.includes(path), globs.excludes(path));
                assert_eq!(found, (included, excluded), "{path:?}");
            }
        }
        assert!(
            Globs::default().includes(Path::new("x")) && !Globs::default().excludes(Path::new("x"))
        );
        assert_eq!(globs.unmatched().count(), 0);
        let globs = Globs::new(&[], &strings(&["a/*", "b"])).expect("globs");
        assert!(globs.clone().excludes(Path::new("b")));
        assert_eq!(globs.unmatched().collect::<Vec<_>>(), ["a/*"]);
        let error = Globs::new(&strings(&["a["]), &[]).unwrap_err();
        assert_eq!(error.fault(), Some(&SourceFault::Pattern));
    }
}
