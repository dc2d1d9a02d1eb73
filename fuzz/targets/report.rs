//! What a person is shown of a plan.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plansift_fuzz::checks::report::check(bytes));
