//! Every primitive on compact values.
//!
//! There is one file per family, as in `plain`. A primitive selects a fast path by the forms of its
//! arguments. Otherwise it iterates over the elements or, for irregular grids and patches, calls
//! the plain primitive. `plain` defines all results.

mod allocation_free;
mod arithmetic;
mod call;
mod color_filter;
mod colours;
mod columns;
mod construct;
mod containers;
mod difference;
pub(crate) mod distances;
mod extremes;
mod function_table;
mod fused;
mod geometry;
mod higher;
pub(crate) mod irregular;
mod irregular_value;
mod lines;
mod location_pairs;
pub(crate) mod objects;
mod oversized_boxes;
mod oversized_grids;
mod paint;
mod patterns;
mod query;
mod scale;
mod singletons;
mod split;
mod typed;
mod union;
mod zero_width;

pub(crate) use call::Eval;

pub(crate) type ValueResult = Result<crate::value::Value, crate::fault::Fault>;
