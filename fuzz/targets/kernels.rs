//! Every kernel against the scalar one.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plansift_fuzz::checks::kernels::check(bytes));
