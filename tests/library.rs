//! Runs the library on a document. Also a part of the tests of `crates/plan` and `crates/redact`,
//! and of the fuzz targets.

use plansift::error::Result;
use plansift::input::Source;
use plansift::plan::Documents;
use plansift::record::{PlanOutcome, Record, RecordOptions, RecordRequest, Show, write_records};
use plansift::sink::Sink;
use serde_json::Value;

/// The options of `--all`.
pub fn all() -> RecordOptions {
    RecordOptions { show: Show::All, ..RecordOptions::default() }
}

/// Writes the records of an input with one plan to a sink.
pub fn write_plan(
    source: impl Source,
    name: &str,
    options: &RecordOptions,
    sink: &mut dyn Sink,
) -> Result<PlanOutcome> {
    let mut documents = Documents::only(source, &options.read);
    write_records(&mut documents, RecordRequest::new(name, options), sink)
}

/// The records of a plan as JSON values, and the outcome.
pub fn records(source: impl Source, options: &RecordOptions) -> Result<(Vec<Value>, PlanOutcome)> {
    struct Kept(Vec<Value>);
    impl Sink for Kept {
        fn record(&mut self, record: &Record<'_>) -> Result<()> {
            // A detour through text: converting a record directly to a value would lose the
            // spelling of numbers.
            let text = serde_json::to_string(record).expect("a record is JSON");
            self.0.push(serde_json::from_str(&text).expect("a record is JSON"));
            Ok(())
        }

        fn finish(&mut self) -> Result<()> {
            Ok(())
        }
    }
    let mut kept = Kept(Vec::new());
    let outcome = write_plan(source, "plan.json", options, &mut kept)?;
    Ok((kept.0, outcome))
}
