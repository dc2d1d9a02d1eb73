//! Task B ([`plansift_peers`]) with serde_json: computes the records from a tree of values, with
//! the code of the test oracle.

use std::io::{BufWriter, Write};

use plansift_peers::mapped;

#[path = "../../../../tests/naive.rs"]
#[allow(dead_code, unused_imports, reason = "`tests/main.rs` runs the tests of this file")]
mod naive;

fn main() {
    let plan = mapped();
    let source = std::env::args().nth(1).expect("usage: records_serde PLAN");
    let document = serde_json::from_slice(&plan).expect("a plan");
    let mut out = BufWriter::new(std::io::stdout().lock());
    for record in naive::records(&document, &source, plan.len() as u64, false) {
        serde_json::to_writer(&mut out, &record).expect("standard output is open");
        out.write_all(b"\n").expect("standard output is open");
    }
    out.flush().expect("standard output is open");
}
