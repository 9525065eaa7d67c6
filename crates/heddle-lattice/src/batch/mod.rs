//! Batches of lattices.
//!
//! Array operations on all of them go through the runtime's batches, merged into as
//! few launches as possible. Structure is analysed one lattice after the other,
//! each with all threads. Any other computation is a closure per lattice, on all
//! threads.

mod paths;
mod statistics;

use heddle_runtime::batch::{CancelToken, ParallelOutcome, ParallelSettings};
use heddle_runtime::ops::{BitElement, Float};
use heddle_runtime::{Array, Runtime};

pub use paths::{PATHS, Paths};
pub use statistics::{LatticeStatistics, SizeSummary};

use crate::error::Error;
use crate::lattice::{Lattice, Site};
use crate::path::Path;
use crate::structure::{Analysis, AnalysisLimits, analyze};

/// A list of lattices; results are in the same order.
#[derive(Clone, Debug, Default)]
pub struct LatticeBatch {
    lattices: Vec<Lattice>,
}

impl FromIterator<Lattice> for LatticeBatch {
    fn from_iter<I: IntoIterator<Item = Lattice>>(lattices: I) -> Self {
        Self {
            lattices: lattices.into_iter().collect(),
        }
    }
}

impl LatticeBatch {
    /// The lattices.
    #[must_use]
    pub fn lattices(&self) -> &[Lattice] {
        &self.lattices
    }

    /// The number of lattices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lattices.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lattices.is_empty()
    }

    /// The state of each lattice, xored with a key: one key for all, or one for
    /// each.
    pub fn xor<T: BitElement>(
        &self,
        runtime: &Runtime,
        states: &[Array<T>],
        keys: &[Array<T>],
    ) -> Result<Vec<Result<Array<T>, heddle_runtime::Error>>, Error> {
        self.expect("states", states.len())?;
        if let [key] = keys {
            return Ok(runtime.xor_batch(states.iter().map(|state| (state, key))));
        }
        self.expect("keys", keys.len())?;
        Ok(runtime.xor_batch(states.iter().zip(keys)))
    }

    /// The product of each lattice's two matrices.
    pub fn matmul<T: Float>(
        &self,
        runtime: &Runtime,
        left: &[Array<T>],
        right: &[Array<T>],
    ) -> Result<Vec<Result<Array<T>, heddle_runtime::Error>>, Error> {
        self.expect("left matrices", left.len())?;
        self.expect("right matrices", right.len())?;
        Ok(runtime.matmul_batch(left.iter().zip(right)))
    }

    /// The analysis of each lattice, each with its own error.
    #[must_use]
    pub fn analyze(
        &self,
        runtime: &Runtime,
        limits: &AnalysisLimits,
    ) -> Vec<Result<Analysis, Error>> {
        let lattices = self.lattices.iter();
        lattices
            .map(|lattice| analyze(runtime, lattice, limits))
            .collect()
    }

    /// A shortest path in each lattice, between the two sites given for it, each
    /// with its own error.
    pub fn shortest_paths(
        &self,
        runtime: &Runtime,
        ends: &[(Site, Site)],
    ) -> Result<Vec<Result<Path, Error>>, Error> {
        Ok(runtime.run(self.paths(ends)?)?)
    }

    /// The same as an operation for the caller to run.
    pub fn paths<'a>(&'a self, ends: &'a [(Site, Site)]) -> Result<Paths<'a>, Error> {
        self.expect("pairs of sites", ends.len())?;
        Ok(Paths::new(&self.lattices, ends))
    }

    /// Runs `work` on each lattice, on all threads, and returns each outcome: done,
    /// panicked, or not started because of a deadline or cancellation.
    pub fn execute_parallel<R: Send>(
        &self,
        runtime: &Runtime,
        settings: &ParallelSettings,
        work: impl Fn(&Lattice, &CancelToken) -> R + Sync,
    ) -> Result<Vec<ParallelOutcome<R>>, Error> {
        Ok(runtime.execute_parallel(self.lattices.iter().collect(), settings, work)?)
    }

    /// Statistics of the lattices' sizes.
    #[must_use]
    pub fn statistics(&self) -> LatticeStatistics {
        LatticeStatistics::of(&self.lattices)
    }

    fn expect(&self, what: &'static str, found: usize) -> Result<(), Error> {
        if found == self.lattices.len() {
            return Ok(());
        }
        Err(Error::WrongBatch {
            lattices: self.lattices.len(),
            what,
            found,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order() {
        let runtime = Runtime::builder().without_model_cache().build().unwrap();
        let batch: LatticeBatch = (1..=20)
            .map(|size| Lattice::cubic(2, size).unwrap())
            .collect();
        let analyses = batch.analyze(&runtime, &AnalysisLimits::default());
        let squares = |size: u64| size * size;
        for (size, analysis) in (1..).zip(&analyses) {
            assert_eq!(analysis.as_ref().unwrap().vertices, squares(size));
        }
        let work = |lattice: &Lattice, _: &CancelToken| lattice.sites();
        let outcomes = batch
            .execute_parallel(&runtime, &ParallelSettings::default(), work)
            .unwrap();
        let sites: Vec<u64> = outcomes
            .into_iter()
            .filter_map(ParallelOutcome::done)
            .collect();
        assert_eq!(sites, (1..=20).map(squares).collect::<Vec<_>>());
        let statistics = batch.statistics();
        assert_eq!((statistics.lattices, statistics.sites.total), (20, 2870));
        assert_eq!(
            (statistics.sites.least, statistics.sites.greatest),
            (1, 400)
        );
    }

    #[test]
    fn a_missing_path_fails_alone() {
        let runtime = Runtime::builder().without_model_cache().build().unwrap();
        let walled = Lattice::cubic(1, 5).unwrap().with_blocked([2]).unwrap();
        let batch: LatticeBatch = (0..50)
            .map(|_| Lattice::cubic(2, 9).unwrap())
            .chain([walled])
            .collect();
        let mut ends = vec![(0, 80); 50];
        ends.push((0, 4));
        let paths = batch.shortest_paths(&runtime, &ends).unwrap();
        assert_eq!(paths.len(), 51);
        assert!(matches!(paths[50], Err(Error::NoPath { .. })));
        for path in &paths[..50] {
            assert_eq!(path.as_ref().unwrap().steps(), 16);
        }
        assert!(matches!(
            batch.shortest_paths(&runtime, &ends[1..]),
            Err(Error::WrongBatch { .. })
        ));
    }

    #[test]
    fn arrays_are_merged_and_counted() {
        let runtime = Runtime::builder().without_model_cache().build().unwrap();
        let batch: LatticeBatch = (0..3).map(|_| Lattice::cubic(1, 4).unwrap()).collect();
        let states: Vec<_> = (0..3_u8)
            .map(|state| Array::from_slice(&[state; 4]))
            .collect();
        let key = [Array::from_slice(&[7_u8])];
        let changed = batch.xor(&runtime, &states, &key).unwrap();
        for (state, changed) in changed.into_iter().enumerate() {
            assert_eq!(changed.unwrap().as_slice().unwrap(), [state as u8 ^ 7; 4]);
        }
        let unit = Array::from_shape(&[2, 2], &[1.0_f32, 0.0, 0.0, 1.0]).unwrap();
        let units = vec![unit; 3];
        let products = batch.matmul(&runtime, &units, &units).unwrap();
        assert!(products.iter().all(Result::is_ok));
        assert!(matches!(
            batch.xor(&runtime, &states[1..], &key),
            Err(Error::WrongBatch {
                lattices: 3,
                found: 2,
                ..
            })
        ));
    }
}
