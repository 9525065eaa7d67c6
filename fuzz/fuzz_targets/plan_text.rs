//! See `heddle_fuzz::plan_text`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heddle_fuzz::plan_text::check(bytes));
