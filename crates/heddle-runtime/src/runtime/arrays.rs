//! The array operations as methods: each builds the operation and runs it.
//!
//! Nothing is computed here. The meaning and the failures of an operation are documented at its
//! definition, in [`crate::ops`].

use super::Runtime;
use crate::array::Array;
use crate::dtype::Element;
use crate::error::Error;
use crate::ops::{
    BatchMatMul, BitElement, Float, MatMul, Max, Mean, Min, Normalize, NormalizeMode, Number,
    Random, RandomElement, Scale, Std, Sum, Summable, Transpose, Xor, XorInPlace,
};

impl Runtime {
    /// `data ^ key`, with the key repeated over the data. Applying it twice restores the data.
    #[track_caller]
    pub fn xor<T: BitElement>(&self, data: &Array<T>, key: &Array<T>) -> Result<Array<T>, Error> {
        self.run(Xor::new(data, key)?)
    }

    /// `data ^= key`, with the key repeated over the data.
    #[track_caller]
    pub fn xor_in_place<T: BitElement>(
        &self,
        data: &mut Array<T>,
        key: &Array<T>,
    ) -> Result<(), Error> {
        self.run(XorInPlace::new(data, key)?)
    }

    /// `input * factor + offset`.
    #[track_caller]
    pub fn scale<T: Float>(
        &self,
        input: &Array<T>,
        factor: T,
        offset: T,
    ) -> Result<Array<T>, Error> {
        self.run(Scale::new(input, factor, offset))
    }

    /// The array, normalised by `mode`.
    #[track_caller]
    pub fn normalize<T: Float>(
        &self,
        input: &Array<T>,
        mode: NormalizeMode,
    ) -> Result<Array<T>, Error> {
        self.run(Normalize::new(input, mode))
    }

    /// The sum of all elements, bitwise equal on any number of threads.
    #[track_caller]
    pub fn sum<T: Summable>(&self, input: &Array<T>) -> Result<T::Sum, Error> {
        self.run(Sum::new(input))
    }

    /// The mean of all elements.
    #[track_caller]
    pub fn mean<T: Summable>(&self, input: &Array<T>) -> Result<f64, Error> {
        self.run(Mean::new(input)?)
    }

    /// The population standard deviation of all elements.
    #[track_caller]
    pub fn std<T: Number>(&self, input: &Array<T>) -> Result<f64, Error> {
        self.run(Std::new(input)?)
    }

    /// The least element.
    #[track_caller]
    pub fn min<T: Number>(&self, input: &Array<T>) -> Result<T, Error> {
        self.run(Min::new(input)?)
    }

    /// The greatest element.
    #[track_caller]
    pub fn max<T: Number>(&self, input: &Array<T>) -> Result<T, Error> {
        self.run(Max::new(input)?)
    }

    /// The matrix product of two 2-D arrays.
    #[track_caller]
    pub fn matmul<T: Float>(&self, left: &Array<T>, right: &Array<T>) -> Result<Array<T>, Error> {
        self.run(MatMul::new(left, right)?)
    }

    /// The matrix products of two batches. A 2-D side is used with every item of the other.
    #[track_caller]
    pub fn batch_matmul<T: Float>(
        &self,
        left: &Array<T>,
        right: &Array<T>,
    ) -> Result<Array<T>, Error> {
        self.run(BatchMatMul::new(left, right)?)
    }

    /// Random elements that depend only on seed and position.
    #[track_caller]
    pub fn random<T: RandomElement>(
        &self,
        extents: &[usize],
        seed: u64,
    ) -> Result<Array<T>, Error> {
        self.run(Random::new(seed, extents)?)
    }

    /// The transposed matrix, or batch of matrices.
    #[track_caller]
    pub fn transpose<T: Element>(&self, input: &Array<T>) -> Result<Array<T>, Error> {
        self.run(Transpose::new(input)?)
    }
}
