//! The guarantees of the CUDA device on an NVIDIA GPU: bytes arrive, kernels compute, times
//! are the device's own, and errors are reported.
//!
//! Each test opens this machine's first GPU for itself, one test at a time, and is ignored
//! by default: `./test` runs them where there is a GPU, and the README says how to run them
//! on another machine. A *lost* GPU is tested in a program of its own,
//! `a_lost_gpu_stays_lost`, because the driver does not let a process that lost its GPU
//! open it again.
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
