//! The JSON syntax of configurations, as HCL and Terraform read it, and the blocks of changes. The
//! folder's README describes the form of a question and of an answer.
//!
//! A document asks three questions of HCL: its blocks, its diagnostics, and what its templates
//! evaluate to without variables. It asks two questions of each tool: the objects that the tool
//! loads from the file, and whether the tool reports each error of ours.

#[path = "config/forms.rs"]
mod forms;
#[path = "config/loaded.rs"]
mod loaded;
#[path = "config/rules.rs"]
mod rules;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use plansift::blocks::{Configuration, Folder, SourceBlock};
use plansift::hcl::argument::{ArgumentValue, Source};
use plansift::hcl::block::{Attribute, Block};
use plansift::hcl::body;
use plansift::hcl::diagnostic::{Diagnostic, Diagnostics};
use plansift::hcl::expression;
use plansift::hcl::json::{Document, Index, Kind};
use plansift::hcl::position::Range;
use plansift::hcl::template::{self, Template, TemplatePart};
use plansift::hcl::terraform;
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use unicode_normalization::UnicodeNormalization;

use self::rules::RULES;
use super::{Tally, reference};

/// The name of each document in the texts of its diagnostics.
const FILE: &str = "main.tf.json";

/// How many differences are shown.
const SHOWN_MAX: usize = 40;

/// What is asked about a document, the answer of HCL, and ours.
pub struct Asked {
    pub about: &'static str,
    pub theirs: Json,
    pub ours: Json,
}

/// Asks all vectors of a folder.
pub fn ask(folder: &Path) -> Tally {
    let mut tally = Tally::default();
    let mut used = [0; RULES.len()];
    let mut shown = 0;
    let file = reference::text(&folder.join("hcl-json.ndjson"));
    for line in file.lines() {
        let question = parse(line);
        for asked in document(&question) {
            tally.asked += 1;
            if asked.theirs == asked.ours {
                continue;
            }
            tally.differ += 1;
            let rule = RULES.iter().position(|rule| (rule.explains)(&question, &asked));
            if let Some(rule) = rule {
                tally.listed += 1;
                used[rule] += 1;
            } else if shown < SHOWN_MAX {
                shown += 1;
                show(&question, &asked);
            }
        }
    }
    joins(folder, &mut tally);
    for (rule, count) in RULES.iter().zip(used) {
        println!("{count:6} {}: {}", rule.name, rule.reason);
    }
    tally
}

/// Parses a question. Its document can be nested deep.
fn parse(line: &str) -> Json {
    let mut parser = serde_json::Deserializer::from_str(line);
    parser.disable_recursion_limit();
    Json::deserialize(&mut parser).expect("JSON")
}

/// Asks for the block of each change, from the sources of its plan.
fn joins(folder: &Path, tally: &mut Tally) {
    let file = reference::text(&folder.join("join.ndjson"));
    let mut read: HashMap<PathBuf, Configuration> = HashMap::new();
    let mut shown = 0;
    for line in file.lines() {
        let question: Json = serde_json::from_str(line).expect("JSON");
        let plan = folder.join("plans").join(question["plan"].as_str().expect("a plan"));
        let sources = plan.parent().expect("a folder").to_owned();
        let configuration = read.entry(sources.clone()).or_insert_with(|| {
            Configuration::read(&Folder::new(&sources)).expect("a configuration")
        });
        let address = question["address"].as_str().expect("an address");
        let found = configuration.find(address);
        // The native-syntax copies of the sources are read as well, but have no locations.
        let has_block = json!(!question["config_address"].is_null());
        let asked = match (&question["source"], &found) {
            (Json::Null, _) => (has_block, json!(found.is_some())),
            (source, Some(found)) => (source.clone(), place(found.block)),
            (source, None) => (source.clone(), Json::Null),
        };
        tally.asked += 1;
        if asked.0 == asked.1 {
            continue;
        }
        tally.differ += 1;
        if shown < SHOWN_MAX {
            shown += 1;
            println!("{line}\n  theirs: {}\n  ours:   {}", asked.0, asked.1);
        }
    }
}

