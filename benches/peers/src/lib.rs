//! Shared code of the peers, the programs that plansift is measured against: how a peer reads a
//! plan, and how it prints its answer.
//!
//! Task A is the list of changes: one line for each element of `resource_changes` whose actions are
//! not just `no-op`, with the actions separated by commas, a tab, and the address. Each peer uses
//! the fastest method that its library makes easy, and does no more than the task asks.
//!
//! Task B is the records of `plansift changes`, one JSON document per line.

use std::fs::File;
use std::io::{self, BufWriter, StdoutLock, Write};

use memmap2::{Advice, Mmap};

/// Maps the plan named by the only argument, so that no peer pays for a copy it does not need.
pub fn mapped() -> Mmap {
    let path = std::env::args_os().nth(1).expect("usage: PEER PLAN");
    let file = File::open(path).expect("a readable plan");
    // SAFETY: no process writes to the file while it is mapped: the benches finish writing their
    // plans before they start a peer.
    let map = unsafe { Mmap::map(&file) }.expect("a regular file");
    map.advise(Advice::Sequential).expect("advice is taken");
    map
}

/// Reads the plan into memory of its own, for parsers that modify their input.
pub fn copied() -> Vec<u8> {
    let path = std::env::args_os().nth(1).expect("usage: PEER PLAN");
    std::fs::read(path).expect("a readable plan")
}

/// Writes the list of task A to standard output.
pub struct List(BufWriter<StdoutLock<'static>>);

impl List {
    pub fn to_stdout() -> List {
        List(BufWriter::with_capacity(1 << 16, io::stdout().lock()))
    }

    /// Adds a change, unless it is a no-op.
    pub fn add(&mut self, actions: &[&str], address: &str) {
        if actions == ["no-op"] {
            return;
        }
        for (index, action) in actions.iter().enumerate() {
            self.text(if index == 0 { "" } else { "," });
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
