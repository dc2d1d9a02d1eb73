//! Facts that several manifests and pages repeat: the version of Rust, the version of the crates,
//! and how docs.rs builds their documentation.

use std::fs;

use super::crates;
use crate::run;

fn read(path: &str) -> String {
    fs::read_to_string(run::root().join(path)).expect("a readable file")
}

/// The value of the first line `KEY = "VALUE"` of the manifest of the program.
fn value(key: &str) -> String {
    let manifest = read("Cargo.toml");
    let start = format!("{key} = \"");
    let value = manifest.lines().find_map(|line| line.strip_prefix(&start)?.strip_suffix('"'));
    value.expect("a value").to_owned()
}

/// The words after each `start` of a text, up to a space or the end of a line.
fn after<'t>(text: &'t str, start: &str) -> Vec<&'t str> {
    text.split(start).skip(1).filter_map(|rest| rest.split_whitespace().next()).collect()
}

#[test]
fn one_version_of_rust_is_required() {
    let version = value("rust-version");
    let mut count = 0;
    for page in ["README.md", "docs/ci.md", "docs/library.md"] {
        for found in after(&read(page), "Rust 1.") {
            assert_eq!(format!("1.{found}"), version, "{page}");
            count += 1;
        }
    }
    assert!(count >= 3, "{count} pages name the version");
    for name in crates() {
        let manifest = read(&format!("crates/{name}/Cargo.toml"));
        assert!(manifest.contains("\nrust-version.workspace = true\n"), "{name}");
    }
}

#[test]
fn the_crates_have_one_version() {
    let version = value("version");
    let manifest = read("Cargo.toml");
    let ours: Vec<&str> =
        manifest.lines().filter(|line| line.contains("path = \"crates/")).collect();
    assert_eq!(ours.len(), crates().len());
    for line in ours {
        assert!(line.contains(&format!("{{ version = \"{version}\", ")), "{line}");
    }
    let (minor, _) = version.rsplit_once('.').expect("three numbers");
    let page = read("docs/library.md");
    let shown = after(&page, "plansift-plan = { version = ");
    assert_eq!(shown, [format!("\"{minor}\",")]);
}

#[test]
fn documentation_is_built_with_every_feature() {
    let folders = crates().into_iter().map(|name| format!("crates/{name}/"));
    for folder in folders.chain([String::new()]) {
        let manifest = read(&format!("{folder}Cargo.toml"));
        let is_named = manifest.contains("\n[package.metadata.docs.rs]\nall-features = true\n");
        assert!(is_named || manifest.contains("publish = false"), "{folder}");
    }
}

/// The strings of the first list `KEY = [` of a manifest, sorted.
fn list(text: &str, key: &str) -> Vec<String> {
    let (_, rest) = text.split_once(&format!("\n{key} = [")).expect("a list");
    let (list, _) = rest.split_once(']').expect("the end of the list");
    let mut items: Vec<String> = list.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    items.sort();
    items
}

#[test]
fn releases_accept_the_licences_of_the_dependencies() {
    let accepted = list(&read("packages/release/about.toml"), "accepted");
    assert!(accepted.len() > 5);
    assert_eq!(accepted, list(&read("deny.toml"), "allow"));
}