fn place(block: &SourceBlock) -> Json {
    let at = block.definition.range.start;
    let name = block.name.start;
    let mut json = json!({
        "file": block.definition.file.as_ref(),
        "line": at.line,
        "column": at.column,
        "byte": at.byte,
        "label": [name.line, name.column, name.byte],
    });
    if !block.overrides.is_empty() {
        let files = block.overrides.iter().map(|place| place.file.as_ref());
        json["overridden_in"] = files.collect::<Vec<_>>().into();
    }
    json
}

fn show(question: &Json, asked: &Asked) {
    let cut = |json: &Json| json.to_string().chars().take(1500).collect::<String>();
    println!("{} {}: {}", question["id"], asked.about, cut(&question["input"]));
    println!("  hcl:  {}", cut(&asked.theirs));
    println!("  ours: {}", cut(&asked.ours));
}

fn document(question: &Json) -> Vec<Asked> {
    let input = match question["input"].as_str() {
        Some(input) => input.as_bytes().to_vec(),
        None => STANDARD.decode(question["input_base64"].as_str().expect("input")).expect("base64"),
    };
    let (document, mut diagnostics) = Document::parse(&input).expect("a small document");
    let blocks = body::read(&document, &terraform::ROOT, FILE, &mut diagnostics);
    let loaded = loaded::ask(question, &input, &document, &blocks);
    let answer = Answer { source: Source { document: &document, file: FILE } };
    let blocks = Json::from(
        blocks.iter().map(|one| answer.block(one, &mut diagnostics)).collect::<Vec<_>>(),
    );
    let mut theirs = question["blocks"].clone();
    let mut ours = blocks;
    let evaluated = |json: &mut Json| {
        let mut found = Vec::new();
        take(json, "evaluated", &mut found);
        Json::from(found)
    };
    let their_values = evaluated(&mut theirs);
    let our_values = evaluated(&mut ours);
    let diagnostics = diagnostics.list().iter().map(diagnostic).collect::<Vec<_>>();
    let asked = [
        Asked { about: "blocks", theirs: normal(theirs), ours: normal(ours) },
        Asked {
            about: "diagnostics",
            theirs: sorted(question["diagnostics"].clone()),
            ours: sorted(Json::from(diagnostics)),
        },
        Asked { about: "evaluated", theirs: their_values, ours: our_values },
    ];
    asked.into_iter().chain(loaded).collect()
}

/// Takes the members of a name out of a tree.
fn take(json: &mut Json, name: &str, found: &mut Vec<Json>) {
    match json {
        Json::Array(elements) => elements.iter_mut().for_each(|json| take(json, name, found)),
        Json::Object(members) => {
            found.extend(members.shift_remove(name));
            members.values_mut().for_each(|json| take(json, name, found));
        }
        _ => {}
    }
}

/// The diagnostics without repetitions, by place.
fn sorted(mut list: Json) -> Json {
    let list = list.as_array_mut().expect("a list");
    for diagnostic in list.iter_mut() {
        diagnostic.as_object_mut().expect("a diagnostic").shift_remove("from");
    }
    list.sort_by_key(Json::to_string);
    list.dedup();
    Json::from(std::mem::take(list))
}

/// A tree whose numbers are written in one way.
fn normal(json: Json) -> Json {
    match json {
        Json::Number(number) => Json::String(format!("number {}", decimal(&number.to_string()))),
        Json::Array(elements) => elements.into_iter().map(normal).collect(),
        Json::Object(members) => {
            let mut members: Vec<_> = members.into_iter().collect();
            members.sort_by(|left, right| left.0.cmp(&right.0));
            members
                .into_iter()
                .map(|(name, json)| (name, normal(json)))
                .collect::<Map<_, _>>()
                .into()
        }
        json => json,
    }
}

