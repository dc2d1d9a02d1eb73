//! Fuzzes digests of documents in another layout.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plansift_fuzz::checks::digest::check(bytes));
