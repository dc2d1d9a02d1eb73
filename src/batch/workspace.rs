//! Names of workspaces, from the paths of their plans.
//!
//! By default the name is the part of a path that differs: what all paths begin with and what all
//! end with is left out, in whole components, and what all file names end with from a dot on.
//! `live/prod/vpc/plan.json` beside `live/dev/plan.json` is `prod/vpc`; where nothing is left, the
//! name is `.`. A rule of the user's says instead which part of the path is the name.

use std::borrow::Cow;

use super::{Entry, Location};
use crate::error::{Error, ErrorKind, Result};

/// What stands for the workspace in a rule.
const PLACE: &str = "{workspace}";

/// How the name of a workspace is found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Rule {
    /// The part of the path that differs between the inputs.
    #[default]
    Differing,
    /// What stands at a place of the path's end.
    Pattern(Pattern),
}

/// A path's end with the workspace in it: `plans/{workspace}/plan.json`. A `*` stands for anything
/// but a slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    before: String,
    after: String,
}

impl Rule {
    /// A rule as the user writes it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Pattern`]: `{workspace}` is not in it, or twice.
    pub fn parse(text: &str) -> Result<Rule> {
        let malformed = || Error::new(ErrorKind::Pattern);
        let text = text.strip_prefix("./").unwrap_or(text);
        let (before, after) = text.split_once(PLACE).ok_or_else(malformed)?;
        if after.contains(PLACE) {
            return Err(malformed());
        }
        Ok(Rule::Pattern(Pattern { before: before.to_owned(), after: after.to_owned() }))
    }
}

impl Pattern {
    /// The workspace in a path; the shortest, where the pattern fits in several ways.
    fn find<'a>(&self, path: &'a str) -> Option<&'a str> {
        let places = || path.char_indices().map(|(at, _)| at).chain([path.len()]);
        let ends: Vec<usize> = places().filter(|&end| fits(&self.after, &path[end..])).collect();
        let is_start = |&start: &usize| {
            let mut components =
                [0].into_iter().chain(path.match_indices('/').map(|(at, _)| at + 1));
            components.any(|from| from <= start && fits(&self.before, &path[from..start]))
        };
        let last = ends.last().copied()?;
        let starts: Vec<usize> = places().filter(|&start| start < last).collect();
        let start = starts.into_iter().rev().find(is_start)?;
        let end = ends.into_iter().find(|&end| end > start)?;
        Some(&path[start..end])
    }
}

/// Whether a pattern with stars fits a text as a whole.
fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        let is_last = parts.peek().is_none();
        let found = if is_last { rest.strip_suffix(part).map(str::len) } else { rest.find(part) };
        let Some(skipped) = found.filter(|&skipped| !rest[..skipped].contains('/')) else {
            return false;
        };
        rest = &rest[skipped + part.len()..];
    }
    true
}

/// Gives each input the name of its workspace.
#[derive(Clone, Debug, Default)]
pub struct Workspaces {
    rule: Rule,
    common: Common,
}

/// What all paths have in common.
#[derive(Clone, Debug, Default)]
struct Common {
    first: Option<String>,
    /// Components at the beginning.
    before: usize,
    /// Components at the end.
    after: usize,
    /// How many components the shortest path has.
    shortest: usize,
    /// What the last components end with, from a dot on.
    extension: String,
}

impl Workspaces {
    /// Names by a rule.
    pub fn new(rule: Rule) -> Workspaces {
        Workspaces { rule, common: Common::default() }
    }

    /// Takes an input into account: each must be, before the first is named.
    pub fn add(&mut self, entry: &Entry) {
        if let (Rule::Differing, Some(path)) = (&self.rule, path_of(entry)) {
            self.common.add(&path);
        }
    }

    /// The name of an input's workspace; `None`: the user's rule does not fit its path.
    pub fn of(&self, entry: &Entry) -> Option<String> {
        let Some(path) = path_of(entry) else { return Some(entry.source().into_owned()) };
        match &self.rule {
            Rule::Differing => Some(self.common.rest_of(&path)),
            Rule::Pattern(pattern) => pattern.find(&path).map(str::to_owned),
        }
    }
}

/// The path of an input, with slashes and without what stands for nothing.
fn path_of(entry: &Entry) -> Option<Cow<'_, str>> {
    let text = match &entry.location {
        Location::File(path) => path.to_string_lossy(),
        Location::Object(_) => entry.source(),
        Location::Stdin => return None,
    };
    let text = if cfg!(windows) { text.replace('\\', "/").into() } else { text };
    let is_plain = !text.starts_with("./") && !text.contains("/./") && !text.contains("//");
    if is_plain {
        return Some(text);
    }
    let components = text.split('/').enumerate();
    let told = components.filter(|&(at, it)| it != "." && (at == 0 || !it.is_empty()));
    Some(told.map(|(_, component)| component).collect::<Vec<_>>().join("/").into())
}

impl Common {
    fn add(&mut self, path: &str) {
        let components = || path.split('/');
        let count = components().count();
        let Some(first) = &self.first else {
            let extension = extensions(last(path)).next().unwrap_or_default().to_owned();
            *self = Common {
                first: Some(path.to_owned()),
                before: count,
                after: count,
                shortest: count,
                extension,
            };
            return;
        };
        let same = |pairs: &mut dyn Iterator<Item = (&str, &str)>| {
            pairs.take_while(|(a, b)| a == b).count()
        };
        let before = same(&mut first.split('/').zip(components()));
        let after = same(&mut first.rsplit('/').zip(path.rsplit('/')));
        self.before = self.before.min(before);
        self.after = self.after.min(after);
        self.shortest = self.shortest.min(count);
        if !last(path).ends_with(&self.extension) {
            let is_shared = |end: &&str| last(path).ends_with(end);
            let shared = extensions(&self.extension).find(is_shared).unwrap_or_default();
            self.extension = shared.to_owned();
        }
    }

