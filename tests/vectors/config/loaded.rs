//! The objects that Terraform and OpenTofu load from a file, and the errors that they report.
//!
//! The tools check more than the syntax: names, required arguments of other files, and providers.
//! So each error of ours must be one of theirs, and they may have more.

use std::collections::{BTreeMap, HashMap};

use plansift::blocks::{Configuration, Files, SourceError};
use plansift::hcl::block::Block;
use plansift::hcl::json::{Document, Index, Kind};
use serde_json::{Value as Json, json};

use super::{Asked, FILE, diagnostic};

/// The tools, by their members of a question.
const TOOLS: [[&str; 3]; 2] = [
    ["terraform", "objects of Terraform", "errors of Terraform"],
    ["tofu", "objects of OpenTofu", "errors of OpenTofu"],
];

/// Asks what each tool loads from a document. OpenTofu has no answer where both give the same.
pub fn ask(
    question: &Json,
    input: &[u8],
    document: &Document,
    blocks: &[Block<Index>],
) -> Vec<Asked> {
    let ours = found(document, blocks);
    let errors = errors(input);
    let mut asked = Vec::new();
    for [tool, objects, faults] in TOOLS {
        let Some(answer) = question.get(tool) else { continue };
        let theirs = answer["found"].as_object().expect("objects");
        let theirs: BTreeMap<_, _> =
            theirs.iter().map(|(kind, names)| (kind, names_of(names))).collect();
        asked.push(Asked { about: objects, theirs: json!(theirs), ours: json!(ours) });
        let listed = answer["diagnostics"].as_array().expect("diagnostics");
        let is_theirs = |fault: &&Json| {
            let parts = ["summary", "range"];
            listed.iter().any(|other| parts.iter().all(|part| other[part] == fault[part]))
        };
        let more: Vec<_> = errors.iter().filter(|fault| !is_theirs(fault)).collect();
        asked.push(Asked { about: faults, theirs: json!([]), ours: json!(more) });
    }
    asked
}

/// The names of objects, without the types of variables, which the arguments tell.
fn names_of(names: &Json) -> Vec<String> {
    let names = names.as_array().expect("names").iter().map(|name| name.as_str().expect("a name"));
    let mut names: Vec<_> =
        names.map(|name| name.split(": ").next().unwrap_or(name).to_owned()).collect();
    names.sort();
    names
}

/// The names of the objects of a file, by kind.
fn found(document: &Document, blocks: &[Block<Index>]) -> BTreeMap<&'static str, Vec<String>> {
    let mut found: BTreeMap<_, Vec<String>> = BTreeMap::new();
    let attributes = |block: &Block<Index>| -> Vec<String> {
        block.attributes.iter().map(|attribute| attribute.name.to_string()).collect()
    };
    for block in blocks {
        let labels = block.labels.iter().map(|label| label.text.as_ref());
        let name = labels.collect::<Vec<_>>().join(".");
        let (kind, names) = match block.kind.as_ref() {
            "locals" => ("local", attributes(block)),
            "terraform" => {
                let required =
                    block.blocks.iter().filter(|one| one.kind.as_ref() == "required_providers");
                ("required_providers", required.flat_map(attributes).collect())
            }
            "provider" => ("provider", vec![name + &alias(document, block)]),
            "resource" => ("resource", vec![name]),
            "data" => ("data", vec![format!("data.{name}")]),
            "ephemeral" => ("ephemeral", vec![format!("ephemeral.{name}")]),
            "variable" => ("variable", vec![name]),
            "output" => ("output", vec![name]),
            "module" => ("module", vec![name]),
            "check" => ("check", vec![name]),
            "moved" => ("moved", vec![name]),
            "removed" => ("removed", vec![name]),
            "import" => ("import", vec![name]),
            _ => continue,
        };
        if !names.is_empty() {
            found.entry(kind).or_default().extend(names);
        }
    }
    found.values_mut().for_each(|names| names.sort());
    found
}

/// The alias of a provider, after a dot.
fn alias(document: &Document, block: &Block<Index>) -> String {
    let alias = block.attributes.iter().find(|attribute| attribute.name.as_ref() == "alias");
    match alias.and_then(|alias| document.get(alias.value)).map(|node| &node.kind) {
        Some(Kind::String(text) | Kind::Number(text)) => format!(".{text}"),
        Some(Kind::Bool(value)) => format!(".{value}"),
        _ => String::new(),
    }
}

/// The errors that `plansift blocks --check` lists for a file.
fn errors(input: &[u8]) -> Vec<Json> {
    let configuration = Configuration::read(&One(input)).expect("a configuration");
    configuration.diagnostics().map(|found| diagnostic(&found.diagnostic)).collect()
}

/// A folder with one file.
struct One<'a>(&'a [u8]);

impl Files for One<'_> {
    fn list(&self, folder: &str) -> Result<Vec<String>, SourceError> {
        Ok(if folder.is_empty() { vec![FILE.to_owned()] } else { Vec::new() })
    }

    fn read(&self, _: &str) -> Result<Vec<u8>, SourceError> {
        Ok(self.0.to_vec())
    }

    fn installed(&self) -> HashMap<String, String> {
        HashMap::new()
    }
}
