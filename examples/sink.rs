//! Implements a sink: writes one line of text for each resource change.
//!
//! ```sh
//! cargo run --example sink corpus/plans/rich/plan.json
//! ```

use std::error::Error;
use std::path::Path;

use plansift::error::Result;
use plansift::input::{Input, InputOptions};
use plansift::plan::Documents;
use plansift::record::{Record, RecordOptions, RecordRequest, Sink, write_records};

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
    let options = RecordOptions::default();
    let mut documents = Documents::only(input, &options.read);
    let request = RecordRequest::new(&*path, &options);
    let outcome = write_records(&mut documents, request, &mut Lines)?;
    eprintln!("{} to destroy", outcome.summary.terraform.destroy);
    Ok(())
}
