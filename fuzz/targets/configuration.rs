//! Fuzzes the elements of configurations.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plansift_fuzz::checks::configuration::check(bytes));
