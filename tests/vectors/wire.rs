//! The wire format of values: types, MessagePack, JSON and schemas, as go-cty and Terraform have
//! them. The folder's README describes the form of a question and of an answer.
//!
//! An error of go-cty, a panic and the end of its process all call for an error here, whose text
//! may be another.

#[path = "wire/rules.rs"]
mod rules;

use std::path::Path;

use plansift::wire::block::Block;
use plansift::wire::path::Step;
use plansift::wire::schema::Schemas;
use plansift::wire::{
    Error, ErrorKind, Type, Value, from_json, from_msgpack, implied, marked, to_json, to_msgpack,
};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use self::rules::RULES;
use super::{Tally, reference};

/// The files, and what asks a question of each.
/// Asks what a line of a file says.
type Ask = fn(&Json, &Schemas) -> Vec<Asked>;

const FILES: [(&str, Ask); 7] = [
    ("types", types),
    ("msgpack", msgpack),
    ("encode", encode),
    ("json", json_text),
    ("implied", implied_types),
    ("random", random),
    ("blocks", blocks),
];

/// How many differences of a file are shown.
const SHOWN_MAX: usize = 10;

/// The answer of go-cty, and ours.
pub struct Asked {
    theirs: Json,
    ours: Result<Json, ErrorKind>,
}

impl Asked {
    fn new(theirs: &Json, ours: Result<Json, Error>) -> Asked {
        Asked { theirs: theirs.clone(), ours: ours.map_err(|error| error.kind()) }
    }

    fn agrees(&self) -> bool {
        match &self.ours {
            Ok(ours) => *ours == self.theirs,
            Err(_) => self.failed(),
        }
    }

    /// True if go-cty has no answer.
    fn failed(&self) -> bool {
        ["error", "panic", "fatal"].iter().any(|kind| self.theirs.get(kind).is_some())
    }
}

/// Asks all vectors of a folder.
pub fn ask(folder: &Path) -> Tally {
    let schemas = reference::read(&folder.join("blocks-schemas.json")).expect("the schemas");
    let schemas = Schemas::from_json(&schemas).expect("schemas");
    let mut tally = Tally::default();
    let mut used = [0; RULES.len()];
    for (name, questions) in FILES {
        let file = reference::text(&folder.join(name).with_extension("ndjson"));
        let mut shown = 0;
        for line in file.lines() {
            let question = parse(line.as_bytes());
            for asked in questions(&question, &schemas) {
                tally.asked += 1;
                if asked.agrees() {
                    continue;
                }
                tally.differ += 1;
                let rule = RULES.iter().position(|rule| (rule.explains)(&question, &asked));
                if let Some(rule) = rule {
                    tally.listed += 1;
                    used[rule] += 1;
                } else if shown < SHOWN_MAX {
                    shown += 1;
                    show(name, &question, &asked);
                }
            }
        }
    }
    for (rule, count) in RULES.iter().zip(used) {
        println!("{count:6} {}: {}", rule.name, rule.reason);
    }
    tally
}

fn show(name: &str, question: &Json, asked: &Asked) {
    let cut = |text: String| text.chars().take(600).collect::<String>();
    let mut question = question.clone();
    question.as_object_mut().expect("a question").shift_remove("lib");
    println!("{name}: {}", cut(question.to_string()));
    println!("  go-cty: {}", cut(asked.theirs.to_string()));
    println!("  ours:   {}", cut(format!("{:?}", asked.ours.as_ref().map(Json::to_string))));
}

/// Reads JSON of any depth; types and values of the vectors are nested deep.
fn parse(text: &[u8]) -> Json {
    let mut reader = serde_json::Deserializer::from_slice(text);
    reader.disable_recursion_limit();
    Json::deserialize(&mut reader).expect("JSON")
}

fn bytes_of(text: &Json) -> Vec<u8> {
    marked::bytes_of(text.as_str().expect("hexadecimal digits")).expect("hexadecimal digits")
}

