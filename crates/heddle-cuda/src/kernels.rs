//! The kernels the devices themselves have: the stamps that time launches, and those
//! their tests launch. Those of operations come with the operations.

use heddle_runtime::device;

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// What the tests of this crate launch.
#[cfg(feature = "trial")]
pub mod trial {
    use heddle_runtime::device;

    include!(concat!(env!("OUT_DIR"), "/trial.rs"));
}
