//! Sets, with the equality and the order of elements as in go-cty.
//!
//! MessagePack and JSON list the elements in this order: strings, numbers and booleans by value,
//! other elements by the text that go-cty hashes. Unknown elements follow, and null is last.
//! Elements of equal rank are ordered by the checksum of the text, then as in the input.

use std::cmp::Ordering;
use std::collections::HashSet;

use super::error::ErrorKind;
use super::number::Number;
use super::text::{checksum, quote};
use super::types::Type;
use super::value::{Data, Value, unify};
use super::walk::{Event, Walk};

/// An element, the text that go-cty hashes for it, and the checksum of the text.
struct Ranked {
    checksum: u32,
    text: Vec<u8>,
    data: Data,
}

impl Value {
    /// Makes a set: merges equal elements, and sorts the others in go-cty's order. Fails if
    /// elements have different types.
    pub fn set(values: Vec<Value>, element: &Type) -> Result<Value, ErrorKind> {
        let (element, data) = unify(values, element)?;
        let data = from_elements(data, &element);
        Ok(Value { ty: Type::set(element), data: Data::List(data) })
    }
}

/// Merges equal elements and sorts the others. Elements with unknown parts are never merged.
pub fn from_elements(elements: Vec<Data>, element: &Type) -> Vec<Data> {
    let mut seen = HashSet::new();
    let mut ranked: Vec<Ranked> = Vec::with_capacity(elements.len());
    for data in elements {
        let (mut text, mut exact) = (Vec::new(), Vec::new());
        write_text(&data, element, Number::to_general, &mut text);
        let is_known = write_text(&data, element, Number::to_exact, &mut exact);
        // Elements with different texts are different, even zero and negative zero.
        if !is_known || seen.insert((text.clone(), exact)) {
            ranked.push(Ranked { checksum: checksum(&text), text, data });
        }
    }
    ranked.sort_by_key(|ranked| ranked.checksum);
    ranked.sort_by(|left, right| compare(left, right, element));
    ranked.into_iter().map(|ranked| ranked.data).collect()
}

fn compare(left: &Ranked, right: &Ranked, element: &Type) -> Ordering {
    let rank = |data: &Data| match data {
        Data::Null => 2,
        Data::Unknown(_) => 1,
        _ => 0,
    };
    let ranks = rank(&left.data).cmp(&rank(&right.data));
    ranks.then_with(|| match (&left.data, &right.data) {
        (Data::Null | Data::Unknown(_), _) => Ordering::Equal,
        (Data::String(left), Data::String(right)) if *element == Type::String => left.cmp(right),
        (Data::Bool(left), Data::Bool(right)) => left.cmp(right),
        (Data::Number(left), Data::Number(right)) => left.compare(right),
        _ => left.text.cmp(&right.text),
    })
}

/// Appends the text that go-cty hashes for a value. `number` formats each number. Returns whether
/// the whole value is known.
fn write_text(data: &Data, ty: &Type, number: fn(&Number) -> String, out: &mut Vec<u8>) -> bool {
    let mut is_known = true;
    for event in Walk::of_data(data, ty) {
        match event {
            Event::Begin(_, own) => out.push(brackets(own).0),
            Event::Part { index, key, of } => {
                if index > 0 {
                    out.push(b';');
                }
                if let (Some(key), Type::Map(_)) = (key, of) {
                    out.extend_from_slice(quote(key).as_bytes());
                    out.push(b':');
                }
            }
            Event::End(data, own) => {
                if !matches!(data, Data::List(parts) if parts.is_empty())
                    && !matches!(data, Data::Map(parts) if parts.is_empty())
                {
                    out.push(b';');
                }
                out.push(brackets(own).1);
            }
            Event::Leaf(data, _) => {
                is_known &= !matches!(data, Data::Unknown(_));
                write_leaf(data, number, out);
            }
            Event::BeginTyped(_) | Event::EndTyped(_) => {}
        }
    }
    is_known
}

fn brackets(ty: &Type) -> (u8, u8) {
    match ty {
        Type::Tuple(_) | Type::Object(_) => (b'<', b'>'),
        Type::Map(_) => (b'{', b'}'),
        _ => (b'[', b']'),
    }
}

fn write_leaf(data: &Data, number: fn(&Number) -> String, out: &mut Vec<u8>) {
    match data {
        Data::Number(own) => out.extend(number(own).into_bytes()),
        Data::Bool(truth) => out.push(if *truth { b'T' } else { b'F' }),
        Data::String(text) => out.extend_from_slice(quote(text).as_bytes()),
        Data::Unknown(_) => out.push(b'?'),
        _ => out.push(b'~'),
    }
}
