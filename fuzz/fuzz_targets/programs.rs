//! See `heddle_fuzz::programs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heddle_fuzz::programs::check(bytes));
