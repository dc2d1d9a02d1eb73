//! Approval files: what an approved plan does, without its values (docs/format/comparison.md,
//! section 6).
//!
//! A file has a line of JSON for each object, between a header and a last line with the number of
//! objects. Without the last line, the file is incomplete.

use std::fmt;
use std::io::Write;

use serde::{Deserialize, Serialize};

use super::collect::Facts;
use super::join::Objects;
use super::meaning::{Digest, ValueKey};
use super::planned::Planned;
use plansift_core::error::{Error, Fault, Result};
use plansift_core::inert;
use plansift_core::input::{Slice, Source};
use plansift_core::json::{self, Validation};
use plansift_core::limits::{Limit, Limits};
use plansift_plan::plan::APPROVAL_START;
use plansift_plan::record::CompareLevel;
use plansift_plan::record::counts::PlanFacts;

/// The version of the format.
pub const APPROVAL_VERSION: u32 = 1;

/// How many times [`Limits::paths`] the paths of an object may take. A change has several lists of
/// paths, and each stays within the limit.
const PATHS_FACTOR: u64 = 2;

/// The first line of an approval file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename = "approval")]
pub struct Header {
    /// The version of the format.
    pub schema_version: u32,
    /// The version of plansift that wrote the file.
    pub plansift: String,
    /// The strongest level that the file can answer.
    pub level: CompareLevel,
    /// The key of the digests. Absent if the key is in a file of its own, or if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// Random bytes from which the key and the key file make the key of the digests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    salt: Option<String>,
    /// A digest that identifies the key. Absent if there is none, below the level `values`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key_check: Option<Digest>,
    /// The filters that the approval was made with, as arguments of the command line.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub filters: Vec<String>,
    /// The facts about the plan that have no effect.
    pub plan: PlanFacts,
}

impl Header {
    /// Parses the first line, unless its version is newer.
    fn parse(line: &[u8]) -> serde_json::Result<std::result::Result<Header, ApprovalFault>> {
        #[derive(Deserialize)]
        struct Version {
            schema_version: u32,
        }
        let Version { schema_version } = serde_json::from_slice(line)?;
        match schema_version {
            ..=APPROVAL_VERSION => serde_json::from_slice(line).map(Ok),
            _ => Ok(Err(ApprovalFault::Newer)),
        }
    }
}

/// The last line of an approval file.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename = "end")]
struct End {
    objects: u64,
}

/// Why an approval cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApprovalFault {
    /// A line is not what plansift writes, or is missing.
    Damaged,
    /// The file has a newer version.
    Newer,
    /// The key is in a file of its own, which was not given.
    LacksKey,
    /// The key is not the key of the digests.
    OtherKey,
    /// A key was given, and the approval was made without one, or contains its own.
    WithoutKey,
    /// The approval has no digests at the wanted level.
    LacksLevel(CompareLevel),
}

impl Fault for ApprovalFault {}

impl fmt::Display for ApprovalFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ApprovalFault::Damaged => {
                "the approval is damaged or incomplete: approve the plan again"
            }
            ApprovalFault::Newer => "a newer version of plansift wrote the approval",
            ApprovalFault::LacksKey => {
                "the approval was made with a key: give the same --key-file again"
            }
            ApprovalFault::OtherKey => "--key-file is not the key that the approval was made with",
            ApprovalFault::WithoutKey => {
                "the approval was made without --key-file: leave the option out"
            }
            ApprovalFault::LacksLevel(level) => {
                return write!(
                    f,
                    "the approval holds nothing beyond the level {}: compare at that level, or \
                     approve the plan with a higher --level",
                    level.name()
                );
            }
        })
    }
}

/// The key of an approval, and whether the file contains it.
#[derive(Clone, Debug)]
pub enum ApprovalKey {
    /// The approval holds nothing of any value, and needs no key.
    Public,
    /// The file contains the key. Whoever can read the file can test guesses of values.
    InFile(ValueKey),
    /// The key is that of a key file, with the salt in the file.
    Salted {
        /// The key of the digests.
        key: ValueKey,
        /// Random bytes.
        salt: [u8; 32],
    },
}

impl ApprovalKey {
    /// The key.
    pub fn key(&self) -> ValueKey {
        match self {
            ApprovalKey::Public => ValueKey::public(),
            ApprovalKey::InFile(key) | ApprovalKey::Salted { key, .. } => key.clone(),
        }
    }

