//! Removes secrets from the addresses, names and paths that an audit reports.
//!
//! These texts consist of keys, and a key may repeat a secret. The audit reports such a key like
//! `redact` writes it.

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::names::closing_quote;
use crate::secret::Collected;
use crate::secret::echo::EchoTargets;
use plansift_core::error::Result;
use plansift_core::json::string;
use plansift_core::json::value::{Kind, Value};
use plansift_core::path::is_attribute_name;
use plansift_core::path::{Paths, Step};
use plansift_plan::marks::MASK;
use plansift_plan::plan::{Piece, PieceKind};

/// Longest reported text in bytes; longer texts are cut. There may be many findings, and each
/// repeats the texts of its element.
pub(super) const PATH_MAX: usize = 1 << 10;

/// Masks the secrets of a document in texts.
#[derive(Clone, Copy, Debug)]
pub(super) struct SafeText<'r>(pub &'r Collected);

impl<'r> SafeText<'r> {
    /// Returns the secrets to search for.
    pub fn targets(&self) -> EchoTargets<'r> {
        let Collected { secrets, contained, .. } = self.0;
        EchoTargets { secrets, contained: contained.as_ref() }
    }

    /// Returns the number of the secret that a text repeats; 0 if the text only contains a secret.
    fn number(&self, text: &str) -> Option<u32> {
        let Collected { secrets, contained, .. } = self.0;
        let text = text.as_bytes();
        if text.len() < secrets.echo_min() {
            return None;
        }
        let contains = || contained.as_ref().is_some_and(|secrets| secrets.is_in(text));
        secrets.echoed(text).or_else(|| contains().then_some(0))
    }

    /// Returns a key, masked if it repeats a secret.
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

    /// Returns an address or name without secrets, cut to the longest reported length.
    pub fn text(&self, text: &str) -> String {
        if self.number(text).is_some() {
            return MASK.to_owned();
        }
        match cut(text) {
            whole if whole.len() == text.len() => self.address(whole),
            beginning => self.address(beginning) + "…",
        }
    }

    /// Masks the secret instance keys in an address.
    fn address(&self, address: &str) -> String {
        let mut shown = String::with_capacity(address.len());
        let mut rest = address;
        while let Some(open) = rest.find("[\"") {
            let (before, key) = rest.split_at(open + 2);
            shown += before;
            // A truncated key may be part of a secret.
            let Some(close) = closing_quote(key.as_bytes(), 0) else { return shown };
            let decoded = string::decode(&key.as_bytes()[..close]);
            match decoded.ok().and_then(|key| self.number(&key)) {
                Some(_) => shown += MASK,
                None => shown += &key[..close],
            }
            rest = &key[close..];
        }
        shown + rest
    }
}

/// Builds a path without secrets, step by step, in reused memory.
#[derive(Debug, Default)]
pub(super) struct ShownPath {
    steps: Paths,
    /// Approximate length of the steps.
    len: usize,
    text: String,
}

impl ShownPath {
    pub fn begin(&mut self) {
        self.steps.clear();
        self.len = 0;
    }

    /// Adds a step. Breaks if the path is too long; no further step may follow then.
    pub fn push(&mut self, step: Step<'_>, safe: &SafeText<'_>) -> ControlFlow<()> {
        self.len += match step {
            Step::Key(key) => key.len() + 1,
            Step::Index(_) | Step::Element => 4,
        };
        if self.len > PATH_MAX {
            return ControlFlow::Break(());
        }
        match step {
            Step::Key(key) => self.steps.push_step(Step::Key(&safe.key(key))),
            other => self.steps.push_step(other),
        }
        ControlFlow::Continue(())
    }

    pub fn end(&mut self) -> &str {
        self.steps.end();
        self.text.clear();
        self.steps.iter().for_each(|path| path.push_to(&mut self.text));
        &self.text
    }
}

/// Cuts a text to the longest reported length.
fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(PATH_MAX)]
}

/// Identifies a piece in the report.
#[derive(Clone, Debug, Default)]
pub(super) struct Label {
    pub address: Option<String>,
    /// The key of the piece.
    pub name: Option<String>,
    pub type_name: Option<String>,
    pub provider_name: Option<String>,
}

impl Label {
    /// The label of a piece, with its texts unmasked.
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

    pub fn shown(&self, safe: &SafeText<'_>) -> Label {
        let text = |text: &Option<String>| text.as_ref().map(|text| safe.text(text));
        Label {
            address: text(&self.address),
            name: self.name.as_ref().map(|name| cut(&safe.key(name)).to_owned()),
            type_name: text(&self.type_name),
            provider_name: text(&self.provider_name),
        }
    }

    /// The memory of the label in bytes.
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
