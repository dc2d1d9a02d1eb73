//! Some attributes of a value: those whose paths are wanted.
//!
//! A member of an object stays if its path, or one that leads on from it, matches. Lists have no
//! steps: what is wanted of a list is wanted of each of its elements, and none of them is left out,
//! because the places of the others would be others. What stands on the way and is neither object
//! nor list stays as well: it may be an overlay that marks everything below it.
//!
//! The same walk cuts a value and its overlays, so they go on fitting each other. Nothing recurses.

use std::ops::Range;

use crate::error::Result;
use crate::glob::Glob;
use crate::json::string;
use crate::json::value::{Elements, Kind, Members, Text, Value};
use crate::redact::cut::Items;
use crate::secret::decode;

/// A path that is wanted: patterns of the keys that lead to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(Vec<Glob>);

impl Pattern {
    /// A path as `changes` writes them, with `*` for any text in a key: `tags.Name`, `*_arn`,
    /// `ingress[*].cidr_blocks`, `tags["a.b"]`. `None`: it is none.
    pub fn parse(text: &str) -> Option<Pattern> {
        let mut keys = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(inside) = rest.strip_prefix('[') {
                let (key, len) = bracketed(inside)?;
                keys.extend(key);
                rest = &inside[len..];
                continue;
            }
            let name = match rest.strip_prefix('.') {
                Some(name) if rest.len() < text.len() => name,
                Some(_) => return None,
                None => rest,
            };
            let end = name.find(['.', '[']).unwrap_or(name.len());
            if end == 0 {
                return None;
            }
            keys.push(Glob::new(&name[..end]));
            rest = &name[end..];
        }
        (!keys.is_empty()).then_some(Pattern(keys))
    }
}

/// What a bracket holds, the closing one included: a key in quotes, or any place in a list.
fn bracketed(inside: &str) -> Option<(Option<Glob>, usize)> {
    let Some(quoted) = inside.strip_prefix('"') else {
        let end = inside.find(']')?;
        let place = &inside[..end];
        let is_place = place == "*" || (end > 0 && place.bytes().all(|byte| byte.is_ascii_digit()));
        return is_place.then_some((None, end + 1));
    };
    let mut at = 0;
    while quoted.as_bytes().get(at).is_some_and(|&byte| byte != b'"') {
        at += 1 + usize::from(quoted.as_bytes()[at] == b'\\');
    }
    let key = string::decode(quoted.as_bytes().get(..at)?).ok()?;
    quoted[at..].starts_with("\"]").then(|| (Some(Glob::literal(&key)), at + 3))
}

/// Cuts values, one after the other.
#[derive(Debug)]
pub(super) struct Pruner<'p> {
    patterns: &'p [Pattern],
    /// For each object that was entered, the patterns that led to it: which, and how far.
    led: Vec<(usize, usize)>,
    decoded: Vec<u8>,
}

/// A container that was entered.
struct Open<'a> {
    value: Value<'a>,
    inside: Inside<'a>,
    items: Items,
    /// Its part of [`Pruner::led`].
    led: Range<usize>,
}