/// A number as its digits and exponent, with 150 digits: HCL rounds to 512 bits.
fn decimal(text: &str) -> String {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let negative = mantissa.starts_with('-');
    let mantissa = mantissa.trim_start_matches('-');
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits = format!("{whole}{fraction}");
    let mut exponent = exponent.parse::<i64>().expect("an exponent") - fraction.len() as i64;
    digits = digits.trim_start_matches('0').to_owned();
    if digits.len() > 150 {
        exponent += digits.len() as i64 - 150;
        let up = digits.as_bytes()[150] >= b'5';
        digits.truncate(150);
        let kept = digits.trim_end_matches('9').len();
        if up {
            exponent += digits.len() as i64 - kept as i64;
            digits.truncate(kept);
            let last = digits.pop().map_or(1, |last| last.to_digit(10).expect("a digit") + 1);
            digits.push_str(&last.to_string());
        }
    }
    let kept = digits.trim_end_matches('0').len();
    exponent += digits.len() as i64 - kept as i64;
    digits.truncate(kept);
    let exponent = if digits.is_empty() { 0 } else { exponent };
    format!("{}{digits}e{exponent}", if negative { "-" } else { "" })
}

fn range(range: Range) -> Json {
    let Range { start, end } = range;
    json!([start.line, start.column, start.byte, end.line, end.column, end.byte])
}

fn diagnostic(diagnostic: &Diagnostic) -> Json {
    let mut json = json!({
        "severity": diagnostic.severity.word(),
        "summary": diagnostic.summary,
        "detail": diagnostic.detail,
        "range": range(diagnostic.range),
    });
    if let Some(context) = diagnostic.context {
        json["context"] = range(context);
    }
    json
}

struct Answer<'a> {
    source: Source<'a>,
}

impl Answer<'_> {
    fn block(&self, block: &Block<Index>, diagnostics: &mut Diagnostics) -> Json {
        let labels: Vec<_> = block.labels.iter().map(|label| label.text.as_ref()).collect();
        let label_ranges: Vec<_> = block.labels.iter().map(|label| range(label.range)).collect();
        let attributes = block.attributes.iter().map(|one| self.attribute(one, diagnostics));
        let attributes: Vec<_> = attributes.collect();
        let blocks: Vec<_> = block.blocks.iter().map(|one| self.block(one, diagnostics)).collect();
        json!({
            "type": block.kind,
            "labels": labels,
            "def_range": range(block.definition),
            "type_range": range(block.kind_range),
            "label_ranges": label_ranges,
            "attributes": attributes,
            "blocks": blocks,
        })
    }

    fn attribute(&self, attribute: &Attribute<Index>, diagnostics: &mut Diagnostics) -> Json {
        let index = attribute.value;
        let node = self.source.document.get(index).expect("a value");
        let mut json = json!({
            "name": attribute.name,
            "range": range(attribute.range),
            "name_range": range(attribute.name_range),
            "kind": kind(&node.kind),
        });
        for fault in self.source.duplicates(index) {
            diagnostics.push(fault);
        }
        if let Some(value) = self.value(index) {
            json["value"] = value;
        }
        if let Kind::String(text) = &node.kind {
            match self.source.template(text, node.range) {
                Ok(parsed) => {
                    json["kind"] = json!(form(&parsed));
                    if forms::literal(&parsed) != Some(text) {
                        json["template"] = parts(&parsed);
                    }
                }
                Err(faults) => {
                    json["kind"] = json!("broken template");
                    faults.into_iter().for_each(|fault| diagnostics.push(fault));
                }
            }
        }
        if let Some(value) = self.evaluated(index)
            && json.get("value").is_some_and(|verbatim| *verbatim != value)
        {
            json["evaluated"] = value;
        }
        json["references"] = json!(self.source.references(index));
        let (read, faults) = self.source.read(attribute);
        faults.into_iter().for_each(|fault| diagnostics.push(fault));
        if let Some(read) = read.and_then(argument) {
            json["read"] = read;
        }
        if attribute.rest {
            json["rest"] = json!(true);
        }
        json
    }

    /// The value with strings as they are, unless a part of it cannot be read.
    fn value(&self, index: Index) -> Option<Json> {
        self.value_with(index, &|text| Some(json!(text.nfc().collect::<String>())))
    }

    /// The value with its templates evaluated, if none has a variable or function.
    fn evaluated(&self, index: Index) -> Option<Json> {
        self.value_with(index, &|text| {
            let position = plansift::hcl::position::Position::START;
            let parsed = template::parse(text, position, FILE).ok()?;
            match forms::wrapped(&parsed) {
                Some(inner) => {
                    forms::constant(inner).and_then(|text| serde_json::from_str(&text).ok())
                }
                None => Some(json!(forms::literal(&parsed)?.nfc().collect::<String>())),
            }
        })
    }

    fn value_with(&self, index: Index, string: &dyn Fn(&str) -> Option<Json>) -> Option<Json> {
        let document = self.source.document;
        let node = document.get(index)?;
        Some(match &node.kind {
            Kind::Null => Json::Null,
            Kind::Bool(value) => json!(value),
            Kind::Number(text) => {
                let exponent = text.split_once(['e', 'E']).map(|(_, exponent)| exponent);
                let exponent = exponent.map_or(Ok(0), str::parse::<i64>);
                // HCL makes infinity of larger ones.
                exponent.ok().filter(|exponent| *exponent < 600_000_000)?;
                serde_json::from_str(text).expect("a number")
            }
            Kind::String(text) => string(text)?,
            Kind::Array => document
                .inside(index)
                .map(|(index, _)| self.value_with(index, string))
                .collect::<Option<Vec<_>>>()?
                .into(),
            Kind::Object => {
                let mut members = Map::new();
                for (index, node) in document.inside(index) {
                    let value = self.value_with(index, string)?;
                    let name = match string(node.name())? {
                        Json::String(name) => name,
                        Json::Null => return None,
                        other => other.to_string(),
                    };
                    members.entry(name).or_insert(value);
                }
                members.into()
            }
            Kind::Invalid => return None,
        })
    }
}

