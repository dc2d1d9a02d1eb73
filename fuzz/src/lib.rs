//! Shared code of the fuzz targets. Each target is a function of [`checks`] that processes bytes in
//! two ways and panics if the answers differ. `cargo test` runs the same functions over `corpus/`.
//! This crate adds only the oracles, which live with the tests.

pub mod checks;

#[path = "../../tests/library.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod library;
#[path = "../../tests/naive.rs"]
#[allow(dead_code, unused_imports, reason = "it has tests of its own, in the other crate")]
mod naive;

mod compare;
