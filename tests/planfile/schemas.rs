//! Schemas for plan files: from files, and from a folder by key.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Output;

use super::build::*;
use super::compare::{Rule, Table};
use plansift::input::Rereadable;
use plansift::limits::Limits;
use plansift::planfile::{self, SchemaFiles};
use serde_json::Value;

use crate::run;

/// Providers whose schemas the tests have.
const KNOWN: [&str; 2] =
    ["terraform.io/builtin/terraform", "registry.opentofu.org/hashicorp/random"];

/// The files with their schemas.
fn files() -> Option<Vec<PathBuf>> {
    let shared = run::shared()?;
    let corpus = super::corpus_folder().join("schemas.json");
    Some(vec![corpus, shared.join("plans/wrong/providers-schema.json")])
}

/// Whether a document has resources of known providers alone.
fn is_known(document: &Value) -> bool {
    match document {
        Value::Object(members) => members.iter().all(|(key, value)| match key.as_str() {
            "configuration" => true,
            "provider_name" => KNOWN.iter().any(|known| value == known),
            _ => is_known(value),
        }),
        Value::Array(elements) => elements.iter().all(is_known),
        _ => true,
    }
}

#[test]
fn real_plan_files_with_schemas_differ_in_configuration_orders_and_marks_alone() {
    let Some(files) = files() else { return };
    let schemas = super::schemas(&files);
    let mut table = Table::default();
    // The development version of Terraform has another schema of its built-in resource.
    let released = |file: &Path| !file.to_string_lossy().contains("terraform-dev");
    for (file, expected) in super::real().into_iter().filter(|(file, _)| released(file)) {
        let expected = fs::read_to_string(expected).expect("the JSON is there");
        if is_known(&serde_json::from_str(&expected).expect("it is JSON")) {
            let name = file.display().to_string();
            let text =
                super::json(&file, &schemas).unwrap_or_else(|error| panic!("{name}: {error}"));
            table.compare(&name, &text, &expected);
        }
    }
    assert!(table.files() >= 25, "{table}");
    table.assert_only(&[Rule::Default, Rule::Order, Rule::MarkedHere, Rule::DataSourceMarks]);
}

/// A plan file with one replaced resource, whose secret only its schema marks.
fn replaced(identity: bool, tool_field: &[u8]) -> Vec<u8> {
    let marked = bytes(1, bytes(1, "secret"));
    let mut change = change(
        6,
        &[b"\x82\xa6secret\xa6CANARY\xa4size\xa11", b"\x82\xa6secret\xa8CANARY-2\xa4size\xa12"],
    );
    change.extend(bytes(3, marked));
    if identity {
        change.extend(bytes(8, dynamic(b"\x81\xa2id\xa1i")));
    }
    file(&plan(&[resource("test_one.a", &change), tool_field.to_vec()]))
}

fn file(plan: &[u8]) -> Vec<u8> {
    zip(&members(plan))
}

/// The schemas of a provider with one resource type.
fn schema_text(size: &str) -> String {
    format!(
        r#"{{"format_version":"1.0","provider_schemas":{{"registry.terraform.io/hashicorp/test":
        {{"resource_schemas":{{"test_one":{{"version":3,"block":{{"attributes":{{
        "secret":{{"type":"string","optional":true,"sensitive":true}},
        "size":{{"type":{size},"optional":true}}}}}}}}}},
        "resource_identity_schemas":{{"test_one":{{"version":2,"attributes":{{
        "id":{{"type":"string"}}}}}}}}}}}}}}"#
    )
}

/// A folder with a plan file and a file of schemas.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(file: &[u8], schemas: &str) -> Folder {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("a.tfplan"), file).expect("a file");
        fs::write(folder.path().join("schemas.json"), schemas).expect("a file");
        Folder(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, args: &[&str]) -> Output {
        run::plansift().args(args).current_dir(&self.0).output().expect("it runs")
    }

    fn said(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(!output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stderr).expect("text")
    }

    fn printed(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).expect("text")
    }

    fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.printed(args)).expect("it is JSON")
    }
}

