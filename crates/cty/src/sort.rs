//! Sorts the keys of all maps in a MessagePack value.

use super::error::Error;
use super::tokens::{Token, Tokens, write_map_header};

/// An array or a map that is being copied.
struct Copied<'a> {
    left: usize,
    map: Option<CopiedMap<'a>>,
}

/// A map in the copy: the offset of its start, and the key and the offset of each entry.
struct CopiedMap<'a> {
    start: usize,
    entries: Vec<(&'a [u8], usize)>,
}

/// Copies a value with ascending keys in every map. If a key repeats, only its last entry is kept.
pub fn sort(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let mut tokens = Tokens::new(bytes, 0);
    let mut out = Vec::with_capacity(bytes.len());
    let mut stack: Vec<Copied<'_>> = Vec::new();
    loop {
        let start = tokens.offset();
        let token = tokens.next_token()?;
        match token {
            Token::Array(left) => stack.push(Copied { left, map: None }),
            Token::Map(left) => {
                let map = CopiedMap { start: out.len(), entries: Vec::new() };
                stack.push(Copied { left, map: Some(map) });
            }
            _ => {}
        }
        if !matches!(token, Token::Map(_)) {
            out.extend_from_slice(&bytes[start..tokens.offset()]);
        }
        while stack.last().is_some_and(|open| open.left == 0) {
            if let Some(Copied { map: Some(map), .. }) = stack.pop() {
                map.close(&mut out);
            }
        }
        let Some(open) = stack.last_mut() else {
            return Ok(out);
        };
        open.left -= 1;
        if let Some(map) = &mut open.map {
            let key_start = tokens.offset();
            let key = tokens.next_key()?;
            map.entries.push((key, out.len()));
            out.extend_from_slice(&bytes[key_start..tokens.offset()]);
        }
    }
}

impl CopiedMap<'_> {
    /// Replaces the copied entries with a header and the sorted entries.
    fn close(self, out: &mut Vec<u8>) {
        let ends = self.entries.iter().skip(1).map(|entry| entry.1).chain([out.len()]);
        let entries = self.entries.iter().zip(ends);
        let mut spans: Vec<_> = entries.map(|((key, from), to)| (*key, *from..to)).collect();
        spans.sort_by_key(|span| span.0);
        // The sort is stable, so the last of several equal keys is also the last in the input.
        let is_last =
            |index: usize| spans.get(index + 1).is_none_or(|next| next.0 != spans[index].0);
        let kept: Vec<usize> = (0..spans.len()).filter(|index| is_last(*index)).collect();
        let mut sorted = Vec::with_capacity(out.len() - self.start);
        write_map_header(&mut sorted, kept.len());
        for index in kept {
            sorted.extend_from_slice(&out[spans[index].1.clone()]);
        }
        out.truncate(self.start);
        out.append(&mut sorted);
    }
}
