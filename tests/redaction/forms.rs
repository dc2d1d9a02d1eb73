//! `redact` writes the same bytes from every kind of input, with every kernel and any number of
//! threads.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use crate::generated::generated;
use crate::run;
use crate::same_answer::forms;

/// The output of `redact` for a file.
fn of_file(path: &Path, args: &[&str], isa: Option<&str>) -> Vec<u8> {
    let mut command = run::plansift();
    if let Some(isa) = isa {
        command.env("PLANSIFT_ISA", isa);
    }
    let output = command.arg("redact").args(args).arg(path).output().expect("it runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?} {isa:?}: {error}");
    output.stdout
}

#[test]
fn every_kind_of_input_gives_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // The plan is long enough for several threads and several windows.
    let (generated, _) = generated(folder.path(), "busy", &[], 3 << 20);
    let texts = [String::from_utf8(generated).expect("UTF-8"), super::canaries::plan()];
    for (number, text) in texts.into_iter().enumerate() {
        // By day, the long plan is tried with one option only.
        let is_tried = |at: &usize| number > 0 || run::is_tried_of(4, *at);
        let echoes = ["equal", "contains", "encoded", "off"].into_iter().enumerate();
        for (_, echo) in echoes.filter(|(at, _)| is_tried(at)) {
            let args = ["--echo", echo];
            let plain = folder.path().join("plain.json");
            fs::write(&plain, &text).expect("a file");
            let expected = of_file(&plain, &["--echo", echo, "--threads", "1"], Some("scalar"));
            assert!(expected.windows(17).any(|bytes| bytes == b"(sensitive value)"), "{echo}");
            let is_same = |found: &[u8], how: &str| assert!(found == expected, "{echo}, {how}");
            for isa in plansift::scan::Isa::all() {
                is_same(&of_file(&plain, &args, Some(isa.name())), isa.name());
            }
            for threads in ["1", "2", "3"] {
                let args = ["--echo", echo, "--threads", threads];
                is_same(&of_file(&plain, &args, None), threads);
            }
            is_same(&of_file(&plain, &["--echo", echo, "--no-mmap"], None), "read");
            for (name, bytes) in [
                ("plain", text.clone().into_bytes()),
                ("marked", forms::utf8_with_bom(&text)),
                ("gzip", forms::gzip(text.as_bytes())),
                ("zstd", forms::zstd(text.as_bytes())),
                ("utf-16le", forms::utf16_le(&text)),
                ("utf-16be", forms::utf16_be(&text)),
            ] {
                let path = folder.path().join(name);
                fs::write(&path, &bytes).expect("a file");
                is_same(&of_file(&path, &args, None), name);
                let piped = run::piped(&["redact", "--echo", echo, "-"], &bytes);
                is_same(&piped.stdout, &format!("{name}, piped"));
            }
            let out = folder.path().join("out.json");
            let args = [OsStr::new("redact"), "--echo".as_ref(), echo.as_ref(), "-o".as_ref()];
            let mut command = run::plansift();
            let output = command.args(args).arg(&out).arg(&plain).output();
            assert!(output.expect("it runs").status.success());
            is_same(&fs::read(&out).expect("an output"), "to a file");
        }
    }
}
