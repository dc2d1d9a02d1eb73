//! Tests that all kinds of input give the same bytes and report every error.

use std::io::{self, Read, Write};
use std::path::Path;

use super::read_ahead::FRONT;
use super::reads::READ;
use super::{Input, InputOptions, Mapping, Source, Threads};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::{Limit, Limits};

/// Reads the whole text, keeping only a few bytes at a time.
fn read_all(mut input: Input) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    loop {
        let seen = (text.len() as u64 - input.offset()) as usize;
        text.extend_from_slice(&input.window()[seen..]);
        if !input.fill((text.len() as u64).saturating_sub(10))? {
            let seen = (text.len() as u64 - input.offset()) as usize;
            text.extend_from_slice(&input.window()[seen..]);
            return input.finish().map(|()| text);
        }
    }
}

/// Reads an input, and checks that one thread and several threads give the same result.
fn from_bytes(bytes: &[u8]) -> Result<Vec<u8>> {
    let [one, several] = [Threads::One, Threads::Several].map(|threads| {
        let options = InputOptions { threads, ..InputOptions::default() };
        read_all(Input::from_reader(Box::new(io::Cursor::new(bytes.to_vec())), &options)?)
    });
    let kind = |read: &Result<Vec<u8>>| read.as_ref().map_err(|error| error.to_string()).cloned();
    assert_eq!(kind(&one), kind(&several));
    several
}

/// A reader with short reads, interruptions, and perhaps an error at the end.
struct Awkward {
    bytes: io::Cursor<Vec<u8>>,
    step: usize,
    calls: usize,
    failure: Option<io::ErrorKind>,
}

impl Read for Awkward {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        if self.calls.is_multiple_of(3) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let len = buffer.len().min(self.step);
        match (self.bytes.read(&mut buffer[..len])?, self.failure) {
            (0, Some(kind)) => Err(kind.into()),
            (read, _) => Ok(read),
        }
    }
}

fn awkward(bytes: &[u8], step: usize, failure: Option<io::ErrorKind>) -> Result<Vec<u8>> {
    let bytes = io::Cursor::new(bytes.to_vec());
    let reader = Awkward { bytes, step, calls: 0, failure };
    read_all(Input::from_reader(Box::new(reader), &InputOptions::default())?)
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    ::zstd::encode_all(text, 1).unwrap()
}

fn utf16(text: &str, big_endian: bool) -> Vec<u8> {
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    units
        .flat_map(|unit: u16| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() })
        .collect()
}

fn in_file<T>(bytes: &[u8], with: impl FnOnce(&Path) -> T) -> T {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("plan.json");
    std::fs::write(&path, bytes).unwrap();
    with(&path)
}

/// Returns a text longer than one window and one step.
fn long_text() -> String {
    "0123456789é😀abcdef\n".repeat(300_000)
}

#[test]
fn all_kinds_of_input_give_the_same_bytes() {
    let text = long_text();
    let bytes = text.as_bytes();
    let half = bytes.len() / 2;
    let skippable = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3][..], &zstd(bytes)].concat();
    for (name, form) in [
        ("plain", bytes.to_vec()),
        ("gzip", gzip(bytes)),
        ("two gzip members", [gzip(&bytes[..half]), gzip(&bytes[half..])].concat()),
        ("zstd", zstd(bytes)),
        ("two zstd frames", [zstd(&bytes[..half]), zstd(&bytes[half..])].concat()),
        ("skippable zstd frame", skippable),
        ("utf-16le", utf16(&text, false)),
        ("utf-16be", utf16(&text, true)),
        ("utf-16le in gzip", gzip(&utf16(&text, false))),
    ] {
        assert!(from_bytes(&form).unwrap() == bytes, "{name}");
        for mapping in [Mapping::of_tests(), Mapping::NEVER] {
            let read = in_file(&form, |path| {
                read_all(Input::open_file(
                    path,
                    &InputOptions { mapping, ..InputOptions::default() },
                )?)
            });
            assert!(read.unwrap() == bytes, "{name}, {mapping:?}");
        }
    }
}

#[test]
fn short_reads_do_not_change_the_input_bytes() {
    let text = "{\"a\":\"é😀\"}\n".repeat(50);
    let bytes = text.as_bytes();
    for step in [1, 2, 3, 7, 1000] {
        for form in
            [bytes.to_vec(), gzip(bytes), zstd(bytes), utf16(&text, false), utf16(&text, true)]
        {
            assert!(awkward(&form, step, None).unwrap() == bytes, "{step}");
        }
    }
}

#[test]
fn empty_inputs_are_empty() {
    assert_eq!(from_bytes(b"").unwrap(), b"");
    assert_eq!(from_bytes(&gzip(b"")).unwrap(), b"");
    assert_eq!(from_bytes(&zstd(b"")).unwrap(), b"");
    let read = in_file(b"", |path| read_all(Input::open_file(path, &InputOptions::default())?));
    assert_eq!(read.unwrap(), b"");
}

