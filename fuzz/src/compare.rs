//! The oracle of comparisons, and the plans that it is tried on. They live with the tests.

#[path = "../../tests/compare/oracle.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
pub mod oracle;
#[path = "../../tests/compare/plans.rs"]
pub mod plans;
