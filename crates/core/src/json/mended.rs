//! Replaces unpaired halves of surrogate pairs by U+FFFD, as Go's decoder does. The cursor rejects
//! such halves.
//!
//! `\ud800` becomes `\ufffd`, which has the same length, so offsets do not change. The text is
//! copied in chunks, because windows are read-only.

use super::string::code_unit;
use crate::error::Result;
use crate::input::Source;

/// Length of a chunk, in bytes.
const CHUNK: usize = 1 << 20;
const PAIR: usize = 12;

/// A source in which unpaired halves of surrogate pairs are replaced.
#[derive(Debug)]
pub struct RepairedSource<S> {
    source: S,
    window: Vec<u8>,
    /// The offset of the window's first byte.
    offset: u64,
    /// The length of the part of the window that is mended.
    mended: usize,
    ended: bool,
}

impl<S: Source> RepairedSource<S> {
    pub fn new(source: S) -> RepairedSource<S> {
        let offset = source.offset();
        RepairedSource { source, window: Vec::new(), offset, mended: 0, ended: false }
    }

    /// Copies the next chunk of the source. Returns `false` at the end of the source.
    fn copy(&mut self) -> Result<bool> {
        let next = self.offset + self.window.len() as u64;
        let end = self.source.offset() + self.source.window().len() as u64;
        if next == end && !self.source.fill(next)? {
            return Ok(false);
        }
        let start = (next - self.source.offset()) as usize;
        let rest = &self.source.window()[start..];
        self.window.extend_from_slice(&rest[..rest.len().min(CHUNK)]);
        Ok(true)
    }
}

impl<S: Source> Source for RepairedSource<S> {
    fn window(&self) -> &[u8] {
        &self.window[..self.mended]
    }

    fn offset(&self) -> u64 {
        self.offset
    }

    fn fill(&mut self, keep: u64) -> Result<bool> {
        let dropped = (keep.saturating_sub(self.offset) as usize).min(self.mended);
        self.window.drain(..dropped);
        self.offset += dropped as u64;
        self.mended -= dropped;
        let before = self.mended;
        while self.mended == before && !self.ended {
            self.ended = !self.copy()?;
            self.mended += mend(&mut self.window[self.mended..], self.ended);
        }
        Ok(self.mended > before)
    }

    fn finish(&mut self) -> Result<()> {
        self.source.finish()
    }

    fn changed(&mut self) -> bool {
        self.source.changed()
    }
}

/// Mends a part of a text. The part must not begin inside an escape. Returns the length of the
/// mended part. An escape near the end stays unmended, unless `is_whole` says that no more text
/// follows.
pub fn mend(text: &mut [u8], is_whole: bool) -> usize {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &text[at..]) {
        at += found;
        let rest = &text[at..];
        if rest.len() < PAIR && !is_whole {
            return at;
        }
        let Some(first) = code_unit(rest) else {
            at = text.len().min(at + 2);
            continue;
        };
        let second = rest.get(6..).and_then(code_unit);
        at += match (first, second) {
            (0xd800..0xdc00, Some(0xdc00..0xe000)) => PAIR,
            (0xd800..0xe000, _) => {
                text[at..at + 6].copy_from_slice(br"\ufffd");
                6
            }
            _ => 6,
        };
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source that yields a text byte by byte.
    struct Dribble<'a> {
        text: &'a [u8],
        len: usize,
    }

    impl Source for Dribble<'_> {
        fn window(&self) -> &[u8] {
            &self.text[..self.len]
        }

        fn offset(&self) -> u64 {
            0
        }

        fn fill(&mut self, _keep: u64) -> Result<bool> {
            let has_more = self.len < self.text.len();
            self.len += usize::from(has_more);
            Ok(has_more)
        }

        fn finish(&mut self) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn unpaired_surrogates_are_replaced_in_place() {
        for (text, mended) in [
            (r#""\ud800""#, r#""\ufffd""#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\ude00\ud83d\ude00\ud83d""#, r#""\ufffd\ud83d\ude00\ufffd""#),
            (r#""\\ud800\n\u0041""#, r#""\\ud800\n\u0041""#),
            (r#""\ud800\u0041\ud8""#, r#""\ufffd\u0041\ud8""#),
            (r#""\"#, r#""\"#),
        ] {
            let mut whole = text.as_bytes().to_vec();
            assert_eq!(mend(&mut whole, true), text.len());
            assert_eq!(String::from_utf8_lossy(&whole), mended);
            let mut source = RepairedSource::new(Dribble { text: text.as_bytes(), len: 0 });
            let mut read = Vec::new();
            loop {
                let is_more = source.fill(read.len() as u64).expect("a text in memory");
                let from = read.len() - source.offset() as usize;
                read.extend_from_slice(&source.window()[from..]);
                if !is_more {
                    break;
                }
            }
            assert_eq!(String::from_utf8_lossy(&read), mended);
        }
    }
}
