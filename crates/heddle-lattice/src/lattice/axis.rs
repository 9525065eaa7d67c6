//! One axis: its size and its boundary.

/// The boundary of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Boundary {
    /// The axis ends.
    Open,
    /// The last site is a neighbour of the first.
    Periodic,
}

/// One axis of a lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub struct Axis {
    size: u64,
    boundary: Boundary,
}

impl Axis {
    /// An axis with two ends.
    #[must_use]
    pub const fn open(size: u64) -> Self {
        Self {
            size,
            boundary: Boundary::Open,
        }
    }

    /// A periodic axis. On an axis of two sites the step across the boundary is the
    /// same step, and counts once.
    #[must_use]
    pub const fn periodic(size: u64) -> Self {
        Self {
            size,
            boundary: Boundary::Periodic,
        }
    }

    /// The number of sites along it.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Its boundary.
    #[must_use]
    pub const fn boundary(&self) -> Boundary {
        self.boundary
    }

    /// Whether the step from the last site to the first is a separate step: two
    /// sites have one step between them in either direction.
    #[must_use]
    pub(crate) const fn wraps(&self) -> bool {
        matches!(self.boundary, Boundary::Periodic) && self.size > 2
    }

    /// The number of steps on one line along this axis.
    #[must_use]
    pub(crate) const fn steps(&self) -> u64 {
        if self.wraps() {
            self.size
        } else {
            self.size - 1
        }
    }
}