    /// Returns the key for one approval, from the key of a key file.
    ///
    /// # Errors
    ///
    /// Fails if the system has no random numbers.
    pub fn of_file(key: &ValueKey) -> Result<ApprovalKey> {
        let salt = *ValueKey::random()?.bytes();
        Ok(ApprovalKey::Salted { key: key.salted(&salt), salt })
    }
}

/// Writes the approval of a plan. `filters` are the arguments that hide objects or paths.
///
/// # Errors
///
/// Fails if a temporary file or the output fails.
pub fn write(
    objects: Objects,
    facts: &Facts,
    level: CompareLevel,
    key: &ApprovalKey,
    filters: Vec<String>,
    out: &mut dyn Write,
) -> Result<u64> {
    let header = Header {
        schema_version: APPROVAL_VERSION,
        plansift: env!("CARGO_PKG_VERSION").to_owned(),
        level,
        key: match key {
            ApprovalKey::InFile(key) => Some(hex(key.bytes())),
            ApprovalKey::Salted { .. } | ApprovalKey::Public => None,
        },
        salt: match key {
            ApprovalKey::Salted { salt, .. } => Some(hex(salt)),
            ApprovalKey::InFile(_) | ApprovalKey::Public => None,
        },
        key_check: match key {
            ApprovalKey::Public => None,
            ApprovalKey::InFile(key) | ApprovalKey::Salted { key, .. } => Some(key.check()),
        },
        filters,
        plan: facts.plan.clone(),
    };
    line(&header, out)?;
    let mut count = 0;
    for planned in objects.sorted()? {
        line(&planned?.approved(level, &key.key()), out)?;
        count += 1;
    }
    line(&End { objects: count }, out)?;
    Ok(count)
}

fn line(record: &impl Serialize, out: &mut dyn Write) -> Result<()> {
    let text = serde_json::to_string(record).map_err(|error| Error::write(error.into()))?;
    writeln!(out, "{}", inert::json(&text)).map_err(Error::write)
}

fn hex(bytes: &[u8; 32]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    let digits: Vec<u8> =
        text.chars().map(|digit| digit.to_digit(16).map(|it| it as u8)).collect::<Option<_>>()?;
    let bytes: Vec<u8> = digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    bytes.try_into().ok()
}

/// An approval that was opened: its header was read.
pub struct Approval<S> {
    lines: Lines<S>,
    /// The first line.
    pub header: Header,
}

impl<S: Source> Approval<S> {
    /// Reads the header of an approval. Returns `None` if the source does not begin like an
    /// approval.
    ///
    /// # Errors
    ///
    /// Fails if the source fails, or if the header is damaged or newer than this version.
    pub fn open(mut source: S, limits: &Limits) -> Result<Option<Approval<S>>> {
        let start = source.offset();
        while source.window().len() < APPROVAL_START.len() && source.fill(start)? {}
        if !source.window().starts_with(APPROVAL_START) {
            return Ok(None);
        }
        let mut lines = Lines { source, at: start, limits: *limits };
        let header = lines.next(Header::parse)?.unwrap_or(Err(ApprovalFault::Damaged));
        let header = header.map_err(|fault| Error::at(fault, start))?;
        Ok(Some(Approval { lines, header }))
    }

    /// Returns the key of the digests: the given one, or that of the file.
    ///
    /// # Errors
    ///
    /// Fails if the key is missing, or is another one.
    pub fn key(&self, given: Option<ValueKey>) -> Result<ValueKey> {
        let Header { level, key: own, salt, key_check, .. } = &self.header;
        let Some(key_check) = key_check else {
            return match (given, own) {
                (None, None) if *level < CompareLevel::Values => Ok(ValueKey::public()),
                (Some(_), None) => Err(Error::new(ApprovalFault::WithoutKey)),
                _ => Err(Error::new(ApprovalFault::Damaged)),
            };
        };
        let (key, fault) = match (given, own) {
            (Some(key), None) => {
                let salt = salt.as_deref().and_then(unhex);
                let salt = salt.ok_or(Error::new(ApprovalFault::Damaged))?;
                (Some(key.salted(&salt)), ApprovalFault::OtherKey)
            }
            (Some(_), Some(_)) => (None, ApprovalFault::WithoutKey),
            (None, Some(own)) => (unhex(own).map(ValueKey::new), ApprovalFault::Damaged),
            (None, None) => (None, ApprovalFault::LacksKey),
        };
        let key = key.filter(|key| key.check() == *key_check);
        key.ok_or(Error::new(fault))
    }

    /// Fails if the approval cannot answer at a level.
    ///
    /// # Errors
    ///
    /// Fails if the file has no digests at the level.
    pub fn check_level(&self, level: CompareLevel) -> Result<()> {
        match level <= self.header.level {
            true => Ok(()),
            false => Err(Error::new(ApprovalFault::LacksLevel(self.header.level))),
        }
    }

