//! An Aho-Corasick automaton: finds out whether a text contains one of many secrets, and reads each
//! byte of the text once.
//!
//! The automaton is a tree of the bytes of the secrets. Each node has a link to the node of its
//! longest proper suffix in the tree. Most nodes have one child, which directly follows its parent.
//! Only the other children need an entry in a table. So a byte of a secret takes six bytes.
//!
//! The automaton wipes its memory before it frees it. It never lets an allocation grow, because
//! growing leaves copies behind. Automata in libraries do neither.

use std::ops::Range;

use zeroize::{Zeroize, Zeroizing};

/// See the module.
#[derive(Debug)]
pub(super) struct Automaton {
    /// The nodes of the tree. The first is the root.
    nodes: Zeroizing<Vec<Node>>,
    /// The node of the longest proper suffix of each node's path.
    suffixes: Zeroizing<Vec<u32>>,
    /// The children of the root, by their bytes. [`ROOT`] means none.
    first: Box<[u32; 256]>,
    /// The other children that do not follow their parents, sorted by parent and byte.
    forks: Zeroizing<Vec<Fork>>,
}

/// A node. The bytes of the nodes on the path to it are the beginning of a secret.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    byte: u8,
    /// See [`FOLLOWED`], [`FORKED`] and [`ENDS`].
    flags: u8,
}

/// A node and one of its children.
#[derive(Clone, Copy, Debug, Default)]
struct Fork {
    parent: u32,
    child: u32,
}

impl zeroize::DefaultIsZeroes for Node {}
impl zeroize::DefaultIsZeroes for Fork {}

const ROOT: u32 = 0;

/// The next node is a child of this one.
const FOLLOWED: u8 = 1;
/// The node has children in the table of forks.
const FORKED: u8 = 2;
/// A secret ends at this node, or at a node that the suffix links lead to.
const ENDS: u8 = 4;

impl Automaton {
    /// Builds the automaton for `count` secrets, which have `len` bytes together. `len` must be
    /// less than `u32::MAX`.
    pub fn new<'t>(secrets: impl Iterator<Item = &'t [u8]>, count: usize, len: usize) -> Automaton {
        let mut automaton = Automaton {
            nodes: Zeroizing::new(Vec::with_capacity(len + 1)),
            suffixes: Zeroizing::new(Vec::with_capacity(len + 1)),
            first: Box::new([ROOT; 256]),
            forks: Zeroizing::new(Vec::with_capacity(count)),
        };
        automaton.push(Node::default());
        let mut sorted: Vec<&[u8]> = secrets.collect();
        sorted.sort_unstable();
        automaton.insert(&sorted);
        automaton.link();
        automaton
    }

    /// Whether there are no secrets to find.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1
    }

    /// Whether a text contains a secret.
    #[inline(never)]
    pub fn finds(&self, text: &[u8]) -> bool {
        let mut at = ROOT;
        text.iter().any(|&byte| {
            at = self.step(at, byte);
            self.nodes[at as usize].flags & ENDS != 0
        })
    }

    /// Adds the secrets to the tree. Their order makes equal beginnings meet. A secret that begins
    /// with another one is left out, because every text with it also contains the other one.
    fn insert(&mut self, sorted: &[&[u8]]) {
        let len_max = sorted.iter().map(|secret| secret.len()).max().unwrap_or(0);
        // The nodes on the path of the last secret, from the root.
        let mut path = Vec::with_capacity(len_max + 1);
        path.push(ROOT);
        let mut last: &[u8] = &[];
        for &secret in sorted {
            let same = last.iter().zip(secret).take_while(|(a, b)| a == b).count();
            if !last.is_empty() && same == last.len() {
                continue;
            }
            path.truncate(same + 1);
            for &byte in &secret[same..] {
                let parent = path.last().copied().unwrap_or(ROOT);
                let child = self.push(Node { byte, flags: 0 });
                if parent == ROOT {
                    self.first[usize::from(byte)] = child;
                } else if child == parent + 1 {
                    self.nodes[parent as usize].flags |= FOLLOWED;
                } else {
                    self.nodes[parent as usize].flags |= FORKED;
                    self.forks.push(Fork { parent, child });
                }
                path.push(child);
            }
            let end = path.last().copied().unwrap_or(ROOT);
            self.nodes[end as usize].flags |= ENDS;
            last = secret;
        }
        let nodes = &self.nodes;
        self.forks.sort_unstable_by_key(|it| (it.parent, nodes[it.child as usize].byte));
    }

    fn push(&mut self, node: Node) -> u32 {
        let new = self.nodes.len() as u32;
        self.nodes.push(node);
        self.suffixes.push(ROOT);
        new
    }

    /// Links every node to its longest suffix, breadth first.
    fn link(&mut self) {
        let mut level: Vec<u32> = self.first.iter().copied().filter(|&it| it != ROOT).collect();
        let mut below = Vec::new();
        while !level.is_empty() {
            for &at in &level {
                let suffix = self.suffixes[at as usize];
                if self.nodes[at as usize].flags & FOLLOWED != 0 {
                    self.link_child(at + 1, suffix);
                    below.push(at + 1);
                }
                let is_forked = self.nodes[at as usize].flags & FORKED != 0;
                let forks = if is_forked { self.forks_of(at) } else { 0..0 };
                for fork in forks {
                    let child = self.forks[fork].child;
                    self.link_child(child, suffix);
                    below.push(child);
                }
            }
            level.clear();
            std::mem::swap(&mut level, &mut below);
        }
    }

    /// Links the child of a node with this suffix.
    fn link_child(&mut self, child: u32, suffix: u32) {
        let suffix = self.step(suffix, self.nodes[child as usize].byte);
        self.suffixes[child as usize] = suffix;
        let ends = self.nodes[suffix as usize].flags & ENDS;
        self.nodes[child as usize].flags |= ends;
    }

    /// Returns the node that the automaton enters from `at` on this byte.
    fn step(&self, mut at: u32, byte: u8) -> u32 {
        while at != ROOT {
            if let Some(child) = self.child(at, byte) {
                return child;
            }
            at = self.suffixes[at as usize];
        }
        self.first[usize::from(byte)]
    }

    fn child(&self, at: u32, byte: u8) -> Option<u32> {
        let flags = self.nodes[at as usize].flags;
        if flags & FOLLOWED != 0 && self.nodes[at as usize + 1].byte == byte {
            return Some(at + 1);
        }
        if flags & FORKED == 0 {
            return None;
        }
        let forks = &self.forks[self.forks_of(at)];
        let found = forks.binary_search_by_key(&byte, |it| self.nodes[it.child as usize].byte);
        found.ok().map(|place| forks[place].child)
    }

    /// Returns the place of a node's children in the table of forks.
    fn forks_of(&self, at: u32) -> Range<usize> {
        let start = self.forks.partition_point(|it| it.parent < at);
        let len = self.forks[start..].partition_point(|it| it.parent == at);
        start..start + len
    }
}

