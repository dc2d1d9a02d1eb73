//! Fuzzes reports.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plansift_fuzz::checks::report::check(bytes));
