//! Integration tests of the library, one module per topic.

mod emulated_gpus;
mod examples;
mod foreign_device;