fn kind(kind: &Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool(_) => "bool",
        Kind::Number(_) => "number",
        Kind::String(_) => "string",
        Kind::Array => "array",
        Kind::Object => "object",
        Kind::Invalid => "invalid",
    }
}

fn form(template: &Template) -> &'static str {
    match template {
        template if forms::literal(template).is_some() => "string",
        template if forms::wrapped(template).is_some() => "interpolation",
        _ => "template",
    }
}

fn parts(template: &Template) -> Json {
    let form = if forms::wrapped(template).is_some() { "wrap" } else { "template" };
    let parts: Vec<_> = template.parts.iter().map(part).collect();
    json!({ "form": form, "parts": parts })
}

fn part(part: &TemplatePart) -> Json {
    let inner = match part {
        TemplatePart::Literal(text) => return json!({ "literal": text }),
        TemplatePart::Directive { form, references } => {
            return json!({ "expression": form, "references": references });
        }
        TemplatePart::Interpolation(inner) => inner,
    };
    if let Some(constant) = forms::literal_value(inner) {
        return json!({ "literal": constant });
    }
    let references = expression::references(inner);
    if let Some(reference) = expression::reference(inner) {
        return json!({ "traversal": reference });
    }
    if let Some(text) = forms::quoted_text(inner) {
        return json!({ "quoted": text });
    }
    if let Some(call) = inner.as_func_call() {
        return json!({ "call": expression::function_name(call), "references": references });
    }
    json!({ "expression": forms::form(inner), "references": references })
}

fn argument(read: ArgumentValue) -> Option<Json> {
    let expression = |read: &Option<(String, Vec<String>)>| match read {
        Some((text, references)) => json!({ "expression": text, "references": references }),
        None => Json::Null,
    };
    Some(match read {
        ArgumentValue::Reference(reference) => json!(reference?),
        ArgumentValue::References(references) => json!(references),
        ArgumentValue::All => json!("all"),
        ArgumentValue::Keyword(word) => json!(word),
        ArgumentValue::Keywords(words) => json!(words),
        ArgumentValue::Expression(read) => {
            read.as_ref()?;
            expression(&read)
        }
        ArgumentValue::Expressions(all) => all.iter().map(expression).collect(),
        ArgumentValue::Type(cty, has_defaults) => {
            let cty: Json = serde_json::from_str(&cty).expect("a type");
            if has_defaults { json!({ "defaults": true, "type": cty }) } else { cty }
        }
        ArgumentValue::Providers(pairs) => json!(pairs),
    })
}
