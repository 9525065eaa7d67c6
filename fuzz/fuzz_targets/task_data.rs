//! See `heddle_fuzz::task_data`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heddle_fuzz::task_data::check(bytes));
