//! Every primitive on compact values.
//!
//! One file per family, as in `plain`. A primitive here looks at the forms of
//! its arguments; where its fast path does not apply it asks for the general
//! walk over elements or, for odd grids and patches, hands over to the plain
//! primitive. What it computes is never decided here.

mod allocation_free;
mod arithmetic;
mod call;
mod color_filter;
mod colours;
mod columns;
pub(crate) mod components;
mod construct;
mod containers;
pub(crate) mod degenerate;
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
mod oversized_boxes;
mod oversized_grids;
mod paint;
mod patterns;
mod query;
pub(crate) mod ragged;
mod scale;
mod singletons;
mod split;
mod union;
mod zero_width;

pub(crate) use call::Eval;

pub(crate) type ValueResult = Result<crate::value::Value, crate::fault::Fault>;
