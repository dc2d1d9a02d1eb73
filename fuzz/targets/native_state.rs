//! Fuzzes the reader of native state files.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plansift_fuzz::checks::native_state::check(bytes));
