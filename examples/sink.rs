//! Implements a sink: writes one line of text for each resource change.
//!
//! ```sh
//! cargo run --example sink corpus/plans/rich/plan.json
//! ```

use std::error::Error;
use std::path::Path;

use plansift::error::Result;
use plansift::input::{Input, InputOptions};
use plansift::record::{Record, RecordOptions, Sink, sift};

/// Prints the action, the address and the number of changed paths of each resource.
struct Lines;

impl Sink for Lines {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        if let Record::ResourceChange(change) = record {
            let address = change.resource.address.as_deref().unwrap_or("?");
            println!("{} {address} {}", change.action, change.paths.changed.len());
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: sink PLAN")?;
    let input = Input::open_file(Path::new(&path), &InputOptions::default())?;
    let sifted = sift(input, &path, &RecordOptions::default(), &mut Lines)?;
    eprintln!("{} to destroy", sifted.summary.terraform.destroy);
    Ok(())
}
