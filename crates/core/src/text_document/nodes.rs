//! The places of the nodes of a YAML document, in about four bytes for each node.
//!
//! A document of 1 MiB can have a million nodes. So each node is stored as differences to the node
//! before it. An index has the state before every [`STRIDE`]th node.

/// How a node is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// JSON: any value or key. A string has double quotes.
    Json,
    /// A YAML scalar without quotes, or a mapping or sequence.
    Plain,
    /// A YAML scalar in single quotes.
    Single,
    /// A YAML scalar in double quotes.
    Double,
    /// The lines of a YAML block scalar, after its header.
    Block,
    /// A YAML sequence of lines with dashes. It may have the indentation of its key, but a scalar
    /// in its place must not.
    Dashes,
}

/// The place of a YAML node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// The offset of the node in the JSON text that the YAML was converted to.
    pub json: u32,
    pub start: u32,
    pub end: u32,
    pub style: Style,
    /// True for a mapping or sequence, which contains other nodes.
    pub is_container: bool,
}

/// Number of nodes between two entries of the index.
const STRIDE: usize = 32;

/// The styles of nodes, by their number in the first byte of a node.
const STYLES: [Style; 5] =
    [Style::Plain, Style::Single, Style::Double, Style::Block, Style::Dashes];

/// The nodes of a document, in the order of the JSON text.
///
/// A node consists of a byte with its style, and of numbers in 7-bit groups: the difference between
/// its JSON offset and the one before, the difference between their starts, and the length of a
/// scalar.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    bytes: Vec<u8>,
    index: Vec<State>,
    len: usize,
    /// The ends of the containers, in the order of their starts.
    ends: Vec<u32>,
    last: State,
    /// The number of bytes that were removed from the start of the JSON text.
    removed: u32,
}

/// The position between two nodes.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// The offset of the next node in [`Nodes::bytes`].
    at: u32,
    /// The number of containers before the position.
    containers: u32,
    /// The offset of the node before the position in the JSON text.
    json: u32,
    /// The start of the node before the position.
    start: u32,
}

impl Nodes {
    /// Adds a node, which must be after all others in the JSON text. Returns the number of the
    /// container, for [`Nodes::close`].
    pub fn push(&mut self, node: Node) -> usize {
        self.last.at = self.bytes.len() as u32;
        if self.len.is_multiple_of(STRIDE) {
            self.index.push(self.last);
        }
        self.len += 1;
        let style = STYLES.iter().position(|style| *style == node.style).unwrap_or_default();
        self.bytes.push(style as u8 * 2 + u8::from(node.is_container));
        self.push_number(node.json - self.last.json);
        let difference = node.start.wrapping_sub(self.last.start).cast_signed();
        // The sign is the lowest bit, so that small negative differences are short.
        self.push_number(((difference << 1) ^ (difference >> 31)).cast_unsigned());
        if node.is_container {
            self.last.containers += 1;
            self.ends.push(node.end);
        } else {
            self.push_number(node.end - node.start);
        }
        (self.last.json, self.last.start) = (node.json, node.start);
        self.ends.len().saturating_sub(1)
    }

    /// Sets the end of a container, which is not before its start.
    pub fn close(&mut self, container: usize, end: u32) {
        if let Some(known) = self.ends.get_mut(container) {
            *known = end.max(*known);
        }
    }

    /// Removes bytes from the start of the JSON text.
    pub fn remove_json(&mut self, bytes: u32) {
        self.removed += bytes;
    }

    /// Returns the node at an offset of the JSON text.
    pub fn at(&self, json: u64) -> Option<Node> {
        let json = u32::try_from(json).ok()?.checked_add(self.removed)?;
        // The node is after the last entry whose earlier nodes are all before the offset.
        let entry = self.index.partition_point(|state| state.at == 0 || state.json < json);
        let state = *self.index.get(entry.checked_sub(1)?)?;
        let mut nodes = Iter { nodes: self, state };
        nodes.find(|node| node.json >= json).filter(|node| node.json == json)
    }

    /// Returns all nodes.
    pub fn iter(&self) -> impl Iterator<Item = Node> {
        Iter { nodes: self, state: State::default() }
    }

    fn push_number(&mut self, mut number: u32) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }
}

struct Iter<'n> {
    nodes: &'n Nodes,
    state: State,
}

impl Iter<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = self.nodes.bytes.get(self.state.at as usize).copied();
        self.state.at += 1;
        byte
    }

    fn number(&mut self) -> Option<u32> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            number |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
            shift += 7;
        }
    }
}

impl Iterator for Iter<'_> {
    type Item = Node;

    fn next(&mut self) -> Option<Node> {
        let first = self.byte()?;
        let (style, is_container) = (*STYLES.get(usize::from(first / 2))?, first % 2 == 1);
        let json = self.state.json + self.number()?;
        let number = self.number()?;
        let difference = (number >> 1) ^ (number & 1).wrapping_neg();
        let start = self.state.start.wrapping_add(difference);
        let end = if is_container {
            let end = self.nodes.ends.get(self.state.containers as usize);
            self.state.containers += 1;
            *end?
        } else {
            start + self.number()?
        };
        (self.state.json, self.state.start) = (json, start);
        Some(Node { json, start, end, style, is_container })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn nodes_are_found_by_their_offsets() {
        let (mut nodes, mut all) = (Nodes::default(), Vec::new());
        let (mut json, mut start) = (1, 300_u32);
        for number in 0..1000_u32 {
            let is_container = number % 3 == 0;
            let style = STYLES[number as usize % 5];
            let end = start + number * number % 70_000;
            let node = Node { json, start, end, style, is_container };
            let end = if is_container { start } else { end };
            let container = nodes.push(Node { end, ..node });
            if is_container {
                nodes.close(container, node.end);
            }
            all.push(node);
            json += 1 + number * 37 % 500;
            start = if number % 7 == 0 { start - number % 100 } else { start + number * 11 % 300 };
        }
        assert!(nodes.iter().eq(all.iter().copied()));
        for node in &all {
            assert_eq!(nodes.at(node.json.into()), Some(*node));
        }
        let known: HashSet<u64> = all.iter().map(|node| node.json.into()).collect();
        let mut missing = (0..u64::from(json) + 9).filter(|json| !known.contains(json));
        assert!(missing.all(|json| nodes.at(json).is_none()));
        nodes.remove_json(1);
        assert_eq!(nodes.at(0), Some(all[0]));
        assert_eq!(nodes.at(u64::MAX), None);
        assert_eq!(Nodes::default().at(0), None);
    }
}
