//! The number of shortest paths.

use std::time::{Duration, Instant};

use super::site_table::SiteTable;
use crate::distance::{DistanceValues, ParallelThreshold};
use crate::error::Error;
use crate::lattice::{Lattice, Site, Stepper, Weights, axis_of};

/// The largest number of sites for which counting uses a slot per site.
const DENSE_SITES: u64 = 1 << 22;

/// The largest number of sites seen while counting level by level.
const MAX_SEEN: u64 = 1 << 26;

/// Costs that differ by less than this, relative to their size, are equal: sums of
/// the same steps in another order differ by rounding.
const SAME_COST: f64 = 1e-10;

/// A number of paths: exact if it fits in 128 bits, and always as a float.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct CountValue {
    /// The exact number, unless it is 2^128 or more.
    pub exact: Option<u128>,
    /// The number to a relative error of about 1e-12; infinite beyond 10^308.
    pub approximate: f64,
}

impl CountValue {
    const ZERO: Self = Self::of(0);
    const ONE: Self = Self::of(1);

    const fn of(paths: u128) -> Self {
        Self {
            exact: Some(paths),
            approximate: paths as f64,
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            exact: self
                .exact
                .zip(other.exact)
                .and_then(|(first, second)| first.checked_add(second)),
            approximate: self.approximate + other.approximate,
        }
    }

    /// `self * (total choose chosen)`.
    fn times_binomial(self, total: u64, chosen: u64) -> Self {
        let chosen = chosen.min(total - chosen);
        let mut choose = Self::ONE;
        for taken in 1..=chosen {
            let of = total - chosen + taken;
            choose = Self {
                exact: choose
                    .exact
                    .and_then(|sofar| times_then_over(sofar, of, taken)),
                approximate: choose.approximate * of as f64 / taken as f64,
            };
        }
        self.times(choose)
    }

    fn times(self, other: Self) -> Self {
        Self {
            exact: self
                .exact
                .zip(other.exact)
                .and_then(|(first, second)| first.checked_mul(second)),
            approximate: self.approximate * other.approximate,
        }
    }
}

/// `value * factor / divisor`, which must be an integer, without overflow of
/// intermediate values if the result fits.
fn times_then_over(value: u128, factor: u64, divisor: u64) -> Option<u128> {
    let (factor, divisor) = (u128::from(factor), u128::from(divisor));
    let shared = greatest_common(value, divisor);
    // The part of the divisor that does not divide the value divides the factor.
    (value / shared).checked_mul(factor / (divisor / shared))
}

fn greatest_common(mut first: u128, mut second: u128) -> u128 {
    while second != 0 {
        (first, second) = (second, first % second);
    }
    first
}

/// The number of shortest paths from one site to another.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PathCount {
    /// The number of paths.
    pub paths: CountValue,
    /// The cost of each of them.
    pub cost: f64,
    /// Whether a formula gave the result.
    pub closed_form: bool,
    /// The elapsed time of the query.
    pub elapsed: Duration,
}

impl Lattice {
    /// Counts the shortest paths from `start` to `end`. From a site to itself there
    /// is one, of no step.
    ///
    /// ```
    /// use heddle_lattice::Lattice;
    ///
    /// let lattice = Lattice::cubic(4, 10)?;
    /// let count = lattice.count_shortest_paths(0, lattice.sites() - 1)?;
    /// // 36! / 9!^4
    /// assert_eq!(count.paths.exact, Some(21_452_752_266_265_320_000));
    /// # Ok::<(), heddle_lattice::Error>(())
    /// ```
    pub fn count_shortest_paths(&self, start: Site, end: Site) -> Result<PathCount, Error> {
        let started = Instant::now();
        self.check_free(start)?;
        self.check_free(end)?;
        let by_axis = !matches!(self.weights(), Weights::Sites(_));
        let closed_form = by_axis && self.is_regular();
        let (paths, cost) = if closed_form {
            self.multinomial(start, end)
        } else if self.weights().is_unit() {
            self.count_by_levels(start, end)?
        } else {
            self.count_by_cost(start, end)?
        };
        Ok(PathCount {
            paths,
            cost,
            closed_form,
            elapsed: started.elapsed(),
        })
    }

    /// The number of orders of the steps of all axes, doubled for every periodic
    /// axis with two equally long directions.
    fn multinomial(&self, start: Site, end: Site) -> (CountValue, f64) {
        let mut paths = CountValue::ONE;
        let mut taken = 0;
        let mut cost = 0.0;
        for (axis, strided_axis) in self.strided_axes().iter().enumerate() {
            let steps = strided_axis.steps(start, end);
            taken += steps;
            paths = paths.times_binomial(taken, steps);
            if strided_axis.axis.wraps() && 2 * steps == strided_axis.axis.size() {
                paths = paths.times(CountValue::of(2));
            }
            cost += steps as f64
                * match self.weights() {
                    Weights::Axes(weights) => weights[axis],
                    Weights::Unit | Weights::Sites(_) => 1.0,
                };
        }
        (paths, cost)
    }

