//! `plansift blocks` and `--source`: the blocks of a configuration, and the block of each change.

#[path = "blocks/annotations.rs"]
mod annotations;
#[path = "blocks/damaged.rs"]
mod damaged;
#[path = "blocks/hostile.rs"]
mod hostile;
#[path = "blocks/json.rs"]
mod json;
#[path = "blocks/overrides.rs"]
mod overrides;
#[path = "blocks/places.rs"]
mod places;
#[path = "blocks/snapshots.rs"]
mod snapshots;
#[path = "blocks/syntax.rs"]
mod syntax;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::run;

/// The standard output and the exit code of a run in the project's folder.
fn ran(args: &[&str]) -> (String, Option<i32>) {
    let mut command = run::plansift();
    let output = command.args(args).current_dir(run::root()).output().expect("the binary starts");
    (String::from_utf8(output.stdout).expect("UTF-8"), output.status.code())
}

/// The JSON values of the lines of a run that succeeds.
fn lines(args: &[&str]) -> Vec<Value> {
    let (text, code) = ran(args);
    assert_eq!(code, Some(0), "{args:?}");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// A folder with files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    folder
}

/// The blocks of a folder.
fn blocks(folder: &Path) -> Vec<Value> {
    lines(&["blocks", "--format", "ndjson", folder.to_str().expect("UTF-8")])
}

/// The block of an address.
fn block(blocks: &[Value], address: &str) -> Value {
    let found = blocks.iter().find(|block| block["address"] == address);
    found.unwrap_or_else(|| panic!("no block {address}")).clone()
}

#[test]
fn both_syntaxes_give_the_same_blocks() {
    let native = r#"resource "t" "a" {
  count      = var.n
  depends_on = [t.b, module.m]
  x          = [for v in local.list : "${v}-${data.d.e.id}"]
  lifecycle {
    ignore_changes       = [x]
    replace_triggered_by = [t.c.id]
  }
  dynamic "setting" {
    for_each = var.settings
    content {
      name = setting.value
    }
  }
}
"#;
    let json = r#"{"resource":{"t":{"a":{
  "count": "${var.n}",
  "depends_on": ["t.b", "module.m"],
  "x": "${[for v in local.list : \"${v}-${data.d.e.id}\"]}",
  "lifecycle": {"ignore_changes": ["x"], "replace_triggered_by": ["t.c.id"]},
  "dynamic": {"setting": {"for_each": "${var.settings}", "content": {"name": "${setting.value}"}}}
}}}}"#;
    let native = folder(&[("main.tf", native)]);
    let json = folder(&[("main.tf.json", json)]);
    let (native, json) = (blocks(native.path()), blocks(json.path()));
    let references =
        json!(["var.n", "t.b", "module.m", "local.list", "data.d.e.id", "t.c.id", "var.settings"]);
    for blocks in [native, json] {
        let [block] = blocks.as_slice() else { panic!("one block") };
        assert_eq!(block["type"], "resource");
        assert_eq!(block["labels"], json!(["t", "a"]));
        assert_eq!(block["references"], references);
    }
}

