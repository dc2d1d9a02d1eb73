//! A document as a tree in which every node knows its bytes.
//!
//! It is independent of the engine, so the two cannot share a bug. It recurses, and expects JSON
//! that serde_json accepts.

use std::ops::Range;

use serde_json::Value;

/// A value.
#[derive(Debug)]
pub struct Node {
    /// The byte range of the value in the text.
    pub range: Range<usize>,
    pub kind: Kind,
}

#[derive(Debug)]
pub enum Kind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    /// The decoded string. A string with an unpaired surrogate stays as it is written.
    Text(String),
    /// The number as it is written.
    Number(String),
    /// `true`, `false` or `null`.
    Word(&'static str),
}

#[derive(Debug)]
pub struct Member {
    /// The decoded key.
    pub key: String,
    /// The bytes of the key, with its quotes.
    pub key_range: Range<usize>,
    pub value: Node,
}

/// A step from a container to a value in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Key(String),
    Index(usize),
}

/// The tree of a JSON text, which may have space around it.
pub fn parse(text: &str) -> Node {
    Parser { text, at: 0 }.value()
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    /// Skips white space and returns the next byte.
    fn peek(&mut self) -> u8 {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.text.as_bytes()[self.at]
    }

    fn value(&mut self) -> Node {
        let first = self.peek();
        let start = self.at;
        let kind = match first {
            b'{' => Kind::Object(self.list(b'}', Self::member)),
            b'[' => Kind::Array(self.list(b']', Self::value)),
            b'"' => Kind::Text(self.string()),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => {
                let is_part = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
                let rest = &self.text[start..];
                self.at += rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                Kind::Number(self.text[start..self.at].to_owned())
            }
        };
        Node { range: start..self.at, kind }
    }

    fn list<T>(&mut self, close: u8, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let mut items = Vec::new();
        self.at += 1;
        while self.peek() != close {
            if self.peek() == b',' {
                self.at += 1;
            } else {
                items.push(item(self));
            }
        }
        self.at += 1;
        items
    }

    fn member(&mut self) -> Member {
        self.peek();
        let start = self.at;
        let key = self.string();
        let key_range = start..self.at;
        assert_eq!(self.peek(), b':', "byte {}", self.at);
        self.at += 1;
        Member { key, key_range, value: self.value() }
    }

    fn string(&mut self) -> String {
        let start = self.at;
        let bytes = self.text.as_bytes();
        self.at += 1;
        while bytes[self.at] != b'"' {
            self.at += if bytes[self.at] == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
        let written = &self.text[start..self.at];
        serde_json::from_str(written).unwrap_or_else(|_| written.to_owned())
    }

    fn word(&mut self, word: &'static str) -> Kind {
        self.at += word.len();
        Kind::Word(word)
    }
}

impl Node {
    /// The member of an object, unless it is null.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.child(&Step::Key(key.to_owned())).filter(|value| !value.is_null())
    }

    /// The value that a step leads to.
    pub fn child(&self, step: &Step) -> Option<&Node> {
        match step {
            Step::Key(key) => {
                self.members().iter().find(|member| member.key == *key).map(|member| &member.value)
            }
            Step::Index(index) => self.elements().get(*index),
        }
    }

    /// The value that a path leads to.
    pub fn at(&self, path: &[Step]) -> Option<&Node> {
        path.iter().try_fold(self, |node, step| node.child(step))
    }

    /// The members or elements, each with its step.
    pub fn children(&self) -> Vec<(Step, &Node)> {
        let members = self.members().iter();
        let elements = self.elements().iter().enumerate();
        members
            .map(|member| (Step::Key(member.key.clone()), &member.value))
            .chain(elements.map(|(index, node)| (Step::Index(index), node)))
            .collect()
    }

    pub fn members(&self) -> &[Member] {
        if let Kind::Object(members) = &self.kind { members } else { &[] }
    }

    pub fn elements(&self) -> &[Node] {
        if let Kind::Array(elements) = &self.kind { elements } else { &[] }
    }

    /// The value itself and all values inside it.
    pub fn all(&self) -> Vec<&Node> {
        let below = self.children().into_iter().flat_map(|(_, inner)| inner.all());
        std::iter::once(self).chain(below).collect()
    }

    pub fn is_null(&self) -> bool {
        self.is_word("null")
    }

    pub fn is_true(&self) -> bool {
        self.is_word("true")
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.kind, Kind::Word(own) if own == word)
    }

    /// The text of a string or of a number.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) | Kind::Number(text) => Some(text),
            _ => None,
        }
    }

    /// The spellings by which a string or a number is compared.
    pub fn texts(&self) -> Vec<String> {
        match &self.kind {
            Kind::Number(number) => vec![number.clone(), crate::naive::spelling(number)],
            _ => self.text().map(str::to_owned).into_iter().collect(),
        }
    }

    /// Whether an object in the value has the same key twice.
    pub fn has_duplicate_keys(&self) -> bool {
        let mut keys: Vec<_> = self.members().iter().map(|member| &member.key).collect();
        keys.sort();
        keys.windows(2).any(|two| two[0] == two[1])
            || self.children().iter().any(|(_, inner)| inner.has_duplicate_keys())
    }

    /// The value as serde_json parses it.
    pub fn value(&self, text: &str) -> Value {
        serde_json::from_str(&text[self.range.clone()]).expect("JSON")
    }
}
