//! See `heddle_fuzz::model_files`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heddle_fuzz::model_files::check(bytes));