enum Inside<'a> {
    Object(Members<'a>),
    Array(Elements<'a>),
}

/// What becomes of a member.
enum Fate {
    Goes,
    Stays,
    /// What is in it is still to be looked at.
    Opens,
}

impl<'p> Pruner<'p> {
    pub fn new(patterns: &'p [Pattern]) -> Pruner<'p> {
        Pruner { patterns, led: Vec::new(), decoded: Vec::new() }
    }

    /// Tells what of a value is to be removed, in order, and how many members that is.
    pub fn prune(&mut self, root: Value<'_>, cuts: &mut Vec<Range<u64>>) -> Result<u64> {
        self.led.clear();
        self.led.extend((0..self.patterns.len()).map(|pattern| (pattern, 0)));
        let mut open: Vec<Open<'_>> = Vec::new();
        let mut next = Some((root, 0..self.led.len()));
        let mut gone = 0;
        loop {
            if let Some((value, led)) = next.take() {
                open.extend(Open::of(value, led)?);
            }
            let Some(top) = open.last_mut() else { return Ok(gone) };
            self.led.truncate(top.led.end);
            let inside = match &mut top.inside {
                Inside::Array(elements) => {
                    let element = elements.next().transpose()?;
                    element.map(|element| (element, top.led.clone()))
                }
                Inside::Object(members) => match members.next().transpose()? {
                    None => None,
                    Some((key, value)) => {
                        let end = value.range().end;
                        let led = self.led.len();
                        match self.fate(key, top.led.clone())? {
                            Fate::Goes => {
                                cuts.push(top.items.go()..end);
                                gone += 1;
                            }
                            stays => {
                                cuts.extend(top.items.stay(top.separator(key)));
                                if let Fate::Opens = stays {
                                    next = Some((value, led..self.led.len()));
                                }
                            }
                        }
                        top.items.passed(end);
                        continue;
                    }
                },
            };
            match inside {
                Some(element) => next = Some(element),
                None => {
                    open.pop();
                }
            }
        }
    }

    /// Looks at a key, and takes note of the patterns that lead on from it.
    fn fate(&mut self, key: Text<'_>, led: Range<usize>) -> Result<Fate> {
        let key = decode(key, &mut self.decoded)?;
        let start = self.led.len();
        for place in led {
            let (pattern, step) = self.led[place];
            let Pattern(keys) = &self.patterns[pattern];
            if keys[step].matches(key) {
                if step + 1 == keys.len() {
                    self.led.truncate(start);
                    return Ok(Fate::Stays);
                }
                self.led.push((pattern, step + 1));
            }
        }
        Ok(if self.led.len() > start { Fate::Opens } else { Fate::Goes })
    }
}

impl<'a> Open<'a> {
    /// `None` for what has nothing in it to look at.
    fn of(value: Value<'a>, led: Range<usize>) -> Result<Option<Open<'a>>> {
        let inside = match value.kind()? {
            Kind::Object => Inside::Object(value.members()?),
            Kind::Array => Inside::Array(value.elements()?),
            _ => return Ok(None),
        };
        Ok(Some(Open { value, inside, items: Items::new(value.offset() + 1), led }))
    }

    /// Where the comma before a key stands; without one, anywhere.
    fn separator(&self, key: Text<'_>) -> u64 {
        let (start, end) = (self.items.end(), key.offset() - 1);
        let text = |offset: u64| (offset - self.value.offset()) as usize;
        let between = &self.value.raw()[text(start)..text(end)];
        let comma = between.iter().position(|&byte| byte == b',');
        start + comma.unwrap_or_default() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(keys: &[Glob]) -> Option<Pattern> {
        Some(Pattern(keys.to_vec()))
    }

    #[test]
    fn paths_are_written_as_records_write_them() {
        let [tags, name] = ["tags", "Name"].map(Glob::literal);
        assert_eq!(Pattern::parse("tags"), pattern(std::slice::from_ref(&tags)));
        assert_eq!(Pattern::parse("tags.Name"), pattern(&[tags.clone(), name.clone()]));
        assert_eq!(Pattern::parse("tags[0].Name"), pattern(&[tags.clone(), name.clone()]));
        assert_eq!(Pattern::parse("tags[*][12].Name"), pattern(&[tags.clone(), name]));
        assert_eq!(Pattern::parse(r#"tags["a.*\"]"]"#), pattern(&[tags, Glob::literal("a.*\"]")]));
        assert_eq!(Pattern::parse("*_arn"), pattern(&[Glob::new("*_arn")]));
    }

    #[test]
    fn what_is_no_path_is_refused() {
        let bad =
            ["", ".", ".a", "a.", "a..b", "[0]", "a[", "a[]", "a[x]", "a[\"", "a[\"b\"", "a[\"\\"];
        for text in bad {
            assert_eq!(Pattern::parse(text), None, "{text}");
        }
    }
}
