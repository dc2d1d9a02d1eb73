//! The stack of open containers: their number, and whether each is an object or an array.
//!
//! The stack takes one bit for each container, so a document at the default limit on depth needs
//! little more than a kilobyte.

/// A stack of the kinds of open containers: 1 is an object, 0 is an array.
#[derive(Clone, Debug, Default)]
pub struct Brackets {
    pub(crate) depth: u64,
    /// The kinds of the innermost containers, one bit each. The lowest bit is the innermost
    /// container.
    kinds: u64,
    /// The number of used bits in `kinds`, at most 64.
    len: u32,
    /// The kinds of the containers outside those in `kinds`, 64 in each word.
    around: Vec<u64>,
}

impl Brackets {
    /// Returns a stack of containers. `open` has their kinds, the outermost first.
    pub fn of(open: impl Iterator<Item = u64>) -> Brackets {
        let mut brackets = Brackets::default();
        open.for_each(|brace| brackets.push(brace));
        brackets
    }

    #[inline]
    pub(crate) fn push(&mut self, brace: u64) {
        if self.len == u64::BITS {
            self.around.push(self.kinds);
            (self.kinds, self.len) = (0, 0);
        }
        self.kinds = (self.kinds << 1) | brace;
        self.len += 1;
        self.depth += 1;
    }

    /// Opens `count` containers. The lowest bit of `braces` is the outermost one.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn open(&mut self, braces: u64, count: u32) {
        if self.len + count > u64::BITS {
            (0..count).for_each(|place| self.push((braces >> place) & 1));
            return;
        }
        if count > 0 {
            let inwards = braces.reverse_bits() >> (u64::BITS - count);
            self.kinds = self.kinds.checked_shl(count).unwrap_or_default() | inwards;
            self.len += count;
            self.depth += u64::from(count);
        }
    }

    /// Closes `count` containers. The lowest bit of `braces` is the innermost one. Returns `false`
    /// if a kind differs. Stops early if no container is open: if another process writes to the
    /// file, the masks may close more containers than they opened.
    #[inline(always)]
    pub(crate) fn close(&mut self, braces: u64, count: u32) -> bool {
        let (mut braces, mut count) = (braces, count);
        let mut different = 0;
        loop {
            let taken = count.min(self.len);
            different |= (self.kinds ^ braces) & lowest(taken);
            self.kinds = self.kinds.checked_shr(taken).unwrap_or_default();
            self.len -= taken;
            self.depth -= u64::from(taken);
            count -= taken;
            if count == 0 {
                return different == 0;
            }
            braces = braces.checked_shr(taken).unwrap_or_default();
            let Some(kinds) = self.around.pop() else { return different == 0 };
            (self.kinds, self.len) = (kinds, u64::BITS);
        }
    }

    /// Returns the kind of the innermost container: 1 is an object. The result is meaningless if no
    /// container is open.
    #[inline(always)]
    pub(crate) fn innermost(&self) -> u64 {
        let kinds = if self.len == 0 { self.around.last().copied() } else { Some(self.kinds) };
        kinds.unwrap_or_default() & 1
    }
}

/// A mask with the lowest `count` bits set.
#[inline(always)]
pub(super) fn lowest(count: u32) -> u64 {
    !(!0u64).checked_shl(count).unwrap_or_default()
}

/// Returns the bit of the bracket that closes the outermost of `depth` containers, if this bracket
/// is in the block. Otherwise updates `depth` to the number of containers that are open after the
/// block.
#[inline(always)]
pub(crate) fn close_of(brackets: u64, opens: u64, depth: &mut u64) -> Option<u32> {
    let closes = brackets & !opens;
    // A closing bracket right after its opening bracket closes no other container.
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
        // Without branches, because the order of opening and closing brackets is unpredictable. If
        // another process writes to the file, the masks may close more containers than they opened.
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
    fn the_bracket_stack_keeps_kinds_at_any_depth() {
        let kind = |depth: u64| (depth * depth / 3) & 1;
        let mut open = Brackets::default();
        for round in 1..4 {
            for depth in 0..200 * round {
                open.push(kind(depth));
                assert_eq!((open.depth, open.innermost()), (depth + 1, kind(depth)));
            }
            for depth in (0..200 * round).rev() {
                assert!(open.close(kind(depth), 1));
                assert_eq!(open.depth, depth);
            }
        }
    }

    #[test]
    fn several_brackets_can_close_at_once_at_any_depth() {
        for depth in [1, 63, 64, 65, 100, 128, 130, 200] {
            for count in [1, 2, 63, 64] {
                let mut open = Brackets::default();
                let kinds: Vec<u64> = (0..depth).map(|level| (level * level / 3) & 1).collect();
                kinds.iter().for_each(|kind| open.push(*kind));
                let closed = depth.min(u64::from(count));
                // The innermost container is in the lowest bit.
                let braces = kinds.iter().rev().take(64).rev().fold(0, |all, kind| all << 1 | kind);
                let mut other = open.clone();
                assert!(open.close(braces, count), "{depth} {count}");
                assert_eq!(open.depth, depth - closed);
                if let Some(left) = (depth - closed).checked_sub(1) {
                    assert_eq!(open.innermost(), kinds[left as usize], "{depth} {count}");
                }
                let flipped = 1 << (closed - 1);
                assert!(!other.close(braces ^ flipped, count), "{depth} {count}");
            }
        }
    }
}
