//! The structure of a whole lattice.
//!
//! A regular lattice is analysed by formulas that visit no site, whatever its size;
//! one with blocked sites by algorithms, within limits. Every figure states its
//! method, or why it was not computed.

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
