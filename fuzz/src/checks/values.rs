//! What a document holds is what the oracle finds in its tree, and does not depend on windows.

use plansift::error::Result;
use plansift::input::{Slice, Source};
use plansift::plan::{self, Documents};
use plansift::record::values::{RowKind, Select, ValuesOptions, ValuesSource, read};
use plansift::record::{Label, Record, Sink};
use serde_json::Value;

use super::draw::Draw;
use super::pieces::Pieces;
use crate::naive::{native, values as oracle};

/// Keys that only plans have.
const PLAN_KEYS: [&str; 10] = [
    "planned_values",
    "resource_changes",
    "resource_drift",
    "output_changes",
    "deferred_changes",
    "action_invocations",
    "configuration",
    "relevant_attributes",
    "applyable",
    "errored",
];

/// Reads what a document holds, as a whole and in pieces.
pub fn check(text: &[u8]) {
    let Ok(tree) = serde_json::from_slice::<Value>(text) else { return };
    let is_plan = PLAN_KEYS.iter().any(|key| tree.get(key).is_some());
    let section = if is_plan { "planned_values" } else { "values" };
    let mut draw = Draw::from_bytes(text);
    for (what, of) in [
        (RowKind::Resources, ValuesSource::Auto),
        (RowKind::Resources, ValuesSource::Prior),
        (RowKind::Outputs, ValuesSource::Auto),
        (RowKind::Variables, ValuesSource::Auto),
        (RowKind::Checks, ValuesSource::Auto),
    ] {
        let whole = rows(Slice(text), what, of);
        let pieces = rows(Pieces::new(text, draw.clone()), what, of);
        draw.one_of(&[0, 1]);
        // A document that the engine refuses has no oracle.
        let Ok(whole) = whole else {
            assert!(pieces.is_err(), "only the whole text is refused");
            continue;
        };
        assert_eq!(pieces.ok().as_ref(), Some(&whole), "{what:?} {of:?}");
        // A plan may have a member `values`, which the tools never write.
        if is_plan && tree.get("values").is_some() {
            continue;
        }
        // The engine reads each of two members with one key. The tree has only the last one.
        if native::has_duplicate_keys(text) {
            continue;
        }
        let expected = match what {
            RowKind::Resources if of == ValuesSource::Prior => {
                oracle::resources(&tree, "prior_state", true)
            }
            RowKind::Resources => oracle::resources(&tree, section, true),
            RowKind::Outputs => oracle::outputs(&tree, section),
            RowKind::Variables => oracle::variables(&tree),
            RowKind::Checks => oracle::checks(&tree),
        };
        assert_eq!(without_modules(whole), without_modules(expected), "{what:?} {of:?}");
    }
}

/// Rows without the address of their module. The oracle takes it from the tree and the engine from
/// the address, which agree only in documents of the tools.
fn without_modules(mut rows: Vec<Value>) -> Vec<Value> {
    for row in rows.iter_mut().filter_map(Value::as_object_mut) {
        if row["kind"] == "resource" {
            row.shift_remove("module_address");
        }
    }
    rows
}

struct Kept(Vec<Value>);

impl Sink for Kept {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        if !matches!(record, Record::Document(_) | Record::RowSummary(_)) {
            // A detour through text keeps the spelling of numbers.
            let text = serde_json::to_string(record).expect("a record is JSON");
            self.0.push(serde_json::from_str(&text).expect("a record is JSON"));
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

/// The rows of the only document of an input.
pub(super) fn rows(source: impl Source, what: RowKind, of: ValuesSource) -> Result<Vec<Value>> {
    let read_options = plan::PlanOptions::default();
    let (only, select) = (Vec::new(), Select::default());
    let options =
        ValuesOptions { read: read_options, what, of, only, all: true, select, patterns: None };
    let mut documents = Documents::only(source, &read_options);
    let mut kept = Kept(Vec::new());
    let label = Label { source: "-", workspace: None };
    read(&mut documents, label, &options, None, &mut kept)?;
    Ok(kept.0)
}
