//! Analysis of a recording: bottlenecks, the call tree, and how much GPU work a
//! device clock confirms.
//!
//! Only figures; formatting is left to the caller. All figures are of self time, so
//! that a scope is not charged for what runs inside it and sums are of real time.

mod bottleneck;
mod device_time_coverage;
mod tree;

pub use bottleneck::{Bottleneck, TimeCategory};
pub use device_time_coverage::{DeviceTimeCoverage, UntimedOperation};
pub use tree::{Tree, TreeNode};
