//! Looking at a recording: what took the time, inside what, and how much of it
//! a device vouches for.
//!
//! Only figures; how they are laid out for a reader is the reader's business.
//!
//! The one thing to know: all of these go by self time, so that a scope is not
//! blamed for what runs inside it and sums are of real time.

mod bottleneck;
mod proof;
mod tree;

pub use bottleneck::{Bottleneck, Part};
pub use proof::{DeviceProof, Unproven};
pub use tree::{Tree, TreeNode};
