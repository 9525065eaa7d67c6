//! See `heddle_fuzz::generated_programs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heddle_fuzz::generated_programs::check(bytes));
