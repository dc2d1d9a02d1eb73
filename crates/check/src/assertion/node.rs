//! A file of assertions as a tree of nodes with line numbers.

use std::collections::BTreeSet;
use std::fmt;

use plansift_core::nearest::nearest;

/// Longest file of assertions, in bytes.
pub const FILE_MAX: usize = 8 << 20;
/// Maximum depth of nested lists and mappings.
pub(super) const DEPTH_MAX: usize = 64;
pub(super) const NODES_MAX: usize = 1_000_000;

/// A fault in a file of assertions, with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// The line, from 1.
    pub line: usize,
    /// The message: what is wrong, and what to do.
    pub text: String,
}

impl FileError {
    pub(super) fn new(line: usize, text: impl Into<String>) -> FileError {
        FileError { line, text: text.into() }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.text)
    }
}

impl std::error::Error for FileError {}

/// A value in the file.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub line: usize,
    pub kind: NodeKind,
}

#[derive(Clone, Debug)]
pub(super) enum NodeKind {
    Null,
    Boolean(bool),
    /// A number, as written in the file.
    Number(String),
    Text(String),
    /// A string without quotes that older versions of YAML read as a boolean, such as `yes`.
    FormerBoolean(String),
    List(Vec<Node>),
    Mapping(Vec<Member>),
}

#[derive(Clone, Debug)]
pub(super) struct Member {
    pub line: usize,
    pub key: String,
    pub value: Node,
}

impl Node {
    /// The type of the node, for messages.
    pub fn noun(&self) -> &'static str {
        match self.kind {
            NodeKind::Null => "null",
            NodeKind::Boolean(_) => "a boolean",
            NodeKind::Number(_) => "a number",
            NodeKind::Text(_) | NodeKind::FormerBoolean(_) => "a string",
            NodeKind::List(_) => "a list",
            NodeKind::Mapping(_) => "a mapping",
        }
    }

    /// Returns the error for a node whose type is not `expected`.
    pub fn wrong(&self, name: &str, expected: &str) -> FileError {
        FileError::new(self.line, format!("`{name}` must be {expected}, not {}", self.noun()))
    }
}

/// Builds a tree from events, within the limits.
#[derive(Debug, Default)]
pub(super) struct Builder {
    open: Vec<Open>,
    root: Option<Node>,
    node_count: usize,
}

/// A list or a mapping that is not complete.
#[derive(Debug)]
struct Open {
    line: usize,
    content: NodeKind,
    keys: BTreeSet<String>,
    /// The key of the next member of a mapping.
    key: Option<(usize, String)>,
}

impl Builder {
    pub fn open_list(&mut self, line: usize) -> Result<(), FileError> {
        self.open(line, NodeKind::List(Vec::new()))
    }

    pub fn open_mapping(&mut self, line: usize) -> Result<(), FileError> {
        self.open(line, NodeKind::Mapping(Vec::new()))
    }

    fn open(&mut self, line: usize, content: NodeKind) -> Result<(), FileError> {
        if self.needs_key() {
            return Err(FileError::new(line, "a key must be a string"));
        }
        if self.open.len() == DEPTH_MAX {
            let text = format!("lists and mappings are nested deeper than {DEPTH_MAX}");
            return Err(FileError::new(line, text));
        }
        self.count(line)?;
        self.open.push(Open { line, content, keys: BTreeSet::new(), key: None });
        Ok(())
    }

    fn count(&mut self, line: usize) -> Result<(), FileError> {
        self.node_count += 1;
        match self.node_count > NODES_MAX {
            true => Err(FileError::new(line, format!("there are more than {NODES_MAX} values"))),
            false => Ok(()),
        }
    }

    pub fn needs_key(&self) -> bool {
        let last = self.open.last();
        last.is_some_and(|open| open.key.is_none() && matches!(open.content, NodeKind::Mapping(_)))
    }

    /// Sets the key of the next member.
    pub fn key(&mut self, line: usize, key: String) -> Result<(), FileError> {
        let Some(open) = self.open.last_mut() else { return Ok(()) };
        if !open.keys.insert(key.clone()) {
            return Err(FileError::new(line, format!("the key `{}` occurs twice", shown(&key))));
        }
        open.key = Some((line, key));
        Ok(())
    }

    /// Closes the innermost list or mapping.
    pub fn close(&mut self) -> Result<(), FileError> {
        match self.open.pop() {
            Some(Open { line, content, .. }) => self.add(Node { line, kind: content }),
            None => Ok(()),
        }
    }

    pub fn scalar(&mut self, line: usize, kind: NodeKind) -> Result<(), FileError> {
        self.count(line)?;
        self.add(Node { line, kind })
    }

    fn add(&mut self, node: Node) -> Result<(), FileError> {
        match self.open.last_mut() {
            Some(Open { content: NodeKind::List(elements), .. }) => elements.push(node),
            Some(Open { content: NodeKind::Mapping(members), key, .. }) => {
                let Some((line, key)) = key.take() else {
                    return Err(FileError::new(node.line, "a value has no key"));
                };
                members.push(Member { line, key, value: node });
            }
            _ if self.root.is_some() => {
                return Err(FileError::new(node.line, "there is more than one document"));
            }
            _ => self.root = Some(node),
        }
        Ok(())
    }

    pub fn finish(self) -> Result<Node, FileError> {
        self.root.ok_or_else(|| FileError::new(1, "the file is empty"))
    }
}

/// Shortens a key for messages, and escapes hidden characters.
pub(super) fn shown(key: &str) -> String {
    const SHOWN_MAX: usize = 60;
    let short: String = key.chars().take(SHOWN_MAX).collect();
    plansift_core::inert::visible(&short)
}

/// Returns the string in a node; `name` is its key.
pub(super) fn text(node: &Node, name: &str) -> Result<String, FileError> {
    match &node.kind {
        NodeKind::Text(text) if text.is_empty() => {
            Err(FileError::new(node.line, format!("`{name}` is empty")))
        }
        NodeKind::Text(text) | NodeKind::FormerBoolean(text) => Ok(text.clone()),
        // Without quotes, a name such as `1` is a number in the file.
        NodeKind::Number(text) => Ok(text.clone()),
        _ => Err(node.wrong(name, "a string")),
    }
}

/// Returns the boolean in a node; `name` is its key.
pub(super) fn boolean(node: &Node, name: &str) -> Result<bool, FileError> {
    match node.kind {
        NodeKind::Boolean(value) => Ok(value),
        _ => Err(node.wrong(name, "true or false")),
    }
}

/// Returns the error about an unknown key. It suggests a similar key, or lists all keys.
pub(super) fn unknown_key(line: usize, key: &str, known: &[&str]) -> FileError {
    if let Some((name, _)) = key.split_once(':').filter(|(name, _)| known.contains(name)) {
        return FileError::new(line, format!("a blank is missing after `{name}:`"));
    }
    unknown_word(line, "key", key, known, "the keys are")
}

/// Returns the error about an unknown word. It suggests a similar word, or lists all words after
/// `use_one`.
pub(super) fn unknown_word(
    line: usize,
    name: &str,
    word: &str,
    known: &[&str],
    use_one: &str,
) -> FileError {
    let hint = match nearest(word, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("{use_one} {}", known.join(", ")),
    };
    FileError::new(line, format!("unknown {name} `{}`: {hint}", shown(word)))
}
