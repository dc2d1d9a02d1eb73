//! What the peers share: how they get at a plan and how they answer.
//!
//! Task A is the list of what changes: a line for each element of `resource_changes` whose actions
//! are not just `no-op`, the actions with commas between them, a tab, the address. Each peer writes
//! it the way its library makes easy and fast; none of them does more than the task asks.

use std::fs::File;
use std::io::{self, BufWriter, StdoutLock, Write};

use memmap2::{Advice, Mmap};

/// The plan that the only argument names, mapped: no peer pays for a copy that it does not need.
pub fn mapped() -> Mmap {
    let path = std::env::args_os().nth(1).expect("usage: PEER PLAN");
    let file = File::open(path).expect("a readable plan");
    // SAFETY: the benches write their plans before and never during a run.
    let map = unsafe { Mmap::map(&file) }.expect("a regular file");
    map.advise(Advice::Sequential).expect("advice is taken");
    map
}

/// The same in memory of its own, for parsers that write into what they read.
pub fn copied() -> Vec<u8> {
    let path = std::env::args_os().nth(1).expect("usage: PEER PLAN");
    std::fs::read(path).expect("a readable plan")
}

/// The list of task A on standard output.
pub struct List(BufWriter<StdoutLock<'static>>);

impl List {
    pub fn to_stdout() -> List {
        List(BufWriter::with_capacity(1 << 16, io::stdout().lock()))
    }

    /// Adds a change, unless it changes nothing.
    pub fn add(&mut self, actions: &[&str], address: &str) {
        if actions == ["no-op"] {
            return;
        }
        for (place, action) in actions.iter().enumerate() {
            self.text(if place == 0 { "" } else { "," });
            self.text(action);
        }
        self.text("\t");
        self.text(address);
        self.text("\n");
    }

    fn text(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).expect("standard output is open");
    }

    pub fn finish(mut self) {
        self.0.flush().expect("standard output is open");
    }
}