#[test]
fn a_schema_types_values_and_marks_replaced_objects() {
    let folder = Folder::new(&replaced(true, &[]), &schema_text(r#""number""#));
    let show = folder.json(&["show", "--schemas", "schemas.json", "a.tfplan"]);
    let change = &show["resource_changes"][0]["change"];
    assert_eq!(change["after"]["size"], 2);
    assert_eq!(change["after_sensitive"]["secret"], true);
    let planned = &show["planned_values"]["root_module"]["resources"][0];
    assert_eq!(
        (&planned["schema_version"], &planned["identity_schema_version"]),
        (&3.into(), &2.into())
    );
}

#[test]
fn a_schema_of_another_version_is_ignored() {
    let folder = Folder::new(&replaced(true, &[]), &schema_text(r#"["list","string"]"#));
    let with = folder.printed(&["show", "--schemas", "schemas.json", "a.tfplan"]);
    assert_eq!(with, folder.printed(&["show", "a.tfplan"]));
    assert!(with.contains(r#""after_sensitive":{"secret":true}"#), "{with}");
}

#[test]
fn the_identity_version_is_placed_as_each_tool_places_it() {
    // Fields that only Terraform, or only OpenTofu, writes.
    let tools = [
        (number(26, 1), r#""identity_schema_version":2,"identity":{"id":"i"}"#),
        (number(500_000_001, 1), r#""identity":{"id":"i"},"identity_schema_version":2"#),
    ];
    for (field, expected) in tools {
        let folder = Folder::new(&replaced(true, &field), &schema_text(r#""number""#));
        let text = folder.printed(&["show", "--schemas", "schemas.json", "a.tfplan"]);
        assert!(text.contains(expected), "{text}");
        let without = Folder::new(&replaced(false, &field), &schema_text(r#""number""#));
        let text = without.printed(&["show", "--schemas", "schemas.json", "a.tfplan"]);
        assert!(!text.contains("identity"), "{text}");
    }
}

#[test]
fn every_command_takes_schemas() {
    let folder = Folder::new(&replaced(false, &[]), &schema_text(r#""number""#));
    let show = folder.run(&["show", "--schemas", "schemas.json", "a.tfplan"]);
    fs::write(folder.path("a.json"), &show.stdout).expect("a file");
    let commands: [&[&str]; 7] = [
        &["changes", "--quiet"],
        &["summary", "--quiet"],
        &["report", "-o", "html", "--quiet"],
        &["redact", "--quiet"],
        &["slim", "--quiet"],
        &["audit", "--format", "csv", "--quiet"],
        &["show", "--redact", "--quiet"],
    ];
    for command in commands {
        let same = |text: String| text.replace("a.tfplan", "a.json").replace("\"bytes\"", "");
        let of = |more: &[&str]| same(folder.printed(&[command, more].concat()));
        let with = of(&["--schemas", "schemas.json", "a.tfplan"]);
        let json = if command[0] == "show" { "redact" } else { command[0] };
        let rest = command.iter().skip(1).filter(|arg| **arg != "--redact");
        let args: Vec<&str> = [json].into_iter().chain(rest.copied()).chain(["a.json"]).collect();
        assert_eq!(with, same(folder.printed(&args)), "{command:?}");
        assert!(!with.contains("CANARY"), "{command:?}: {with}");
    }
    let batch = ["batch", "--quiet", "--schemas", "schemas.json", "--out", "out", "a.tfplan"];
    folder.printed(&batch);
}

#[test]
fn the_first_schema_file_takes_precedence() {
    let folder = Folder::new(&replaced(false, &[]), &schema_text(r#""number""#));
    fs::write(folder.path("other.json"), schema_text(r#""string""#)).expect("a file");
    let size = |files: [&str; 2]| {
        let [one, two] = files;
        let args = ["show", "--schemas", one, "--schemas", two, "a.tfplan"];
        folder.json(&args)["resource_changes"][0]["change"]["after"]["size"].clone()
    };
    assert_eq!(size(["schemas.json", "other.json"]), 2);
    assert_eq!(size(["other.json", "schemas.json"]), "2");
}

#[test]
fn an_invalid_schema_file_is_an_error_with_an_offset() {
    let text = schema_text(r#""number""#);
    let folder = Folder::new(&replaced(false, &[]), &text);
    for (wrong, place) in [
        (&text[..40], "byte 40"),
        ("[]", "byte "),
        ("{}", "byte 2"),
        (&text.replace("\"number\"", "\"numeral\""), "byte 262"),
    ] {
        fs::write(folder.path("wrong.json"), wrong).expect("a file");
        for command in ["show", "changes", "redact"] {
            let said = folder.said(&[command, "--schemas", "wrong.json", "a.tfplan"]);
            assert!(said.starts_with(&format!("plansift: wrong.json: {place}")), "{said}");
            assert!(said.contains("terraform providers schema -json"), "{said}");
            assert!(!said.contains("numeral"), "{said}");
        }
    }
    let said = folder.said(&["changes", "--schemas", "absent.json", "a.tfplan"]);
    assert!(said.starts_with("plansift: absent.json: cannot read"), "{said}");
    let said =
        folder.said(&["show", "--schemas", "schemas.json", "-o", "schemas.json", "a.tfplan"]);
    assert!(said.contains("schemas.json: this is an input"), "{said}");
}

/// A plan file with the locks of a provider.
fn locked(version: &str) -> Vec<u8> {
    let locks = format!(
        "# This file is maintained automatically by \"terraform init\".\n\nprovider \
         \"registry.terraform.io/hashicorp/test\" {{\n  version = \"{version}\"\n}}\n"
    );
    let whole = replaced(false, &[]);
    let part = |name: &str| Member::new(name, &member(&whole, name));
    zip(&[part("tfplan"), part("tfstate"), Member::new(".terraform.lock.hcl", locks.as_bytes())])
}

#[test]
fn a_plan_file_finds_its_schemas_in_a_folder_by_its_key() {
    let folder = Folder::new(&locked("1.2.3"), &schema_text(r#""number""#));
    fs::write(folder.path("b.tfplan"), locked("1.2.4")).expect("a file");
    fs::create_dir(folder.path("cache")).expect("a folder");
    let key = folder.printed(&["show", "--schema-key", "a.tfplan"]);
    assert_ne!(key, folder.printed(&["show", "--schema-key", "b.tfplan"]));
    let size = |name: &str| {
        let show = folder.json(&["show", "--schema-cache", "cache", name]);
        show["resource_changes"][0]["change"]["after"]["size"].clone()
    };
    assert_eq!(size("a.tfplan"), "2");
    let cached = folder.path("cache").join(key.trim());
    fs::copy(folder.path("schemas.json"), &cached).expect("a copy");
    assert_eq!((size("a.tfplan"), size("b.tfplan")), (2.into(), "2".into()));
    let batch =
        folder.run(&["batch", "--schema-cache", "cache", "--out", "out", "a.tfplan", "b.tfplan"]);
    assert!(batch.status.success(), "{batch:?}");
    fs::write(&cached, "{").expect("a file");
    let said = folder.said(&["changes", "--schema-cache", "cache", "a.tfplan"]);
    assert!(said.contains(&format!("byte 1, at cache/{}: ", key.trim())), "{said}");
    let said = folder.said(&["changes", "--schema-cache", "absent", "a.tfplan"]);
    assert!(said.contains("absent: cannot read"), "{said}");
    let said = folder.said(&["show", "--schema-key", "schemas.json"]);
    assert!(said.contains("this is a provider schema document"), "{said}");
}

/// The JSON of a plan file in memory.
fn text(file: &[u8], schemas: &SchemaFiles) -> String {
    let limits = Limits::default();
    let file = Rereadable::spool(file, &limits).expect("a file");
    let mut text = String::new();
    let mut document = planfile::open(&file, schemas, &limits).expect("a plan file");
    document.read_to_string(&mut text).expect("text");
    text
}

#[test]
fn schemas_may_be_compressed() {
    let folder = Folder::new(b"", "");
    let zipped = crate::same_answer::forms::gzip(schema_text(r#""number""#).as_bytes());
    fs::write(folder.path("schemas.json.gz"), zipped).expect("a file");
    let path: &Path = &folder.path("schemas.json.gz");
    let schemas = super::schemas(&[path.to_owned()]);
    assert!(text(&replaced(false, &[]), &schemas).contains(r#""size":2"#));
}
