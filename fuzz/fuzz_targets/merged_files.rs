//! See `heddle_fuzz::merged_files`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heddle_fuzz::merged_files::check(bytes));
