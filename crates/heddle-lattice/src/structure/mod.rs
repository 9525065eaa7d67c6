//! What a lattice looks like as a whole.
//!
//! A regular lattice is answered by formulas that visit no site, whatever its size;
//! one with blocked sites by algorithms, within the limits that were given. Every
//! figure says which it was, or why it is not there.

mod analysis;
mod closed;
mod components;
mod figure;
mod metrics;

pub use analysis::{Analysis, Limits, analyze};
pub(crate) use closed::ordered_steps;
pub use components::{COMPONENTS, Components, components};
pub use figure::Figure;
pub use metrics::{Metrics, metrics};