    /// Counts level by level from the start: the paths of a site are the sum of its
    /// predecessors'. Only two levels are stored.
    fn count_by_levels(&self, start: Site, end: Site) -> Result<(CountValue, f64), Error> {
        let stepper = Stepper::of(self);
        // The number of each site in order of discovery, over the whole search: at
        // or beyond the first of the next level means that it is in that level.
        let mut seen = SiteTable::<u64>::new(self.sites(), DENSE_SITES);
        let mut level = vec![(start, CountValue::ONE)];
        let mut next: Vec<(Site, CountValue)> = Vec::new();
        let mut first_of_next = 1;
        let mut steps = 0_u64;
        seen.set(start, 0);
        while !level.is_empty() {
            if let Some((_, paths)) = level.iter().find(|(site, _)| *site == end) {
                return Ok((*paths, steps as f64));
            }
            for &(site, paths) in &level {
                stepper.around(site, |stepped, _, _, _| {
                    if self.blocked().contains(stepped) {
                        return;
                    }
                    match seen.get(stepped) {
                        Some(when) if when >= first_of_next => {
                            let known = &mut next[(when - first_of_next) as usize].1;
                            *known = known.plus(paths);
                        }
                        Some(_) => {}
                        None => {
                            seen.set(stepped, first_of_next + next.len() as u64);
                            next.push((stepped, paths));
                        }
                    }
                });
            }
            first_of_next += next.len() as u64;
            if first_of_next > MAX_SEEN {
                return Err(Error::TooManyToStore {
                    what: "counting shortest paths around blocked sites",
                    sites: self.sites(),
                    most: MAX_SEEN,
                });
            }
            std::mem::swap(&mut level, &mut next);
            next.clear();
            steps += 1;
        }
        Err(self.no_path(start, end))
    }

    /// Counts by distances from the start: a step lies on a shortest path if its
    /// cost is the difference of its ends' distances.
    fn count_by_cost(&self, start: Site, end: Site) -> Result<(CountValue, f64), Error> {
        // On this thread alone: what follows is, and takes longer.
        let alone = ParallelThreshold {
            from_sites: u64::MAX,
        };
        let DistanceValues::Costs(costs) = self.distances_by(&[start], alone)?.values else {
            return Err(Error::Weighted {
                what: "counting shortest paths by levels",
            });
        };
        let total = costs[end as usize];
        if !total.is_finite() {
            return Err(self.no_path(start, end));
        }
        let mut order: Vec<Site> = (0..self.sites())
            .filter(|&site| costs[site as usize] <= total)
            .collect();
        order.sort_by(|&first, &second| {
            costs[first as usize]
                .total_cmp(&costs[second as usize])
                .then(first.cmp(&second))
        });
        let stepper = Stepper::of(self);
        let mut paths = vec![CountValue::ZERO; self.sites() as usize];
        paths[start as usize] = CountValue::ONE;
        for site in order {
            let (from, cost) = (paths[site as usize], costs[site as usize]);
            stepper.around(site, |stepped, direction, _, _| {
                let known = costs[stepped as usize];
                let by_this = cost + self.weights().of(axis_of(direction), site, stepped);
                if !self.blocked().contains(stepped)
                    && known > cost
                    && (by_this - known).abs() <= SAME_COST * known
                {
                    let sum = &mut paths[stepped as usize];
                    *sum = sum.plus(from);
                }
            });
        }
        Ok((paths[end as usize], total))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::Axis;

    #[test]
    fn both_directions_of_a_periodic_axis_count() {
        let ring = Lattice::new([Axis::periodic(6), Axis::periodic(4)]).unwrap();
        let count = ring.count_shortest_paths(0, 3 * 4 + 2).unwrap();
        // 5 choose 3, and two directions on each axis.
        assert_eq!(count.paths.exact, Some(40));
        assert!(count.closed_form);
    }

    #[test]
    fn overflowing_counts_become_floats() {
        let lattice = Lattice::cubic(10, 16).unwrap();
        let count = lattice
            .count_shortest_paths(0, lattice.sites() - 1)
            .unwrap();
        assert_eq!(count.paths.exact, None);
        // 150! / 15!^10 = 10^(262.7569 - 121.1649...).
        let logarithm = count.paths.approximate.log10();
        let expected = (1..=150).map(|n| f64::from(n).log10()).sum::<f64>()
            - 10.0 * (1..=15).map(|n| f64::from(n).log10()).sum::<f64>();
        assert!((logarithm - expected).abs() < 1e-9, "{logarithm}");
    }

    #[test]
    fn largest_128_bit_count_is_exact() {
        // 130 choose 65 has 127 bits; its intermediate products would not fit.
        let lattice = Lattice::cubic(2, 66).unwrap();
        let count = lattice
            .count_shortest_paths(0, lattice.sites() - 1)
            .unwrap();
        assert_eq!(
            count.paths.exact,
            Some(95_067_625_827_960_698_145_584_333_020_095_113_100)
        );
    }
}
