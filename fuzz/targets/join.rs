//! Finds the blocks of addresses in a configuration.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plansift_fuzz::checks::join::check(bytes));
