//! Derives the schemas from the structs of the records.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path as FilePath;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::*;
use crate::record::{
    ChangeCounts, Column, FleetRow, JsonText, Record, ReportPlan, ReportTotals, SummaryFailure,
    SummaryLeftOut, SummaryLoss, SummaryWarning,
};

/// A file with the schema of some kinds of records.
struct Family {
    file: &'static str,
    text: &'static str,
    title: &'static str,
    description: &'static str,
    /// The kinds of records, in the order of the schema.
    kinds: &'static [Kind],
}

/// A kind of records.
struct Kind {
    /// The name of the definition.
    name: &'static str,
    /// The name of the struct.
    of: &'static str,
    /// Fields that every record of the kind has, although the struct has other uses without them,
    /// with spaces between them.
    also_required: &'static str,
    /// Fields of the struct that no record of the kind has, with spaces between them.
    absent: &'static str,
    /// A field that has the same word in all records of the kind, and the word.
    word: Option<(&'static str, &'static str)>,
}

const fn kind(name: &'static str, of: &'static str) -> Kind {
    Kind { name, of, also_required: "", absent: "", word: None }
}

/// The elements of a configuration of one kind.
const fn element(name: &'static str, also_required: &'static str, absent: &'static str) -> Kind {
    let word = Some(("kind", name));
    Kind { also_required, absent, word, ..kind(name, "LocatedElement") }
}

const FAMILIES: [Family; 7] = [
    Family {
        file: "changes",
        text: CHANGES,
        title: "plansift records, schema_version 1",
        description: "One record of the stream that plansift writes about a plan. A stream \
            without its `summary` record is incomplete.",
        kinds: &[
            kind("plan", "Plan"),
            Kind {
                also_required: "address",
                absent: "deferred_reason",
                ..kind("resource_change", "ResourceChange")
            },
            Kind { absent: "deferred_reason", ..kind("resource_drift", "ResourceChange") },
            Kind { also_required: "address", ..kind("deferred_change", "ResourceChange") },
            kind("output_change", "OutputChange"),
            kind("check", "Check"),
            Kind { absent: "deferred_reason", ..kind("action_invocation", "ActionInvocation") },
            kind("relevant_attribute", "RelevantAttribute"),
            kind("failed_assertion", "FailedAssertion"),
            kind("summary", "Summary"),
        ],
    },
    Family {
        file: "contents",
        text: CONTENTS,
        title: "A record of plansift resources, outputs, variables or checks",
        description: "One line of `plansift resources`, `outputs`, `variables` or `checks` with \
            `--format ndjson`. Each document has a `document` record, then its rows, then a \
            `summary` record. A stream without its `summary` record is incomplete. With \
            `--group-by`, the run has one record for each group, and then one `summary` record.",
        kinds: &[
            kind("document", "Head"),
            Kind {
                also_required: "address",
                absent: "previous_address",
                ..kind("resource", "Resource")
            },
            kind("output", "Output"),
            kind("variable", "Variable"),
            kind("check", "CheckResult"),
            kind("group", "Group"),
            kind("summary", "RowSummary"),
        ],
    },
    Family {
        file: "audit",
        text: AUDIT,
        title: "An entry of plansift audit, or of the report of plansift redact",
        description: "One line of `plansift audit --format ndjson` or of the file of `plansift \
            redact --report`. Each document has an `audit` entry, then its findings in document \
            order, then a `summary` entry. The audit of a document without a `summary` entry is \
            incomplete. No entry contains a value.",
        kinds: &[
            Kind { absent: "workspace", ..kind("audit", "Head") },
            kind("finding", "AuditFinding"),
            kind("summary", "AuditSummary"),
        ],
    },
    Family {
        file: "configuration",
        text: CONFIGURATION,
        title: "Entries of plansift config, schema_version 1",
        description: "One entry of the stream that `plansift config` writes about the \
            configuration in a plan. A stream without its `summary` entry is incomplete.",
        kinds: &[
            kind("configuration", "Head"),
            element(
                "provider",
                "provider_config_key",
                "config_address mode type module_source sensitive required provisioners \
                    depends_on",
            ),
            element(
                "module_call",
                "name",
                "config_address mode type provider_config_key full_name alias sensitive required \
                 provisioners",
            ),
            element(
                "resource",
                "config_address",
                "full_name alias module_source version_constraint sensitive required",
            ),
            element(
                "output",
                "name",
                "config_address mode type provider_config_key full_name alias module_source \
                 version_constraint required provisioners",
            ),
            element(
                "variable",
                "name",
                "config_address mode type provider_config_key full_name alias module_source \
                 version_constraint provisioners depends_on expressions",
            ),
            element(
                "action",
                "",
                "config_address mode full_name alias module_source version_constraint sensitive \
                 required provisioners depends_on",
            ),
            kind("reference", "User"),
            kind("dependent", "Dependent"),
            kind("summary", "ConfigurationSummary"),
        ],
    },
    Family {
        file: "assertions",
        text: ASSERTIONS,
        title: "A record of plansift assert",
        description: "One line of `plansift assert --format ndjson`: the result of an assertion \
            for a document, or a document that could not be read.",
        kinds: &[kind("assertion", "AssertionResult"), kind("error", "UnreadDocument")],
    },
    Family {
        file: "batch",
        text: BATCH,
        title: "A row of the report of plansift batch",
        description: "One line of `report.ndjson` or of the output of `plansift merge --format \
            ndjson`. A report has a row for each plan, in the order of the inputs, and then the \
            `fleet` row. A report without its `fleet` row is incomplete. With `--since`, the \
            output has a `workspace` row for each workspace, and then the `comparison` row.",
        kinds: &[
            Kind {
                also_required: "records has_changes summary",
                absent: "error",
                word: Some(("status", "done")),
                ..kind("done", "BatchPlan")
            },
            Kind {
                also_required: "error",
                absent: "records has_changes summary digest failed_assertions",
                word: Some(("status", "failed")),
                ..kind("failed", "BatchPlan")
            },
            Kind {
                absent: "error records has_changes summary digest failed_assertions",
                word: Some(("status", "pending")),
                ..kind("pending", "BatchPlan")
            },
            kind("fleet", "FleetTotals"),
            kind("workspace", "ComparedWorkspace"),
            kind("comparison", "BatchComparison"),
        ],
    },
    Family {
        file: "comparison",
        text: COMPARISON,
        title: "A record of plansift compare, schema_version 1",
        description: "One record of the stream that `plansift compare` writes about two \
            documents. A stream without its `summary` record is incomplete.",
        kinds: &[
            kind("pair", "ComparedPair"),
            kind("difference", "ObjectDifference"),
            kind("summary", "ComparisonSummary"),
        ],
    },
];