    /// Reads all objects, and returns the facts about the plan.
    ///
    /// # Errors
    ///
    /// Fails if the source or a temporary file fails, or if a line is damaged or missing.
    pub fn read(mut self, objects: &mut Objects) -> Result<Facts> {
        let mut count = 0;
        loop {
            let at = self.lines.at;
            let damaged = || Error::at(ApprovalFault::Damaged, at);
            match self.lines.next(Entry::parse)?.ok_or_else(damaged)? {
                Entry::Planned(planned) if !planned.answers(self.header.level) => {
                    return Err(damaged());
                }
                Entry::Planned(planned) => {
                    let paths_max = self.lines.limits.paths;
                    if planned.size() as u64 > PATHS_FACTOR * paths_max {
                        return Err(Error::limit(Limit::Paths, paths_max, at));
                    }
                    count += 1;
                    objects.push(*planned)?;
                }
                Entry::End(end) if end.objects == count && self.lines.is_at_end()? => break,
                Entry::End(_) => return Err(damaged()),
            }
        }
        self.lines.source.finish()?;
        Ok(Facts { plan: self.header.plan, ..Facts::default() })
    }
}

/// A line after the header.
enum Entry {
    Planned(Box<Planned>),
    End(End),
}

impl Entry {
    fn parse(line: &[u8]) -> serde_json::Result<Entry> {
        let planned = serde_json::from_slice(line).map(Entry::Planned);
        planned.or_else(|_| serde_json::from_slice(line).map(Entry::End))
    }
}

/// Reads a source by lines.
struct Lines<S> {
    source: S,
    /// The offset of the next line.
    at: u64,
    limits: Limits,
}

impl<S: Source> Lines<S> {
    /// Reads the next line; `None` at the end.
    fn next<T>(&mut self, parse: fn(&[u8]) -> serde_json::Result<T>) -> Result<Option<T>> {
        // The part of the line that has no end.
        let mut searched = 0;
        let len = loop {
            let rest = self.rest();
            let end = rest[searched..].iter().position(|byte| *byte == b'\n');
            let len = end.map_or(rest.len(), |end| searched + end);
            if len as u64 > self.limits.change {
                return Err(Error::limit(Limit::Change, self.limits.change, self.at));
            }
            if end.is_some() {
                break len;
            }
            searched = len;
            if !self.source.fill(self.at)? {
                return match rest_is_empty(&self.source, self.at) {
                    true => Ok(None),
                    false => Err(Error::at(ApprovalFault::Damaged, self.at)),
                };
            }
        };
        let line = &self.rest()[..len];
        // The tokenizer checks the grammar and the limits before serde allocates anything.
        let checked = json::check(Slice(line), Validation::Grammar, self.limits);
        let record = checked.ok().and_then(|()| parse(line).ok());
        let record = record.ok_or(Error::at(ApprovalFault::Damaged, self.at))?;
        self.at += len as u64 + 1;
        Ok(Some(record))
    }

    /// The bytes from the next line on that are in memory.
    fn rest(&self) -> &[u8] {
        let from = (self.at - self.source.offset()) as usize;
        self.source.window().get(from..).unwrap_or_default()
    }

