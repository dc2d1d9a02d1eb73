//! The checks of the fuzz targets that need only this crate.

#[path = "../../../../fuzz/src/checks/audit.rs"]
pub mod audit;
#[path = "../../../../fuzz/src/checks/draw.rs"]
mod draw;
#[path = "../../../../fuzz/src/checks/failure.rs"]
mod failure;
#[path = "../../../../fuzz/src/checks/pieces.rs"]
mod pieces;
#[path = "../../../../fuzz/src/checks/redact.rs"]
pub mod redact;
#[path = "../../../../fuzz/src/checks/rewritten.rs"]
mod rewritten;
#[path = "../../../../fuzz/src/checks/slim.rs"]
pub mod slim;
