//! Fuzzes comparisons, approvals and digests of two documents.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plansift_fuzz::checks::compare::check(bytes));