    fn rest_of(&self, path: &str) -> String {
        let components: Vec<&str> = path.split('/').collect();
        if self.before == components.len() && self.before == self.shortest {
            // All are the same, or it is the only one.
            return self.name_of(last(path)).to_owned();
        }
        let before = self.before.min(self.shortest.saturating_sub(1));
        let after = self.after.min(self.shortest - before.min(self.shortest));
        let rest =
            &components[before.min(components.len())..components.len().saturating_sub(after)];
        match rest {
            [] => ".".to_owned(),
            rest if after > 0 => rest.join("/"),
            [folders @ .., name] => {
                let mut rest = folders.to_vec();
                rest.push(self.name_of(name));
                rest.join("/")
            }
        }
    }

    /// A file's name without what all have at the end.
    fn name_of<'a>(&self, name: &'a str) -> &'a str {
        let short = name.strip_suffix(self.extension.as_str()).unwrap_or(name);
        if short.is_empty() { name } else { short }
    }
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The ends of a name that begin with a dot, the longest first. A dot at the beginning is none.
fn extensions(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices('.').map(|(at, _)| &name[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differing(paths: &[&str]) -> Vec<String> {
        let entries: Vec<Entry> = paths.iter().map(|path| Entry::of_file(path.into())).collect();
        let mut workspaces = Workspaces::default();
        entries.iter().for_each(|entry| workspaces.add(entry));
        entries.iter().map(|entry| workspaces.of(entry).expect("a name")).collect()
    }

    #[test]
    fn workspaces_are_what_differs() {
        for (paths, names) in [
            (&["plans/a.json", "plans/b.json"][..], &["a", "b"][..]),
            (&["a.json.gz", "b.json.gz"], &["a", "b"]),
            (&["a.tfplan.json", "b.json"], &["a.tfplan", "b"]),
            (&["a.json", "b.json.gz"], &["a.json", "b.json.gz"]),
            (&["live/prod/vpc/plan.json", "live/dev/vpc/plan.json"], &["prod", "dev"]),
            (&["live/prod/vpc/plan.json", "live/dev/plan.json"], &["prod/vpc", "dev"]),
            (&["live/plan.json", "live/a/plan.json"], &[".", "a"]),
            (&["live/a/plan.json", "live/plan.json"], &["a", "."]),
            (&["a/a.json", "a.json"], &["a", "."]),
            (&["./x/a.json", "x//b.json", "x/./c.json"], &["a", "b", "c"]),
            (&["/x/a/p.json", "/y/b/p.json"], &["x/a", "y/b"]),
            (&["a.json", "a.json"], &["a", "a"]),
            (&["x/a/p.json", "x/a/p.json", "x/b/p.json"], &["a", "a", "b"]),
            (&["x/plan.json"], &["plan"]),
            (&["x/v1.2.json", "x/v1.3.json"], &["v1.2", "v1.3"]),
            (&["x/.json", "x/a.json"], &[".json", "a"]),
            (&["prod.d/p", "prod/p"], &["prod.d", "prod"]),
        ] {
            assert_eq!(differing(paths), names, "{paths:?}");
        }
        let mut workspaces = Workspaces::default();
        let entries =
            [Entry::of_stdin(), Entry::of_file("p/a".into()), Entry::of_file("p/b".into())];
        entries.iter().for_each(|entry| workspaces.add(entry));
        let names: Vec<_> = entries.iter().filter_map(|entry| workspaces.of(entry)).collect();
        assert_eq!(names, ["-", "a", "b"]);
    }

    #[test]
    fn rules_find_the_workspace_in_a_path() {
        for (rule, path, name) in [
            ("plans/{workspace}/plan.json", "plans/prod/plan.json", Some("prod")),
            ("plans/{workspace}/plan.json", "/data/plans/prod/plan.json", Some("prod")),
            ("plans/{workspace}/plan.json", "plans/prod/eu/plan.json", Some("prod/eu")),
            ("plans/{workspace}/plan.json", "plans/a/plans/b/plan.json", Some("b")),
            ("plans/{workspace}/plan.json", "myplans/prod/plan.json", None),
            ("plans/{workspace}/plan.json", "plans/plan.json", None),
            ("plans/{workspace}/plan.json", "plans//plan.json", None),
            ("plans/{workspace}.json", "plans/a.b.json", Some("a.b")),
            ("./plans/{workspace}.json", "plans/a.json", Some("a")),
            ("{workspace}.json", "plans/a.json", Some("a")),
            ("{workspace}", "plans/a.json", Some("a.json")),
            ("*/{workspace}/*.json", "x/prod/p.json", Some("prod")),
            ("runs/*/{workspace}/p", "runs/2026/a/b/p", Some("a/b")),
            ("tf-{workspace}-*.json", "x/tf-prod-17.json", Some("prod")),
            ("{workspace}/plan.json", "plan.json", None),
        ] {
            let mut workspaces = Workspaces::new(Rule::parse(rule).expect("a rule"));
            let entry = Entry::of_file(path.into());
            workspaces.add(&entry);
            assert_eq!(workspaces.of(&entry).as_deref(), name, "{rule} {path}");
        }
        for bad in ["", "plans/*.json", "{workspace}/{workspace}", "{Workspace}"] {
            assert_eq!(Rule::parse(bad).unwrap_err().kind(), ErrorKind::Pattern, "{bad}");
        }
    }
}
