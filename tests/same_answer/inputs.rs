//! plansift gives the same answer, byte for byte, when several threads read many small inputs.
//!
//! The reference is one thread, which reads the inputs one after the other.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Output;

use crate::generated::generated;
use crate::run;

/// Number of inputs. It is large enough that threads read ahead, and larger than the number of
/// inputs that are read at once.
const INPUTS: usize = 60;

fn compressed(text: &[u8]) -> Vec<u8> {
    zstd::encode_all(text, 1).expect("it is compressed")
}

/// A folder of inputs: most of them plans, a few with something wrong or unusual.
fn inputs() -> tempfile::TempDir {
    let (folder, generated_in) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir());
    let generated_in = generated_in.expect("a folder");
    let write = |number: usize, text: &[u8]| {
        let mut file = fs::File::create(folder.path().join(format!("{number:03}.json")))?;
        file.write_all(text)
    };
    let plan = |shape: &str, layout: &[&str], size: usize| {
        generated(generated_in.path(), shape, layout, size).0
    };
    for number in 0..INPUTS {
        let shape = ["estate", "busy", "first-run", "policy"][number % 4];
        let seed = number.to_string();
        let layout: &[&str] = match number % 6 {
            5 => &["--seed", &seed, "--sort-keys", "--indent"],
            _ => &["--seed", &seed],
        };
        let text = match number {
            // Too large for the memory of results, and too large to count as a small input.
            30 => plan("first-run", layout, 3 << 20),
            35 => plan("busy", layout, 5 << 20),
            _ => plan(shape, layout, 30_000),
        };
        let text = match number {
            17 => Vec::new(),
            22 => text[..text.len() - 40].to_vec(),
            27 => {
                b"{\"version\": 4, \"terraform_version\": \"1.9.0\", \"lineage\": \"x\"}".to_vec()
            }
            // Several documents, one of which is damaged.
            40 => [&text[..], b"\n", &text, b"\n"].concat(),
            41 => [&text[..], b"\n{\"format_version\": \"1.2\", ]\n", &text].concat(),
            42 => compressed(&text),
            43 => [b"terraform show\n", &text[..], b"\ndone\n"].concat(),
            44 => newer(text),
            _ => text,
        };
        write(number, &text).expect("it is written");
    }
    folder
}

/// The plan with a newer minor version, which causes a warning.
fn newer(text: Vec<u8>) -> Vec<u8> {
    let text = String::from_utf8(text).expect("UTF-8");
    let newer = text.replacen("\"format_version\":\"1.2\"", "\"format_version\":\"1.9\"", 1);
    assert_ne!(newer, text);
    newer.into()
}

fn output(folder: &Path, args: &str, threads: &str) -> Output {
    let mut command = run::plansift();
    command.args(args.split(' ')).args(["--threads", threads]).current_dir(folder);
    command.output().expect("it runs")
}

#[test]
fn many_small_inputs_give_the_same_answer_with_any_number_of_threads() {
    let folder = inputs();
    for (args, code) in [
        ("changes .", 4),
        ("changes --all --strict --format json *.json 005.json no-such.json", 4),
        ("changes --format csv --no-paths 00*.json 01[0-6].json 05*.json", 0),
        ("changes --workspace-from {workspace}.json --fail-on update 00*.json 05*.json", 3),
        ("summary .", 4),
        ("summary --group-by type --limit-paths 400 .", 4),
        ("report --output markdown=- --values all .", 4),
        ("report --output term=- --limit-secrets 10 .", 4),
        ("report --output html=- --echo contains 0[45]*.json", 4),
        ("report --output junit=- --values none .", 4),
    ] {
        let expected = output(folder.path(), args, "1");
        let said = String::from_utf8_lossy(&expected.stderr);
        assert_eq!(expected.status.code(), Some(code), "{args}: {said}");
        for threads in ["2", "3", "8"] {
            let found = output(folder.path(), args, threads);
            assert_eq!(found.status, expected.status, "{args}, {threads} threads");
            assert_eq!(String::from_utf8_lossy(&found.stderr), said, "{args}, {threads} threads");
            assert!(found.stdout == expected.stdout, "{args}, {threads} threads");
        }
    }
}
