//! Distances without blocked sites.
//!
//! A distance is a sum over axes, so one table per axis suffices: one row of the
//! last axis plus a constant, row after row. The nearest of several sources is also
//! found axis by axis: a scan forwards and one backwards along every line.

use std::ops::Add;

use heddle_runtime::cpu::CpuPool;
use heddle_runtime::units::Bytes;
use smallvec::SmallVec;

use super::ParallelThreshold;
use crate::error::Error;
use crate::lattice::{Lattice, Site, StridedAxis};

/// The steps from a source to every site, in the order of sites, computed lazily.
#[derive(Clone, Debug)]
struct StepsFrom {
    strided_axes: SmallVec<[StridedAxis; 8]>,
    from: SmallVec<[u64; 8]>,
    at: SmallVec<[u64; 8]>,
    /// The sum over all axes but the last.
    base: u64,
    left: u64,
}

impl Lattice {
    /// The steps from `source` to every site, one by one. Fails for a lattice with
    /// blocked sites, which has no such formula.
    pub fn steps_from(
        &self,
        source: Site,
    ) -> Result<impl ExactSizeIterator<Item = u64> + Clone + use<>, Error> {
        self.check(source)?;
        if !self.is_regular() {
            return Err(Error::NotRegular {
                what: "`Lattice::steps_from`",
                blocked: self.blocked().len(),
            });
        }
        let mut steps = StepsFrom {
            strided_axes: SmallVec::from_slice(self.strided_axes()),
            from: self
                .strided_axes()
                .iter()
                .map(|strided_axis| strided_axis.coordinate(source))
                .collect(),
            at: SmallVec::from_elem(0, self.dimensions()),
            base: 0,
            left: self.sites(),
        };
        steps.base = (0..self.dimensions() - 1).map(|axis| steps.gap(axis)).sum();
        Ok(steps)
    }
}

impl StepsFrom {
    #[inline]
    fn gap(&self, axis: usize) -> u64 {
        self.strided_axes[axis].gap(self.from[axis], self.at[axis])
    }
}

impl Iterator for StepsFrom {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        self.left = self.left.checked_sub(1)?;
        let last = self.strided_axes.len() - 1;
        let steps = self.base + self.gap(last);
        self.at[last] += 1;
        if self.at[last] < self.strided_axes[last].axis.size() {
            return Some(steps);
        }
        self.at[last] = 0;
        for axis in (0..last).rev() {
            self.base -= self.gap(axis);
            self.at[axis] = (self.at[axis] + 1) % self.strided_axes[axis].axis.size();
            self.base += self.gap(axis);
            if self.at[axis] != 0 {
                break;
            }
        }
        Some(steps)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

impl ExactSizeIterator for StepsFrom {}

fn gaps(strided_axis: &StridedAxis, source: Site) -> impl Iterator<Item = u64> + '_ {
    let from = strided_axis.coordinate(source);
    (0..strided_axis.axis.size()).map(move |at| strided_axis.gap(from, at))
}

/// The threads that share a formula, and from how many sites on.
#[derive(Clone, Copy)]
pub(super) struct Threads<'a> {
    pub(super) pool: &'a CpuPool,
    pub(super) parallel: ParallelThreshold,
}

impl Threads<'_> {
    /// Sites that one thread takes at a time, at least: the next it asks for under a lock.
    const TOGETHER: usize = 1 << 14;

    /// Parts of a large lattice for each thread. They are large, because threads that
    /// write to one new page wait for each other.
    const PARTS: usize = 4;

    /// Calls `work` with the number of each stretch of `len` values, and the stretch.
    fn each<T: Send>(self, values: &mut [T], len: usize, work: impl Fn(usize, &mut [T]) + Sync) {
        let cost = if (values.len() as u64) < self.parallel.from_sites {
            Bytes(0)
        } else {
            Bytes(u64::MAX)
        };
        let share = values.len() / (Self::PARTS * self.pool.threads());
        let together = (share.max(Self::TOGETHER) / len).max(1);
        let parts = values.chunks_mut(together * len).enumerate();
        self.pool.each(cost, parts, |(part, values)| {
            for (at, stretch) in values.chunks_mut(len).enumerate() {
                work(part * together + at, stretch);
            }
        });
    }
}

/// A number of steps or a cost.
trait DistanceValue: Copy + Default + PartialOrd + Add<Output = Self> + Send + Sync {}
impl DistanceValue for u32 {}
impl DistanceValue for f64 {}

