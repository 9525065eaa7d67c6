//! One axis: how long it is and what lies beyond its ends.

/// What lies beyond the ends of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Boundary {
    /// Nothing.
    Open,
    /// The other end.
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

    /// An axis that closes on itself. On one of two sites the way round leads
    /// over the same step, and counts once.
    #[must_use]
    pub const fn periodic(size: u64) -> Self {
        Self {
            size,
            boundary: Boundary::Periodic,
        }
    }

    /// How many sites lie along it.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// What lies beyond its ends.
    #[must_use]
    pub const fn boundary(&self) -> Boundary {
        self.boundary
    }

    /// Whether there is a step from the last site to the first that is no other
    /// step: two sites have one step between them, however it is walked.
    #[must_use]
    pub(crate) const fn wraps(&self) -> bool {
        matches!(self.boundary, Boundary::Periodic) && self.size > 2
    }

    /// Steps on one line along this axis.
    #[must_use]
    pub(crate) const fn steps(&self) -> u64 {
        if self.wraps() {
            self.size
        } else {
            self.size - 1
        }
    }
}
