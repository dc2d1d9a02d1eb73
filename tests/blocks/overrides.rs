//! Override files change the arguments of other files, as the tools merge them.

use serde_json::{Value, json};

use super::{block, blocks, folder};

/// The files of the overrides of a block.
fn overrides(block: &Value) -> Value {
    let list = block["overrides"].as_array().into_iter().flatten();
    list.map(|place| place["file"].clone()).collect()
}

/// A resource with arguments, two nested blocks and a `lifecycle`.
const BASE: &str = r#"resource "t" "a" {
  x = var.old
  y = var.kept
  disk {
    z = var.gone
  }
  disk {
    z = var.gone_too
  }
  lifecycle {
    ignore_changes       = [x]
    replace_triggered_by = [t.old]
  }
}
"#;

/// The override of an argument, of the nested blocks, and of an argument of `lifecycle`.
const OVERRIDE: &str = r#"resource "t" "a" {
  x = var.new
  dynamic "disk" {
    for_each = var.disks
    content {
      z = disk.value
    }
  }
  lifecycle {
    replace_triggered_by = [t.new]
  }
}
"#;

/// A required provider.
const PROVIDERS: &str = r#"terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}
"#;

#[test]
fn an_argument_and_a_type_of_nested_blocks_are_replaced() {
    let folder = folder(&[("main.tf", BASE), ("main_override.tf", OVERRIDE)]);
    let merged = block(&blocks(folder.path()), "t.a");
    assert_eq!(merged["references"], json!(["var.new", "var.kept", "var.disks", "t.new"]));
    assert_eq!(overrides(&merged), json!(["main_override.tf"]));
}

#[test]
fn each_local_value_is_replaced_where_it_is_defined() {
    let folder = folder(&[
        ("a.tf", "locals {\n  a = var.a\n  b = var.b\n}\n"),
        ("b.tf.json", r#"{"locals": {"c": "${var.c}", "d": "${var.d}"}}"#),
        ("override.tf.json", r#"{"locals": {"a": "${var.new_a}", "d": "${var.new_d}"}}"#),
        ("z_override.tf", "locals {\n  d = var.newest_d\n}\n"),
    ]);
    let found = blocks(folder.path());
    let [first, second] = found.as_slice() else { panic!("two blocks: {found:?}") };
    assert_eq!(first["references"], json!(["var.new_a", "var.b"]));
    assert_eq!(overrides(first), json!(["override.tf.json"]));
    assert_eq!(second["references"], json!(["var.c", "var.newest_d"]));
    assert_eq!(overrides(second), json!(["override.tf.json", "z_override.tf"]));
}

#[test]
fn settings_of_terraform_are_merged_one_by_one() {
    let folder = folder(&[
        ("a.tf", PROVIDERS),
        ("b.tf", "terraform {\n  backend \"local\" {\n    path = var.path\n  }\n}\n"),
        ("override.tf", "terraform {\n  required_providers {\n    aws = \"1.0\"\n  }\n}\n"),
        ("x_override.tf", "terraform {\n  cloud {\n    organization = var.organization\n  }\n}\n"),
        ("y_override.tf", "terraform {\n  required_version = \"1.0\"\n}\n"),
    ]);
    let found = blocks(folder.path());
    let [first, second] = found.as_slice() else { panic!("two blocks: {found:?}") };
    // A new setting joins the first block.
    assert_eq!(overrides(first), json!(["override.tf", "y_override.tf"]));
    // A configuration has a backend or HCP Terraform.
    assert_eq!(overrides(second), json!(["x_override.tf"]));
    assert_eq!(second["references"], json!(["var.organization"]));
}

#[test]
fn a_provider_is_merged_by_its_alias() {
    let folder = folder(&[
        (
            "a.tf.json",
            r#"{"provider": {"p": [{"x": "${var.a}"}, {"alias": "b", "x": "${var.b}"}]}}"#,
        ),
        ("override.tf", "provider \"p\" {\n  alias = \"b\"\n  x = var.c\n}\nprovider \"q\" {\n}\n"),
    ]);
    let found = blocks(folder.path());
    assert_eq!(found.len(), 3);
    assert_eq!(block(&found, "provider.p")["references"], json!(["var.a"]));
    let merged = block(&found, "provider.p.b");
    assert_eq!(
        (&merged["references"], overrides(&merged)),
        (&json!(["var.c"]), json!(["override.tf"]))
    );
    // A provider needs no block in a primary file.
    assert_eq!(block(&found, "provider.q")["file"], "override.tf");
}

#[test]
fn many_overrides_of_a_large_block_take_bounded_time() {
    let members = (0..50_000).map(|number| format!(r#""l{number}": "${{var.a}}""#));
    let base = format!(r#"{{"locals": {{{}}}}}"#, members.collect::<Vec<_>>().join(","));
    let one = (0..50_000).map(|number| format!(r#"{{"l{number}": "${{var.b}}"}}"#));
    let over = format!(r#"{{"locals": [{}]}}"#, one.collect::<Vec<_>>().join(","));
    let folder = folder(&[("main.tf.json", &base), ("override.tf.json", &over)]);
    let found = blocks(folder.path());
    let [merged] = found.as_slice() else { panic!("one block: {}", found.len()) };
    assert_eq!(merged["references"], json!(["var.b"]));
    assert_eq!(merged["overrides"].as_array().map(Vec::len), Some(50_000));
}
