//! Every primitive on compact values.
//!
//! One file per family, as in `plain`. A primitive here looks at the forms of
//! its arguments; where its fast path does not apply it asks for the general
//! walk over elements or, for odd grids and patches, hands over to the plain
//! primitive. What it computes is never decided here.

mod arithmetic;
mod bare;
mod boxes;
mod call;
mod colours;
mod columns;
pub(crate) mod components;
mod construct;
mod containers;
pub(crate) mod degenerate;
mod difference;
mod direct;
pub(crate) mod distances;
mod extremes;
mod fused;
mod geometry;
mod higher;
mod light;
mod lines;
pub(crate) mod loose;
mod paint;
mod pairs;
mod patterns;
mod query;
mod quick;
pub(crate) mod ragged;
mod scale;
mod sieve;
mod singles;
mod split;
mod union;
mod wide;

pub(crate) use call::Eval;

pub(crate) type Outcome = Result<crate::value::Value, crate::fault::Fault>;
