//! The graph of a configuration against the graphs of Terraform.
//!
//! Each folder of `corpus/graphs` has a configuration, and the files that Terraform 1.11.4 wrote
//! for it: `terraform.dot` (`terraform graph`: the resources), `plan.dot` (`terraform graph
//! -type=plan`: everything) and `plan.json` (`terraform show -json` of the first plan). A folder
//! that Terraform cannot read without other providers has `expected.dot` instead, written by hand.
//!
//! The tests compare pairs: an element, and an element that it depends on, directly or through
//! others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use plansift::blocks::{Configuration, Folder};
use plansift::config::{ElementKind, Graph, read};
use plansift::input::Slice;
use plansift::limits::Limits;
use plansift::plan::{Documents, PlanOptions};
use plansift::record::Impacts;
use regex::Regex;

use crate::run;

/// The version of Terraform that wrote the graphs.
const VERSION: &str = "Terraform v1.11.4";

/// What differs from Terraform, by reason: the case and the pair. If only one graph of plansift
/// differs, the line names it: `source` is made from the files, and `both` from the plan, too.
const DIFFERENCES: &[(&str, &[&str])] = &[(
    "Terraform ignores replace_triggered_by in an override file",
    &["overrides: adds terraform_data.conditions -> terraform_data.b"],
)];

/// An element, and an element that it depends on.
type Pairs = BTreeSet<(String, String)>;

struct Case {
    name: String,
    folder: PathBuf,
}

impl Case {
    fn all() -> Vec<Case> {
        let entries = fs::read_dir(run::corpus("graphs")).expect("the graphs");
        let case = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().expect("a name in Unicode");
            Case { name, folder: entry.path() }
        };
        let mut cases: Vec<Case> = entries.map(|it| case(it.expect("an entry"))).collect();
        cases.sort_by(|a, b| a.name.cmp(&b.name));
        assert!(cases.len() >= 17, "only {} cases", cases.len());
        cases
    }

    /// A file of the case; `None` if the case does not have it.
    fn file(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.folder.join(name)).ok()
    }

    /// The pairs of Terraform.
    fn expected(&self) -> Pairs {
        let dot = self.file("plan.dot").or_else(|| self.file("expected.dot"));
        closure(&dot.expect("a graph"))
    }

    fn graph(&self, has_plan: bool, has_files: bool) -> Graph {
        let mut graph = Graph::new(&Limits::default());
        if let Some(plan) = self.file("plan.json").filter(|_| has_plan) {
            let mut documents = Documents::new(Slice(plan.as_bytes()), &PlanOptions::default());
            read(&mut documents, &mut |element, offset| graph.add(element, offset))
                .expect("a plan");
        }
        if has_files {
            let read = Configuration::read(&Folder::new(&self.folder)).expect("a configuration");
            read.each_element(|element| graph.add(element, 0)).expect("elements");
        }
        graph
    }
}

