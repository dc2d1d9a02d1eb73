//! Fuzzes the audit of secrets.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plansift_fuzz::checks::audit::check(bytes));
