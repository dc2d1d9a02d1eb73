//! Fuzzes plans cut into windows.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plansift_fuzz::checks::cuts::check(bytes));