/// Returns the pairs of a graph in the language DOT. A node of `plan.dot` is a step for an element:
/// `[root] module.m.var.v (expand)`. Steps at the end of an element belong to no element, such as
/// `module.m (close)`, but other elements depend on the module through them. So are the
/// reports of checks, on which data sources in `check` blocks depend.
fn closure(dot: &str) -> Pairs {
    let line = Regex::new(r#"^\s*"((?:[^"\\]|\\.)*)" -> "((?:[^"\\]|\\.)*)";?$"#).expect("a regex");
    let mut edges: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for found in dot.lines().filter_map(|text| line.captures(text)) {
        edges.entry(found[1].to_owned()).or_default().push(found[2].to_owned());
    }
    let mut pairs = Pairs::new();
    for start in edges.keys() {
        let Some(user) = element(start).filter(|_| !is_end(start)) else { continue };
        let (mut reached, mut left) = (BTreeSet::new(), vec![start]);
        while let Some(node) = left.pop() {
            left.extend(edges.get(node).into_iter().flatten().filter(|next| reached.insert(*next)));
        }
        let targets = reached.into_iter().filter(|node| !node.ends_with(REPORT));
        let targets = targets.filter_map(|node| element(node));
        pairs.extend(targets.map(|target| (user.clone(), target)));
    }
    pairs.retain(|(user, target)| user != target);
    pairs
}

/// The end of the name of the node that reports a check, before it is evaluated.
const REPORT: &str = " (report)";

/// Whether a node is a step that belongs to no element.
fn is_end(node: &str) -> bool {
    node.ends_with(" (close)") || node.ends_with(REPORT)
}

/// Returns the address that plansift has for the element of a node.
fn element(node: &str) -> Option<String> {
    let node = node.strip_prefix("[root] ").unwrap_or(node);
    let node = node.split(" (").next().unwrap_or_default();
    let provider = r#"provider[\"terraform.io/builtin/terraform\"]"#;
    (node != "root").then(|| node.replace(provider, "provider.terraform"))
}

/// Returns the pairs of a graph of plansift.
fn pairs(graph: &mut Graph) -> Pairs {
    let addresses: Vec<String> = graph.nodes().map(|node| node.address.to_owned()).collect();
    let mut pairs = Pairs::new();
    for address in addresses {
        let dependents = graph.dependents(&address).expect("a node");
        pairs.extend(dependents.iter().map(|it| (it.address.to_owned(), address.clone())));
    }
    pairs
}

/// Returns the pairs of resources.
fn resources(graph: &Graph, mut pairs: Pairs) -> Pairs {
    let resources = graph.nodes().filter(|node| node.kind == Some(ElementKind::Resource));
    let resources: BTreeSet<&str> = resources.map(|node| node.address).collect();
    let is_resource = |address: &String| resources.contains(address.as_str());
    pairs.retain(|(user, target)| is_resource(user) && is_resource(target));
    pairs
}

/// Asserts that a table lists the lines that a test found, and no others.
fn assert_listed(mut found: BTreeSet<String>, table: &[(&str, &[&str])]) {
    let mut wrong = Vec::new();
    for (reason, lines) in table {
        let gone = lines.iter().filter(|line| !found.remove(**line));
        wrong.extend(gone.map(|line| format!("no longer ({reason}): {line}")));
    }
    wrong.extend(found.into_iter().map(|line| format!("not listed: {line}")));
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn elements_depend_on_each_other_as_in_terraform() {
    let mut found = BTreeSet::new();
    for case in Case::all() {
        let expected = case.expected();
        let graphs = [false, true].map(|has_plan| pairs(&mut case.graph(has_plan, true)));
        let names = ["source", "both"];
        let all: Pairs = graphs.iter().flatten().chain(&expected).cloned().collect();
        for pair @ (user, target) in &all {
            let differs = |pairs: &Pairs| pairs.contains(pair) != expected.contains(pair);
            let wrong = graphs.iter().zip(names).filter(|(pairs, _)| differs(pairs));
            let graph = match wrong.map(|(_, name)| name).collect::<Vec<_>>()[..] {
                [] => continue,
                [one] => format!(", {one}"),
                _ => String::new(),
            };
            let verb = if expected.contains(pair) { "lacks" } else { "adds" };
            found.insert(format!("{}{graph}: {verb} {user} -> {target}", case.name));
        }
    }
    assert_listed(found, DIFFERENCES);
}

#[test]
fn both_graphs_of_terraform_have_the_same_pairs_of_resources() {
    for case in Case::all() {
        let Some(dot) = case.file("terraform.dot") else { continue };
        let graph = case.graph(false, true);
        assert_eq!(closure(&dot), resources(&graph, case.expected()), "{}", case.name);
    }
}

#[test]
fn a_plan_without_files_finds_a_part_and_says_that_it_lacks_files() {
    let mut missing = 0;
    for case in Case::all() {
        let Some(plan) = case.file("plan.json") else { continue };
        let mut graph = case.graph(true, false);
        let alone = pairs(&mut graph);
        let alone = resources(&graph, alone);
        let mut both = case.graph(true, true);
        let all = pairs(&mut both);
        let all = resources(&both, all);
        assert!(alone.is_subset(&all), "{}", case.name);
        let mut documents = Documents::new(Slice(plan.as_bytes()), &PlanOptions::default());
        let impacts = Impacts::read(&mut documents, |_| Ok(None)).expect("a plan");
        for (user, target) in all.difference(&alone) {
            missing += 1;
            assert!(impacts.of(target).lacks_source, "{}: {user} -> {target}", case.name);
        }
    }
    assert!(missing >= 50, "only {missing} pairs need files");
}

#[test]
fn the_graphs_are_those_of_the_installed_terraform() {
    let version = Command::new("terraform").arg("version").env("CHECKPOINT_DISABLE", "1").output();
    let version = version.map(|it| String::from_utf8_lossy(&it.stdout).into_owned());
    if !version.is_ok_and(|text| text.lines().next() == Some(VERSION)) {
        // The frozen files are compared wherever this version is installed, at the latest at night.
        if run::is_nightly() {
            run::left_out(&format!("terraform: it needs {VERSION} on the PATH"));
        }
        return;
    }
    for case in Case::all().iter().filter(|case| case.file("terraform.dot").is_some()) {
        let work = tempfile::tempdir().expect("a folder");
        copy(&case.folder, work.path());
        let terraform = |arguments: &[&str]| {
            let mut command = Command::new("terraform");
            command.args(arguments).current_dir(work.path());
            command.env("TF_CLI_CONFIG_FILE", "/dev/null").env("CHECKPOINT_DISABLE", "1");
            let output = command.output().expect("terraform starts");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{}, {arguments:?}: {said}", case.name);
            String::from_utf8(output.stdout).expect("UTF-8")
        };
        terraform(&["get"]);
        assert_eq!(Some(terraform(&["graph"])), case.file("terraform.dot"), "{}", case.name);
        let plan = terraform(&["graph", "-type=plan"]);
        assert_eq!(Some(plan), case.file("plan.dot"), "{}", case.name);
    }
}

/// Copies a folder and the folders in it.
fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir(&target).expect("a folder");
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file");
        }
    }
}