impl Drop for Automaton {
    fn drop(&mut self) {
        self.first.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn automaton(secrets: &[String]) -> Automaton {
        let len = secrets.iter().map(String::len).sum();
        Automaton::new(secrets.iter().map(|it| it.as_bytes()), secrets.len(), len)
    }

    proptest! {
        #[test]
        fn texts_that_contain_a_secret_are_found(
            secrets in prop::collection::vec("[abc]{1,6}|[ab]{6,12}", 0..20),
            texts in prop::collection::vec("[abcd]{0,40}", 1..8),
        ) {
            let automaton = automaton(&secrets);
            prop_assert_eq!(automaton.is_empty(), secrets.is_empty());
            for text in texts {
                let expected = secrets.iter().any(|secret| text.contains(secret));
                prop_assert_eq!(automaton.finds(text.as_bytes()), expected, "{}", text);
            }
        }
    }

    #[test]
    fn equal_beginnings_share_nodes_and_each_allocation_stays() {
        let secrets: Vec<String> = (0..1000).map(|it| format!("{:x}-secret", it * 7919)).collect();
        let automaton = automaton(&secrets);
        let len: usize = secrets.iter().map(String::len).sum();
        assert_eq!((automaton.nodes.capacity(), automaton.suffixes.capacity()), (len + 1, len + 1));
        assert_eq!(automaton.forks.capacity(), secrets.len());
        assert_eq!(size_of::<Node>() + size_of::<u32>(), 6);
    }

    #[test]
    fn a_secret_that_begins_with_another_takes_no_nodes() {
        let secrets = ["abd", "abc", "abcd", "xab", "abc"].map(str::to_owned);
        assert_eq!(automaton(&secrets).nodes.len(), 1 + "abcd".len() + "xab".len());
    }

    /// Each byte of the text takes a bounded number of steps, even if it almost continues a secret.
    #[test]
    fn a_hostile_text_takes_linear_time() {
        let secrets: Vec<String> = (1..1000).map(|len| "a".repeat(len * 20) + "b").collect();
        let automaton = automaton(&secrets[990..]);
        assert!(!automaton.finds("a".repeat(2_000_000).as_bytes()));
        assert!(automaton.finds(("a".repeat(2_000_000) + "b").as_bytes()));
    }
}
