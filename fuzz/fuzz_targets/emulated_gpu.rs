//! See `heddle_fuzz::emulated_gpu`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heddle_fuzz::emulated_gpu::check(bytes));
