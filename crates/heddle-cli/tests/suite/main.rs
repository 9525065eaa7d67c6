//! Integration tests of the command, one module per topic.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

mod arc_batt_command;
mod arc_command;
mod arc_evolve_command;
mod arc_gpu_command;
mod binary;
mod command;
mod extreme_numbers;
mod foreign_text;
mod gpu_command;
mod host_limit;
mod lattice_command;
mod memory_command;
mod output_files;
mod profile_command;
mod threads_of_a_command;
