//! See `heddle_fuzz::recordings`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heddle_fuzz::recordings::check(bytes));
