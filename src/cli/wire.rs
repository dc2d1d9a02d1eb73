//! `plansift wire`: converts values between JSON and the format that tools and providers exchange.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use base64::Engine as _;

use super::args::{
    Bytes, Decode, Encode, Spelling, TypeArgs, Wire, WireCheck, WireCommand, WireForm,
};
use super::ending::write_last;
use super::exit::Exit;
use super::messages::{fail_named, say, usage};
use plansift_core::error::Error;
use plansift_core::limits::{Limit, Limits};
use plansift_core::nearest::nearest;
use plansift_cty::block::Block;
use plansift_cty::msgpack::Tokens;
use plansift_cty::path::{Path as ValuePath, Step};
use plansift_cty::schema::{Provider, Schema, Schemas};
use plansift_cty::{
    self as wire, Type, Value, from_json, from_msgpack, implied, marked, to_json, to_msgpack,
};
use plansift_planfile as planfile;

pub fn run(arguments: &Wire) -> Result<Exit, Exit> {
    match &arguments.command {
        WireCommand::Decode(decode) => self::decode(decode),
        WireCommand::Encode(encode) => self::encode(encode),
        WireCommand::Check(check) => self::check(check),
    }
}

/// A type, and the schema block that implies it, if any.
struct TypeWithBlock {
    ty: Type,
    block: Option<Block>,
}

fn decode(arguments: &Decode) -> Result<Exit, Exit> {
    let bytes = bytes(&arguments.bytes)?;
    let (known, value) = value(&arguments.bytes, &bytes, &arguments.under)?;
    let hidden = match &known.block {
        Some(block) if !arguments.show_sensitive => block.sensitive_paths(&value),
        _ => Vec::new(),
    };
    let mut text = Vec::new();
    marked::write_hiding(&value, &hidden, &mut text);
    text.push(b'\n');
    write(arguments.output.as_deref(), &text)
}

fn encode(arguments: &Encode) -> Result<Exit, Exit> {
    let (name, text) = read(arguments.input.as_deref())?;
    let value = marked::read(&text).map_err(|error| refuse(&name, error))?;
    let known = known(&arguments.under)?;
    let ty = known.map_or_else(|| value.ty.clone(), |known| known.ty);
    let bytes = encoded(arguments.form, &value, &ty).map_err(|error| refuse(&name, error))?;
    let text = match (arguments.form, arguments.spelling.unwrap_or(Spelling::Hex)) {
        (WireForm::Json, _) if arguments.spelling.is_some() => {
            let text = "--as is about MessagePack, and --form json writes text: leave one of them \
                        out";
            return Err(usage(text));
        }
        (WireForm::Json, _) => [&bytes, &b"\n"[..]].concat(),
        (_, Spelling::Raw) => bytes,
        (_, Spelling::Hex) => {
            let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
            digits.chain(["\n".to_owned()]).collect::<String>().into_bytes()
        }
        (_, Spelling::Base64) => {
            let text = base64::engine::general_purpose::STANDARD.encode(&bytes);
            format!("{text}\n").into_bytes()
        }
    };
    write(arguments.output.as_deref(), &text)
}

fn check(arguments: &WireCheck) -> Result<Exit, Exit> {
    let (form, bytes) = (arguments.bytes.form, bytes(&arguments.bytes)?);
    let (known, value) = value(&arguments.bytes, &bytes, &arguments.under)?;
    check_end(form, &bytes).map_err(|error| refuse(&name(&arguments.bytes), error))?;
    let again = encoded(form, &value, &known.ty);
    let again = again.map_err(|error| refuse(&name(&arguments.bytes), error))?;
    let wrong = known.block.map(|block| block.wrong_counts(&value)).unwrap_or_default();
    for count in &wrong {
        let bound = match count.found < count.min_items {
            true => format!("at least {}", count.min_items),
            false => format!("at most {}", count.max_items),
        };
        say(&format!("{}: expected {bound} blocks, found {}", path(&count.path), count.found));
    }
    if !wrong.is_empty() {
        return Err(Exit::Failed);
    }
    let form = if form == WireForm::Msgpack { "MessagePack" } else { "JSON" };
    let spelled = if again == bytes { "as the tools write it" } else { "spelled another way" };
    write(None, format!("{} bytes of {form}, {spelled}\n", bytes.len()).as_bytes())
}

fn encoded(form: WireForm, value: &Value, ty: &Type) -> Result<Vec<u8>, wire::Error> {
    match form {
        WireForm::Msgpack => to_msgpack(value, ty),
        WireForm::Json => to_json(value, ty),
    }
}

/// Fails if bytes follow the value. Terraform and OpenTofu ignore such bytes.
fn check_end(form: WireForm, bytes: &[u8]) -> Result<(), wire::Error> {
    let trailing = match form {
        WireForm::Msgpack => {
            let mut tokens = Tokens::new(bytes, 0);
            tokens.skip()?;
            (tokens.rest() > 0)
                .then(|| wire::Error::new(wire::ErrorKind::Trailing, tokens.offset()))
        }
        WireForm::Json => {
            implied::of_json(bytes).err().filter(|error| error.kind() == wire::ErrorKind::Trailing)
        }
    };
    trailing.map_or(Ok(()), Err)
}

/// Returns a path as Terraform and OpenTofu show it.
fn path(path: &ValuePath) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Name(name) if text.is_empty() => text += &String::from_utf8_lossy(name),
            Step::Name(name) => text += &format!(".{}", String::from_utf8_lossy(name)),
            Step::Key(key) => text += &format!("[{:?}]", String::from_utf8_lossy(key)),
            Step::Index(index) => text += &format!("[{index}]"),
            Step::Element(_) | Step::Every => text += "[*]",
        }
    }
    text
}

