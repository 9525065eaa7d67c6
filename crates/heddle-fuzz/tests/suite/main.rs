//! Tests of the fuzz targets.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod targets_are_built;
mod targets_hold;
