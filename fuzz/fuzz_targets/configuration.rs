//! See `heddle_fuzz::configuration`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heddle_fuzz::configuration::check(bytes));
