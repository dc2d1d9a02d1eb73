//! Fuzzes compressed and encoded input.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plansift_fuzz::checks::decompress::check(bytes));
