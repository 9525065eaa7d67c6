//! A real GPU keeps the promises of its device: bytes arrive, kernels compute,
//! times are the device's own, and what goes wrong is said.
//!
//! Each test opens this machine's first GPU for itself, one test at a time, and is
//! ignored unless asked for: `./test` asks where there is a GPU, and the README says
//! how to run them on another machine. What a *lost* GPU does is a program of its
//! own, `a_lost_gpu_stays_lost`, because the driver gives a process that lost its
//! GPU no second one.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod chunked_map;
mod concurrency;
mod failure;
mod launches;
mod memory;
mod products;
mod properties;
mod times;
mod transfers;
mod xor;