impl JsonSchema for JsonText<'_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "JsonText".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({})
    }
}

/// The schema of a list of paths, whose type is in another crate.
pub struct PathList;

impl JsonSchema for PathList {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "PathList".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array",
            "uniqueItems": true,
            "items": {
                "description": "The path of a part of a value, such as `tags.owner` or \
                    `rules[0].port`. The root is the empty string.",
                "type": "string",
            },
        })
    }
}

/// An object with one number for each column.
impl JsonSchema for ChangeCounts {
    fn schema_name() -> Cow<'static, str> {
        "ChangeCounts".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let name = |column| serde_json::to_value(column).expect("a word");
        let count = |column| (name(column), json!({ "type": "integer", "minimum": 0 }));
        let counts = Column::ALL.map(count);
        let counts = counts.map(|(name, count)| (name.as_str().expect("a word").to_owned(), count));
        json_schema!({
            "description": "Counts of changes, drift, failed checks and errors. `replace` counts \
                replacements, which `add`, `destroy` and `forget` leave out. Counts of 0 are \
                absent.",
            "type": "object",
            "properties": Map::from_iter(counts),
        })
    }
}

/// The document of `plansift report --output json`, which is written row by row.
#[derive(serde::Serialize, JsonSchema)]
#[schemars(title = "The JSON report of plansift")]
struct ReportDocument<'a> {
    #[schemars(extend("const" = 1))]
    schema_version: u32,
    /// The version of plansift that wrote the report.
    plansift: &'a str,
    /// The plans, in the order of the inputs.
    plans: Vec<ReportPlan<'a>>,
    totals: ReportTotals,
    /// The types with the most changes, in descending order.
    #[schemars(length(max = 100))]
    types: Vec<FleetRow>,
    /// The modules with the most changes, in descending order.
    #[schemars(length(max = 100))]
    modules: Vec<FleetRow>,
    /// The providers with the most changes, in descending order.
    #[schemars(length(max = 100))]
    providers: Vec<FleetRow>,
}

/// The document of `plansift summary --format json`, which is written list by list.
#[derive(serde::Serialize, JsonSchema)]
#[schemars(title = "The JSON summary of plansift")]
struct SummaryDocument<'a> {
    #[schemars(extend("const" = 1))]
    schema_version: u32,
    /// The version of plansift that wrote the summary.
    plansift: &'a str,
    /// The version of Terraform or OpenTofu, if there is one plan. It is cut after 40 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    terraform_version: Option<&'a str>,
    /// The changes of all plans in a sentence.
    plan_line: &'a str,
    totals: ReportTotals,
    /// Warnings about the plans, the most severe first.
    warnings: Vec<SummaryWarning>,
    /// Plans that could not be read.
    failures: Vec<SummaryFailure<'a>>,
    /// Changes that destroy, replace or forget an object, the most severe first: objects that hold
    /// data, destroyed and then replaced, other objects in the same order, and forgotten objects.
    losses: Vec<SummaryLoss>,
    /// The changes by action, in descending order.
    actions: Vec<FleetRow>,
    /// The types with the most changes, in descending order.
    types: Vec<FleetRow>,
    /// The modules with the most changes, in descending order.
    modules: Vec<FleetRow>,
    /// What the lists leave out. Absent if they are complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<SummaryLeftOut>,
}