#[test]
fn files_merge_as_the_tools_merge_them() {
    let folder = folder(&[
        ("a.tf", "resource \"t\" \"a\" {\n}\nresource \"t\" \"hidden\" {\n}\n"),
        ("a.tofu", "\n\nresource \"t\" \"a\" {\n}\n"),
        ("b_override.tf.json", r#"{"resource":{"t":{"a":{"x":"${var.x}"}}}}"#),
        (".hidden.tf", "resource \"t\" \"no\" {\n}\n"),
        ("notes.txt", "resource"),
        ("main.tf", "module \"m\" {\n  source = \"./m\"\n}\n"),
        ("m/main.tf.json", "{\"data\":[{\"d\":{\"e\":\n{}}}]}"),
    ]);
    let blocks = blocks(folder.path());
    let mut addresses: Vec<_> =
        blocks.iter().map(|block| block["address"].as_str().expect("an address")).collect();
    addresses.sort_unstable();
    assert_eq!(addresses, ["module.m", "module.m.data.d.e", "t.a"]);
    let merged = block(&blocks, "t.a");
    assert_eq!([&merged["file"], &merged["line"]], [&json!("a.tofu"), &json!(3)]);
    assert_eq!(merged["references"], json!(["var.x"]));
    assert_eq!(merged["overrides"], json!([{ "file": "b_override.tf.json", "line": 1 }]));
    let data = block(&blocks, "module.m.data.d.e");
    assert_eq!([&data["file"], &data["line"]], [&json!("m/main.tf.json"), &json!(2)]);
    assert_eq!(data["module"], "module.m");
}

#[test]
fn installed_modules_are_read_from_their_folders() {
    let manifest = r#"{"Modules":[{"Key":"","Source":"","Dir":"."},
        {"Key":"vpc","Source":"registry/vpc","Dir":".terraform/modules/vpc/x"}]}"#;
    let folder = folder(&[
        ("main.tf", "module \"vpc\" {\n  source = \"registry/vpc\"\n}\n"),
        (".terraform/modules/modules.json", manifest),
        (".terraform/modules/vpc/x/main.tf", "resource \"t\" \"a\" {\n}\n"),
    ]);
    let found = block(&blocks(folder.path()), "module.vpc.t.a");
    assert_eq!(found["file"], ".terraform/modules/vpc/x/main.tf");
}

#[test]
fn the_check_lists_errors_and_fails() {
    let folder = folder(&[
        ("a.tf.json", "{\"output\":{\"o\":{}},\n\"resources\":{}}"),
        ("b.tf", "moved {\n  from = t.a\n}\nresource \"t\" {\n}\n"),
        ("c.tf", "resource \"t\" \"a\" {\n  x = = 1\n}\n"),
        ("d.tf", "resource \"t\" \"good\" {\n}\n"),
    ]);
    let path = folder.path().to_str().expect("UTF-8");
    let (text, code) = ran(&["blocks", "--check", path]);
    assert_eq!(code, Some(1));
    for expected in [
        "a.tf.json:1:17: error: Missing required argument: The argument \"value\" is required, but \
         no definition was found.",
        "a.tf.json:2:1: error: Extraneous JSON object property: No argument or block type is named \
         \"resources\". Did you mean \"resource\"?",
        "b.tf:1:7: error: Missing required argument: The argument \"to\" is required, but no \
         definition was found.",
        "b.tf:4:14: error: Missing name for block: All resource blocks must have 2 labels (type, \
         name).",
        "c.tf:2:7: error: Invalid syntax:",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    assert_eq!(text.lines().count(), 5, "{text}");
    // Other files keep their blocks.
    let (text, code) = ran(&["blocks", "-q", path]);
    assert_eq!((code, text.contains("t.good")), (Some(0), true), "{text}");
    let (text, code) = ran(&["blocks", "--check", "--format", "ndjson", "corpus/sources"]);
    assert_eq!((text.as_str(), code), ("", Some(0)));
}

#[test]
fn several_configurations_are_listed_under_their_names() {
    let other = folder(&[("main.tf", "resource \"t\" \"other\" {\n}\n"), ("bad.tf", "x = = 1\n")]);
    let other = other.path().to_str().expect("UTF-8");
    let (table, _) = ran(&["blocks", "corpus/sources", other]);
    let titles: Vec<&str> = table.lines().filter(|line| !line.contains("  ")).collect();
    assert_eq!(titles, ["corpus/sources", "", other]);
    let listed = lines(&["blocks", "--format", "ndjson", "corpus/sources", other]);
    assert_eq!(listed[0]["root"], "corpus/sources");
    assert_eq!(listed[listed.len() - 1]["root"], other);
    let (checked, code) = ran(&["blocks", "--check", "corpus/sources", other]);
    assert!(checked.starts_with(&format!("{other}/bad.tf:1:")) && code == Some(1), "{checked}");
}

#[test]
fn every_format_lists_the_same_blocks() {
    let (table, _) = ran(&["blocks", "corpus/sources"]);
    let (json, _) = ran(&["blocks", "--format", "json", "corpus/sources"]);
    let json: Vec<Value> = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json, lines(&["blocks", "--format", "ndjson", "corpus/sources"]));
    assert_eq!(table.lines().count(), json.len());
    let (none, _) =
        ran(&["blocks", "--format", "json", folder(&[]).path().to_str().expect("UTF-8")]);
    assert_eq!(none, "[]\n");
}

