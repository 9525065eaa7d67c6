//! N-dimensional lattices and algorithms on them.
//!
//! A [`Lattice`] is a description, not a graph: its axes, which sites are blocked
//! and what a step costs. Neighbours, coordinates and unobstructed distances are
//! arithmetic, so a lattice of 2^40 sites costs as little as one of ten.
//!
//! ```
//! use heddle_lattice::{Axis, Lattice};
//!
//! let torus = Lattice::new([Axis::periodic(10), Axis::open(4)])?;
//! let corner = torus.site(&[9, 0])?;
//! assert_eq!(torus.sites(), 40);
//! assert_eq!(torus.neighbours(corner).count(), 3);
//! assert_eq!(torus.coordinates(corner)?.as_slice(), [9, 0]);
//! # Ok::<(), heddle_lattice::Error>(())
//! ```

mod admission;
pub mod batch;
pub mod catalytic;
pub mod centrality;
pub mod community;
mod cpu_task;
pub mod distance;
pub mod error;
pub mod graph;
mod kernels;
pub mod lattice;
pub mod path;
pub mod picture;
pub mod structure;
pub mod sweep;
pub mod transform;
mod with;

pub use batch::LatticeBatch;
pub use catalytic::{CatalyticPath, CatalyticSettings};
pub use centrality::Scores;
pub use community::Communities;
pub use distance::Distances;
pub use error::Error;
pub use graph::Graph;
pub use lattice::{Axis, Boundary, Coordinates, Lattice, MAX_DIMENSIONS, MAX_SITES, Site, Weights};
pub use path::{Path, PathCache, PathFinder, Staircase};
pub use picture::Picture;
pub use structure::{Analysis, analyze};
pub use transform::{XorKey, apply_transformation, xor_transform, xor_transform_in_place};

/// Compiles the README's example as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
