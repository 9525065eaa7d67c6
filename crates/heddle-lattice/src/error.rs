//! Everything that can go wrong with a lattice, in one enum.

use crate::lattice::{Coordinates, MAX_DIMENSIONS, MAX_SITES, Site};

/// A failure of a lattice or of a question put to it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A lattice without an axis has nowhere to go.
    #[error("a lattice needs at least one dimension, but none was given")]
    NoDimensions,
    /// More axes than are kept.
    #[error("a lattice has at most {MAX_DIMENSIONS} dimensions, but {found} were given")]
    TooManyDimensions {
        /// How many were given.
        found: usize,
    },
    /// An axis without a site.
    #[error("axis {axis} has size 0; every axis needs at least one site")]
    EmptyAxis {
        /// Its position.
        axis: usize,
    },
    /// More sites than an index is good for.
    #[error("axes of {sizes:?} make more than {MAX_SITES} sites; take fewer or shorter axes")]
    TooManySites {
        /// The sizes asked for.
        sizes: Vec<u64>,
    },
    /// A site index beyond the last.
    #[error("site {site} does not exist: the lattice has {sites} sites, numbered from 0")]
    NoSuchSite {
        /// The index asked for.
        site: Site,
        /// How many there are.
        sites: u64,
    },
    /// As many coordinates as axes are needed.
    #[error("a lattice of {dimensions} dimensions needs {dimensions} coordinates, but got {found}")]
    WrongCoordinates {
        /// Axes of the lattice.
        dimensions: usize,
        /// Coordinates given.
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
        /// Where it is.
        at: Box<Coordinates>,
    },
    /// A weight that is not a positive, finite number.
    #[error("a step's weight must be positive and finite, but weight {position} is {found}")]
    BadWeight {
        /// Which of the weights.
        position: usize,
        /// What it is.
        found: f64,
    },
    /// Not as many weights as needed.
    #[error("{needed} weights are needed, one per {per}, but {found} were given")]
    WrongWeights {
        /// How many are needed.
        needed: u64,
        /// One for each of these.
        per: &'static str,
        /// How many were given.
        found: usize,
    },
    /// Start and end lie in different parts of the lattice.
    #[error("no path leads from {from} to {to}: blocked sites lie between them")]
    NoPath {
        /// Where it was to begin.
        from: Box<Coordinates>,
        /// Where it was to end.
        to: Box<Coordinates>,
    },
    /// More sites than an explicit graph or a value per site is made for.
    #[error(
        "{asked} of {sites} sites is refused: it is kept per site, for at most {most} sites; \
         ask for `analyze`, which visits none where the lattice is regular"
    )]
    TooLargeToVisit {
        /// What was asked for.
        asked: &'static str,
        /// Sites of the lattice.
        sites: u64,
        /// The most it is done for.
        most: u64,
    },
    /// A dense adjacency grows with the square of the vertices.
    #[error(
        "a dense adjacency of {vertices} vertices is refused: the limit given is {most}; \
         raise it or take the sparse one"
    )]
    DenseTooLarge {
        /// Vertices of the graph.
        vertices: usize,
        /// The most that were allowed.
        most: usize,
    },
    /// A question that would take longer than it was allowed to.
    #[error(
        "{asked} would take {needed} {unit}, but the limit given is {limit}; raise `{argument}`"
    )]
    OverLimit {
        /// What was asked for.
        asked: &'static str,
        /// What it would take.
        needed: u64,
        /// What that counts.
        unit: &'static str,
        /// What was allowed.
        limit: u64,
        /// The argument that says so.
        argument: &'static str,
    },
    /// As many operands as lattices are needed.
    #[error("a batch of {lattices} lattices needs as many {what}, but {found} were given")]
    WrongBatch {
        /// Lattices of the batch.
        lattices: usize,
        /// What there is one of for each.
        what: &'static str,
        /// How many were given.
        found: usize,
    },
    /// A path of more vertices than are kept at once.
    #[error(
        "the path has {steps} steps, and at most {most} are kept at once; walk it step by step \
         with `Lattice::staircase`"
    )]
    PathTooLong {
        /// Its steps.
        steps: u64,
        /// The most that are kept.
        most: u64,
    },
    /// A search that found nothing for long.
    #[error(
        "no path was found among the first {most} sites looked at; allow more with \
         `PathFinder::with_most_expanded`"
    )]
    SearchTooLarge {
        /// How many sites it was allowed to take up.
        most: u64,
    },
    /// One number per site would be too many.
    #[error(
        "{what} keeps a number for each of {sites} sites, and at most {most} are kept; ask a \
         smaller lattice"
    )]
    TooManyToStore {
        /// What was asked for.
        what: &'static str,
        /// Sites of the lattice.
        sites: u64,
        /// The most that are kept.
        most: u64,
    },
    /// A share of more than everything or less than nothing.
    #[error("a share of blocked sites lies between 0 and 1, but is {found}")]
    BadShare {
        /// What it was.
        found: f64,
    },
    /// Distances from nowhere.
    #[error("distances need at least one source, but none was given")]
    NoSources,
    /// The question is put about steps, but steps have different costs.
    #[error("{what} counts steps, but this lattice's steps have weights; ask one without weights")]
    Weighted {
        /// What was asked for.
        what: &'static str,
    },
    /// The lattice has blocked sites where a formula was asked for.
    #[error(
        "{what} is a formula for a lattice with nothing blocked, but {blocked} sites are blocked; \
         ask `Lattice::distances`"
    )]
    NotRegular {
        /// What was asked for.
        what: &'static str,
        /// How many sites are blocked.
        blocked: u64,
    },
    /// The borrowed memory does not hold the registers.
    #[error(
        "a catalytic search of {sites} sites borrows {needed_bytes} bytes, but {found_bytes} were \
         lent"
    )]
    BorrowedTooSmall {
        /// Sites of the lattice.
        sites: u64,
        /// Bytes it needs.
        needed_bytes: u64,
        /// Bytes it was lent, from the first aligned one on.
        found_bytes: u64,
    },
    /// The search was told to look no further.
    #[error("no path of at most {longest} steps leads from {from} to {to}; allow a longer one")]
    NoShortPath {
        /// Where it was to begin.
        from: Box<Coordinates>,
        /// Where it was to end.
        to: Box<Coordinates>,
        /// The most steps allowed.
        longest: u64,
    },
    /// The caller stopped it.
    #[error("{what} was cancelled before it had an answer")]
    Cancelled {
        /// What was cancelled.
        what: &'static str,
    },
    /// The hashes of several seeds all failed to tell walks apart.
    #[error(
        "the catalytic search found no path it could verify with {seeds} seeds; pass another seed"
    )]
    Unverified {
        /// How many were tried.
        seeds: u64,
    },
    /// A key that cannot be repeated.
    #[error("an xor key needs at least one element, but it is empty")]
    EmptyKey,
    /// A transformation nobody wrote.
    #[error("no transformation is called `{name}`; known are {known}{}", nearest_hint(*.nearest))]
    UnknownTransformation {
        /// The name asked for.
        name: String,
        /// The known name most like it.
        nearest: Option<&'static str>,
        /// All known names.
        known: &'static str,
    },
    /// A transformation that does not work on these elements, or lacks an argument.
    #[error("transformation `{name}` needs {needs}")]
    TransformationUnsuited {
        /// Its name.
        name: &'static str,
        /// What it needs, in words.
        needs: &'static str,
    },
    /// The two axes of a picture.
    #[error(
        "a picture shows two different axes of {dimensions}, but axes {first} and {second} were \
         asked for"
    )]
    BadSlice {
        /// Axes of the lattice.
        dimensions: usize,
        /// The axis drawn downwards.
        first: usize,
        /// The axis drawn to the right.
        second: usize,
    },
    /// More cells than a picture can show.
    #[error(
        "a picture of {rows} x {columns} sites is too large: at most {most} sites are drawn; \
         choose shorter axes"
    )]
    PictureTooLarge {
        /// Sites downwards.
        rows: u64,
        /// Sites to the right.
        columns: u64,
        /// The most sites drawn.
        most: u64,
    },
    /// Not one value per site.
    #[error("colours need one value for each of {needed} sites, but {found} were given")]
    WrongValues {
        /// How many are needed.
        needed: u64,
        /// How many were given.
        found: usize,
    },
    /// The road refused or failed.
    #[error(transparent)]
    Runtime(#[from] heddle_runtime::Error),
}

fn nearest_hint(nearest: Option<&'static str>) -> String {
    nearest.map_or_else(String::new, |nearest| {
        format!("; did you mean `{nearest}`?")
    })
}
