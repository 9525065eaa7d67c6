//! Integration tests of the library, one module per topic.

mod any_single_fault_changes_no_result;
mod emulated_gpus;
mod examples;
mod foreign_device;
mod live_metrics;
