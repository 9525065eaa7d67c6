//! The number of shortest paths.

use std::fmt;
use std::time::{Duration, Instant};

use super::site_table::SiteTable;
use crate::admission::admit;
use crate::distance::{DistanceValues, ParallelThreshold};
use crate::error::Error;
use crate::lattice::{Lattice, Site, Stepper, Weights, axis_of};

/// The largest number of sites for which counting uses a slot per site.
const DENSE_SITES: u64 = 1 << 22;

/// The largest number of sites seen while counting level by level.
const MAX_SEEN: u64 = 1 << 26;

/// The bytes of a site seen: its entry in a table that doubles, beside the old table, and in a
/// level.
const SEEN_BYTES: u64 = 64 + size_of::<(Site, PathSum)>() as u64;

/// Costs that differ by less than this, relative to their size, are equal: sums of
/// the same steps in another order differ by rounding.
const SAME_COST: f64 = 1e-10;

/// A number of paths: exact if it fits in 128 bits, and always to a relative error of about 1e-12.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct CountValue {
    /// The exact number, unless it is 2^128 or more.
    pub exact: Option<u128>,
    /// The number as a float; infinite beyond 10^308.
    pub approximate: f64,
    /// Its decimal logarithm, finite however large it is; minus infinity for none.
    pub log10: f64,
}

/// The number in text: exact, or as `1.234568e1202`.
impl fmt::Display for CountValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exact {
            Some(exact) => exact.fmt(f),
            None if self.approximate.is_finite() => write!(f, "{:.6e}", self.approximate),
            None => {
                let exponent = self.log10.floor();
                write!(f, "{:.6}e{exponent}", 10_f64.powf(self.log10 - exponent))
            }
        }
    }
}

/// The scaled part of a count stays below this power of two, so that a product of two does not
/// overflow.
const SCALE_LOG2: i32 = 500;

/// A number of paths while it is computed: exact while it fits, and `scaled` times
/// 2^(500 `scales`).
#[derive(Clone, Copy, Debug, PartialEq)]
struct PathSum {
    exact: Option<u128>,
    scaled: f64,
    scales: u32,
}

impl PathSum {
    const ZERO: Self = Self::of(0);
    const ONE: Self = Self::of(1);

    const fn of(paths: u128) -> Self {
        Self {
            exact: Some(paths),
            scaled: paths as f64,
            scales: 0,
        }
    }

    fn value(self) -> CountValue {
        let scale = f64::from(SCALE_LOG2) * f64::from(self.scales);
        CountValue {
            exact: self.exact,
            approximate: self.scaled * scale.exp2(),
            log10: self.scaled.log10() + scale * std::f64::consts::LOG10_2,
        }
    }

    /// The same number with its scaled part in range.
    #[inline]
    fn rescaled(mut self) -> Self {
        if self.scaled >= f64::from(SCALE_LOG2).exp2() {
            self.scaled *= f64::from(-SCALE_LOG2).exp2();
            self.scales += 1;
        }
        self
    }

    fn plus(self, other: Self) -> Self {
        let (greater, less) = if self.scales >= other.scales {
            (self, other)
        } else {
            (other, self)
        };
        let less = match greater.scales - less.scales {
            0 => less.scaled,
            1 => less.scaled * f64::from(-SCALE_LOG2).exp2(),
            // Below the last digit.
            _ => 0.0,
        };
        Self {
            exact: self
                .exact
                .zip(other.exact)
                .and_then(|(first, second)| first.checked_add(second)),
            scaled: greater.scaled + less,
            scales: greater.scales,
        }
        .rescaled()
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
                scaled: choose.scaled * of as f64 / taken as f64,
                scales: choose.scales,
            }
            .rescaled();
        }
        self.times(choose)
    }

    fn times(self, other: Self) -> Self {
        Self {
            exact: self
                .exact
                .zip(other.exact)
                .and_then(|(first, second)| first.checked_mul(second)),
            scaled: self.scaled * other.scaled,
            scales: self.scales + other.scales,
        }
        .rescaled()
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
            paths: paths.value(),
            cost,
            closed_form,
            elapsed: started.elapsed(),
        })
    }

    /// The number of orders of the steps of all axes, doubled for every periodic
    /// axis with two equally long directions.
    fn multinomial(&self, start: Site, end: Site) -> (PathSum, f64) {
        let mut paths = PathSum::ONE;
        let mut taken = 0;
        let mut cost = 0.0;
        for (axis, strided_axis) in self.strided_axes().iter().enumerate() {
            let steps = strided_axis.steps(start, end);
            taken += steps;
            paths = paths.times_binomial(taken, steps);
            if strided_axis.axis.wraps() && 2 * steps == strided_axis.axis.size() {
                paths = paths.times(PathSum::of(2));
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
    fn count_by_levels(&self, start: Site, end: Site) -> Result<(PathSum, f64), Error> {
        let stepper = Stepper::of(self);
        // The number of each site in order of discovery, over the whole search: at
        // or beyond the first of the next level means that it is in that level.
        let mut seen = SiteTable::<u64>::new(self.sites(), DENSE_SITES);
        let mut level = vec![(start, PathSum::ONE)];
        let mut next: Vec<(Site, PathSum)> = Vec::new();
        let (mut first_of_next, mut admitted) = (1, 1_u64);
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
            while admitted <= first_of_next {
                admitted *= 2;
                admit("counting shortest paths", admitted, SEEN_BYTES)?;
            }
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
    fn count_by_cost(&self, start: Site, end: Site) -> Result<(PathSum, f64), Error> {
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
        // Beside the costs, each site's place in the order, in a list that doubles, and its count.
        let each = 2 * 8 + size_of::<PathSum>() as u64;
        admit("counting shortest paths", self.sites(), each)?;
        let mut order: Vec<Site> = (0..self.sites())
            .filter(|&site| costs[site as usize] <= total)
            .collect();
        order.sort_by(|&first, &second| {
            costs[first as usize]
                .total_cmp(&costs[second as usize])
                .then(first.cmp(&second))
        });
        let stepper = Stepper::of(self);
        let mut paths = vec![PathSum::ZERO; self.sites() as usize];
        paths[start as usize] = PathSum::ONE;
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
    fn counts_beyond_the_largest_float_have_a_logarithm() {
        let lattice = Lattice::cubic(2, 2000).unwrap();
        let count = lattice
            .count_shortest_paths(0, lattice.sites() - 1)
            .unwrap();
        assert!(count.paths.approximate.is_infinite());
        // 3998 choose 1999.
        let factorial = |n: u32| (1..=n).map(|n| f64::from(n).log10()).sum::<f64>();
        let expected = factorial(3998) - 2.0 * factorial(1999);
        assert!((count.paths.log10 - expected).abs() < 1e-8);
        assert_eq!(count.paths.to_string(), "4.158284e1201");
        // The same by levels, around a site that no shortest path would take.
        let ring = Lattice::cubic(2, 1100)
            .unwrap()
            .with_blocked([1099])
            .unwrap();
        let by_levels = ring.count_shortest_paths(0, ring.sites() - 1).unwrap();
        let expected = factorial(2198) - 2.0 * factorial(1099);
        assert!(!by_levels.closed_form);
        assert!((by_levels.paths.log10 - expected).abs() < 1e-8);
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
