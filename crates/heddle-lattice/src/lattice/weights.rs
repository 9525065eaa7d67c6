//! Step costs.

use std::sync::Arc;

use super::Site;
use crate::error::Error;

/// The smallest and the largest cost of a step. The greatest sum that is ever computed is that of
/// the distances of all pairs: at most 2^120 steps, which is below 1e37. So no sum overflows and
/// no quotient of sums does, and an infinite distance always means that there is no path.
pub const LEAST_WEIGHT: f64 = 1e-270;
/// See [`LEAST_WEIGHT`].
pub const MOST_WEIGHT: f64 = 1e270;

/// The cost of a step between neighbours, the same in both directions.
#[derive(Clone, Debug, Default)]
pub enum Weights {
    /// Every step costs 1.
    #[default]
    Unit,
    /// One cost per axis; formulas still apply.
    Axes(Arc<[f64]>),
    /// One cost per site: a step costs the mean of its two ends.
    Sites(Arc<[f64]>),
}

impl Weights {
    pub(super) fn check(&self, dimensions: usize, sites: u64) -> Result<(), Error> {
        let (given, needed, per) = match self {
            Self::Unit => return Ok(()),
            Self::Axes(given) => (given, dimensions as u64, "axis"),
            Self::Sites(given) => (given, sites, "site"),
        };
        if given.len() as u64 != needed {
            return Err(Error::WrongWeights {
                needed,
                per,
                found: given.len(),
            });
        }
        match given
            .iter()
            .position(|weight| !(LEAST_WEIGHT..=MOST_WEIGHT).contains(weight))
        {
            Some(position) => Err(Error::BadWeight {
                position,
                found: given[position],
            }),
            None => Ok(()),
        }
    }

    /// The cost of the step along `axis` between two neighbours.
    #[inline]
    #[must_use]
    pub fn of(&self, axis: usize, from: Site, to: Site) -> f64 {
        match self {
            Self::Unit => 1.0,
            Self::Axes(weights) => weights[axis],
            Self::Sites(weights) => f64::midpoint(weights[from as usize], weights[to as usize]),
        }
    }

    /// Whether every step costs 1.
    #[must_use]
    pub const fn is_unit(&self) -> bool {
        matches!(self, Self::Unit)
    }
}
