//! Every kernel computes the masks of the scalar kernel and finds the same misplaced byte, in one
//! batch or in many.

use plansift::scan::{BLOCK, Block, Detail, Isa, Misplaced, Scanner};

use super::draw::Draw;

/// Scans `text` with every kernel.
pub fn check(text: &[u8]) {
    let scalar = Isa::named("scalar").expect("it runs anywhere");
    let whole = || text.len() / BLOCK + 1;
    for detail in [Detail::Strings, Detail::Structure, Detail::Tokens] {
        let expected = scan(scalar, detail, text, whole);
        for isa in Isa::all() {
            let mut draw = Draw::from_bytes(text);
            let found = [
                scan(isa, detail, text, whole),
                scan(isa, detail, text, || 1),
                scan(isa, detail, text, || 1 + draw.below(5)),
            ];
            for found in found {
                assert_eq!(found, expected, "{} {detail:?}", isa.name());
            }
        }
    }
}

/// The masks up to the first misplaced byte, and that byte. `batch` returns the number of blocks in
/// the next batch.
fn scan(
    isa: Isa,
    detail: Detail,
    text: &[u8],
    mut batch: impl FnMut() -> usize,
) -> (Vec<Block>, Option<Misplaced>) {
    let mut padded = text.to_vec();
    padded.resize(text.len().next_multiple_of(BLOCK), b' ');
    let mut scanner = Scanner::new(isa, detail);
    let mut masks = Vec::new();
    while masks.len() * BLOCK < padded.len() {
        let start = masks.len() * BLOCK;
        // A separate allocation of the exact length, so that a sanitizer detects reads past the
        // end.
        let rest = &padded[start..];
        let exact: Box<[u8]> = rest[..rest.len().min(batch() * BLOCK)].into();
        masks.resize(masks.len() + exact.len() / BLOCK, Block::default());
        let misplaced = scanner.scan(&exact, &mut masks[start / BLOCK..]);
        if let Some(Misplaced { kind, offset }) = misplaced {
            let offset = start as isize + offset;
            hide_from(offset as usize, &mut masks);
            return (masks, Some(Misplaced { kind, offset }));
        }
    }
    let cut = scanner.finish();
    (masks, cut)
}

/// Clears the masks from the misplaced byte on, where they have no meaning.
fn hide_from(offset: usize, masks: &mut Vec<Block>) {
    masks.truncate(offset / BLOCK + 1);
    let visible = !(!0 << (offset % BLOCK));
    if let Some(last) = masks.last_mut() {
        for mask in [
            &mut last.quotes,
            &mut last.brackets,
            &mut last.opens,
            &mut last.braces,
            &mut last.escapes,
            &mut last.strings,
        ] {
            *mask &= visible;
        }
    }
}
