//! Reads configuration files in both syntaxes, and templates.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plansift_fuzz::checks::hcl::check(bytes));
