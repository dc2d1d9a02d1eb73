//! Compares every kernel with the scalar kernel.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plansift_fuzz::checks::kernels::check(bytes));
