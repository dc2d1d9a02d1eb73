//! Compares the grammar check with serde_json.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plansift_fuzz::checks::grammar::check(bytes));
