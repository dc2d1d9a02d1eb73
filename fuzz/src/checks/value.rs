//! Builds the values of a plan from choices: a side of a change, another side that differs a
//! little, and an overlay that fits or does not fit. Also varies their spelling as JSON: order of
//! keys, white space, escapes, decimals.

use arbitrary::{Result, Unstructured};

/// A JSON value. All keys of an object are different.
#[derive(Clone, Debug)]
pub enum Tree {
    Null,
    Bool(bool),
    /// One spelling of the number; the document may contain another.
    Number(String),
    Text(String),
    Array(Vec<Tree>),
    Object(Members),
}

/// The members of an object.
pub type Members = Vec<(String, Tree)>;

/// A small set of words, so that both sides often share keys. Some need quotes and escapes.
const WORDS: &[&str] = &[
    "",
    "a",
    "b",
    "c",
    "id",
    "tags",
    "a.b",
    "a-b",
    "_",
    "0",
    "9z",
    "é",
    "e\u{301}",
    "😀",
    "\"",
    "\\",
    "\n",
    "\u{0}\u{1f}",
    "\u{7f}",
    "\u{2028}",
    "/",
    "<&>",
    "\u{ffff}",
    "\u{10ffff}",
];

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "10",
    "11",
    "1.5",
    "-0.0",
    "0.1",
    "4294967295",
    "4294967296",
    "9007199254740992",
    "9007199254740993",
    "123456789012345678901234567890",
    "0.000000000000000000000000000001",
    "1e400",
    "10e399",
    "1E-400",
    "0e99999999999999999999",
    "1e99999999999999999999",
];

/// Maximum nesting of a value.
const DEPTH: u32 = 5;

/// A random text.
pub fn text(u: &mut Unstructured<'_>) -> Result<String> {
    Ok(match u.int_in_range(0..=9)? {
        0..=5 => (*u.choose(WORDS)?).to_owned(),
        6 => format!("{}{}", u.choose(WORDS)?, u.choose(WORDS)?),
        // About as long as a block.
        7 => u.choose(WORDS)?.repeat(u.int_in_range(60..=70)?),
        _ => {
            let mut text = String::new();
            for _ in 0..u.int_in_range(0..=8)? {
                text.push(u.arbitrary()?);
            }
            text
        }
    })
}

/// A random value.
pub fn any(u: &mut Unstructured<'_>) -> Result<Tree> {
    nested(u, DEPTH)
}

fn nested(u: &mut Unstructured<'_>, depth: u32) -> Result<Tree> {
    let containers = if depth == 0 { 0 } else { 4 };
    Ok(match u.int_in_range(0..=5 + containers)? {
        0 => Tree::Null,
        1 => Tree::Bool(u.arbitrary()?),
        2 => Tree::Number((*u.choose(NUMBERS)?).to_owned()),
        3..=5 => Tree::Text(text(u)?),
        6 => Tree::Array(list(u, |u| nested(u, depth - 1))?),
        _ => Tree::Object(object(u, |u| nested(u, depth - 1))?),
    })
}