/// A plan of the configuration in `corpus/sources`.
const PLANNED: &str = r#"{"format_version":"1.2","resource_changes":[],"configuration":{
    "provider_config":{"aws":{"name":"aws"}},
    "root_module":{
        "resources":[{"address":"aws_db_instance.main","mode":"managed","type":"aws_db_instance",
            "name":"main","provider_config_key":"aws","expressions":{}}],
        "outputs":{"endpoint":{"expression":{"references":["aws_db_instance.main"]}}},
        "variables":{"token":{"sensitive":true}},
        "module_calls":{"network":{"source":"./network","module":{
            "resources":[{"address":"aws_subnet.a","mode":"managed","type":"aws_subnet","name":"a",
                "provider_config_key":"aws","expressions":{}}],
            "outputs":{"subnet":{"expression":{}}},"variables":{"cidr":{}}}}}}}}"#;

#[test]
fn config_elements_have_the_location_of_their_block() {
    let plan = folder(&[("plan.json", PLANNED)]);
    let path = plan.path().join("plan.json");
    let path = path.to_str().expect("UTF-8");
    let found = lines(&["config", "--format", "ndjson", "--source", "corpus/sources", path]);
    let at = |address: &str| {
        let element = found.iter().find(|it| it["address"] == address).expect("an element");
        let source = &element["source"];
        let calls = source["module_calls"].as_array().map_or(0, Vec::len);
        (source["file"].as_str().map(str::to_owned), source["line"].as_u64(), calls)
    };
    for (address, file, line, calls) in [
        ("aws_db_instance.main", "main.tf", 12, 0),
        ("output.endpoint", "main.tf", 25, 0),
        ("var.token", "main.tf", 1, 0),
        ("module.network", "main.tf", 7, 0),
        ("module.network.aws_subnet.a", "network/main.tf.json", 5, 1),
        ("module.network.output.subnet", "network/main.tf.json", 12, 1),
        ("module.network.var.cidr", "network/main.tf.json", 2, 1),
    ] {
        let file = format!("corpus/sources/{file}");
        assert_eq!(at(address), (Some(file), Some(line), calls), "{address}");
    }
    // The files configure no provider.
    assert_eq!(at("provider.aws"), (None, None, 0));
    let schema = serde_json::from_str(plansift::record::schemas::CONFIGURATION).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    assert!(found.iter().all(|entry| schema.is_valid(entry)), "{found:?}");
    let (table, _) = ran(&["config", "--source", "corpus/sources", path]);
    assert!(table.contains("module.network.aws_subnet.a   corpus/sources/network/"), "{table}");
    let (csv, _) = ran(&["config", "-f", "csv", "--source", "corpus/sources", path]);
    assert!(csv.contains(",corpus/sources/main.tf,12,1,16"), "{csv}");
    for asked in [&["--references", "var.token"][..], &["--format", "dot"]] {
        let args = [&["config", "--source", "corpus/sources", path], asked].concat();
        assert_eq!(ran(&args).1, Some(64), "{asked:?}");
    }
    assert_eq!(ran(&["config", "--source", "corpus/none", path]).1, Some(1));
}

#[test]
fn a_path_without_a_configuration_is_refused() {
    for path in ["corpus/sources/plan.json", "corpus/sources/main.tf", "corpus/none", "-"] {
        let (text, code) = ran(&["blocks", path]);
        assert_eq!((text.as_str(), code), ("", Some(1)), "{path}");
    }
    let empty = folder(&[("notes.txt", "")]);
    let (text, code) = ran(&["blocks", "--check", empty.path().to_str().expect("UTF-8")]);
    assert_eq!((text.as_str(), code), ("", Some(1)));
    let (_, code) = ran(&["changes", "--source", "corpus/none", "corpus/sources/plan.json"]);
    assert_eq!(code, Some(1));
}
