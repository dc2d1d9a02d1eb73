//! The output of a redaction in one pass that fails. It has everything before the bad element and
//! nothing of that element, with any number of threads and from any kind of input.

use std::num::NonZeroUsize;

use plansift::input::{Input, Slice, Source, Threads};
use plansift::plan::Documents;
use plansift::redact::mask::Masking;
use plansift::redact::{self, Secrecy, redact};
use plansift::secret::{self, EchoOf};
use plansift::slim::{self, slim};
use plansift::{input, plan};

use super::long::{SIZE, plan as plan_with, planned_values};
use crate::generated::generated;
use crate::in_memory::InMemory;
use crate::run;

/// A source of pseudo-random numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        ((self.0 >> 33) % end as u64) as usize
    }
}

/// A damaged copy of a text, and a description of the damage.
fn damaged(text: &[u8], numbers: &mut Numbers) -> (Vec<u8>, String) {
    let place = numbers.below(text.len());
    let len = (8 + numbers.below(4096)).min(text.len() - place);
    let (before, behind) = (&text[..place], &text[place + len..]);
    let damage = numbers.below(4);
    let bytes = match damage {
        0 => before.to_vec(),
        1 => [before, behind].concat(),
        2 => [before, &vec![b' '; len], behind].concat(),
        _ => [before, &[b"x\"}]{[\\,\x01\xff"[numbers.below(10)]], &text[place + 1..]].concat(),
    };
    (bytes, format!("damage {damage} of {len} bytes at {place}"))
}

fn options(threads: usize) -> redact::RedactOptions {
    let read =
        plan::PlanOptions { threads: NonZeroUsize::new(threads), ..plan::PlanOptions::default() };
    let secret = secret::SecretOptions { read, echo: EchoOf::Whole, echo_min: 8, names: None };
    redact::RedactOptions { secret, masking: Masking::Text }
}

/// The output for a document, and the error.
type Written = (Vec<u8>, Option<String>);

fn redacted(source: impl Source, threads: usize) -> Written {
    let (mut out, options) = (Vec::new(), options(threads));
    let mut documents = Documents::only(source, &options.secret.read);
    let redacted = redact(&mut documents, None, &options, &mut out);
    (out, redacted.err().map(|error| error.to_string()))
}

fn slimmed(source: impl Source, threads: usize) -> Written {
    let (mut out, masking) = (Vec::new(), options(threads));
    let mut documents = Documents::only(source, &masking.secret.read);
    let options = slim::SlimOptions::default();
    let slimmed = slim(&mut documents, &options, Secrecy::Unknown, &masking, &mut out);
    (out, slimmed.err().map(|error| error.to_string()))
}

/// An input from a reader, as from a pipe.
fn piped(text: &[u8], threads: Threads) -> Input {
    let options = input::InputOptions { threads, ..input::InputOptions::default() };
    Input::from_reader(Box::new(std::io::Cursor::new(text.to_vec())), &options).expect("a reader")
}

#[test]
fn output_before_an_error_does_not_depend_on_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut texts = vec![plan_with(&planned_values(1500, 3)).into_bytes()];
    for (shape, layout) in
        [("estate", &[][..]), ("busy", &[]), ("first-run", &["--indent", "--sort-keys"])]
    {
        texts.push(generated(folder.path(), shape, layout, SIZE).0);
    }
    let rounds = if run::is_nightly() { 30 } else { 4 };
    let mut numbers = Numbers(29);
    let (mut failed, mut with_output) = (0, 0);
    for (which, text) in texts.iter().enumerate() {
        let whole = [redacted(Slice(text), 1).0, slimmed(Slice(text), 1).0];
        for _ in 0..rounds {
            let (bytes, what) = damaged(text, &mut numbers);
            let is_cut = text.starts_with(&bytes);
            let alone = [redacted(Slice(&bytes), 1), slimmed(Slice(&bytes), 1)];
            for (one, whole) in alone.iter().zip(&whole) {
                failed += usize::from(one.1.is_some());
                with_output += usize::from(one.1.is_some() && !one.0.is_empty());
                // The output of a truncated document is a prefix of the whole output.
                assert!(!is_cut || whole.starts_with(&one.0), "{which}, {what}");
            }
            for threads in [1, 2, 8] {
                let of_memory = [
                    redacted(InMemory::new(&bytes), threads),
                    slimmed(InMemory::new(&bytes), threads),
                ];
                assert!(of_memory == alone, "{which}, {what}, {threads} threads");
                let ahead = if threads > 1 { Threads::Several } else { Threads::One };
                let of_pipe = [
                    redacted(piped(&bytes, ahead), threads),
                    slimmed(piped(&bytes, ahead), threads),
                ];
                assert!(of_pipe == alone, "{which}, {what}, a pipe, {threads} threads");
            }
        }
    }
    let is_enough = failed * 3 > 10 * rounds && with_output * 3 > 8 * rounds;
    assert!(is_enough, "{failed} failed, {with_output} with output");
}

#[test]
fn output_of_failing_commands_does_not_depend_on_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let (text, _) = generated(folder.path(), "estate", &[], 6 << 20);
    let path = folder.path().join("damaged.json");
    let (mut numbers, mut with_output) = (Numbers(7), 0);
    for _ in 0..5 {
        let (bytes, what) = damaged(&text, &mut numbers);
        std::fs::write(&path, &bytes).expect("a file");
        for command in ["redact", "slim"] {
            let mut first = None;
            for threads in ["1", "2", "8"] {
                let args = [command, "--echo", "off", "--quiet", "--threads", threads];
                let file = run::plansift().args(args).arg(&path).output().expect("it runs");
                let pipe = run::piped(&[&args[..], &["-"]].concat(), &bytes);
                for output in [file, pipe] {
                    let answer = (output.status.code(), output.stdout);
                    with_output += usize::from(answer.0 == Some(1) && !answer.1.is_empty());
                    let first = first.get_or_insert_with(|| answer.clone());
                    let is_same = answer == *first;
                    assert!(is_same, "{command}, {what}, {threads} threads: {:?}", answer.0);
                }
            }
        }
    }
    assert!(with_output > 20, "{with_output} with output");
}