/// A text, or `{"hex":...}`.
fn text_of(text: &Json) -> Vec<u8> {
    text.as_str().map_or_else(|| bytes_of(&text["hex"]), |text| text.as_bytes().to_vec())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn type_of(ty: &Json) -> Type {
    Type::parse(ty.to_string().as_bytes()).expect("a type")
}

fn value_of(value: &Json) -> Result<Value, Error> {
    marked::read(value.to_string().as_bytes())
}

fn shown(value: &Value) -> Json {
    let mut text = Vec::new();
    marked::write(value, &mut text);
    json!({ "value": parse(&text) })
}

fn written(text: Vec<u8>) -> Json {
    json!({ "json": String::from_utf8(text).expect("UTF-8") })
}

fn types(question: &Json, _: &Schemas) -> Vec<Asked> {
    let ours = Type::parse(&text_of(&question["text"]));
    let ours = ours.map(|ty| json!({ "canonical": ty.to_string() }));
    let lib = &question["lib"];
    let in_msgpack = lib.get("cty_in_msgpack").unwrap_or(&lib["cty"]);
    let text = text_of(&question["text"]);
    // The type in front of a null that has it.
    let mut wire = vec![0x92, 0xc6];
    wire.extend(u32::try_from(text.len()).expect("a short text").to_be_bytes());
    wire.extend(&text);
    wire.push(0xc0);
    let wire = from_msgpack(&wire, &Type::Dynamic);
    let wire = wire.map(|value| json!({ "canonical": value.ty.to_string() }));
    vec![Asked::new(&lib["cty"], ours), Asked::new(in_msgpack, wire)]
}

fn msgpack(question: &Json, _: &Schemas) -> Vec<Asked> {
    let ours = from_msgpack(&bytes_of(&question["hex"]), &type_of(&question["type"]));
    vec![Asked::new(&question["lib"]["cty"], ours.map(|value| shown(&value)))]
}

fn encode(question: &Json, _: &Schemas) -> Vec<Asked> {
    let ours = value_of(&question["value"])
        .and_then(|value| to_msgpack(&value, &type_of(&question["type"])));
    vec![Asked::new(&question["lib"]["cty"], ours.map(|bytes| json!({ "hex": hex(&bytes) })))]
}

fn json_text(question: &Json, _: &Schemas) -> Vec<Asked> {
    let ty = type_of(&question["type"]);
    let ours = if question["ask"] == "decode" {
        from_json(&text_of(&question["text"]), &ty).map(|value| shown(&value))
    } else {
        value_of(&question["value"]).and_then(|value| to_json(&value, &ty)).map(written)
    };
    vec![Asked::new(&question["lib"]["cty"], ours)]
}

/// The type, and the value that is read under it.
fn implied_types(question: &Json, _: &Schemas) -> Vec<Asked> {
    let theirs = &question["lib"]["cty"];
    let read = |ty: &Type| match question.get("text") {
        Some(text) => from_json(&text_of(text), ty),
        None => from_msgpack(&bytes_of(&question["hex"]), ty),
    };
    let ty = match question.get("text") {
        Some(text) => implied::of_json(&text_of(text)),
        None => implied::of_msgpack(&bytes_of(&question["hex"])),
    };
    let (ty, mut rest) = match ty {
        Ok(ty) => (ty, theirs.clone()),
        // go-cty takes a header that is cut short for a dynamic value, and fails at the value.
        Err(error) => return vec![Asked::new(theirs, Err(error))],
    };
    let their_type = rest.as_object_mut().and_then(|members| members.shift_remove("type"));
    let mut asked = vec![Asked::new(&json!(their_type), Ok(type_json(&ty)))];
    if rest.as_object().is_some_and(|members| !members.is_empty()) {
        asked.push(Asked::new(&rest, read(&ty).map(|value| shown(&value))));
    }
    asked
}

fn type_json(ty: &Type) -> Json {
    parse(ty.to_string().as_bytes())
}

/// What is written, and that read again. Numbers may come back with another precision.
fn random(question: &Json, _: &Schemas) -> Vec<Asked> {
    let ty = type_of(&question["type"]);
    let value = value_of(&question["value"]);
    let wire = value.clone().and_then(|value| to_msgpack(&value, &ty));
    let text = value.and_then(|value| to_json(&value, &ty));
    let back = |name: &str| {
        let same = json!({ "value": question["value"] });
        let back = question.get(name)?;
        Some(without_precision(if *back == "same" { same } else { back.clone() }))
    };
    let shown = |value: Value| without_precision(shown(&value));
    let mut asked = Vec::new();
    if let (Ok(wire), Some(back)) = (&wire, back("msgpack_back")) {
        asked.push(Asked::new(&back, from_msgpack(wire, &ty).map(shown)));
    }
    if let (Ok(text), Some(back)) = (&text, back("json_back")) {
        asked.push(Asked::new(&back, from_json(text, &ty).map(shown)));
    }
    let wire = wire.map(|bytes| json!({ "hex": hex(&bytes) }));
    asked.push(Asked::new(&question["msgpack"], wire));
    asked.push(Asked::new(&question["json"], text.map(written)));
    asked
}

fn without_precision(mut value: Json) -> Json {
    let mut left = vec![&mut value];
    while let Some(next) = left.pop() {
        match next {
            Json::Object(members) => {
                members.shift_remove("prec");
                left.extend(members.values_mut());
            }
            Json::Array(elements) => left.extend(elements),
            _ => {}
        }
    }
    value
}

fn blocks(question: &Json, schemas: &Schemas) -> Vec<Asked> {
    let name = question["schema"].as_str().expect("a name");
    let schema = schemas.providers.values().find_map(|provider| provider.resources.get(name));
    let block = &schema.expect("a schema").block;
    let theirs = &question["lib"]["cty"];
    let ty = block.implied_type();
    match question["ask"].as_str() {
        Some("type") => vec![Asked::new(theirs, Ok(json!({ "type": type_json(&ty) })))],
        Some("msgpack") => {
            let value = from_msgpack(&bytes_of(&question["msgpack"]), &ty);
            vec![Asked::new(theirs, value.map(|value| shown(&value)))]
        }
        Some("json") => {
            let value = from_json(&text_of(&question["json"]), &ty);
            vec![Asked::new(theirs, value.map(|value| shown(&value)))]
        }
        Some("sensitive") => vec![sensitive(question, block, &ty)],
        Some("config") => configured(&question["lib"]["hcldec"], block, &ty),
        _ => panic!("a question of another kind: {question}"),
    }
}

/// The sensitive paths, in any order.
fn sensitive(question: &Json, block: &Block, ty: &Type) -> Asked {
    let sorted = |mut paths: Vec<Json>| {
        paths.sort_by_key(Json::to_string);
        json!({ "paths": paths })
    };
    let mut theirs = question["lib"]["rule"].clone();
    if let Some(paths) = theirs.get_mut("paths") {
        theirs = sorted(paths.as_array().expect("paths").clone());
    }
    let value = from_msgpack(&bytes_of(&question["msgpack"]), ty);
    let ours = value.map(|value| {
        let paths = block.sensitive_paths(&value);
        sorted(paths.iter().map(|path| path.iter().map(step).collect()).collect())
    });
    Asked::new(&theirs, ours)
}

fn step(step: &Step<'_>) -> Json {
    match step {
        Step::Name(name) | Step::Key(name) => json!(String::from_utf8_lossy(name)),
        Step::Index(index) => json!(index),
        Step::Element(_) | Step::Every => panic!("the steps of a schema: {step:?}"),
    }
}

/// What a configuration that was accepted becomes. Its blocks are not too few, nor too many.
fn configured(theirs: &Json, block: &Block, ty: &Type) -> Vec<Asked> {
    let Some(value) = theirs.get("value") else {
        return Vec::new();
    };
    let value = value_of(value).expect("a value");
    let wire = to_msgpack(&value, ty).map(|bytes| json!(hex(&bytes)));
    let counts = json!(block.wrong_counts(&value).len());
    let mut asked = vec![Asked::new(&theirs["msgpack"], wire), Asked::new(&json!(0), Ok(counts))];
    if let Some(text) = theirs.get("json") {
        let ours = to_json(&value, ty).map(written);
        asked.push(Asked::new(&json!({ "json": text }), ours));
    }
    asked
}