pub(super) fn steps(lattice: &Lattice, source: Site, threads: Threads<'_>) -> Vec<u32> {
    fill(lattice, threads, |_, strided_axis| {
        gaps(strided_axis, source).map(|gap| gap as u32).collect()
    })
}

pub(super) fn costs(
    lattice: &Lattice,
    source: Site,
    weights: &[f64],
    threads: Threads<'_>,
) -> Vec<f64> {
    fill(lattice, threads, |axis, strided_axis| {
        gaps(strided_axis, source)
            .map(|gap| gap as f64 * weights[axis])
            .collect()
    })
}

/// The sums of one entry of each axis's table.
fn fill<T: DistanceValue>(
    lattice: &Lattice,
    threads: Threads<'_>,
    table: impl Fn(usize, &StridedAxis) -> Vec<T>,
) -> Vec<T> {
    let tables: Vec<Vec<T>> = lattice
        .strided_axes()
        .iter()
        .enumerate()
        .map(|(axis, strided_axis)| table(axis, strided_axis))
        .collect();
    let Some((row, outer)) = tables.split_last() else {
        return Vec::new();
    };
    let write = |position: usize, out: &mut [T]| {
        let mut rest = position;
        let mut base = T::default();
        for table in outer.iter().rev() {
            base = base + table[rest % table.len()];
            rest /= table.len();
        }
        for (out, &gap) in out.iter_mut().zip(row) {
            *out = base + gap;
        }
    };
    let mut values = vec![T::default(); lattice.sites() as usize];
    threads.each(&mut values, row.len(), write);
    values
}

pub(super) fn steps_from_many(
    lattice: &Lattice,
    sources: &[Site],
    threads: Threads<'_>,
) -> Vec<u32> {
    // Larger than any distance, and small enough that the steps added to it before
    // a source's distance arrives do not overflow.
    scan(lattice, sources, threads, u32::MAX / 2, |_| 1)
}

pub(super) fn costs_from_many(
    lattice: &Lattice,
    sources: &[Site],
    weights: &[f64],
    threads: Threads<'_>,
) -> Vec<f64> {
    scan(lattice, sources, threads, f64::INFINITY, |axis| {
        weights[axis]
    })
}

fn scan<T: DistanceValue>(
    lattice: &Lattice,
    sources: &[Site],
    threads: Threads<'_>,
    far: T,
    step: impl Fn(usize) -> T,
) -> Vec<T> {
    let mut values = vec![far; lattice.sites() as usize];
    for &source in sources {
        values[source as usize] = T::default();
    }
    for (axis, strided_axis) in lattice.strided_axes().iter().enumerate() {
        let stride = strided_axis.stride as usize;
        let slab = stride * strided_axis.axis.size() as usize;
        let step = step(axis);
        let wraps = strided_axis.axis.wraps();
        threads.each(&mut values, slab, |_, slab| {
            relax_slab(slab, stride, step, wraps);
        });
    }
    values
}

/// Propagates distances along one axis, in both directions, through all lines of a
/// slab at once. A periodic axis needs a second round across its seam.
fn relax_slab<T: DistanceValue>(slab: &mut [T], stride: usize, step: T, wraps: bool) {
    let rows = slab.len() / stride;
    for _ in 0..if wraps { 2 } else { 1 } {
        for row in 1..rows {
            relax_row(slab, (row - 1) * stride, row * stride, stride, step);
        }
        if wraps {
            relax_row(slab, (rows - 1) * stride, 0, stride, step);
        }
    }
    for _ in 0..if wraps { 2 } else { 1 } {
        for row in (1..rows).rev() {
            relax_row(slab, row * stride, (row - 1) * stride, stride, step);
        }
        if wraps {
            relax_row(slab, 0, (rows - 1) * stride, stride, step);
        }
    }
}

#[inline]
fn relax_row<T: DistanceValue>(slab: &mut [T], from: usize, to: usize, stride: usize, step: T) {
    let (from, to) = if from < to {
        let (low, high) = slab.split_at_mut(to);
        (&low[from..from + stride], &mut high[..stride])
    } else {
        let (low, high) = slab.split_at_mut(from);
        (&high[..stride], &mut low[to..to + stride])
    };
    for (to, &from) in to.iter_mut().zip(from) {
        let by = from + step;
        if by < *to {
            *to = by;
        }
    }
}
