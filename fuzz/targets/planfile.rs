//! Reads plan files, and members of plan files.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plansift_fuzz::checks::planfile::check(bytes));
