//! The devices' own kernels: the stamps that time launches, and the kernels that tests
//! launch. The kernels of operations come with the operations.

use heddle_runtime::device;

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// The kernels that this crate's tests launch.
#[cfg(feature = "trial")]
pub mod trial {
    use heddle_runtime::device;

    include!(concat!(env!("OUT_DIR"), "/trial.rs"));
}