    fn is_at_end(&mut self) -> Result<bool> {
        while rest_is_empty(&self.source, self.at) {
            if !self.source.fill(self.at)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn rest_is_empty(source: &impl Source, at: u64) -> bool {
    source.offset() + source.window().len() as u64 <= at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planned::{KnownPath, PlannedPaths};
    use plansift_core::error::ErrorKind;
    use plansift_plan::record::ObjectKind;

    fn objects() -> Objects {
        let mut objects = Objects::new(u64::MAX);
        for address in ["a.b", "a.c"] {
            let value = ValueKey::public().texts([address]);
            let known = KnownPath { path: "x".to_owned(), value: Some(value), shown: None };
            let planned = Planned::new(ObjectKind::ResourceChange, address, "update");
            objects
                .push(Planned {
                    paths: PlannedPaths { known: vec![known], ..PlannedPaths::default() },
                    ..planned
                })
                .expect("an object");
        }
        objects
    }

    fn written(key: &ApprovalKey) -> Vec<u8> {
        let mut out = Vec::new();
        let (facts, level) = (Facts::default(), CompareLevel::All);
        let count = write(objects(), &facts, level, key, Vec::new(), &mut out);
        assert_eq!(count.expect("an approval"), 2);
        out
    }

    /// Returns the number of objects in an approval.
    fn read(text: &[u8]) -> Result<usize> {
        let limits = Limits::default();
        let approval = Approval::open(Slice(text), &limits)?;
        let approval = approval.ok_or(Error::new(ApprovalFault::Damaged))?;
        let mut objects = Objects::new(u64::MAX);
        approval.read(&mut objects)?;
        Ok(objects.sorted()?.count())
    }

    #[test]
    fn a_part_of_an_approval_is_damaged() {
        let text = written(&ApprovalKey::InFile(ValueKey::public()));
        assert_eq!(read(&text).expect("an approval"), 2);
        for end in 0..text.len() {
            assert!(read(&text[..end]).is_err(), "{end}");
        }
        let more = [&text[..], &text].concat();
        assert!(read(&more).is_err());
        let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
        for line in 0..lines.len() {
            let rest = [&lines[..line], &lines[line + 1..]].concat().concat();
            assert!(read(&rest).is_err(), "{line}");
        }
    }

    #[test]
    fn the_paths_of_an_object_have_a_limit() {
        let text = written(&ApprovalKey::Public);
        let read = |paths| {
            let limits = Limits { paths, ..Limits::default() };
            let approval = Approval::open(Slice(&text), &limits)?;
            let approval = approval.ok_or(Error::new(ApprovalFault::Damaged))?;
            approval.read(&mut Objects::new(u64::MAX))
        };
        assert!(read(1024).is_ok());
        let limit = ErrorKind::Limit { limit: Limit::Paths, value: 64 };
        assert_eq!(read(64).expect_err("a limit").kind(), limit);
    }

    /// A source of a text that yields a few bytes at a time.
    struct Drops<'a> {
        text: &'a [u8],
        len: usize,
    }

    impl Source for Drops<'_> {
        fn window(&self) -> &[u8] {
            &self.text[..self.len]
        }

        fn offset(&self) -> u64 {
            0
        }

        fn fill(&mut self, _: u64) -> Result<bool> {
            let has_more = self.len < self.text.len();
            self.len = self.text.len().min(self.len + 7);
            Ok(has_more)
        }

        fn finish(&mut self) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_are_searched_for_their_end_once() {
        let text = String::from_utf8(written(&ApprovalKey::Public)).expect("UTF-8");
        // A search that starts anew after each fill would take minutes.
        let long = "x".repeat(4 << 20);
        let text = text.replacen("a.b", &long, 1);
        let drops = Drops { text: text.as_bytes(), len: 0 };
        let approval = Approval::open(drops, &Limits::default()).expect("a header");
        let mut objects = Objects::new(u64::MAX);
        approval.expect("an approval").read(&mut objects).expect("objects");
        assert_eq!(objects.sorted().expect("sorted").count(), 2);
        let limits = Limits { change: 1 << 20, ..Limits::default() };
        for len in [0, text.len()] {
            let drops = Drops { text: text.as_bytes(), len };
            let approval = Approval::open(drops, &limits).expect("a header").expect("an approval");
            let error = approval.read(&mut Objects::new(u64::MAX)).expect_err("a limit");
            let limit = ErrorKind::Limit { limit: Limit::Change, value: 1 << 20 };
            assert_eq!(error.kind(), limit);
        }
    }

    #[test]
    fn the_key_must_be_the_one_of_the_approval() {
        let (key, other) = (ValueKey::new([1; 32]), ValueKey::new([2; 32]));
        let fault = |text: &[u8], given: Option<&ValueKey>| {
            let approval = Approval::open(Slice(text), &Limits::default());
            let approval = approval.expect("a header").expect("an approval");
            approval.key(given.cloned()).map_err(|error| error.fault::<ApprovalFault>().copied())
        };
        let text = written(&ApprovalKey::InFile(key.clone()));
        assert_eq!(fault(&text, None), Ok(key.clone()));
        let salted = ApprovalKey::of_file(&key).expect("a salt");
        let text = written(&salted);
        for key in [&key, &salted.key()] {
            assert!(!String::from_utf8_lossy(&text).contains(&hex(key.bytes())));
        }
        assert_eq!(fault(&text, Some(&key)), Ok(salted.key()));
        assert_eq!(fault(&text, None), Err(Some(ApprovalFault::LacksKey)));
        let without_salt = String::from_utf8_lossy(&text).replace("salt", "tlas");
        let damaged = Err(Some(ApprovalFault::Damaged));
        assert_eq!(fault(without_salt.as_bytes(), Some(&key)), damaged);
        assert_eq!(fault(&text, Some(&other)), Err(Some(ApprovalFault::OtherKey)));
    }
}
