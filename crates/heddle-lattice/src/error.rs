//! The errors of this crate.

use crate::lattice::{Coordinates, LEAST_WEIGHT, MAX_DIMENSIONS, MAX_SITES, MOST_WEIGHT, Site};

/// A failure of a lattice or of a query on it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A lattice without axes.
    #[error("a lattice needs at least one dimension, but none was given")]
    NoDimensions,
    /// More axes than supported.
    #[error("a lattice has at most {MAX_DIMENSIONS} dimensions, but {found} were given")]
    TooManyDimensions {
        /// The number of axes given.
        found: usize,
    },
    /// An axis without a site.
    #[error("axis {axis} has size 0; every axis needs at least one site")]
    EmptyAxis {
        /// Its position.
        axis: usize,
    },
    /// More sites than an index supports.
    #[error("axes of {sizes:?} make more than {MAX_SITES} sites; take fewer or shorter axes")]
    TooManySites {
        /// The sizes given.
        sizes: Vec<u64>,
    },
    /// A site index beyond the last.
    #[error("site {site} does not exist: the lattice has {sites} sites, numbered from 0")]
    NoSuchSite {
        /// The index given.
        site: Site,
        /// The number of sites.
        sites: u64,
    },
    /// Not one coordinate per axis.
    #[error("a lattice of {dimensions} dimensions needs {dimensions} coordinates, but got {found}")]
    WrongCoordinates {
        /// The number of axes.
        dimensions: usize,
        /// The number of coordinates given.
        found: usize,
    },
    /// A coordinate beyond its axis.
    #[error("coordinate {coordinate} lies outside axis {axis}, which has size {size}")]
    OutsideAxis {
        /// The axis.
        axis: usize,
        /// The coordinate given.
        coordinate: u64,
        /// The axis's size.
        size: u64,
    },
    /// A path cannot begin or end on a blocked site.
    #[error("site {site} at {at} is blocked; start and end need free sites")]
    Blocked {
        /// The site.
        site: Site,
        /// Its coordinates.
        at: Box<Coordinates>,
    },
    /// A weight outside the range in which sums are finite.
    #[error(
        "a step's weight must be between {LEAST_WEIGHT:e} and {MOST_WEIGHT:e}, but weight \
         {position} is {found:?}"
    )]
    BadWeight {
        /// The position among the weights.
        position: usize,
        /// The weight given.
        found: f64,
    },
    /// Not the required number of weights.
    #[error("{needed} weights are needed, one per {per}, but {found} were given")]
    WrongWeights {
        /// The number required.
        needed: u64,
        /// What each weight belongs to.
        per: &'static str,
        /// The number given.
        found: usize,
    },
    /// Start and end lie in different components.
    #[error("no path leads from {from} to {to}: blocked sites lie between them")]
    NoPath {
        /// The start.
        from: Box<Coordinates>,
        /// The end.
        to: Box<Coordinates>,
    },
    /// More sites than supported for an explicit graph or a value per site.
    #[error(
        "{asked} of {sites} sites is refused: it stores a value per site, for at most {most} sites; \
         use `analyze`, which visits no site where the lattice is regular"
    )]
    TooLargeToVisit {
        /// The operation requested.
        asked: &'static str,
        /// The number of sites.
        sites: u64,
        /// The largest supported number of sites.
        most: u64,
    },
    /// A dense adjacency of more vertices than allowed: its size is quadratic.
    #[error(
        "a dense adjacency of {vertices} vertices is refused: the limit given is {most}; \
         raise it or use the sparse graph"
    )]
    DenseTooLarge {
        /// The number of vertices.
        vertices: usize,
        /// The largest number allowed.
        most: usize,
    },
    /// An operation whose cost exceeds its limit.
    #[error(
        "{asked} would take {needed} {unit}, but the limit given is {limit}; raise `{argument}`"
    )]
    OverLimit {
        /// The operation requested.
        asked: &'static str,
        /// The amount it would take.
        needed: u64,
        /// The unit of that amount.
        unit: &'static str,
        /// The limit.
        limit: u64,
        /// The argument that sets the limit.
        argument: &'static str,
    },
    /// Not one operand per lattice.
    #[error("a batch of {lattices} lattices needs as many {what}, but {found} were given")]
    WrongBatch {
        /// The number of lattices.
        lattices: usize,
        /// The operand that each lattice needs.
        what: &'static str,
        /// The number given.
        found: usize,
    },
    /// A path of more vertices than can be stored.
    #[error(
        "the path has {steps} steps, and at most {most} are stored; iterate over it \
         with `Lattice::staircase`"
    )]
    PathTooLong {
        /// The number of steps.
        steps: u64,
        /// The largest number of steps.
        most: u64,
    },
    /// A search that reached its limit without a path.
    #[error(
        "no path was found within the limit of {most} expanded sites; raise it with \
         `PathFinder::with_max_expanded`"
    )]
    SearchTooLarge {
        /// The largest number of sites expanded.
        most: u64,
    },
    /// More sites than supported for a number per site.
    #[error(
        "{what} stores a number for each of {sites} sites, and at most {most} are stored; use a \
         smaller lattice"
    )]
    TooManyToStore {
        /// The operation requested.
        what: &'static str,
        /// The number of sites.
        sites: u64,
        /// The largest supported number of sites.
        most: u64,
    },
    /// A share below 0 or above 1.
    #[error("a share of blocked sites must be between 0 and 1, but is {found}")]
    BadShare {
        /// The share given.
        found: f64,
    },
    /// No source for distances.
    #[error("distances need at least one source, but none was given")]
    NoSources,
    /// A query in steps on a lattice whose steps have costs.
    #[error(
        "{what} counts steps, but this lattice's steps have weights; use a lattice without weights"
    )]
    Weighted {
        /// The operation requested.
        what: &'static str,
    },
    /// Blocked sites where a formula was requested.
    #[error(
        "{what} is a formula for a lattice without blocked sites, but {blocked} sites are blocked; \
         use `Lattice::distances`"
    )]
    NotRegular {
        /// The operation requested.
        what: &'static str,
        /// The number of blocked sites.
        blocked: u64,
    },
    /// Borrowed memory too small for the registers.
    #[error(
        "a catalytic search of {sites} sites borrows {needed_bytes} bytes, but {found_bytes} were \
         given"
    )]
    BorrowedTooSmall {
        /// The number of sites.
        sites: u64,
        /// The number of bytes needed.
        needed_bytes: u64,
        /// The number of bytes given, from the first aligned one on.
        found_bytes: u64,
    },
    /// No path within the length limit.
    #[error("no path of at most {longest} steps leads from {from} to {to}; raise the limit")]
    NoShortPath {
        /// The start.
        from: Box<Coordinates>,
        /// The end.
        to: Box<Coordinates>,
        /// The largest number of steps.
        longest: u64,
    },
    /// The caller cancelled the operation.
    #[error("{what} was cancelled before it finished")]
    Cancelled {
        /// The operation cancelled.
        what: &'static str,
    },
    /// The hashes of all seeds failed to distinguish walks.
    #[error(
        "the catalytic search found no path that it could verify with {seeds} seeds; pass another seed"
    )]
    Unverified {
        /// The number of seeds tried.
        seeds: u64,
    },
    /// An empty key, which cannot be repeated.
    #[error("an xor key needs at least one element, but it is empty")]
    EmptyKey,
    /// A transformation that does not exist.
    #[error("no transformation is called `{name}`; known are {known}{}", nearest_hint(*.nearest))]
    UnknownTransformation {
        /// The name given.
        name: String,
        /// The most similar known name.
        nearest: Option<&'static str>,
        /// All known names.
        known: &'static str,
    },
    /// A transformation that does not work on these elements, or lacks an argument.
    #[error("transformation `{name}` needs {needs}")]
    TransformationUnsuited {
        /// Its name.
        name: &'static str,
        /// Its requirement.
        needs: &'static str,
    },
    /// A picture of the same axis twice, or of an axis that does not exist.
    #[error(
        "a picture shows two different axes of {dimensions}, but axes {first} and {second} were \
         given"
    )]
    BadSlice {
        /// The number of axes.
        dimensions: usize,
        /// The axis drawn downwards.
        first: usize,
        /// The axis drawn to the right.
        second: usize,
    },
    /// More cells than a picture supports.
    #[error(
        "a picture of {rows} x {columns} sites is too large: at most {most} sites are drawn; \
         choose shorter axes"
    )]
    PictureTooLarge {
        /// The number of rows.
        rows: u64,
        /// The number of columns.
        columns: u64,
        /// The largest number of sites.
        most: u64,
    },
    /// Not one value per site.
    #[error("colours need one value for each of {needed} sites, but {found} were given")]
    WrongValues {
        /// The number required.
        needed: u64,
        /// The number given.
        found: usize,
    },
    /// The runtime refused the operation or failed.
    #[error(transparent)]
    Runtime(#[from] heddle_runtime::Error),
}

fn nearest_hint(nearest: Option<&'static str>) -> String {
    nearest.map_or_else(String::new, |nearest| {
        format!("; did you mean `{nearest}`?")
    })
}
