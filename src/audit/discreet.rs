//! What of a document may be told: no text of a secret, whatever it stands in.
//!
//! Addresses, names and paths are made of keys, and a key may repeat a secret. Where it does it is
//! told as it stands in the redacted document.

use std::borrow::Cow;
use std::ops::ControlFlow;

use crate::error::Result;
use crate::json::string;
use crate::json::value::{Kind, Value};
use crate::path::{Paths, Step};
use crate::plan::{Piece, PieceKind};
use crate::secret::{Collected, MASK, is_attribute_name};

/// Longest text that is told, in bytes: what is longer is cut. Findings are many, and the texts of
/// their elements are told with each.
pub(super) const PATH_MAX: usize = 1 << 10;

/// Knows the secrets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Discreet<'r>(pub &'r Collected);

impl Discreet<'_> {
    /// The number of a text among the secrets whose echoes are looked for; 0 for one that contains
    /// a secret.
    fn number(&self, text: &str) -> Option<u32> {
        let Collected { secrets, contained, .. } = self.0;
        let text = text.as_bytes();
        if text.len() < secrets.echo_min() {
            return None;
        }
        let contains = || contained.as_ref().is_some_and(|secrets| secrets.is_in(text));
        secrets.echoed(text).or_else(|| contains().then_some(0))
    }

    /// A key.
    pub fn key<'t>(&self, key: &'t str) -> Cow<'t, str> {
        if is_attribute_name(key.as_bytes()) {
            return key.into();
        }
        match self.number(key) {
            None => key.into(),
            Some(0) => MASK.into(),
            Some(number) => format!("(sensitive value {number})").into(),
        }
    }

    /// An address or a name.
    pub fn text(&self, text: &str) -> String {
        if self.number(text).is_some() {
            return MASK.to_owned();
        }
        match cut(text) {
            whole if whole.len() == text.len() => self.address(whole),
            beginning => self.address(beginning) + "…",
        }
    }

    /// An address without the keys of its instances that are secrets.
    fn address(&self, address: &str) -> String {
        let mut told = String::with_capacity(address.len());
        let mut rest = address;
        while let Some(open) = rest.find("[\"") {
            let (before, key) = rest.split_at(open + 2);
            told += before;
            // A key that is cut off may be a part of a secret.
            let Some(close) = end_of_key(key) else { return told };
            let decoded = string::decode(&key.as_bytes()[..close]);
            match decoded.ok().and_then(|key| self.number(&key)) {
                Some(_) => told += MASK,
                None => told += &key[..close],
            }
            rest = &key[close..];
        }
        told + rest
    }
}

/// A path as it may be told, from step to step, in memory that is kept for the next.
#[derive(Debug, Default)]
pub(super) struct ShownPath {
    steps: Paths,
    /// Of the steps, about.
    len: usize,
    text: String,
}

impl ShownPath {
    /// Begins a path.
    pub fn begin(&mut self) {
        self.steps.clear();
        self.len = 0;
    }

    /// Adds a step; no other follows where the path is too long to be told.
    pub fn push(&mut self, step: Step<'_>, discreet: &Discreet<'_>) -> ControlFlow<()> {
        self.len += match step {
            Step::Key(key) => key.len() + 1,
            Step::Index(_) | Step::Element => 4,
        };
        if self.len > PATH_MAX {
            return ControlFlow::Break(());
        }
        match step {
            Step::Key(key) => self.steps.push_step(Step::Key(&discreet.key(key))),
            other => self.steps.push_step(other),
        }
        ControlFlow::Continue(())
    }

    /// Its text.
    pub fn end(&mut self) -> &str {
        self.steps.end();
        self.text.clear();
        self.steps.iter().for_each(|path| path.push_to(&mut self.text));
        &self.text
    }
}

/// Where the key of an instance ends that a text begins with: at its closing quote.
fn end_of_key(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| match byte {
        _ if std::mem::take(&mut escaped) => false,
        b'\\' => {
            escaped = true;
            false
        }
        byte => byte == b'"',
    })
}

/// As much of a text as is told.
fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(PATH_MAX)]
}

/// What tells a piece from others.
#[derive(Clone, Debug, Default)]
pub(super) struct Label {
    pub address: Option<String>,
    /// Its key.
    pub name: Option<String>,
    pub type_name: Option<String>,
    pub provider_name: Option<String>,
}

impl Label {
    /// The label of a piece, as it stands there.
    ///
    /// # Errors
    ///
    /// The piece is not well formed.
    pub fn of(piece: &Piece<'_>) -> Result<Label> {
        let mut label = Label { name: piece.name.map(str::to_owned), ..Label::default() };
        let value = piece.value;
        let element = match piece.kind {
            PieceKind::DeferredChange => value.get("resource_change")?,
            PieceKind::DeferredActionInvocation => value.get("action_invocation")?,
            kind if kind.is_named() => None,
            _ => Some(value),
        };
        let Some(element) = element else { return Ok(label) };
        if element.kind()? != Kind::Object {
            return Ok(label);
        }
        for member in element.members()? {
            let (key, value) = member?;
            let text = match key.raw() {
                b"address" => &mut label.address,
                b"type" => &mut label.type_name,
                b"provider_name" => &mut label.provider_name,
                _ => continue,
            };
            *text = of_string(value)?;
        }
        Ok(label)
    }

    /// The label as it may be told.
    pub fn shown(&self, discreet: &Discreet<'_>) -> Label {
        let text = |text: &Option<String>| text.as_ref().map(|text| discreet.text(text));
        Label {
            address: text(&self.address),
            name: self.name.as_ref().map(|name| cut(&discreet.key(name)).to_owned()),
            type_name: text(&self.type_name),
            provider_name: text(&self.provider_name),
        }
    }

    /// The memory it takes, in bytes.
    pub fn size(&self) -> u64 {
        let texts = [&self.address, &self.name, &self.type_name, &self.provider_name];
        let len: usize = texts.into_iter().flatten().map(String::len).sum();
        (len + size_of::<Label>()) as u64
    }
}

fn of_string(value: Value<'_>) -> Result<Option<String>> {
    match value.kind()? {
        Kind::String => value.text().map(Some),
        _ => Ok(None),
    }
}
