//! Where our answers differ from go-cty's on purpose, by rule.

use plansift::wire::ErrorKind;
use plansift::wire::msgpack::{Number, Token, Tokens};
use serde_json::Value as Json;

use super::{Asked, bytes_of};

/// A rule, and why it is right.
pub struct Rule {
    pub name: &'static str,
    pub reason: &'static str,
    pub explains: fn(&Json, &Asked) -> bool,
}

pub const RULES: [Rule; 5] = [
    Rule {
        name: "another extension",
        reason: "the protocol says that every extension is an unknown value; go-cty refuses codes \
                 other than 12 with more than one byte",
        explains: another_extension,
    },
    Rule {
        name: "a key of a map that is no string",
        reason: "go-cty drops the error, takes the key as empty and reads on inside the key",
        explains: key,
    },
    Rule {
        name: "an attribute twice",
        reason: "go-cty makes an object that lacks another attribute, which has no such type",
        explains: attribute_twice,
    },
    Rule {
        name: "a refinement that is not known",
        reason: "go-cty does not skip its value, and reads it as the next key",
        explains: unknown_refinement,
    },
    Rule {
        name: "a limit",
        reason: "depth, the digits of a number and the elements that few bytes stand for are \
                 limited, so that small inputs cost little",
        explains: limit,
    },
];

fn another_extension(_: &Json, asked: &Asked) -> bool {
    let error = asked.theirs["error"].as_str().unwrap_or_default();
    asked.ours.is_ok() && error.starts_with("unsupported extension type")
}

fn key(question: &Json, asked: &Asked) -> bool {
    let is_map = question["type"][0] == "map";
    let is_refused = matches!(asked.ours, Err(ErrorKind::Key | ErrorKind::Reserved));
    is_map && is_refused && !asked.failed()
}

fn attribute_twice(question: &Json, asked: &Asked) -> bool {
    if asked.ours != Err(ErrorKind::Attribute) || asked.failed() || question["hex"].is_null() {
        return false;
    }
    let bytes = bytes_of(&question["hex"]);
    let mut tokens = Tokens::new(&bytes, 0);
    let Ok(Token::Map(len)) = tokens.next_token() else {
        return false;
    };
    let keys: Result<Vec<_>, _> =
        (0..len).map(|_| tokens.next_key().and_then(|key| tokens.skip().map(|()| key))).collect();
    let mut keys = keys.unwrap_or_default();
    keys.sort_unstable();
    keys.windows(2).any(|pair| pair[0] == pair[1])
}

fn unknown_refinement(question: &Json, _: &Asked) -> bool {
    if question["hex"].is_null() {
        return false;
    }
    let bytes = bytes_of(&question["hex"]);
    let Ok(Token::Ext(12, data)) = Tokens::new(&bytes, 0).next_token() else {
        return false;
    };
    // The map may end early, so its header is no token.
    let mut tokens = Tokens::new(data, 1);
    let len = data.first().filter(|code| **code & 0xf0 == 0x80).map_or(0, |code| code & 0x0f);
    for _ in 0..len {
        match tokens.next_token() {
            Ok(Token::Number(Number::Int(1..=6) | Number::Uint(1..=6))) => {}
            Ok(Token::Number(_) | Token::Nil) => return true,
            _ => return false,
        }
        if tokens.skip().is_err() {
            return false;
        }
    }
    false
}

fn limit(_: &Json, asked: &Asked) -> bool {
    matches!(asked.ours, Err(ErrorKind::Depth | ErrorKind::Digits | ErrorKind::Expansion))
}
