//! Each change of each real plan file stands at its block in the configuration that the file keeps.
//!
//! The reader of this test is independent: it finds the members of the archive and the heads of
//! blocks by searching for their bytes.

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::DeflateDecoder;
use serde_json::{Value, json};

use super::lines;
use crate::{run, shared_plans};

/// The members of a zip archive under a prefix, by the central directory.
fn members(archive: &[u8], prefix: &str) -> HashMap<String, String> {
    let number = |at: usize, len: usize| {
        archive[at..at + len].iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte))
    };
    let mut members = HashMap::new();
    let mut at = 0;
    while let Some(found) = archive[at..].windows(4).position(|bytes| bytes == b"PK\x01\x02") {
        let entry = at + found;
        at = entry + 4;
        let (method, packed) = (number(entry + 10, 2), number(entry + 20, 4));
        let (name_len, local) = (number(entry + 28, 2), number(entry + 42, 4));
        let Ok(name) = std::str::from_utf8(&archive[entry + 46..entry + 46 + name_len]) else {
            continue;
        };
        if !name.starts_with(prefix) {
            continue;
        }
        let start = local + 30 + number(local + 26, 2) + number(local + 28, 2);
        let bytes = &archive[start..start + packed];
        let mut text = String::new();
        if method == 0 {
            text.push_str(std::str::from_utf8(bytes).expect("text"));
        } else {
            DeflateDecoder::new(bytes).read_to_string(&mut text).expect("a member");
        }
        members.insert(name.to_owned(), text);
    }
    members
}

/// An address without its keys. No key of the real plans has a quotation mark.
fn without_keys(address: &str) -> String {
    let mut rest = address;
    let mut text = String::new();
    while let Some((before, key)) = rest.split_once('[') {
        text += before;
        let end = if key.starts_with('"') { "\"]" } else { "]" };
        rest = key.split_once(end).expect("a key has an end").1;
    }
    text + rest
}

/// The module calls, and the rest of an address without keys.
fn split(address: &str) -> (Vec<&str>, String) {
    let names: Vec<&str> = address.split('.').collect();
    let mut calls = Vec::new();
    let mut rest = names.as_slice();
    while let ["module", call, inner @ ..] = rest {
        calls.push(*call);
        rest = inner;
    }
    (calls, rest.join("."))
}

/// The line of the head of a block, and the line of its closing brace.
fn lines_of(text: &str, address: &str) -> Option<[u64; 2]> {
    let head = match address.split('.').collect::<Vec<_>>().as_slice() {
        [mode @ ("data" | "ephemeral"), kind, name] => format!("{mode} \"{kind}\" \"{name}\""),
        [kind, name] => format!("resource \"{kind}\" \"{name}\""),
        _ => return None,
    };
    let position = text.lines().position(|line| line.trim_start().starts_with(&head))?;
    let ends = |line: &str| line.trim_end() == "}" && !line.starts_with("  ");
    let mut rest = text.lines().enumerate().skip(position);
    let is_one_line = |line: &str| line.starts_with(&head) && line.trim_end().ends_with('}');
    let (end, _) = rest.find(|(_, line)| ends(line) || is_one_line(line))?;
    Some([position as u64 + 1, end as u64 + 1])
}

fn plan_files() -> Vec<PathBuf> {
    let files = shared_plans::below(&run::corpus(""), "real").into_iter().map(|(_, path)| path);
    files.filter(|path| path.extension().is_some_and(|end| end == "tfplan")).collect()
}

#[test]
fn each_change_of_a_plan_file_has_its_block_location() {
    let (mut placed, mut missing) = (0, 0);
    let files = plan_files();
    for path in &files {
        let sources = members(&fs::read(path).expect("a plan file"), "tfconfig/");
        let manifest: Vec<Value> =
            serde_json::from_str(&sources["tfconfig/modules.json"]).expect("JSON");
        let name = path.to_str().expect("UTF-8");
        for record in lines(&["changes", "-q", "--all", "--source", "plan", name]) {
            let kind = record["kind"].as_str().expect("a kind");
            if !["resource_change", "resource_drift", "deferred_change"].contains(&kind) {
                continue;
            }
            let address = without_keys(record["address"].as_str().expect("an address"));
            let (calls, local) = split(&address);
            let key = calls.join(".");
            let text = sources.get(&format!("tfconfig/m-{key}/main.tf"));
            let source = &record["source"];
            let Some(expected) = text.and_then(|text| lines_of(text, &local)) else {
                assert!(source["missing"].is_string(), "{name}: {record}");
                missing += 1;
                continue;
            };
            let module = manifest.iter().find(|module| module["Key"] == key.as_str());
            let folder = module.expect("a module")["Dir"].as_str().expect("a folder");
            let file = Path::new(folder).join("main.tf");
            let file = file.strip_prefix(".").unwrap_or(&file);
            assert_eq!(source["file"], file.to_str().expect("UTF-8"), "{name}: {record}");
            assert_eq!(
                json!([source["line"], source["end_line"]]),
                json!(expected),
                "{name}: {record}"
            );
            let led = source["module_calls"].as_array().map_or(0, Vec::len);
            assert_eq!(led, calls.len(), "{name}: {record}");
            placed += 1;
        }
    }
    assert!(files.is_empty() || placed > 100 && missing > 0, "{placed} {missing}");
}
