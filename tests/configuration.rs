//! Configurations: their elements, the blocks of resources, and what depends on an element, against
//! the oracle over the tree; the formats of `config`; secrets, deep modules and limits.

use std::collections::BTreeSet;

use plansift::config::{Blocks, Graph, read};
use plansift::error::{ErrorKind, Result};
use plansift::input::Slice;
use plansift::limits::{Limit, Limits};
use plansift::plan::{DocumentFault, Documents, PlanOptions};
use serde_json::{Value, json};

use crate::generated::generated;
use crate::naive::configuration as naive;
use crate::{run, shared_plans};

/// What the engine reads in the configuration of a plan.
struct Configuration {
    elements: Vec<Value>,
    graph: Graph,
    blocks: Blocks,
}

fn configuration(text: &str, limits: Limits) -> Result<Configuration> {
    let options = PlanOptions { limits, ..PlanOptions::default() };
    let mut elements = Vec::new();
    let (mut graph, mut blocks) = (Graph::new(&limits), Blocks::new(&limits));
    let mut documents = Documents::new(Slice(text.as_bytes()), &options);
    let read = read(&mut documents, &mut |element, offset| {
        let text = serde_json::to_string(element).expect("an element is JSON");
        elements.push(serde_json::from_str(&text).expect("an element is JSON"));
        graph.add(element, offset)?;
        blocks.add(element, offset)
    })?;
    read.present()?;
    Ok(Configuration { elements, graph, blocks })
}

/// How many elements of a plan are asked for what depends on them.
const ASKED: usize = 25;

/// The differences between the engine and the oracle for a plan.
fn differences(name: &str, document: &Value) -> Vec<String> {
    let text = document.to_string();
    let Configuration { elements, mut graph, blocks } =
        match configuration(&text, Limits::default()) {
            Ok(configuration) => configuration,
            Err(error) => return vec![format!("{name}: refused: {error}")],
        };
    let expected = naive::elements(document);
    let mut found = Vec::new();
    if elements.len() != expected.len() {
        found.push(format!("{name}: {} elements, {} expected", elements.len(), expected.len()));
    }
    let pairs = elements.iter().zip(&expected);
    let different = pairs.filter(|(element, expected)| element != expected);
    found.extend(different.map(|(element, expected)| format!("{name}: {element}, {expected}")));
    for key in ["resource_changes", "resource_drift"] {
        for change in document[key].as_array().into_iter().flatten() {
            let Some(address) = change["address"].as_str() else { continue };
            let block = json!(blocks.block(address));
            if block != naive::block(document, address) {
                found.push(format!("{name}: {address}: {block}"));
            }
        }
    }
    let step = (expected.len() / ASKED).max(1);
    for element in expected.iter().skip(run::first_of(step)).step_by(step) {
        let address = element["address"].as_str().expect("an address");
        let dependents = graph.dependents(address).expect("an element of the graph");
        let dependents: BTreeSet<String> =
            dependents.iter().map(|dependent| dependent.address.to_owned()).collect();
        if dependents != naive::dependents(document, address) {
            found.push(format!("{name}: dependents of {address}: {dependents:?}"));
        }
    }
    found
}

/// The real plans with a configuration, and the plans of the vectors for configurations.
fn documents() -> Vec<(String, Value)> {
    let files = shared_plans::files().into_iter().chain(shared_plans::configured());
    let plans = files.filter_map(|(name, path)| {
        let (document, _) = shared_plans::plan(&path)?;
        let is_refused = shared_plans::REFUSED.iter().any(|(refused, _)| name.ends_with(refused));
        (document.get("configuration").is_some() && !is_refused).then_some((name, document))
    });
    plans.collect()
}

#[test]
fn configurations_of_every_plan_match_the_oracle() {
    let documents = documents();
    run::assert_enough(documents.len(), 300, 150);
    let found: Vec<String> =
        documents.iter().flat_map(|(name, document)| differences(name, document)).collect();
    assert!(found.is_empty(), "{}:\n{}", found.len(), found.join("\n"));
}

