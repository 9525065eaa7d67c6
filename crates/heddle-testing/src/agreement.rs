//! Runs an operation on the CPU and on an emulated GPU and compares the results.

use std::sync::Arc;

use heddle_cuda::simt::{SimtDevice, SimtOptions};
use heddle_runtime::array::Residency;
use heddle_runtime::device::DeviceId;
use heddle_runtime::{Array, Element, Error, Operation, Runtime};

use crate::Random;
use crate::chunked_gpu::ChunkedGpu;

pub const GPU: DeviceId = DeviceId::simt(0);

/// Zero, a few, and lengths around cache lines, blocks and the largest grid.
pub const SIZES: [usize; 16] = [
    0, 1, 2, 3, 15, 16, 17, 31, 255, 256, 257, 1021, 4095, 4096, 4097, 10_007,
];

/// The bytes from which a map from host to host is streamed.
pub const STREAMED: usize = 4 << 20;

/// Creates a runtime with the CPU and an emulated GPU.
pub fn runtime() -> Runtime {
    let gpu = SimtDevice::new(0, SimtOptions::default()).unwrap();
    Runtime::builder()
        .device(Arc::new(gpu))
        .without_model_cache()
        .build()
        .unwrap()
}

/// Creates the same runtime, streaming in chunks of `elements` elements.
pub fn runtime_in_chunks(elements: usize) -> Runtime {
    Runtime::builder()
        .device(Arc::new(ChunkedGpu::new(elements)))
        .without_model_cache()
        .build()
        .unwrap()
}

/// Returns the result of `device`, after checking that the operation ran there.
pub fn on<O: Operation>(
    runtime: &Runtime,
    device: DeviceId,
    operation: O,
) -> Result<O::Output, Error> {
    let outcome = runtime.run_traced(operation, Some(device))?;
    assert_eq!(outcome.decision.device, device);
    if device == GPU {
        assert!(outcome.timing.device.is_some());
    }
    Ok(outcome.output)
}

/// Checks that the results of both devices are the same bits.
pub fn agree<T: Element, O: Operation<Output = Array<T>>>(
    runtime: &Runtime,
    mut operation: O,
    what: &str,
) {
    let expected = on(runtime, DeviceId::CPU, &mut operation).unwrap();
    let found = on(runtime, GPU, &mut operation).unwrap();
    assert_eq!(found.residency(), Residency::Device(GPU), "{what}");
    assert_same(&found, &expected, what);
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
