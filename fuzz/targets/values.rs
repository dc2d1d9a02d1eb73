//! Fuzzes the reader of what documents hold.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plansift_fuzz::checks::values::check(bytes));