#[test]
fn configurations_with_sorted_keys_are_those_of_the_oracle() {
    let mut found = Vec::new();
    let documents = documents().into_iter().enumerate();
    for (_, (name, mut document)) in documents.filter(|(number, _)| run::is_tried(*number)) {
        document.sort_all_objects();
        found.extend(differences(&name, &document));
    }
    assert!(found.is_empty(), "{}:\n{}", found.len(), found.join("\n"));
}

#[test]
fn configurations_of_generated_plans_are_those_of_the_oracle() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for layout in [&["--full-configuration"][..], &["--full-configuration", "--sort-keys"]] {
        let (text, _) = generated(folder.path(), "estate", layout, 500_000);
        let document: Value = serde_json::from_slice(&text).expect("a plan is JSON");
        assert!(naive::elements(&document).len() > 20, "{layout:?}");
        let blocks =
            configuration(&document.to_string(), Limits::default()).expect("a plan").blocks;
        for change in document["resource_changes"].as_array().expect("changes") {
            let address = change["address"].as_str().expect("an address");
            assert!(blocks.block(address).config_address.is_some(), "{address}");
        }
        assert_eq!(differences("a generated plan", &document), [""; 0]);
    }
}

const SECRET: &str = "s3cr3t-canary";

/// A plan with a secret in every constant of its configuration.
fn planted() -> Value {
    let constant = json!({"constant_value": SECRET});
    let block = json!({"a": constant, "b": [{"c": constant, "d": {"e": constant}}],
        "f": {"constant_value": {"password": SECRET}},
        "g": {"constant_value": SECRET, "new": SECRET},
        "h": {"constant_value": [SECRET], "references": ["var.v"]}});
    let variables = json!({"v": {"default": SECRET, "sensitive": true, "description": "text"}});
    let change = json!({"actions": ["update"], "before": {"a": "old"}, "after": {"a": SECRET},
        "after_unknown": {}, "before_sensitive": {}, "after_sensitive": {"a": true}});
    json!({"format_version": "1.2", "terraform_version": "1.14.2",
        "resource_changes": [{"address": "module.m.t.n", "module_address": "module.m",
            "mode": "managed", "type": "t", "name": "n", "provider_name": "p", "change": change}],
        "configuration": {
            "provider_config": {"p.x": {"name": "p", "alias": "x", "expressions": block}},
            "root_module": {
                "variables": variables,
                "outputs": {"o": {"sensitive": true, "expression": constant}},
                "module_calls": {"m": {"source": "./m", "version_constraint": "1.0.0",
                    "expressions": block, "count_expression": constant,
                    "module": {"variables": variables, "resources": [{"address": "t.n",
                        "mode": "managed", "type": "t", "name": "n", "provider_config_key": "p.x",
                        "expressions": block, "for_each_expression": constant,
                        "provisioners": [{"type": "local-exec", "expressions": block}]}]}}}}}})
}

