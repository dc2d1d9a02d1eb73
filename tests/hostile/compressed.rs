//! gzip and zstd data: damaged, truncated, concatenated, empty, nested, or a decompression bomb.

use std::io::{Cursor, Write};
use std::time::Duration;

use plansift::error::{ErrorKind, Result};
use plansift::input::{self, Input};
use plansift::limits::{Limit, Limits};
use plansift::plan::WrongDocument;

use super::sample::PLAN;
use super::{Shape, outcome_of};
use crate::run;
use crate::same_answer::forms::{gzip, zstd};

fn with_limits(bytes: &[u8], limits: Limits) -> Result<Shape> {
    let mut options = run::all();
    options.read.limits = limits;
    outcome_of(
        Input::from_reader(
            Box::new(Cursor::new(bytes.to_vec())),
            &input::InputOptions { limits, ..Default::default() },
        )?,
        &options,
    )
}

/// Reads an input, and panics at a timeout far beyond any passing run: reading must not hang.
fn read(bytes: &[u8]) -> std::result::Result<Shape, (ErrorKind, Option<WrongDocument>)> {
    let (done, waiting) = std::sync::mpsc::channel();
    let bytes = bytes.to_vec();
    std::thread::spawn(move || {
        let read = with_limits(&bytes, Limits::default());
        // After the timeout nobody receives the result.
        let _ = done.send(read.map_err(|error| (error.kind(), error.fault().copied())));
    });
    waiting.recv_timeout(Duration::from_secs(60)).expect("the reader hangs or panics")
}

#[test]
fn truncated_inputs_are_errors() {
    for form in [gzip(PLAN.as_bytes()), zstd(PLAN.as_bytes())] {
        for end in 0..form.len() {
            assert!(read(&form[..end]).is_err(), "{end} of {}", form.len());
        }
    }
}

#[test]
fn damaged_inputs_are_the_same_plan_or_an_error() {
    let plan = read(PLAN.as_bytes());
    assert!(plan.is_ok());
    for form in [gzip(PLAN.as_bytes()), zstd(PLAN.as_bytes())] {
        for at in 0..form.len() {
            for flip in [1, 0x80, 0xff] {
                let mut damaged = form.clone();
                damaged[at] ^= flip;
                // Some bits have no effect, such as gzip's timestamp.
                let answer = read(&damaged);
                assert!(answer.is_err() || answer == plan, "{at} of {}", form.len());
            }
        }
    }
}

#[test]
fn compressed_members_are_joined_and_trailing_bytes_refused() {
    let text = PLAN.as_bytes();
    let (head, tail) = text.split_at(1000);
    let plan = read(text);
    assert!(plan.is_ok());
    for compress in [gzip, zstd] {
        let empty = compress(b"");
        let joined = [empty.clone(), compress(head), empty.clone(), compress(tail), empty.clone()];
        assert_eq!(read(&joined.concat()), plan);
        assert_eq!(
            read(&[&compress(text)[..], b"rubbish"].concat()),
            Err((ErrorKind::Compressed, None))
        );
        let twice = [compress(text), compress(text)].concat();
        assert_eq!(read(&twice), Err((ErrorKind::Trailing, None)));
        let missing = [compress(head), empty].concat();
        assert_eq!(read(&missing), Err((ErrorKind::Truncated, None)));
    }
    let mixed = [gzip(head), zstd(tail)].concat();
    assert_eq!(read(&mixed), Err((ErrorKind::Compressed, None)));
}

#[test]
fn compressed_empty_inputs_are_empty() {
    for form in [gzip(b""), zstd(b""), gzip(b" \n")] {
        let error = read(&form).expect_err("nothing is no plan");
        assert_eq!(error, read(b"").expect_err("nothing is no plan"));
    }
}

#[test]
fn inputs_compressed_twice_are_no_plans() {
    let text = PLAN.as_bytes();
    for form in [gzip(&gzip(text)), zstd(&zstd(text)), gzip(&zstd(text)), zstd(&gzip(text))] {
        let (kind, wrong) = read(&form).expect_err("one layer is taken off");
        assert!(wrong.is_some(), "{kind:?}");
    }
}

/// Space that compresses to a few bytes per megabyte, with a plan around it.
fn bomb(compress: fn(&[u8]) -> Vec<u8>, megabytes: usize) -> Vec<u8> {
    let (head, tail) = PLAN.split_at(PLAN.find("\"checks\"").expect("it has checks"));
    let space = compress(&vec![b' '; 1 << 20]);
    [compress(head.as_bytes()), space.repeat(megabytes), compress(tail.as_bytes())].concat()
}

#[test]
fn bombs_stop_at_the_limit() {
    for compress in [gzip, zstd] {
        let bomb = bomb(compress, 8);
        assert!(read(&bomb).is_ok());
        let expansion = Limits { expansion: 4 << 20, ..Limits::default() };
        let error = with_limits(&bomb, expansion).expect_err("eight is more than four");
        let kind = ErrorKind::Limit { limit: Limit::Expansion, value: 4 << 20 };
        assert_eq!(error.kind(), kind);
        let document = Limits { document: 4 << 20, ..Limits::default() };
        let error = with_limits(&bomb, document).expect_err("eight is more than four");
        let kind = ErrorKind::Limit { limit: Limit::Document, value: 4 << 20 };
        assert_eq!(error.kind(), kind);
    }
}

#[test]
fn a_bomb_that_stays_within_the_size_stops_at_the_ratio() {
    // The ratio counts from the first 64 MiB on.
    let bomb = bomb(zstd, 70);
    let error = with_limits(&bomb, Limits::default()).expect_err("a thousandfold and more");
    let kind = ErrorKind::Limit { limit: Limit::ExpansionRatio, value: 1000 };
    assert_eq!(error.kind(), kind);
    let raised = Limits { expansion_ratio: 100_000, ..Limits::default() };
    assert!(with_limits(&bomb, raised).is_ok());
}

#[test]
fn zstd_that_asks_for_much_memory_is_refused() {
    let mut encoder = ::zstd::stream::Encoder::new(Vec::new(), 1).expect("a zstd encoder");
    encoder.window_log(27).expect("zstd knows such windows");
    encoder.write_all(PLAN.as_bytes()).expect("memory takes everything");
    // A flushed but unfinished frame does not declare its length.
    encoder.flush().expect("memory takes everything");
    let form = encoder.finish().expect("memory takes everything");
    let kind = ErrorKind::Limit { limit: Limit::ZstdWindow, value: 32 << 20 };
    assert_eq!(read(&form), Err((kind, None)));
}
