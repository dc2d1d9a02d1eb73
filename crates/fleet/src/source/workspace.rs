//! Derives the names of workspaces from the paths of their plans.
//!
//! By default, the name is the path without known extensions: `live/prod.tfplan.json.zst` gives
//! `live/prod`. A file name that only means "plan" is dropped, so `live/prod/plan.json` also gives
//! `live/prod`. The folders of backends are dropped, too, so the state
//! `live/terraform.tfstate.d/prod/terraform.tfstate` also gives `live/prod`. Instead, the user can
//! choose a part of the path with a rule. The name depends only on the path and the rule, not on
//! the other inputs of a run.

use std::borrow::Cow;

use super::fault::SourceFault;
use super::{InputEntry, Location};
use plansift_core::error::{Error, Result};
use plansift_core::glob::Glob;

/// The placeholder of the workspace in a rule.
const PLACE: &str = "{workspace}";

/// The known extensions of plans and states, in lower case.
const ENDINGS: [&str; 7] = [".gz", ".zst", ".json", ".tfplan", ".plan", ".out", ".tfstate"];

/// Folders in which backends keep a folder for each workspace: in object stores, and on disk.
const FOLDERS: [&str; 2] = ["env:", "terraform.tfstate.d"];

/// File names that only mean "plan", without extensions, dashes, underscores and dots.
const PLAN_NAMES: [&str; 6] = ["plan", "tfplan", "terraform", "terraformplan", "tofu", "tofuplan"];

/// A rule that derives the name of a workspace from a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Rule {
    /// The path without known extensions, and without a file name that only means "plan".
    #[default]
    Path,
    /// The part of the path that matches `{workspace}` in a pattern.
    Pattern(Pattern),
}

/// A pattern for the last components of a path, such as `plans/{workspace}/plan.json`. A `*`
/// matches any string without a slash, so each component is a glob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    before: Vec<Glob>,
    after: Vec<Glob>,
}

impl Rule {
    /// Parses a rule as the user writes it.
    ///
    /// # Errors
    ///
    /// Fails with [`SourceFault::Pattern`] unless `{workspace}` occurs exactly once.
    pub fn parse(text: &str) -> Result<Rule> {
        let malformed = || Error::new(SourceFault::Pattern);
        let text = text.strip_prefix("./").unwrap_or(text);
        let (before, after) = text.split_once(PLACE).ok_or_else(malformed)?;
        if after.contains(PLACE) {
            return Err(malformed());
        }
        let globs = |text: &str| text.split('/').map(Glob::new).collect();
        Ok(Rule::Pattern(Pattern { before: globs(before), after: globs(after) }))
    }

    /// Returns the workspace of an input; `None` if the user's pattern does not match its path.
    pub fn workspace(&self, entry: &InputEntry) -> Option<String> {
        let Some(path) = path_of(entry) else { return Some(entry.source().into_owned()) };
        match self {
            Rule::Path => Some(without_plan_name(&path)),
            Rule::Pattern(pattern) => pattern.find(&path).map(str::to_owned),
        }
    }
}

impl Rule {
    /// Like [`Rule::workspace`], without the name of a folder; `None` if the input is not in the
    /// folder, or if the user has a pattern. A plan that only its folder names is `.`.
    pub(super) fn workspace_in(&self, folder: &str, entry: &InputEntry) -> Option<String> {
        let (Rule::Path, path) = (self, path_of(entry)?) else { return None };
        let folder =
            if cfg!(windows) { folder.replace('\\', "/").into() } else { Cow::from(folder) };
        let mut rest = components(&path);
        let is_inside = components(&folder).all(|component| rest.next() == Some(component));
        let inside = is_inside.then(|| rest.collect::<Vec<_>>().join("/"))?;
        let name = without_plan_name(&inside);
        Some(if is_plan_name(&name) { ".".to_owned() } else { name })
    }
}

impl Pattern {
    /// Returns the workspace in a path. If the pattern matches in several ways, returns the
    /// shortest workspace.
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

/// Whether a string has the components of a pattern.
fn fits(pattern: &[Glob], text: &str) -> bool {
    let mut components = text.split('/');
    let is_next = |glob: &Glob| components.next().is_some_and(|it| glob.matches(it.as_bytes()));
    pattern.iter().all(is_next) && components.next().is_none()
}

/// Returns the path of an input with `/` as the separator, without `.` and empty components.
/// Returns `None` for standard input and for a document in memory.
fn path_of(entry: &InputEntry) -> Option<Cow<'_, str>> {
    let text = match &entry.location {
        Location::File(path) => path.to_string_lossy(),
        Location::Object(_) => return Some(entry.source()),
        Location::Stdin | Location::Memory(_) => return None,
    };
    let text = if cfg!(windows) { text.replace('\\', "/").into() } else { text };
    let is_plain = !text.starts_with("./") && !text.contains("/./") && !text.contains("//");
    if is_plain {
        return Some(text);
    }
    Some(components(&text).collect::<Vec<_>>().join("/").into())
}

/// Returns the components of a path, without `.` and empty ones. The first one of an absolute path
/// is empty.
fn components(path: &str) -> impl Iterator<Item = &str> {
    let components = path.split('/').enumerate();
    let kept = components
        .filter(|&(at, component)| component != "." && (at == 0 || !component.is_empty()));
    kept.map(|(_, component)| component)
}

