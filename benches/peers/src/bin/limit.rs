//! What plansift on one thread cannot be faster than: its own scan of a plan, and the passing over
//! the plan as one value, with nothing looked at and nothing written. Compiled as the peers are,
//! for the machine at hand. Prints the plan's length, which is all the answer that there is.
//!
//! ```text
//! limit LEVEL PLAN
//!
//! scan        strings, brackets and characters are checked, and nothing is made of them
//! structure   the same, and that brackets match: what `--check structure` checks
//! full        the whole grammar: what is checked by default
//! ```

use std::path::Path;

use plansift::input::{Input, Options, Source};
use plansift::json::Validation;
use plansift::json::cursor::Cursor;
use plansift::limits::Limits;
use plansift::scan::{BATCH, BLOCK, Block, Detail, Isa, Scanner};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [level, path] = &args[..] else { panic!("usage: limit LEVEL PLAN") };
    let input = Input::open_file(Path::new(path), &Options::default()).expect("a readable plan");
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

/// All whole batches of blocks; the last bytes are not worth a way of their own.
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