#[test]
fn no_constant_of_a_configuration_is_written() {
    let text = planted().to_string();
    let formats = ["table", "ndjson", "json", "csv", "dot", "mermaid"];
    let lists = [&["--references", "var.v"], &["--dependents", "var.v"]];
    let mut commands: Vec<Vec<&str>> =
        formats.iter().map(|format| vec!["config", "--format", *format]).collect();
    for format in &formats[..4] {
        let with = |list: &[&'static str]| [&["config", "--format", format][..], list].concat();
        commands.extend(lists.iter().map(|list| with(&list[..])));
    }
    for format in ["ndjson", "json", "csv"] {
        commands.push(vec!["changes", "--with-config", "--format", format]);
    }
    for command in commands {
        let output = run::piped(&command, text.as_bytes());
        let (out, said) = (String::from_utf8_lossy(&output.stdout), output.stderr);
        assert!(output.status.success(), "{command:?}");
        assert!(out.contains('m') && !out.contains(SECRET), "{command:?}: {out}");
        assert!(!String::from_utf8_lossy(&said).contains(SECRET), "{command:?}");
    }
}

#[test]
fn changes_name_their_block_provider_and_module() {
    let text = planted().to_string();
    let output = run::piped(&["changes", "--with-config"], text.as_bytes());
    let out = String::from_utf8(output.stdout).expect("UTF-8");
    let change: Value = serde_json::from_str(out.lines().nth(1).expect("a change")).expect("JSON");
    for (key, value) in [
        ("config_address", "root_module.module_calls.m.module.resources[0]"),
        ("provider_config_key", "p.x"),
        ("provider_alias", "x"),
        ("module_source", "./m"),
        ("module_version_constraint", "1.0.0"),
    ] {
        assert_eq!(change[key], value, "{change}");
    }
    let schema: Value = serde_json::from_str(plansift::record::schemas::CHANGES).expect("JSON");
    assert!(jsonschema::validator_for(&schema).expect("a schema").is_valid(&change));
}

#[test]
fn several_plans_of_an_input_have_their_own_configurations() {
    let first = planted().to_string();
    let text = format!("{first}\n{}\n", first.replace("./m", "./other"));
    let output = run::piped(&["changes", "--with-config"], text.as_bytes());
    let out = String::from_utf8(output.stdout).expect("UTF-8");
    for source in ["\"module_source\":\"./m\"", "\"module_source\":\"./other\""] {
        assert_eq!(out.matches(source).count(), 1, "{out}");
    }
    let output = run::piped(&["config", "--format", "ndjson"], text.as_bytes());
    let out = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(out.matches("\"kind\":\"summary\"").count(), 2, "{out}");
}

#[test]
fn every_entry_fits_the_schema() {
    let schema: Value =
        serde_json::from_str(plansift::record::schemas::CONFIGURATION).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let plan = run::root().join("corpus/plans/rich/plan.json");
    let plan = plan.to_str().expect("UTF-8");
    let planted = planted().to_string();
    let config = ["config", "--format", "ndjson"];
    for list in [&[][..], &["--references", "var.v"], &["--dependents", "var.v"]] {
        for input in ["-", plan] {
            let args = [&config[..], list, &[input]].concat();
            let output = run::piped(&args, planted.as_bytes());
            let out = String::from_utf8(output.stdout).expect("UTF-8");
            assert!(out.lines().count() >= 2, "{args:?}");
            for line in out.lines() {
                let entry: Value = serde_json::from_str(line).expect("JSON");
                let errors: Vec<_> = validator.iter_errors(&entry).collect();
                assert!(errors.is_empty(), "{line}: {errors:?}");
            }
        }
    }
}

/// A plan whose modules are nested this deep.
fn nested(depth: usize) -> String {
    let call = r#"{"module_calls":{"m":{"source":"s","expressions":{"v":{"references":["var.v"]}},
        "module":"#;
    let innermost = r#"{"resources":[{"address":"t.n","mode":"managed","type":"t","name":"n",
        "expressions":{"a":{"references":["var.v"]}}}],"variables":{"v":{}}}"#;
    let modules = call.repeat(depth) + innermost + &"}}}".repeat(depth);
    format!(r#"{{"format_version":"1.2","configuration":{{"root_module":{modules}}}}}"#)
}

#[test]
fn modules_may_be_nested_very_deep() {
    const DEPTH: usize = 1000;
    let plan = nested(DEPTH);
    let Configuration { elements, mut graph, blocks } =
        configuration(&plan, Limits::default()).expect("a plan");
    assert_eq!(elements.len(), DEPTH + 2);
    let address = "module.m.".repeat(DEPTH) + "t.n";
    let block = blocks.block(&address).config_address.expect("a block");
    assert!(block.ends_with(".module.resources[0]"));
    let dependents = graph.dependents("var.v").expect("a variable that is used");
    assert!(dependents.iter().any(|dependent| dependent.address == address));
}

