//! Writes the records of a plan, like `plansift changes --all --threads 1`. `scripts/library`
//! compares the speed of the two programs.

use std::error::Error;
use std::path::Path;

use plansift_plan::input::{Input, InputOptions};
use plansift_plan::plan::Documents;
use plansift_plan::record::{RecordOptions, RecordRequest, Show, Sink, write_records};
use plansift_plan::scan::Isa;
use plansift_plan::sink::ndjson::Ndjson;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: plansift-library PLAN")?;
    let mut options = RecordOptions { show: Show::All, ..RecordOptions::default() };
    // Valgrind does not run AVX-512.
    options.read.isa = Isa::all().find(|isa| isa.name() == "avx2").ok_or("no AVX2")?;
    let input = Input::open_file(Path::new(&path), &InputOptions::default())?;
    let mut sink = Ndjson::new(std::io::stdout());
    let mut documents = Documents::only(input, &options.read);
    write_records(&mut documents, RecordRequest::new(&*path, &options), &mut sink)?;
    sink.finish()?;
    Ok(())
}
