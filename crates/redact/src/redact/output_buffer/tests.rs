//! Tests of the output buffer without a walk.

use super::*;
use crate::redact::mask::Masking;
use crate::secret::Secrets;
use crate::secret::echo::EchoTargets;
use plansift_core::pool::Queue;
use plansift_core::scan::Isa;

/// Calls `run` with a buffer on some threads. Returns what the buffer wrote.
fn written(threads: usize, limits: Limits, run: impl FnOnce(&mut OutputBuffer<'_>)) -> String {
    let secrets = Secrets::new(8, &limits);
    let targets = EchoTargets { secrets: &secrets, contained: None };
    let masking = Masking::Text;
    let queue = Queue::default();
    let mut out = Vec::new();
    std::thread::scope(|scope| {
        let pool = Pool::new(scope, &queue, threads);
        let new_masker = || Masker::new(targets, &masking, Isa::best(), limits);
        run(&mut OutputBuffer::new(pool, new_masker, true, &mut out, &limits));
    });
    String::from_utf8(out).unwrap()
}

/// Writes what is left in a buffer.
fn finish(buffer: &mut OutputBuffer<'_>) {
    buffer.give(u64::MAX).unwrap();
    while let Some(chunk) = buffer.pool.recv() {
        buffer.write(chunk).unwrap();
    }
}

#[test]
fn a_chunk_ends_after_a_piece_and_has_the_minimum_size() {
    written(1, Limits::default(), |buffer| {
        buffer.begin(100);
        let expected = [
            (99 + SIZE, 0),
            (100 + SIZE, 1),
            (99 + 2 * SIZE, 1),
            (107 + 2 * SIZE, 2),
            (106 + 3 * SIZE, 2),
            (107 + 3 * SIZE, 3),
        ];
        for (passed, chunks) in expected {
            buffer.passed(passed);
            assert_eq!(buffer.offsets.cuts.len(), chunks, "{passed}");
        }
        assert_eq!(buffer.offsets.cuts, [100 + SIZE, 107 + 2 * SIZE, 107 + 3 * SIZE]);
    });
}

/// A single thread writes each chunk before it fills the next one.
#[test]
fn a_limited_number_of_chunks_waits() {
    for threads in [1, 2] {
        let most = if threads == 1 { 0 } else { CHUNKS * threads - 1 };
        let written = written(threads, Limits::default(), |buffer| {
            buffer.begin(0);
            for round in 1..20 {
                buffer.passed(SIZE * round);
                buffer.append(&vec![b' '; SIZE as usize]).unwrap();
                assert!(buffer.pool.pending() <= most, "{threads} threads");
            }
            finish(buffer);
        });
        assert_eq!(written.len() as u64, SIZE * 19);
    }
}

/// A comma may leave the window before the selection decides that it does not stay.
#[test]
fn bytes_that_were_taken_can_be_removed() {
    let written = written(1, Limits::default(), |buffer| {
        buffer.begin(10);
        buffer.take(b"0123456789", 10).unwrap();
        buffer.remove(12..14);
        // A part of this range is not yet taken.
        buffer.remove(17..22);
        buffer.take(b"abcd", 20).unwrap();
        // A range that begins where the taken bytes end.
        buffer.remove(24..25);
        buffer.take(b"ef", 24).unwrap();
        finish(buffer);
    });
    assert_eq!(written, "01456cdf");
}

#[test]
fn a_removed_comma_before_a_chunk_of_a_worker_was_taken() {
    let text = b"[1,2,3,4]";
    let written = written(1, Limits::default(), |buffer| {
        buffer.begin(0);
        buffer.take(&text[..3], 0).unwrap();
        buffer.remove(2..3);
        let mut chunk = Chunk::default();
        chunk.take(3..6, text);
        buffer.through(text, 3..6, &mut chunk).unwrap();
        assert_eq!((buffer.offsets.taken, buffer.chunk.start), (6, 5));
        buffer.take(&text[6..], 6).unwrap();
        finish(buffer);
    });
    assert_eq!(written, "[12,3,4]");
}

#[test]
fn the_limit_on_a_piece_applies_to_the_bytes_after_the_last_piece() {
    let limits = Limits { change: 5, ..Limits::default() };
    for (lengths, is_enough) in
        [(&[5][..], true), (&[2, 3], true), (&[6], false), (&[5, 1], false), (&[100], false)]
    {
        written(1, limits, |buffer| {
            buffer.begin(0);
            buffer.append(b"[\"a piece\",").unwrap_err();
            buffer.passed(11);
            buffer.append(b"[\"a piece\",").unwrap();
            let mut results =
                lengths.iter().map(|len| buffer.append(&b"     "[..].repeat(20)[..*len]));
            let failed = results.find_map(Result::err);
            assert_eq!(failed.is_none(), is_enough, "{lengths:?}");
            if let Some(error) = failed {
                let limit = ErrorKind::Limit { limit: Limit::Change, value: 5 };
                assert_eq!((error.kind(), error.location().unwrap().offset), (limit, 11));
            }
        });
    }
}

/// A window may become many chunks. None of them keeps memory for the findings of the others.
#[test]
fn a_chunk_takes_memory_for_its_own_findings() {
    const ROUNDS: u64 = 20;
    const FINDINGS: u64 = 100;
    let written = written(1, Limits::default(), |buffer| {
        buffer.begin(0);
        for round in 0..ROUNDS {
            (0..FINDINGS).for_each(|at| buffer.add(round * SIZE + at, "x"));
            buffer.passed((round + 1) * SIZE);
        }
        buffer.append(&vec![b' '; (ROUNDS * SIZE) as usize]).unwrap();
        let largest = buffer.spare.iter().map(|chunk| chunk.edits.capacity() as u64).max();
        assert!(largest.is_some_and(|largest| largest < 3 * FINDINGS), "{largest:?}");
        finish(buffer);
    });
    assert_eq!(written.matches('x').count() as u64, ROUNDS * FINDINGS);
}