/// Each element has the address of its module, so long addresses would make the elements much
/// longer than the configuration.
#[test]
fn the_address_of_a_module_has_a_limit() {
    let long = format!(
        r#"{{"format_version":"1.2","configuration":{{"root_module":{{"module_calls":{{
        "{}":{{"module":{{"outputs":{{"a":{{}},"b":{{}}}}}}}}}}}}}}}}"#,
        "m".repeat(20_000)
    );
    for plan in [nested(2400), long] {
        let error = configuration(&plan, Limits::default()).err().expect("an error");
        assert_eq!(error.fault(), Some(&DocumentFault::LongModule), "{error}");
    }
}

/// A plan with these resources in its configuration.
fn with_resources(resources: &str) -> String {
    let module = format!(r#"{{"resources":[{resources}]}}"#);
    format!(r#"{{"format_version":"1.2","configuration":{{"root_module":{module}}}}}"#)
}

#[test]
fn the_memory_of_a_configuration_is_limited() {
    let limits = Limits { configuration: 4096, ..Limits::default() };
    let deep_block = "{\"a\":".repeat(900) + "{}" + &"}".repeat(900);
    let wide: String = (0..200).map(|n| format!(",\"x{n}\":{{\"y\":1}}")).collect();
    let resource = format!(r#"{{"address":"t.n","expressions":{{"b":{deep_block}{wide}}}}}"#);
    let wide = with_resources(&resource);
    for plan in [nested(100), wide] {
        let error = configuration(&plan, limits).err().expect("an error");
        let limit = ErrorKind::Limit { limit: Limit::Configuration, value: 4096 };
        assert_eq!(error.kind(), limit, "{error}");
        assert!(error.to_string().contains("--limit-configuration"), "{error}");
    }
}

#[test]
fn the_search_for_dependents_ends_in_a_cycle() {
    let resource = |name: &str, other: &str| {
        format!(r#"{{"address":"t.{name}","expressions":{{"x":{{"references":["t.{other}"]}}}}}}"#)
    };
    let resources = [resource("a", "b"), resource("b", "c"), resource("c", "a")].join(",");
    let plan = with_resources(&resources);
    let mut graph = configuration(&plan, Limits::default()).expect("a plan").graph;
    let dependents = graph.dependents("t.a").expect("an element");
    let found: Vec<_> = dependents.iter().map(|it| (it.distance, it.address)).collect();
    assert_eq!(found, [(1, "t.c"), (2, "t.b")]);
}

#[test]
fn a_plan_without_a_configuration_is_an_error_that_says_so() {
    let plan = r#"{"format_version":"1.2","resource_changes":[]}"#;
    let output = run::piped(&["config"], plan.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(said.contains("this document has no configuration section"), "{said}");
    let output = run::piped(&["changes", "--with-config"], plan.as_bytes());
    assert_eq!(output.status.code(), Some(0));
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(said.contains("warning: the document has no configuration section"), "{said}");
}

#[test]
fn the_output_of_a_module_is_suggested() {
    let plan = run::root().join("corpus/plans/rich/plan.json");
    for option in ["--references", "--dependents"] {
        for address in ["module.dns.url", "module.dns.output.url"] {
            let output = run::plansift().args(["config", option, address]).arg(&plan).output();
            let said = String::from_utf8(output.expect("it runs").stderr).expect("UTF-8");
            let advice = format!("nothing named {address}; did you mean module.dns.urls?\n");
            assert!(said.contains(&advice), "{option}: {said}");
        }
    }
}

#[test]
fn an_address_that_the_configuration_lacks_is_a_warning() {
    let plan = planted().to_string();
    for option in ["--references", "--dependents"] {
        let output = run::piped(&["config", option, "t.nowhere"], plan.as_bytes());
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(said.contains("the configuration has nothing named t.nowhere\n"), "{said}");
        let output = run::piped(&["config", option, "module.m.t.nn"], plan.as_bytes());
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(
            said.contains("nothing named module.m.t.nn; did you mean module.m.t.n?\n"),
            "{said}"
        );
    }
}
