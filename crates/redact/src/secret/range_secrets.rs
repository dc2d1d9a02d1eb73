//! The secrets of marked pieces, recorded by a lookahead worker.
//!
//! The walk numbers the secrets in document order. With this record, it need not parse the pieces
//! again. It parses a piece again if it needs more than digests, or if the record was full.

use std::ops::Range;

use super::digest::{Digested, Digester};
use super::set::Secrets;
use super::texts::texts_of;
use plansift_core::error::Result;
use plansift_core::json::value::Value;
use plansift_core::pool::scaled_for_fuzzing;
use plansift_plan::marks::marked_paths::{MarkedPaths, OwnerDigests, PathDigests};
use plansift_plan::plan::PieceKind;

/// Maximum number of secrets, and of paths, in the record of a range. The walk parses the
/// remaining pieces itself.
const MAX: usize = scaled_for_fuzzing(8 << 10) as usize;

#[derive(Debug, Default)]
pub(crate) struct RangeSecrets {
    pieces: Vec<MarkedPiece>,
    /// The secrets of all pieces, with their offsets.
    secrets: Vec<(Digested, u64)>,
    /// The marked paths of all pieces.
    paths: Vec<PathDigests>,
    /// The index of the next piece's first secret. `next_path` is the index of its first path.
    next: usize,
    next_path: usize,
    /// True if the record has no room for a secret or path of the next piece.
    is_cut: bool,
}

#[derive(Debug)]
pub(crate) struct MarkedPiece {
    pub kind: PieceKind,
    pub range: Range<u64>,
    /// The range of its secrets in the record; `None` if the record was full.
    secrets: Option<Range<usize>>,
    /// The resource or action that owns the marks.
    owner: OwnerDigests,
    paths: Range<usize>,
}

impl MarkedPiece {
    /// Length of the piece in bytes.
    pub fn len(&self) -> u64 {
        self.range.end - self.range.start
    }
}

impl RangeSecrets {
    /// Records everything at and below a marked path of the next piece.
    pub fn add(&mut self, value: Value<'_>, by: &Digester, decoded: &mut Vec<u8>) -> Result<()> {
        texts_of(value, by.echo_min(), decoded, |text, role, offset| {
            if self.secrets.len() < MAX {
                self.secrets.push((by.digested(text, role), offset));
            } else {
                self.is_cut = true;
            }
            Ok(())
        })
    }

    /// Records the path to a marked path of the next piece.
    pub fn add_path(&mut self, path: PathDigests) {
        if self.paths.len() < MAX {
            self.paths.push(path);
        } else {
            self.is_cut = true;
        }
    }

    /// Completes the next piece. Everything added since the previous piece belongs to it.
    pub fn end(&mut self, kind: PieceKind, range: Range<u64>, owner: OwnerDigests) {
        if self.is_cut {
            self.secrets.truncate(self.next);
            self.paths.truncate(self.next_path);
        }
        let (end, end_path) = (self.secrets.len(), self.paths.len());
        let secrets = (!std::mem::take(&mut self.is_cut)).then_some(self.next..end);
        let paths = self.next_path..end_path;
        (self.next, self.next_path) = (end, end_path);
        self.pieces.push(MarkedPiece { kind, range, secrets, owner, paths });
    }

    /// Drops everything added for the next piece.
    pub fn drop_next(&mut self) {
        self.secrets.truncate(self.next);
        self.paths.truncate(self.next_path);
        self.is_cut = false;
    }

    /// Removes all content and keeps the memory.
    pub fn clear(&mut self) {
        self.pieces.clear();
        self.secrets.clear();
        self.paths.clear();
        (self.next, self.next_path, self.is_cut) = (0, 0, false);
    }

    /// Length of all pieces in bytes.
    pub fn bytes(&self) -> u64 {
        self.pieces.iter().map(MarkedPiece::len).sum()
    }

    /// The pieces, in document order.
    pub fn pieces(&self) -> &[MarkedPiece] {
        &self.pieces
    }

    /// Whether all secrets of a piece are recorded and present in `secrets`.
    pub fn is_known(&self, piece: &MarkedPiece, secrets: &Secrets) -> bool {
        self.of(piece).is_some_and(|own| own.iter().all(|(secret, _)| secrets.has(secret)))
    }

    /// Adds the secrets of a piece to `secrets`. Returns `false` if the record had no room for the
    /// secrets of this piece. Fails if there are too many secrets.
    pub fn add_secrets_to(&self, piece: &MarkedPiece, secrets: &mut Secrets) -> Result<bool> {
        let Some(own) = self.of(piece) else { return Ok(false) };
        own.iter().try_for_each(|(secret, offset)| {
            secrets.insert_digested(*secret, *offset).map(|_| ())
        })?;
        Ok(true)
    }

