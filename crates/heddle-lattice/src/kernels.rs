//! The kernels of this crate, as its build script lists them.

use heddle_runtime::device;

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
