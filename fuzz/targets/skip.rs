//! Compares skipping a value with reading it.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plansift_fuzz::checks::skip::check(bytes));
