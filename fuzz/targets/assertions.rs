//! Reads files of assertions.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plansift_fuzz::checks::assertions::check(bytes));