fn value(
    arguments: &Bytes,
    bytes: &[u8],
    under: &TypeArgs,
) -> Result<(TypeWithBlock, Value), Exit> {
    let refused = |error| refuse(&name(arguments), error);
    let implied = || match arguments.form {
        WireForm::Msgpack => implied::of_msgpack(bytes),
        WireForm::Json => implied::of_json(bytes),
    };
    let known = match known(under)? {
        Some(known) => known,
        None => TypeWithBlock { ty: implied().map_err(refused)?, block: None },
    };
    let value = match arguments.form {
        WireForm::Msgpack => from_msgpack(bytes, &known.ty),
        WireForm::Json => from_json(bytes, &known.ty),
    };
    Ok((known, value.map_err(refused)?))
}

/// Returns the type that the arguments name; `None` if they name none.
fn known(under: &TypeArgs) -> Result<Option<TypeWithBlock>, Exit> {
    if let Some(ty) = &under.ty {
        return Ok(Some(TypeWithBlock { ty: ty.clone(), block: None }));
    }
    let (Some(file), Some(resource)) = (&under.schema, &under.resource) else {
        return Ok(None);
    };
    let (name, text) = read(Some(file))?;
    let schemas = Schemas::from_json(&text).map_err(|error| refuse(&name, error))?;
    let schema = find(&schemas, resource, under.provider.as_deref()).map_err(|why| {
        say(&format!("{name}: {why}"));
        Exit::Failed
    })?;
    let ty = schema.block.implied_type();
    Ok(Some(TypeWithBlock { ty, block: Some(schema.block.clone()) }))
}

/// Returns the schema of a resource type, or the reason why none was found.
fn find<'a>(
    schemas: &'a Schemas,
    resource: &str,
    provider: Option<&str>,
) -> Result<&'a Schema, String> {
    let providers = schemas.providers.iter();
    let named = providers.filter(|(address, _)| provider.is_none_or(|name| name == *address));
    let source = resource.strip_prefix("data.");
    let types = |provider: &'a Provider| match source {
        Some(_) => &provider.data_sources,
        None => &provider.resources,
    };
    let ty = source.unwrap_or(resource);
    let mut found = named.clone().filter_map(|(_, provider)| types(provider).get(ty));
    match (found.next(), found.next()) {
        (Some(schema), None) => Ok(schema),
        (Some(_), Some(_)) => {
            Err("several providers have this type: name one with --provider".to_owned())
        }
        (None, _) => {
            let known = named.flat_map(|(_, provider)| types(provider).keys());
            let near = nearest(ty, known.map(String::as_str));
            let prefix = if source.is_some() { "data." } else { "" };
            let meant = near.map(|near| format!(": did you mean {prefix}{near}?"));
            Err(format!("no provider of this file has this type{}", meant.unwrap_or_default()))
        }
    }
}

fn name(arguments: &Bytes) -> String {
    match (&arguments.hex, &arguments.base64, &arguments.input) {
        (Some(_), ..) => "--hex".to_owned(),
        (_, Some(_), _) => "--base64".to_owned(),
        (.., input) => input.as_ref().map_or("-".into(), |path| path.display().to_string()),
    }
}

fn bytes(arguments: &Bytes) -> Result<Vec<u8>, Exit> {
    if let Some(literal) = arguments.hex.as_ref().or(arguments.base64.as_ref()) {
        return Ok(literal.0.clone());
    }
    let (name, bytes) = read(arguments.input.as_deref())?;
    let text = if bytes.starts_with(planfile::MAGIC) {
        "this is a plan file or another zip archive: run `plansift show` to print the plan in a \
         plan file as JSON"
    } else if arguments.form == WireForm::Msgpack && is_json(&bytes) {
        "this is JSON, not MessagePack: add --form json for one value. The other commands read the \
         JSON of plans and states"
    } else {
        return Ok(bytes);
    };
    say(&format!("{name}: {text}"));
    Err(Exit::Failed)
}

/// Whether bytes look like a JSON object or array. MessagePack cannot start with an opening
/// bracket, unless the value is that one byte.
fn is_json(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii();
    let ends = (text.first(), text.last());
    matches!(ends, (Some(b'{'), Some(b'}')) | (Some(b'['), Some(b']')))
}

/// Reads a whole file, or standard input. Fails if the input is longer than the default of
/// [`Limits::change`].
fn read(path: Option<&Path>) -> Result<(String, Vec<u8>), Exit> {
    let max = Limits::default().change;
    let path = path.filter(|path| *path != Path::new("-"));
    let name = path.map_or("-".to_owned(), |path| path.display().to_string());
    let mut bytes = Vec::new();
    let read = match path {
        Some(path) => File::open(path).and_then(|file| file.take(max + 1).read_to_end(&mut bytes)),
        None => io::stdin().lock().take(max + 1).read_to_end(&mut bytes),
    };
    let error = match read {
        Err(error) => Error::read(error),
        Ok(len) if len as u64 > max => Error::limit(Limit::Change, max, max),
        Ok(_) => return Ok((name, bytes)),
    };
    Err(fail_named(&name, &error))
}

/// Prints an error of an input, and returns the exit code.
fn refuse(name: &str, error: wire::Error) -> Exit {
    let error = match error.offset() {
        Some(offset) => Error::at(error.kind(), offset as u64),
        None => Error::new(error.kind()),
    };
    fail_named(name, &error)
}

fn write(path: Option<&Path>, text: &[u8]) -> Result<Exit, Exit> {
    write_last(path, text, 0).map(|()| Exit::Done)
}
