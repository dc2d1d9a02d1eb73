//! A plan cut into windows anywhere gives the same records or error as in one window, on one thread
//! or several.

use std::num::NonZeroUsize;

use plansift::error::Result;
use plansift::input::{Slice, Source};
use plansift::json::Validation;
use plansift::limits::Limits;
use plansift::plan::{self, Accepts, Documents};
use plansift::record::{
    Extent, Record, RecordOptions, RecordRequest, Show, Warning, write_records,
};
use plansift::scan::Isa;
use plansift::sink::Sink;

use super::draw::Draw;
use super::failure::{Failure, failure};
use super::pieces::Pieces;

/// Processes `text` whole and in pieces, at both levels of validation, with wide and narrow limits.
pub fn check(text: &[u8]) {
    let mut draw = Draw::from_bytes(text);
    let isas: Vec<_> = Isa::all().collect();
    for validation in [Validation::Structure, Validation::Grammar] {
        for limits in [Limits::default(), narrow(&mut draw)] {
            let options = |isa, threads| RecordOptions {
                read: plan::PlanOptions {
                    isa,
                    validation,
                    limits,
                    threads: NonZeroUsize::new(threads),
                    ..plan::PlanOptions::default()
                },
                show: Show::All,
                extent: Extent::Paths,
                accepts: Accepts::Plans,
                relevant: true,
                documents: Vec::new(),
                patterns: None,
            };
            let whole = outcome_of(Slice(text), &options(Isa::best(), 1));
            let isa = draw.one_of(&isas);
            let cut = outcome_of(Pieces::new(text, draw.clone()), &options(isa, 1));
            assert_eq!(cut, whole, "{} {validation:?} {limits:?}", isa.name());
            let threads = draw.one_of(&[2, 3]);
            let shared = [
                outcome_of(Pieces::new(text, draw.clone()), &options(isa, threads)),
                outcome_of(Pieces::in_memory(text, draw.clone()), &options(isa, threads)),
            ];
            for (shared, way) in shared.iter().zip(["copied", "ahead"]) {
                assert_eq!(shared, &whole, "{} {validation:?} {limits:?}, {way}", isa.name());
            }
        }
    }
}

/// Limits that small inputs can reach.
fn narrow(draw: &mut Draw) -> Limits {
    let sizes = [1, 10, 63, 64, 65, 200, 4000, 4096, 4097, 10_000];
    Limits {
        depth: draw.one_of(&[1, 3, 10, 63, 64, 65, 200]),
        change: draw.one_of(&sizes),
        string_skipped: draw.one_of(&sizes),
        string_kept: draw.one_of(&sizes),
        ..Limits::default()
    }
}

/// The records as JSON, and the warnings or error at the end.
type Outcome = (Vec<String>, std::result::Result<Vec<Warning>, Failure>);

fn outcome_of(source: impl Source, options: &RecordOptions) -> Outcome {
    struct Lines(Vec<String>);
    impl Sink for Lines {
        fn record(&mut self, record: &Record<'_>) -> Result<()> {
            self.0.push(serde_json::to_string(record).expect("a record is JSON"));
            Ok(())
        }

        fn finish(&mut self) -> Result<()> {
            Ok(())
        }
    }
    let mut lines = Lines(Vec::new());
    let mut documents = Documents::only(source, &options.read);
    let request = RecordRequest::new("plan.json", options);
    let end = write_records(&mut documents, request, &mut lines);
    (lines.0, end.map(|outcome| outcome.warnings).map_err(|error| failure(&error)))
}
