//! Converts arguments that several commands share into options of the library.

use std::num::NonZeroUsize;
use std::sync::OnceLock;

use super::args::{self, Plans};
use super::exit::Exit;
use super::messages::usage;
use plansift_core::input::{self, Mapping, Threads};
use plansift_core::json::Validation;
use plansift_core::scan::Isa;
use plansift_plan::plan::{self, Accepts, SurroundingText};
use plansift_plan::record::{Extent, RecordOptions, Show};
use plansift_report::Form;
use plansift_report::csv::Formulas;

/// Returns the options of a reader of plans, without those of arguments. If PLANSIFT_ISA names an
/// instruction set that this processor lacks, prints an error and fails.
pub fn plan_options() -> Result<plan::PlanOptions, Exit> {
    let isa = match std::env::var("PLANSIFT_ISA").unwrap_or_default() {
        name if name.is_empty() => Isa::best(),
        name => match Isa::named(&name) {
            Some(isa) => isa,
            None => {
                let names: Vec<_> = Isa::all().map(Isa::name).collect();
                let names = names.join(", ");
                return Err(usage(&format!("PLANSIFT_ISA: this processor has {names}")));
            }
        },
    };
    Ok(plan::PlanOptions { isa, ..plan::PlanOptions::default() })
}

/// Returns the options of a reader of plans. If PLANSIFT_ISA names an instruction set that this
/// processor lacks, prints an error and fails.
pub fn options(plans: &Plans) -> Result<RecordOptions, Exit> {
    let validation = match plans.check {
        args::Check::Structure => Validation::Structure,
        args::Check::Grammar => Validation::Grammar,
    };
    let surrounding_text = match plans.strict {
        true => SurroundingText::Refused,
        false => SurroundingText::Skipped,
    };
    Ok(RecordOptions {
        read: plan::PlanOptions {
            validation,
            surrounding_text,
            limits: plans.limits.limits(),
            threads: threads(plans),
            ..plan_options()?
        },
        show: Show::Changes,
        extent: Extent::Paths,
        relevant: false,
        accepts: Accepts::Plans,
        documents: Vec::new(),
        patterns: None,
    })
}

/// Returns the number of threads: by default one for each processor. `None` if it is unknown.
pub fn threads(plans: &Plans) -> Option<NonZeroUsize> {
    plans.threads.or_else(|| std::thread::available_parallelism().ok())
}

/// Whether the program may map files. `main` sets it.
static MAPPING: OnceLock<Mapping> = OnceLock::new();

/// Sets whether the commands may map files.
pub fn set_mapping(mapping: Mapping) {
    // A second call has no effect.
    let _ = MAPPING.set(mapping);
}

pub fn access(plans: &Plans, read: &plan::PlanOptions) -> input::InputOptions {
    let mapping = MAPPING.get().copied().filter(|_| !plans.no_mmap).unwrap_or_default();
    let threads = match read.threads.map_or(1, usize::from) {
        1 => Threads::One,
        _ => Threads::Several,
    };
    input::InputOptions { limits: read.limits, mapping, threads }
}

/// Returns the format of records, with the cells of CSV that the user wants.
pub fn form(form: Form, is_csv_raw: bool) -> Form {
    match form {
        Form::Csv(_) => Form::Csv(formulas(is_csv_raw)),
        form => form,
    }
}

/// Returns how CSV writes cells that look like formulas.
pub fn formulas(is_raw: bool) -> Formulas {
    if is_raw { Formulas::Raw } else { Formulas::Quoted }
}