#[test]
fn read_errors_are_reported() {
    let kind = io::ErrorKind::ConnectionReset;
    for form in [b"{\"a\":1}".to_vec(), gzip(b"{}")[..8].to_vec(), zstd(b"{}")[..6].to_vec()] {
        let error = awkward(&form, 5, Some(kind)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Read);
        assert_eq!(error.io_error().map(io::Error::kind), Some(kind));
    }
}

#[test]
fn damaged_compression_is_reported() {
    for form in [gzip(&[b'x'; 1000]), zstd(&[b'x'; 1000])] {
        for len in 4..form.len() {
            let error = from_bytes(&form[..len]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Compressed, "{len}");
        }
        let trailing = [&form[..], b"rubbish"].concat();
        assert_eq!(from_bytes(&trailing).unwrap_err().kind(), ErrorKind::Compressed);
    }
}

#[test]
fn bad_utf16_is_reported() {
    let cut = &utf16("ab", false)[..5];
    assert_eq!(from_bytes(cut).unwrap_err().kind(), ErrorKind::Truncated);
    for units in [&[0xfeff, 0xd800, 0x41][..], &[0xfeff, 0xdc00], &[0xfeff, 0x41, 0xd800]] {
        let bytes: Vec<u8> = units.iter().flat_map(|unit: &u16| unit.to_le_bytes()).collect();
        let kind = from_bytes(&bytes).unwrap_err().kind();
        assert!(matches!(kind, ErrorKind::Encoding | ErrorKind::Truncated), "{units:x?}");
    }
    assert_eq!(from_bytes(b"\xff\xfe\0\0").unwrap_err().kind(), ErrorKind::Encoding);
}

#[test]
fn expansion_is_limited() {
    let limit = |limits: Limits, form: &[u8]| -> Option<Limit> {
        let options = InputOptions { limits, ..InputOptions::default() };
        let input = Input::from_reader(Box::new(io::Cursor::new(form.to_vec())), &options).unwrap();
        match read_all(input).map_err(|error| error.kind()) {
            Err(ErrorKind::Limit { limit, .. }) => Some(limit),
            Err(other) => panic!("{other:?}"),
            Ok(_) => None,
        }
    };
    let zeros = vec![0; 1 << 20];
    for form in [gzip(&zeros), zstd(&zeros)] {
        assert_eq!(limit(Limits::default(), &form), None);
        assert_eq!(
            limit(Limits { expansion: 1 << 19, ..Limits::default() }, &form),
            Some(Limit::Expansion)
        );
        assert_eq!(
            limit(Limits { document: 1 << 19, ..Limits::default() }, &form),
            Some(Limit::Document)
        );
    }
}

#[test]
fn a_large_zstd_window_is_a_limit_error() {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(27).unwrap();
    encoder.long_distance_matching(true).unwrap();
    let text = vec![b'x'; 1 << 20];
    encoder.write_all(&text).unwrap();
    let form = encoder.finish().unwrap();
    let error = from_bytes(&form).unwrap_err();
    let window = ErrorKind::Limit { limit: Limit::ZstdWindow, value: 32 << 20 };
    assert_eq!(error.kind(), window);
    let limits = Limits { zstd_window: 128 << 20, ..Limits::default() };
    let options = InputOptions { limits, ..InputOptions::default() };
    let input = Input::from_reader(Box::new(io::Cursor::new(form)), &options).unwrap();
    assert_eq!(read_all(input).unwrap(), text);
}

#[test]
fn a_reader_that_is_dropped_early_ends_its_thread() {
    let form = gzip(&vec![b'x'; 64 << 20]);
    for _ in 0..20 {
        let mut input =
            Input::from_reader(Box::new(io::Cursor::new(form.clone())), &InputOptions::default())
                .unwrap();
        while input.position() < 2 << 20 {
            assert!(input.fill(input.position()).unwrap());
        }
    }
}

#[test]
fn a_directory_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let error = Input::open_file(directory.path(), &InputOptions::default()).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Read);
}

#[test]
fn kept_bytes_survive_a_growing_window() {
    let text = long_text();
    let text = text.as_bytes();
    // Lengths around the spare room in front of a buffer, one read, and more.
    for keep in [0, 1, FRONT - 1, FRONT, FRONT + 1, READ, 3 << 20, text.len()] {
        for step in [5000, FRONT, FRONT + READ] {
            let bytes = io::Cursor::new(text.to_vec());
            let reader = Awkward { bytes, step, calls: 0, failure: None };
            let mut input = Input::from_reader(Box::new(reader), &InputOptions::default()).unwrap();
            let mut kept_from = 0;
            while input.fill(kept_from).unwrap() {
                assert_eq!(input.offset(), kept_from);
                let end = input.position();
                assert!(input.window() == &text[kept_from as usize..end as usize]);
                kept_from = kept_from.max(end.saturating_sub(keep as u64));
            }
            assert_eq!(input.position(), text.len() as u64, "{keep} {step}");
        }
    }
}