/// Removes from a path the known extensions, a file name that only means "plan", and the folders in
/// [`FOLDERS`].
fn without_plan_name(path: &str) -> String {
    let Some((folder, name)) = path.rsplit_once('/') else {
        return without_endings(path).to_owned();
    };
    let stem = without_endings(name);
    let is_last = |at| at + 1 == folder.split('/').count();
    let components = folder.split('/').enumerate();
    let kept = components.filter(|(at, component)| !FOLDERS.contains(component) || is_last(*at));
    let folder = kept.map(|(_, component)| component).collect::<Vec<_>>().join("/");
    let has_parent_name = !folder.is_empty() && folder != ".." && !folder.ends_with("/..");
    if has_parent_name && is_plan_name(stem) { folder } else { format!("{folder}/{stem}") }
}

/// Removes the known extensions from a file name. A name never becomes empty.
fn without_endings(name: &str) -> &str {
    let mut stem = name;
    let shorter = |stem: &str| {
        let start = |ending: &&str| {
            let at = stem.len().checked_sub(ending.len()).filter(|&at| at > 0)?;
            let is_here = stem.as_bytes()[at..].eq_ignore_ascii_case(ending.as_bytes());
            is_here.then_some(at)
        };
        ENDINGS.iter().find_map(start)
    };
    while let Some(at) = shorter(stem) {
        stem = &stem[..at];
    }
    stem
}

/// Whether a file name without its extensions only means "plan".
pub(super) fn is_plan_name(stem: &str) -> bool {
    let letters = stem.chars().filter(|c| !"-_.".contains(*c));
    PLAN_NAMES.contains(&letters.collect::<String>().to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_in_a_folder_lacks_the_components_of_the_folder() {
        for (name, folder, path) in [
            (Some("live/apple"), "app", "app/live/apple.json"),
            (None, "app", "apple/live.json"),
            (Some("a"), "h2/.", "h2/./a.json"),
            (Some("a"), "./h2//", "./h2/a.json"),
            (Some("a"), "../h2/", "../h2/a.json"),
            (Some("a"), "/data/h2", "/data/h2/a.json"),
            (Some("a/b"), ".", "./a/b.json"),
            (Some("."), "h2", "h2/plan.json"),
            (Some("."), ".", "./plan.json"),
            (Some("plan-a"), "h2", "h2/plan-a.json"),
            (Some("a"), "h2", "h2/a/tfplan.json"),
            (Some("a"), "live/terraform.tfstate.d", "live/terraform.tfstate.d/a/terraform.tfstate"),
        ] {
            let entry = InputEntry::of_file(path.into());
            let found = Rule::Path.workspace_in(folder, &entry);
            assert_eq!(found.as_deref(), name, "{folder} {path}");
        }
        let rule = Rule::parse("*/live/{workspace}.json").expect("a rule");
        let entry = InputEntry::of_file("app/live/apple.json".into());
        assert_eq!(rule.workspace_in("app", &entry), None);
    }

    #[test]
    fn a_workspace_is_the_path_without_generic_file_names() {
        for (name, paths) in [
            ("plans/prod/network", &["plans/prod/network/plan.json"][..]),
            ("plans/prod-network", &["plans/prod-network.json"]),
            ("prod-network", &["prod-network.json"]),
            ("live/prod", &["live/prod/tfplan.json", "live/prod/tfplan.json.zst"]),
            ("live/prod", &["live/prod/TFPLAN.JSON.GZ", "live/prod/tf-plan.out.json"]),
            ("live/prod", &["live/prod/terraform.tfplan.json", "live/prod/terraform_plan.json"]),
            ("live/prod", &["live/prod/plan", "live/prod.tfplan.json.gz"]),
            ("live/prod/planning", &["live/prod/planning.json"]),
            ("live/v1.2", &["live/v1.2.json"]),
            ("live/prod.txt", &["live/prod.txt"]),
            ("plan", &["plan.json", "./plan.json"]),
            ("../plan", &["../plan.json"]),
            ("../../plan", &["../../plan.json"]),
            ("../prod", &["../prod/plan.json"]),
            ("/plan", &["/plan.json"]),
            ("/data/prod", &["/data/prod/plan.json"]),
            ("x/a/b", &["./x/./a//b.json"]),
            ("x/.json", &["x/.json", "x/.json.gz"]),
            ("x/é", &["x/é.json"]),
            ("prod.json", &["prod.json/plan.json"]),
            ("prod", &["prod.tfstate", "env:/prod/terraform.tfstate"]),
            ("prod", &["terraform.tfstate.d/prod/terraform.tfstate"]),
            ("states/prod", &["states/prod.tfstate.gz"]),
            ("states/prod.tfstate.backup", &["states/prod.tfstate.backup"]),
            ("live/network", &["live/network/terraform.tfstate"]),
            ("terraform", &["terraform.tfstate"]),
            ("prod/network", &["env:/prod/network/terraform.tfstate"]),
            ("bucket/prod/app", &["bucket/env:/prod/app.tfstate"]),
            ("/live/prod", &["/live/terraform.tfstate.d/prod/terraform.tfstate"]),
            ("terraform.tfstate.d", &["terraform.tfstate.d/terraform.tfstate"]),
            ("env:/a", &["env:/a.tfstate"]),
        ] {
            for path in paths {
                let entry = InputEntry::of_file(path.into());
                assert_eq!(Rule::Path.workspace(&entry).as_deref(), Some(name), "{path}");
            }
        }
        assert_eq!(Rule::Path.workspace(&InputEntry::of_stdin()).as_deref(), Some("-"));
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
            let entry = InputEntry::of_file(path.into());
            let workspace = Rule::parse(rule).expect("a rule").workspace(&entry);
            assert_eq!(workspace.as_deref(), name, "{rule} {path}");
        }
        for bad in ["", "plans/*.json", "{workspace}/{workspace}", "{Workspace}"] {
            let error = Rule::parse(bad).unwrap_err();
            assert_eq!(error.fault(), Some(&SourceFault::Pattern), "{bad}");
        }
    }
}
