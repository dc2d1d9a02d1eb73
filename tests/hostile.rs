//! (to be written)
pub mod sample;