/// Returns the error that ends an input, and the offset where the readable bytes end.
fn failure_of(
    bytes: &[u8],
    failure: Option<io::ErrorKind>,
    threads: Threads,
) -> (String, ErrorKind, u64) {
    let bytes = io::Cursor::new(bytes.to_vec());
    let reader = Awkward { bytes, step: 1 << 20, calls: 0, failure };
    let options = InputOptions { threads, ..InputOptions::default() };
    let mut input = match Input::from_reader(Box::new(reader), &options) {
        Ok(input) => input,
        Err(error) => return (error.to_string(), error.kind(), 0),
    };
    let error = loop {
        match input.fill(input.position()) {
            Ok(more) => assert!(more),
            Err(error) => break error,
        }
    };
    // An input that failed once keeps failing.
    assert_eq!(input.fill(0).unwrap_err().kind(), error.kind());
    (error.to_string(), error.kind(), input.position())
}

#[test]
fn an_error_of_the_reading_thread_has_the_same_offset() {
    let text = long_text();
    let text = text.as_bytes();
    let form = zstd(text);
    for (form, failure) in [
        (text, Some(io::ErrorKind::ConnectionReset)),
        (&gzip(text)[..], Some(io::ErrorKind::ConnectionReset)),
        (&[&gzip(text), &b"rubbish"[..]].concat(), None),
        (&form[..form.len() - 1], None),
    ] {
        let several = failure_of(form, failure, Threads::Several);
        assert!(several.2 > 2 << 20, "{several:?}");
        assert_eq!(several, failure_of(form, failure, Threads::One));
    }
}

#[test]
fn damage_has_the_same_offset_with_any_number_of_threads() {
    let text: String = (0..400_000u64).map(|number| format!("{:x},", number * 7919)).collect();
    let mut encoder = ::zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(text.as_bytes()).unwrap();
    for form in [encoder.finish().unwrap(), gzip(text.as_bytes())] {
        for part in 1..20 {
            let mut damaged = form.clone();
            damaged[form.len() * part / 20] ^= 0x55;
            let several = failure_of(&damaged, None, Threads::Several);
            assert_eq!(several, failure_of(&damaged, None, Threads::One), "{part}");
        }
    }
}

#[test]
fn a_changed_file_is_an_error() {
    let text = long_text();
    type Change = fn(&Path);
    let changes: [(&str, Change); 3] = [
        ("truncated", |path| truncate(path, 5000)),
        ("grown", |path| {
            let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
            file.write_all(b"more").unwrap();
        }),
        ("replaced", |path| {
            let other = path.with_extension("new");
            std::fs::copy(path, &other).unwrap();
            std::fs::rename(other, path).unwrap();
        }),
    ];
    for (name, change) in changes {
        for mapping in [Mapping::of_tests(), Mapping::NEVER] {
            let error = in_file(text.as_bytes(), |path| -> Result<()> {
                let mut input =
                    Input::open_file(path, &InputOptions { mapping, ..InputOptions::default() })?;
                input.fill(0)?;
                change(path);
                while input.fill(input.offset() + input.window().len() as u64)? {
                    // Reads every byte, including those that the file lost.
                    assert!(
                        input.window().iter().map(|&byte| u64::from(byte)).sum::<u64>() < u64::MAX
                    );
                }
                input.finish()
            });
            assert_eq!(
                error.map_err(|error: Error| error.kind()),
                Err(ErrorKind::Changed),
                "{name} {mapping:?}"
            );
        }
    }
}

fn truncate(path: &Path, len: u64) {
    std::fs::OpenOptions::new().write(true).open(path).unwrap().set_len(len).unwrap();
}

#[test]
fn truncating_a_file_while_it_is_read_does_not_crash() {
    let text = long_text();
    for delay in 0..100 {
        in_file(text.as_bytes(), |path| {
            let options = InputOptions { mapping: Mapping::of_tests(), ..InputOptions::default() };
            let input = Input::open_file(path, &options).unwrap();
            let path = path.to_owned();
            let writer = std::thread::spawn(move || {
                std::thread::sleep(std::time::Duration::from_micros(delay * 20));
                truncate(&path, 4096 * (delay * 13 % 1000));
            });
            let read = read_all(input);
            writer.join().unwrap();
            if let Ok(read) = read {
                assert!(read == text.as_bytes(), "a result that is no error is the whole file");
            }
        });
    }
}
