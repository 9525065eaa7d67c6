//! The CPU and an emulated GPU, whose results are compared.

use std::sync::Arc;

use heddle_runtime::array::Residency;
use heddle_runtime::device::{Device, DeviceId};
use heddle_runtime::{Agreement, Array, Element, Error, Operation, RunOutcome, Runtime};

use crate::Random;
use crate::kernel_launch::{gpu, gpu_with};
use crate::runtime_with;
use crate::wrapped_gpu::WrappedGpu;

/// The emulated GPU of every pair.
pub const GPU: DeviceId = DeviceId::simt(0);

/// The bytes from which a map from host to host is streamed.
pub const STREAMED: usize = 4 << 20;

/// Both devices in one runtime.
pub struct CpuGpuPair {
    pub runtime: Runtime,
}

impl CpuGpuPair {
    /// With an emulated GPU of as many worker threads as there are CPUs.
    pub fn new() -> Self {
        Self::of(gpu())
    }

    /// With an emulated GPU whose blocks share `workers` worker threads.
    pub fn with_workers(workers: usize) -> Self {
        Self::of(gpu_with(workers))
    }

    /// With an emulated GPU that streams in chunks of `elements` elements.
    pub fn in_chunks(elements: usize) -> Self {
        Self::of(WrappedGpu::in_chunks(elements))
    }

    /// With this GPU, whose id is [`GPU`].
    pub fn of(gpu: impl Device + 'static) -> Self {
        Self {
            runtime: runtime_with(Arc::new(gpu)),
        }
    }

    /// Returns the GPU's result with its decision and timing.
    pub fn gpu<O: Operation>(&self, operation: O) -> RunOutcome<O::Output> {
        self.try_gpu(operation).unwrap()
    }

    /// Like [`gpu`](Self::gpu), for an operation that may fail.
    pub fn try_gpu<O: Operation>(&self, operation: O) -> Result<RunOutcome<O::Output>, Error> {
        let outcome = self.runtime.run_traced(operation, Some(GPU))?;
        assert_eq!(outcome.decision.device, GPU);
        assert!(outcome.timing.device.is_some(), "a GPU has its own clock");
        Ok(outcome)
    }

    /// Returns the results of the CPU and the GPU, after comparing them with the operation's own
    /// `compare`.
    pub fn agree<O: Operation>(&self, mut operation: O, what: &str) -> [O::Output; 2] {
        let cpu = self.runtime.run_on(DeviceId::CPU, &mut operation).unwrap();
        let gpu = self.gpu(&mut operation).output;
        assert_eq!(operation.compare(&cpu, &gpu), Agreement::Same, "{what}");
        [cpu, gpu]
    }

    /// Returns the CPU's result, after checking that the GPU's has the same bits and is at
    /// `residency`.
    pub fn same_bits<T: Element, O: Operation<Output = Array<T>>>(
        &self,
        mut operation: O,
        residency: Residency,
        what: &str,
    ) -> Array<T> {
        let cpu = self.runtime.run_on(DeviceId::CPU, &mut operation).unwrap();
        let gpu = self.gpu(operation).output;
        assert_eq!(gpu.residency(), residency, "{what}");
        assert_same(&gpu, &cpu, what);
        cpu
    }
}

/// Checks that shapes and bits are the same; any NaN equals any other.
pub fn assert_same<T: Element>(found: &Array<T>, expected: &Array<T>, what: &str) {
    assert_eq!(found.shape(), expected.shape(), "{what}");
    let (found, expected) = (found.as_slice().unwrap(), expected.as_slice().unwrap());
    #[allow(clippy::eq_op, reason = "only a NaN is unequal to itself")]
    let same = |a: &T, b: &T| bytemuck::bytes_of(a) == bytemuck::bytes_of(b) || (a != a && b != b);
    if let Some(index) = found.iter().zip(expected).position(|(a, b)| !same(a, b)) {
        panic!(
            "{} {what}: element {index} of {} is {:?}, not {:?}",
            T::DTYPE,
            found.len(),
            found[index],
            expected[index]
        );
    }
}

impl Random {
    /// Returns elements of random bits: NaNs, infinities and subnormals among floats.
    pub fn bits<T: Element>(&mut self, len: usize) -> Vec<T> {
        (0..len)
            .map(|_| bytemuck::pod_read_unaligned(&self.word().to_le_bytes()[..size_of::<T>()]))
            .collect()
    }

    /// Returns elements of random bits, many of them replaced by edge cases of the type.
    pub fn with_edge_cases<T: EdgeCases>(&mut self, len: usize) -> Vec<T> {
        let mut values = self.bits::<T>(len);
        for value in &mut values {
            if self.below(4) == 0 {
                *value = self.case();
            }
        }
        values
    }

    /// Returns a random edge case of the type.
    pub fn case<T: EdgeCases>(&mut self) -> T {
        T::CASES[self.below(T::CASES.len() as u64) as usize]
    }
}

/// Element types with values that arithmetic errors show on first.
pub trait EdgeCases: Element {
    const CASES: &'static [Self];
}

impl EdgeCases for u8 {
    const CASES: &'static [Self] = &[0, 1, 2, 127, 128, 254, 255];
}
impl EdgeCases for i32 {
    const CASES: &'static [Self] = &[0, 1, -1, 2, -2, i32::MIN, i32::MIN + 1, i32::MAX, 46341];
}
impl EdgeCases for u32 {
    const CASES: &'static [Self] = &[0, 1, 2, u32::MAX, u32::MAX - 1, 1 << 31, 65_536, 65_537];
}

macro_rules! hard_float {
    ($type:ident) => {
        impl EdgeCases for $type {
            const CASES: &'static [Self] = &[
                0.0,
                -0.0,
                1.0,
                -1.0,
                3.0,
                0.1,
                $type::MIN_POSITIVE,
                $type::MIN_POSITIVE / 8.0,
                -$type::MIN_POSITIVE / 8.0,
                $type::MAX,
                $type::MIN,
                $type::INFINITY,
                $type::NEG_INFINITY,
                $type::NAN,
                88.7,
                -87.3,
                -103.9,
                709.7,
                -708.4,
                -745.1,
            ];
        }
    };
}
hard_float!(f32);
hard_float!(f64);
