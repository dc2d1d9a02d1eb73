//! Globs that match the keys of objects in a store. A key is split at slashes, like a path. A
//! folder is a common prefix of keys that ends with a slash.

use globset::GlobMatcher;

use crate::source::globs::glob;
use plansift_core::error::Result;

pub(super) struct KeyGlob {
    text: String,
    matcher: GlobMatcher,
    /// The length of the components before the first one with a wildcard, in bytes.
    root: usize,
    names_hidden: bool,
    is_of_folders: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Match {
    Whole,
    /// The glob matches a folder that contains the object. Holds the length of the folder's key
    /// with its final slash, in bytes.
    Below(usize),
}

impl KeyGlob {
    pub(super) fn new(text: &str) -> Result<KeyGlob> {
        let fixed = text.find(['*', '?', '[', '{']).unwrap_or(text.len());
        let root = text[..fixed].rfind('/').map_or(0, |at| at + 1);
        let names_hidden = text[root..].split('/').any(|part| part.starts_with('.'));
        let is_of_folders = text.ends_with('/');
        let matcher = glob(text.trim_end_matches('/'))?.compile_matcher();
        Ok(KeyGlob { text: text.to_owned(), matcher, root, names_hidden, is_of_folders })
    }

    /// Returns the common prefix of all keys that the glob can match.
    pub(super) fn prefix(&self) -> &str {
        &self.text[..self.root]
    }

    /// Returns how the glob matches a key; `None` if it does not. If several folders match, the
    /// outermost folder wins.
    pub(super) fn find(&self, key: &str) -> Option<Match> {
        let mut folders = key.match_indices('/').map(|(at, _)| at);
        match folders.find(|&end| self.names(&key[..end])) {
            Some(end) => Some(Match::Below(end + 1)),
            None => (!self.is_of_folders && self.names(key)).then_some(Match::Whole),
        }
    }

    fn names(&self, path: &str) -> bool {
        let below = path.get(self.root..).unwrap_or_default();
        let is_hidden = below.split('/').any(|part| part.starts_with('.'));
        (self.names_hidden || !is_hidden) && self.matcher.is_match(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_of_keys_name_objects_and_folders() {
        for (text, prefix, key, found) in [
            ("live/*/plan.json", "live/", "live/prod/plan.json", Some(Match::Whole)),
            ("live/*/plan.json", "live/", "live/prod/eu/plan.json", None),
            ("live/*", "live/", "live/a.json", Some(Match::Whole)),
            ("live/*", "live/", "live/prod/eu/plan.json", Some(Match::Below(10))),
            ("live/*/", "live/", "live/a.json", None),
            ("live/*/", "live/", "live/prod/a.json", Some(Match::Below(10))),
            ("li*", "", "live/prod/a.json", Some(Match::Below(5))),
            ("**/plan.json", "", "a/b/plan.json", Some(Match::Whole)),
            ("{a,b/c}/x?", "", "b/c/x1", Some(Match::Whole)),
            ("*", "", ".hidden", None),
            (".*", "", ".hidden", Some(Match::Whole)),
            (".cache/*", ".cache/", ".cache/a", Some(Match::Whole)),
            ("a/*", "a/", "a/.b/c", None),
        ] {
            let glob = KeyGlob::new(text).expect("a glob");
            assert_eq!((glob.prefix(), glob.find(key)), (prefix, found), "{text} {key}");
        }
        assert!(KeyGlob::new("a[").is_err());
    }
}
