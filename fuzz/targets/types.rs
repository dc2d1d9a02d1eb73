//! Reads type constraints and provider schemas.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plansift_fuzz::checks::types::check(bytes));
