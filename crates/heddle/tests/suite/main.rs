//! The promises of the library: a module for each, all in one program.

mod emulated_gpus;
mod examples;
mod foreign_device;