fn derived<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.meta_schema = None;
    settings.into_generator().into_root_schema_for::<T>().into()
}

/// Replaces each reference to an enum of words by one schema with all words.
fn inline_words(schema: &mut Value, words: &BTreeMap<String, Value>) {
    let of = schema.get("$ref").and_then(Value::as_str).and_then(|name| words.get(name));
    if let (Some(of), Some(object)) = (of.cloned(), schema.as_object_mut()) {
        object.remove("$ref");
        let of = of.as_object().expect("an object").clone();
        for (key, value) in of {
            object.entry(key).or_insert(value);
        }
    }
    match schema {
        Value::Object(members) => members.values_mut().for_each(|it| inline_words(it, words)),
        Value::Array(items) => items.iter_mut().for_each(|it| inline_words(it, words)),
        _ => {}
    }
}

/// Returns the enum of words that a definition is, with the meaning of each word.
fn words(definition: &Value) -> Option<Value> {
    let choices = definition["oneOf"].as_array()?;
    let (mut all, mut meanings) = (Vec::new(), Vec::new());
    for choice in choices {
        let listed = choice["enum"].as_array().cloned();
        all.extend(listed.or_else(|| Some(vec![choice.get("const")?.clone()]))?);
        if let (Some(word), Some(meaning)) =
            (choice["const"].as_str(), choice["description"].as_str())
        {
            let meaning = meaning.trim_end_matches('.');
            let (first, rest) = meaning.split_at(1);
            meanings.push(format!("`{word}`: {}{rest}.", first.to_lowercase()));
        }
    }
    let mut enumerated = json!({ "enum": all });
    if !meanings.is_empty() {
        enumerated["description"] = meanings.join(" ").into();
    }
    Some(enumerated)
}

/// Merges the tag of a variant with the fields of its struct. A closed object cannot refer to
/// another one.
fn merge_tags(schema: &mut Value, definitions: &Map<String, Value>) {
    let of = schema.get("$ref").and_then(Value::as_str);
    let of = of.and_then(|reference| definitions.get(reference.rsplit('/').next()?));
    if let (Some(of), true) = (of, schema.get("properties").is_some()) {
        let object = schema.as_object_mut().expect("an object");
        object.shift_remove("$ref");
        for list in ["properties", "required"] {
            match (&mut object[list], &of[list]) {
                (Value::Object(own), Value::Object(more)) => own.extend(more.clone()),
                (Value::Array(own), Value::Array(more)) => own.extend(more.iter().cloned()),
                _ => panic!("{list} of a struct"),
            }
        }
    }
    match schema {
        Value::Object(members) => {
            members.values_mut().for_each(|it| merge_tags(it, definitions));
        }
        Value::Array(items) => items.iter_mut().for_each(|it| merge_tags(it, definitions)),
        _ => {}
    }
}

/// Makes a schema say what serde leaves out: a field that may be absent is never `null`, `false`
/// or an empty list. Closes all objects.
fn tighten(schema: &mut Value) {
    match schema {
        Value::Object(members) => members.values_mut().for_each(tighten),
        Value::Array(items) => items.iter_mut().for_each(tighten),
        _ => {}
    }
    let Some(object) = schema.as_object_mut() else { return };
    object.remove("format");
    let required: Vec<Value> =
        object.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    for (name, property) in properties.iter_mut() {
        if !required.contains(&json!(name)) {
            *property = present(property.take());
        }
    }
    object.insert("additionalProperties".to_owned(), false.into());
}

/// Returns the schema of a field that may be absent, for when it is present.
fn present(mut property: Value) -> Value {
    let null = json!("null");
    if let Some(choices) = property.get_mut("anyOf").and_then(Value::as_array_mut) {
        choices.retain(|choice| choice["type"] != null);
        if let [only] = &choices[..] {
            let only = only.as_object().expect("a schema").clone();
            let object = property.as_object_mut().expect("a schema");
            object.remove("anyOf");
            object.extend(only);
        }
        return property;
    }
    match property.get("type") {
        Some(Value::Array(types)) if types.contains(&null) => {
            property["type"] = types.iter().find(|it| **it != null).expect("another type").clone();
        }
        Some(Value::String(name)) if name == "boolean" => {
            property.as_object_mut().expect("a schema").remove("type");
            property["const"] = true.into();
        }
        Some(Value::String(name)) if name == "array" => property["minItems"] = 1.into(),
        _ => {}
    }
    property
}

