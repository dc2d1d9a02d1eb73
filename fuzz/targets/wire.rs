//! Reads and writes values of the wire.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plansift_fuzz::checks::wire::check(bytes));
