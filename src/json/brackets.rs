//! The stack of open containers: how many are open, and whether each is an object or an array.
//!
//! It takes one bit for each, so a document at the depth limit needs little more than a kilobyte.

/// The kinds of the open containers: 1 is an object.
#[derive(Clone, Debug)]
pub(crate) struct Brackets {
    /// The innermost 63 at most, the innermost lowest, below a marker bit.
    top: u64,
    pub(super) depth: u64,
    /// The containers around those, 63 and a marker bit in each word.
    below: Vec<u64>,
}

/// A word with the marker bit only.
const EMPTY: u64 = 1;

impl Default for Brackets {
    fn default() -> Self {
        Brackets { top: EMPTY, depth: 0, below: Vec::new() }
    }
}

impl Brackets {
    /// A stack of these containers, the outermost first: whether each is an object.
    pub(crate) fn of(open: impl Iterator<Item = bool>) -> Brackets {
        let mut brackets = Brackets::default();
        open.for_each(|is_object| brackets.push(u64::from(is_object)));
        brackets
    }

    #[inline]
    pub(super) fn push(&mut self, brace: u64) {
        if self.top >> 63 == 1 {
            self.below.push(std::mem::replace(&mut self.top, EMPTY));
        }
        self.top = (self.top << 1) | brace;
        self.depth += 1;
    }

    /// Closes the innermost container and returns its kind.
    #[inline]
    pub(super) fn pop(&mut self) -> u64 {
        let brace = self.top & 1;
        self.top >>= 1;
        // If another process writes to the file, the masks may close more than they opened.
        self.depth = self.depth.saturating_sub(1);
        if self.top <= EMPTY {
            self.top = self.below.pop().unwrap_or(EMPTY);
        }
        brace
    }

    /// The kinds, the outermost first: 1 is an object.
    pub(super) fn kinds(&self) -> impl Iterator<Item = u64> {
        let words = self.below.iter().chain(std::iter::once(&self.top));
        words.flat_map(|word| {
            let count = 63 - word.leading_zeros();
            (0..count).rev().map(move |place| (word >> place) & 1)
        })
    }

    /// Whether the innermost container is an object. Meaningless if none is open.
    pub(super) fn is_object(&self) -> bool {
        self.top & 1 == 1
    }
}

/// The bit of the bracket that closes the outermost of `depth` containers, if it is in this block.
/// Otherwise updates `depth` to the number of containers that are open after the block.
#[inline(always)]
pub(super) fn close_of(brackets: u64, opens: u64, depth: &mut u64) -> Option<u32> {
    let closes = brackets & !opens;
    // A closing bracket right after its opening one closes no other container.
    let others = closes & !((brackets & opens) << 1);
    if *depth > u64::from(others.count_ones()) {
        let opened = brackets.count_ones() - closes.count_ones();
        *depth = *depth + u64::from(opened) - u64::from(closes.count_ones());
        return None;
    }
    let mut rest = brackets;
    while rest != 0 {
        let bit = rest.trailing_zeros();
        rest &= rest - 1;
        // Branch-free, because openings and closings come in no predictable order. If another
        // process writes to the file, the masks may close more than they opened.
        let opened = (opens >> bit) & 1;
        *depth = (*depth + 2 * opened).saturating_sub(1);
        if *depth == 0 {
            return Some(bit);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_kept_at_any_depth() {
        let kind = |depth: u64| (depth * depth / 3) & 1;
        let mut open = Brackets::default();
        for round in 1..4 {
            for depth in 0..200 * round {
                open.push(kind(depth));
                assert_eq!((open.depth, open.is_object()), (depth + 1, kind(depth) == 1));
            }
            assert!(open.kinds().eq((0..200 * round).map(kind)));
            for depth in (0..200 * round).rev() {
                assert_eq!((open.pop(), open.depth), (kind(depth), depth));
            }
        }
    }
}