    /// Adds the marked paths of a piece to `marked_paths`. Fails if there are too many marked
    /// paths.
    pub fn add_paths_to(&self, piece: &MarkedPiece, marked_paths: &mut MarkedPaths) -> Result<()> {
        let paths = &self.paths[piece.paths.clone()];
        paths.iter().try_for_each(|path| marked_paths.insert(piece.owner, *path, piece.range.start))
    }

    fn of(&self, piece: &MarkedPiece) -> Option<&[(Digested, u64)]> {
        piece.secrets.clone().map(|range| &self.secrets[range])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plansift_core::json::detached::Detached;
    use plansift_core::limits::Limits;

    fn add(found_secrets: &mut RangeSecrets, by: &Digester, text: &str) {
        let mut value = Detached::read(text.as_bytes(), Limits::default()).expect("a value");
        found_secrets.add(value.value(), by, &mut Vec::new()).expect("it is well formed");
    }

    #[test]
    fn each_piece_records_its_own_secrets() {
        let mut secrets = Secrets::new(8, &Limits::default());
        let by = secrets.digester().clone();
        let mut found_secrets = RangeSecrets::default();
        let kind = PieceKind::Resource;
        add(&mut found_secrets, &by, r#"["one",{"two":2}]"#);
        found_secrets.end(kind, 0..10, OwnerDigests::default());
        // The next piece turned out to be invalid.
        add(&mut found_secrets, &by, r#""three""#);
        found_secrets.drop_next();
        found_secrets.end(kind, 10..20, OwnerDigests::default());
        add(&mut found_secrets, &by, r#"["two","o\u006ee"]"#);
        found_secrets.end(kind, 20..30, OwnerDigests::default());
        let [first, empty, last] = found_secrets.pieces() else { panic!("three pieces ended") };
        assert!(
            found_secrets.is_known(empty, &secrets) && !found_secrets.is_known(first, &secrets)
        );
        assert!(found_secrets.add_secrets_to(first, &mut secrets).expect("there is room"));
        let numbers = ["one", "2", "two", "three"].map(|text| secrets.number(text.as_bytes()));
        assert_eq!(numbers, [Some(1), Some(2), None, None]);
        assert!(!found_secrets.is_known(last, &secrets));
        assert!(found_secrets.add_secrets_to(last, &mut secrets).expect("there is room"));
        assert!(found_secrets.is_known(last, &secrets));
        assert_eq!((secrets.len(), found_secrets.bytes()), (3, 30));
    }

    #[test]
    fn secrets_beyond_the_limit_are_not_known() {
        let mut secrets = Secrets::new(8, &Limits::default());
        let by = secrets.digester().clone();
        let mut found_secrets = RangeSecrets::default();
        let list = |range: Range<usize>| format!("{:?}", range.collect::<Vec<_>>());
        for (list, range) in [(list(1..10), 0..1), (list(10..MAX + 10), 1..2), ("[9]".into(), 2..3)]
        {
            add(&mut found_secrets, &by, &list);
            found_secrets.end(PieceKind::Resource, range, OwnerDigests::default());
        }
        for round in 0..2 {
            let known =
                found_secrets.pieces().iter().map(|piece| found_secrets.is_known(piece, &secrets));
            assert_eq!(known.collect::<Vec<_>>(), [round > 0, false, round > 0]);
            let added = found_secrets
                .pieces()
                .iter()
                .map(|piece| found_secrets.add_secrets_to(piece, &mut secrets));
            assert_eq!(added.collect::<Result<Vec<_>>>().ok(), Some(vec![true, false, true]));
        }
        assert_eq!(secrets.len(), 9);
        found_secrets.clear();
        assert!(found_secrets.pieces().is_empty());
        add(&mut found_secrets, &by, r#""one more""#);
        found_secrets.end(PieceKind::Resource, 3..4, OwnerDigests::default());
        assert_eq!(
            found_secrets.add_secrets_to(&found_secrets.pieces()[0], &mut secrets).ok(),
            Some(true)
        );
        assert_eq!(secrets.len(), 10);
    }

    #[test]
    fn the_limit_error_has_an_offset() {
        let mut secrets = Secrets::new(8, &Limits { secrets: 2, ..Limits::default() });
        let by = secrets.digester().clone();
        let mut found_secrets = RangeSecrets::default();
        add(&mut found_secrets, &by, r#"["a","b","a","c"]"#);
        found_secrets.end(PieceKind::Resource, 0..17, OwnerDigests::default());
        let error = found_secrets
            .add_secrets_to(&found_secrets.pieces()[0], &mut secrets)
            .expect_err("a third one");
        assert_eq!(error.location().expect("a place").offset, 13);
    }
}
