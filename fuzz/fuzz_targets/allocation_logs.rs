//! See `heddle_fuzz::allocation_logs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heddle_fuzz::allocation_logs::check(bytes));