/// Returns the schema of a family: its kinds, and the definitions that they refer to.
fn schema_of(family: &Family, all: &Value) -> Value {
    let definitions = all["$defs"].as_object().expect("definitions");
    let (mut used, mut records) = (Map::new(), Vec::new());
    for kind in family.kinds {
        used.insert(kind.name.to_owned(), record_of(kind, all));
        records.push(json!({ "$ref": format!("#/$defs/{}", kind.name) }));
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": family.title,
        "description": family.description,
        "oneOf": records,
        "$defs": with_references(used, definitions),
    })
}

/// Returns the schema of a kind of records.
fn record_of(kind: &Kind, all: &Value) -> Value {
    let Kind { name, of, also_required, absent, word } = kind;
    let mut record = all["$defs"][*of].clone();
    let object = record.as_object_mut().expect("an object");
    let mut fields = object["properties"].as_object().expect("fields").clone();
    let required = object["required"].as_array_mut().expect("fields");
    for field in absent.split_whitespace() {
        assert!(fields.shift_remove(field).is_some(), "{name}: {field}");
        required.retain(|it| it != field);
    }
    required.extend(also_required.split_whitespace().map(Value::from));
    let reference = format!("#/$defs/{of}");
    let variants = all["anyOf"].as_array().expect("variants");
    let tags = variants.iter().filter(|variant| variant["$ref"] == reference);
    let tags: Vec<&Value> = tags.filter_map(|it| it["properties"]["kind"].get("const")).collect();
    let tag = tags.iter().find(|tag| ***tag == **name).or(tags.first());
    if let Some(tag) = tag {
        let own = std::mem::take(&mut fields);
        let tag = ("kind".to_owned(), json!({ "const": tag }));
        fields = std::iter::once(tag).chain(own).collect();
        required.insert(0, "kind".into());
    }
    if let Some((field, word)) = word {
        fields[*field] = json!({ "const": word });
    }
    for field in required {
        assert!(fields.contains_key(field.as_str().expect("a name")), "{name}: {field}");
    }
    object["properties"] = fields.into();
    record
}

/// Adds the definitions that definitions refer to.
fn with_references(mut used: Map<String, Value>, all: &Map<String, Value>) -> Map<String, Value> {
    loop {
        let text = Value::from(used.clone()).to_string();
        let missing = all.iter().filter(|(name, _)| {
            text.contains(&format!("\"#/$defs/{name}\"")) && !used.contains_key(*name)
        });
        let missing: Vec<_> = missing.map(|(name, it)| (name.clone(), it.clone())).collect();
        if missing.is_empty() {
            return used;
        }
        used.extend(missing);
    }
}

/// Compares a schema with its file; with `UPDATE=1` writes the file.
fn assert_is_file(file: &str, text: &str, schema: &Value) {
    let derived = serde_json::to_string_pretty(schema).expect("JSON") + "\n";
    if std::env::var_os("UPDATE").is_some() {
        let folder = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("src/record/schemas");
        std::fs::write(folder.join(format!("{file}.json")), derived).expect("a file");
    } else {
        assert!(derived == text, "{file}.json is not what the structs say: run with UPDATE=1");
    }
}

fn prepared<T: JsonSchema>() -> Value {
    let mut all = derived::<T>();
    let definitions = all["$defs"].as_object().expect("definitions");
    let words: BTreeMap<_, _> = definitions
        .iter()
        .filter_map(|(name, definition)| Some((format!("#/$defs/{name}"), words(definition)?)))
        .collect();
    inline_words(&mut all, &words);
    let definitions = all["$defs"].as_object().expect("definitions").clone();
    merge_tags(&mut all["$defs"], &definitions);
    tighten(&mut all);
    all
}

#[test]
fn the_schemas_are_those_of_the_structs() {
    let all = prepared::<Record<'_>>();
    for family in &FAMILIES {
        assert_is_file(family.file, family.text, &schema_of(family, &all));
    }
    let mut report = prepared::<ReportDocument<'_>>();
    report["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    report["description"] = "The output of `plansift report --output json`: a row for each plan \
        in the order of the inputs, the totals, and the types, modules and providers with the \
        most changes. An incomplete report is not valid JSON."
        .into();
    assert_is_file("report", REPORT, &report);
    let mut summary = prepared::<SummaryDocument<'_>>();
    summary["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    summary["description"] = "The output of `plansift summary --format json`: the totals of all \
        plans, warnings, losses in the order of their severity, and the actions, types and \
        modules with the most changes."
        .into();
    assert_is_file("summary", SUMMARY, &summary);
}
