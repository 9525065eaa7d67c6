//! See `heddle_fuzz::golden_vectors`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heddle_fuzz::golden_vectors::check(bytes));
