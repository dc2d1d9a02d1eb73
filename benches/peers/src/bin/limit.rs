//! Measures an upper bound for the speed of plansift on one thread. Scans a plan, or skips it as
//! one value, without a visitor or output. Like the peers, this program is compiled for the
//! processor that runs it. Prints the length of the plan.
//!
//! ```text
//! limit LEVEL PLAN
//!
//! scan        checks strings, brackets and characters, and discards the result
//! structure   also checks that brackets match, like `--check structure`
//! full        checks the whole grammar, which is the default
//! ```

use std::path::Path;

use plansift_plan::input::{Input, InputOptions, Mapping, Source};
use plansift_plan::json::Validation;
use plansift_plan::json::cursor::Cursor;
use plansift_plan::limits::Limits;
use plansift_plan::scan::{BATCH, BLOCK, Block, Detail, Isa, Scanner};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [level, path] = &args[..] else { panic!("usage: limit LEVEL PLAN") };
    // SAFETY: no process writes to the plan: the bench finishes writing it before it starts this
    // program.
    let mapping = unsafe { Mapping::auto() };
    let options = InputOptions { mapping, ..InputOptions::default() };
    let input = Input::open_file(Path::new(path), &options).expect("a readable plan");
    println!(
        "{}",
        match level.as_str() {
            "scan" => scan(input),
            "structure" => pass(input, Validation::Structure),
            "full" => pass(input, Validation::Grammar),
            _ => panic!("a level"),
        }
    );
}

/// Scans all complete batches of blocks; the remaining bytes do not matter for the time.
fn scan(mut input: impl Source) -> u64 {
    let mut scanner = Scanner::new(Isa::best(), Detail::Structure);
    let mut blocks = [Block::default(); BATCH];
    let mut at = 0;
    loop {
        let window = &input.window()[(at - input.offset()) as usize..];
        for text in window.chunks_exact(BATCH * BLOCK) {
            assert_eq!(scanner.scan(text, &mut blocks), None);
            std::hint::black_box(&blocks);
            at += text.len() as u64;
        }
        if !input.fill(at).expect("a readable plan") {
            return input.offset() + input.window().len() as u64;
        }
    }
}

fn pass(input: impl Source, validation: Validation) -> u64 {
    let mut cursor = Cursor::new(input, 0, Isa::best(), validation, Limits::default());
    cursor.skip().expect("a document");
    assert!(cursor.at_end().expect("a document"));
    cursor.offset()
}
