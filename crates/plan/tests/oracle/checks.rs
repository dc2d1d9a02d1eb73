//! The checks of the fuzz targets that need only this crate.

#[path = "../../../../fuzz/src/checks/configuration.rs"]
pub mod configuration;
#[path = "../../../../fuzz/src/checks/cuts.rs"]
pub mod cuts;
#[path = "../../../../fuzz/src/checks/document.rs"]
mod document;
#[path = "../../../../fuzz/src/checks/draw.rs"]
mod draw;
#[path = "../../../../fuzz/src/checks/failure.rs"]
mod failure;
#[path = "../../../../fuzz/src/checks/pieces.rs"]
mod pieces;
#[path = "../../../../fuzz/src/checks/records.rs"]
pub mod records;
#[path = "../../../../fuzz/src/checks/value.rs"]
mod value;
#[path = "../../../../fuzz/src/checks/values.rs"]
pub mod values;

/// Returns the plan that `choices` describe.
pub fn plan(choices: &[u8]) -> Option<String> {
    document::plan(&mut arbitrary::Unstructured::new(choices)).ok()
}