/// A short random list.
pub fn list<T>(
    u: &mut Unstructured<'_>,
    mut each: impl FnMut(&mut Unstructured<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    (0..u.int_in_range(0..=4)?).map(|_| each(u)).collect()
}

/// Members with different keys.
pub fn object(
    u: &mut Unstructured<'_>,
    mut each: impl FnMut(&mut Unstructured<'_>) -> Result<Tree>,
) -> Result<Members> {
    let mut members = Members::new();
    for (key, value) in list(u, |u| Ok((text(u)?, each(u)?)))? {
        put(&mut members, key, value);
    }
    Ok(members)
}

/// Adds a member, unless the key exists.
pub fn put(members: &mut Members, key: impl Into<String>, value: Tree) {
    let key = key.into();
    if members.iter().all(|(known, _)| *known != key) {
        members.push((key, value));
    }
}

/// A copy of a value with a few random changes.
pub fn changed(u: &mut Unstructured<'_>, value: &Tree) -> Result<Tree> {
    if u.ratio(1, 6)? {
        return nested(u, 1);
    }
    Ok(match value {
        Tree::Array(elements) => {
            let mut elements =
                elements.iter().map(|value| changed(u, value)).collect::<Result<Vec<_>>>()?;
            match u.int_in_range(0..=5)? {
                0 => drop(elements.pop()),
                1 => elements.push(nested(u, 1)?),
                _ => {}
            }
            Tree::Array(elements)
        }
        Tree::Object(members) => {
            let mut changes = Members::new();
            for (key, value) in members {
                if !u.ratio(1, 8)? {
                    put(&mut changes, key, changed(u, value)?);
                }
            }
            if u.ratio(1, 4)? {
                put(&mut changes, text(u)?, nested(u, 1)?);
            }
            Tree::Object(changes)
        }
        // Differs at the end only.
        Tree::Text(text) if u.ratio(1, 8)? => Tree::Text(format!("{text}a")),
        Tree::Number(number) if u.ratio(1, 3)? => {
            let but_last = &number[..number.len() - 1];
            Tree::Number(format!("{but_last}{}", u.choose(&["1", "2", "9"])?))
        }
        scalar => scalar.clone(),
    })
}

/// An overlay for a value, mostly of its shape.
pub fn overlay(u: &mut Unstructured<'_>, value: &Tree) -> Result<Tree> {
    Ok(match (u.int_in_range(0..=9)?, value) {
        (0, _) => Tree::Bool(false),
        (1, _) => Tree::Bool(true),
        (2, _) => Tree::Object(Members::new()),
        // A different shape.
        (3, _) => marks(u, 3)?,
        (_, Tree::Array(elements)) => {
            let mut marks =
                elements.iter().map(|value| overlay(u, value)).collect::<Result<Vec<_>>>()?;
            match u.int_in_range(0..=7)? {
                0 => drop(marks.pop()),
                1 => marks.push(Tree::Bool(true)),
                _ => {}
            }
            Tree::Array(marks)
        }
        (_, Tree::Object(members)) => {
            let mut marks = Members::new();
            for (key, value) in members {
                if u.arbitrary()? {
                    put(&mut marks, key, overlay(u, value)?);
                }
            }
            if u.ratio(1, 3)? {
                put(&mut marks, text(u)?, Tree::Bool(true));
            }
            Tree::Object(marks)
        }
        _ => Tree::Bool(u.arbitrary()?),
    })
}

/// Marks of any shape, and values that are no marks.
fn marks(u: &mut Unstructured<'_>, depth: u32) -> Result<Tree> {
    let containers = if depth == 0 { 0 } else { 2 };
    Ok(match u.int_in_range(0..=3 + containers)? {
        0 | 1 => Tree::Bool(u.arbitrary()?),
        2 => nested(u, 0)?,
        3 => Tree::Null,
        4 => Tree::Array(list(u, |u| marks(u, depth - 1))?),
        _ => Tree::Object(object(u, |u| marks(u, depth - 1))?),
    })
}

/// How a document is spelled.
#[derive(Clone, Copy, Debug)]
pub struct Spelling {
    keys: Keys,
    spaced: bool,
    escaped: bool,
    respelled: bool,
}

#[derive(Clone, Copy, Debug)]
enum Keys {
    Native,
    Sorted,
    Shuffled,
}

impl Spelling {
    /// A random spelling.
    pub fn choose(u: &mut Unstructured<'_>) -> Result<Spelling> {
        Ok(Spelling {
            keys: *u.choose(&[Keys::Native, Keys::Sorted, Keys::Shuffled])?,
            spaced: u.ratio(1, 3)?,
            escaped: u.ratio(1, 3)?,
            respelled: u.ratio(1, 3)?,
        })
    }
}

/// Writes a value as JSON.
pub fn write(
    u: &mut Unstructured<'_>,
    value: &Tree,
    spelling: Spelling,
    out: &mut String,
) -> Result<()> {
    space(u, spelling, out)?;
    match value {
        Tree::Null => out.push_str("null"),
        Tree::Bool(true) => out.push_str("true"),
        Tree::Bool(false) => out.push_str("false"),
        Tree::Number(number) => {
            out.push_str(number);
            if spelling.respelled {
                out.push_str(respelling(u, number)?);
            }
        }
        Tree::Text(text) => write_text(u, text, spelling, out)?,
        Tree::Array(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write(u, element, spelling, out)?;
            }
            out.push(']');
        }
        Tree::Object(members) => {
            out.push('{');
            for (index, (key, value)) in ordered(u, members, spelling)?.into_iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                space(u, spelling, out)?;
                write_text(u, key, spelling, out)?;
                space(u, spelling, out)?;
                out.push(':');
                write(u, value, spelling, out)?;
            }
            out.push('}');
        }
    }
    space(u, spelling, out)
}

fn ordered<'a>(
    u: &mut Unstructured<'_>,
    members: &'a Members,
    spelling: Spelling,
) -> Result<Vec<&'a (String, Tree)>> {
    let mut ordered: Vec<_> = members.iter().collect();
    match spelling.keys {
        Keys::Native => {}
        Keys::Sorted => ordered.sort_by(|a, b| a.0.cmp(&b.0)),
        Keys::Shuffled => {
            for last in (1..ordered.len()).rev() {
                ordered.swap(last, u.choose_index(last + 1)?);
            }
        }
    }
    Ok(ordered)
}

fn space(u: &mut Unstructured<'_>, spelling: Spelling, out: &mut String) -> Result<()> {
    if spelling.spaced {
        out.push_str(u.choose(&["", "", "", " ", "\n  ", "\t", "\r\n"])?);
    }
    Ok(())
}

/// A suffix that does not change the value of a number.
fn respelling(u: &mut Unstructured<'_>, number: &str) -> Result<&'static str> {
    let tails: &[&str] = match number {
        _ if number.contains(['e', 'E']) => &[""],
        _ if number.contains('.') => &["", "0", "e0", "000E+00"],
        // No digit may follow a leading zero.
        "0" => &["", ".0", "e-2"],
        _ => &["", ".0", "e0", ".000e-0", "00e-2"],
    };
    Ok(u.choose(tails)?)
}

fn write_text(
    u: &mut Unstructured<'_>,
    text: &str,
    spelling: Spelling,
    out: &mut String,
) -> Result<()> {
    out.push('"');
    for character in text.chars() {
        let short = match character {
            '"' => Some('"'),
            '\\' => Some('\\'),
            '/' => Some('/'),
            '\n' => Some('n'),
            '\t' => Some('t'),
            '\r' => Some('r'),
            '\u{8}' => Some('b'),
            '\u{c}' => Some('f'),
            _ => None,
        };
        let needed = matches!(character, '"' | '\\' | '\0'..='\u{1f}');
        let escaped = needed || (spelling.escaped && u.ratio(1, 4)?);
        match short {
            _ if !escaped => out.push(character),
            Some(short) if !spelling.escaped || u.arbitrary()? => out.extend(['\\', short]),
            _ => {
                let mut units = [0; 2];
                for unit in character.encode_utf16(&mut units) {
                    let upper = spelling.escaped && u.arbitrary()?;
                    out.push_str(&match upper {
                        true => format!("\\u{unit:04X}"),
                        false => format!("\\u{unit:04x}"),
                    });
                }
            }
        }
    }
    out.push('"');
    Ok(())
}
