//! Batches of operations.

use super::Runtime;
use crate::array::Array;
use crate::batch::parallel;
use crate::batch::{
    BatchCounters, BatchStatistics, Batchable, CancelToken, MixedBatch, ParallelOutcome,
    ParallelSettings, results, results_of, results_on,
};
use crate::device::DeviceId;
use crate::error::Error;
use crate::ops::{
    Add, ArrayOrScalar, Binary, BinaryFunction, BitElement, Div, Float, MatMul, Mul, Number, Sub,
    Unary, UnaryFunction, Xor,
};

impl Runtime {
    /// Runs operations merged into as few launches as they allow, on the device predicted to
    /// finish first. The results are in the order of the operations, and one that fails fails
    /// alone.
    ///
    /// ```
    /// # use heddle_runtime::{Array, Runtime, ops::Xor};
    /// # let runtime = Runtime::builder().without_model_cache().build()?;
    /// let key = Array::from_slice(b"k");
    /// let words = [Array::from_slice(b"left"), Array::from_slice(b"right")];
    /// let operations = words.iter().map(|word| Xor::new(word, &key)).collect::<Result<Vec<_>, _>>()?;
    /// let results = runtime.batch(operations);
    /// assert_eq!(results.len(), 2);
    /// println!("{}", runtime.batch_statistics());
    /// # Ok::<(), heddle_runtime::Error>(())
    /// ```
    pub fn batch<B: Batchable>(
        &self,
        operations: impl IntoIterator<Item = B>,
    ) -> Vec<Result<B::Output, Error>> {
        results_of(
            self,
            self.batch_counters(),
            operations.into_iter().collect(),
        )
    }

    /// As [`batch`](Self::batch), on these devices, each with a share according to its measured
    /// speed. Items that fail on one of them run on the others.
    pub fn batch_on<B: Batchable>(
        &self,
        devices: &[DeviceId],
        operations: impl IntoIterator<Item = B>,
    ) -> Result<Vec<Result<B::Output, Error>>, Error> {
        for &device in devices {
            self.device(device)?;
        }
        if devices.is_empty() {
            return Ok(self.batch(operations));
        }
        let operations = operations.into_iter().map(Ok);
        Ok(results_on(self, self.batch_counters(), devices, operations))
    }

    /// Creates a batch of operations of different types.
    #[must_use]
    pub fn mixed(&self) -> MixedBatch<'_> {
        MixedBatch::new(self)
    }

    /// `data ^ key` of every pair.
    pub fn xor_batch<'a, T: BitElement>(
        &self,
        pairs: impl IntoIterator<Item = (&'a Array<T>, &'a Array<T>)>,
    ) -> Vec<Result<Array<T>, Error>> {
        self.each(pairs.into_iter().map(|(data, key)| Xor::new(data, key)))
    }

    /// The matrix product of every pair.
    pub fn matmul_batch<'a, T: Float>(
        &self,
        pairs: impl IntoIterator<Item = (&'a Array<T>, &'a Array<T>)>,
    ) -> Vec<Result<Array<T>, Error>> {
        self.each(pairs.into_iter().map(|(lhs, rhs)| MatMul::new(lhs, rhs)))
    }

    /// `left + right` of every pair; either may be a scalar.
    pub fn add_batch<T: Number, L: Into<ArrayOrScalar<T>>, R: Into<ArrayOrScalar<T>>>(
        &self,
        pairs: impl IntoIterator<Item = (L, R)>,
    ) -> Vec<Result<Array<T>, Error>> {
        self.binary_batch(Add, pairs)
    }

    /// `left - right` of every pair; either may be a scalar.
    pub fn sub_batch<T: Number, L: Into<ArrayOrScalar<T>>, R: Into<ArrayOrScalar<T>>>(
        &self,
        pairs: impl IntoIterator<Item = (L, R)>,
    ) -> Vec<Result<Array<T>, Error>> {
        self.binary_batch(Sub, pairs)
    }

    /// `left * right` of every pair, element by element; either may be a scalar.
    pub fn mul_batch<T: Number, L: Into<ArrayOrScalar<T>>, R: Into<ArrayOrScalar<T>>>(
        &self,
        pairs: impl IntoIterator<Item = (L, R)>,
    ) -> Vec<Result<Array<T>, Error>> {
        self.binary_batch(Mul, pairs)
    }

    /// `left / right` of every pair; either may be a scalar. An integer zero on the
    /// right fails its pair.
    pub fn div_batch<T: Number, L: Into<ArrayOrScalar<T>>, R: Into<ArrayOrScalar<T>>>(
        &self,
        pairs: impl IntoIterator<Item = (L, R)>,
    ) -> Vec<Result<Array<T>, Error>> {
        self.binary_batch(Div, pairs)
    }

    /// `function` of every pair.
    pub fn binary_batch<
        T: Number,
        F: BinaryFunction<T>,
        L: Into<ArrayOrScalar<T>>,
        R: Into<ArrayOrScalar<T>>,
    >(
        &self,
        function: F,
        pairs: impl IntoIterator<Item = (L, R)>,
    ) -> Vec<Result<Array<T>, Error>> {
        let pairs = pairs.into_iter();
        self.each(pairs.map(|(left, right)| Binary::new(function, left, right)))
    }

    /// `function` of every array.
    pub fn unary_batch<'a, T: Number, F: UnaryFunction<T>>(
        &self,
        function: F,
        arrays: impl IntoIterator<Item = &'a Array<T>>,
    ) -> Vec<Result<Array<T>, Error>> {
        let arrays = arrays.into_iter();
        self.each(arrays.map(|array| Ok(Unary::new(function, array))))
    }

    /// Runs `work` on every item on the CPU's worker threads and returns each outcome, in
    /// order: done, panicked, or not started because of the time limit or the token. `work`
    /// gets the token to check.
    pub fn execute_parallel<T: Send, R: Send>(
        &self,
        items: Vec<T>,
        settings: &ParallelSettings,
        work: impl Fn(T, &CancelToken) -> R + Sync,
    ) -> Result<Vec<ParallelOutcome<R>>, Error> {
        parallel::execute(self, items, settings, work)
    }

    /// The statistics of merged work so far.
    #[must_use]
    pub fn batch_statistics(&self) -> BatchStatistics {
        self.batch_counters().statistics()
    }

    fn each<B: Batchable>(
        &self,
        operations: impl Iterator<Item = Result<B, Error>>,
    ) -> Vec<Result<B::Output, Error>> {
        results(self, self.batch_counters(), operations)
    }

    pub(crate) fn batch_counters(&self) -> &BatchCounters {
        &self.shared.counters.batches
    }
}
