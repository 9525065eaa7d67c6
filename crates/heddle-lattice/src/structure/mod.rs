//! The structure of a whole lattice.
//!
//! A regular lattice is analysed by formulas that visit no site, whatever its size;
//! one with blocked sites by algorithms, within limits. Every figure states its
//! method, or why it was not computed.

mod analysis;
mod closed_form;
mod components;
mod memory_footprint;
mod property;

pub use analysis::{Analysis, AnalysisLimits, analyze};
pub(crate) use closed_form::ordered_steps;
pub use components::{COMPONENTS, Components, components};
pub use memory_footprint::{MemoryFootprint, memory_footprint};
pub use property::Property;
