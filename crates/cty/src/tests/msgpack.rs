//! Tests of reading MessagePack without a type.

use super::{ErrorKind, bytes, place};
use crate::msgpack::{DEPTH_MAX, Number, Token, Tokens, Value};

#[test]
fn damaged_values_are_errors() {
    for (hex, kind, offset) in [
        ("", ErrorKind::Truncated, 0),
        ("81a161", ErrorKind::Truncated, 3),
        ("c1", ErrorKind::Reserved, 0),
        ("dfffffffff", ErrorKind::Length, 5),
        ("ddffffffff00", ErrorKind::Length, 5),
        ("c6ffffffff00", ErrorKind::Length, 5),
        ("8101c0", ErrorKind::Key, 1),
        ("91cb7ff8000000000000", ErrorKind::NotANumber, 1),
        ("d90568656c", ErrorKind::Length, 2),
    ] {
        let error = Value::read(&bytes(hex)).expect_err(hex);
        assert_eq!(place(&error), (kind, Some(offset)), "{hex}");
    }
}

#[test]
fn depth_is_limited() {
    let mut deep = vec![0x91; DEPTH_MAX];
    deep.push(0xc0);
    assert!(Value::read(&deep).is_ok());
    deep.insert(0, 0x91);
    assert_eq!(Value::read(&deep).expect_err("too deep").kind(), ErrorKind::Depth);
}

#[test]
fn value_views_skip_dynamic_type_prefixes() {
    let bytes = bytes("83a16193d40000c30aa162a178a16392c40622626f6f6c22c301");
    let (value, rest) = Value::read(&bytes).expect("a value");
    assert!(rest == [1] && !value.is_wholly_known() && !value.is_unknown());
    assert_eq!((value.token(), value.declared_type()), (Token::Map(3), None));
    assert_eq!(value.bytes().len(), bytes.len() - 1);
    let mut tokens = Tokens::new(&bytes, 1);
    for (key, expected) in [
        (
            &b"a"[..],
            &[
                Token::Array(3),
                Token::Ext(0, &[0]),
                Token::Bool(true),
                Token::Number(Number::Int(10)),
            ][..],
        ),
        (b"b", &[Token::Str(b"x")]),
        (b"c", &[Token::Bool(true)]),
    ] {
        assert_eq!(tokens.next_key(), Ok(key));
        for token in expected {
            let head = tokens.next_untyped().expect("a token");
            assert_eq!(head.token, *token);
            assert_eq!(head.declared, (key == b"c").then_some(&b"\"bool\""[..]));
        }
    }
    let (typed, _) = Value::read(&bytes[15..]).expect("a dynamic value");
    assert_eq!((typed.token(), typed.declared_type()), (Token::Bool(true), Some(&b"\"bool\""[..])));
}
