//! The fuzz targets' shared code. What a target holds true is a function of [`checks`]: bytes in,
//! two ways, same answer, or a panic. `cargo test` runs the same functions over `corpus/`, so this
//! crate adds nothing but the oracle, which lives with the tests.

pub mod checks;

#[path = "../../tests/naive.rs"]
#[allow(dead_code, reason = "it has tests of its own, in the other crate")]
mod naive;
