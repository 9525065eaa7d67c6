//! Matrix products by cuBLAS, against products in double precision.

use std::thread;
use std::time::Duration;

use heddle_cuda::cuda::CudaDevice;
use heddle_runtime::device::{
    Accelerator, ChunkedMap, ChunkedMapInput, DeviceBuffer, MatMulCall, MatMulOperand,
};
use heddle_runtime::{DType, Error};

use super::xor::{LARGE, Resident, down, launch, noise, up};
use heddle_testing::nvidia::{device_ns, execute, with_gpu};

/// A batch of products.
#[derive(Clone, Copy, Debug)]
struct Product {
    dtype: DType,
    m: usize,
    n: usize,
    k: usize,
    batch: usize,
    /// Whether all have the same right operand.
    shares_b: bool,
    /// Unused elements between one matrix and the next.
    gap: usize,
}

const ODD: Product = Product {
    dtype: DType::F32,
    m: 33,
    n: 65,
    k: 47,
    batch: 1,
    shares_b: false,
    gap: 0,
};

/// A product with its operands on the device.
struct PlacedProduct {
    product: Product,
    left: Vec<f64>,
    right: Vec<f64>,
    a: DeviceBuffer,
    b: DeviceBuffer,
    c: DeviceBuffer,
}

impl Product {
    /// The distance in elements between consecutive matrices of a, b and c.
    fn strides(&self) -> [usize; 3] {
        let b = if self.shares_b {
            0
        } else {
            self.k * self.n + self.gap
        };
        [self.m * self.k + self.gap, b, self.m * self.n + self.gap]
    }

    fn place(self, gpu: &CudaDevice) -> Result<PlacedProduct, Error> {
        let [a, _, c] = self.strides();
        let left = numbers(self.batch * a, 1);
        let right = numbers(self.batch * (self.k * self.n + self.gap), 2);
        Ok(PlacedProduct {
            a: up(gpu, &self.bytes(&left))?,
            b: up(gpu, &self.bytes(&right))?,
            c: up(gpu, &self.bytes(&vec![f64::NAN; self.batch * c]))?,
            product: self,
            left,
            right,
        })
    }

    fn bytes(&self, values: &[f64]) -> Vec<u8> {
        match self.dtype {
            DType::F64 => values.iter().flat_map(|x| x.to_le_bytes()).collect(),
            _ => values
                .iter()
                .flat_map(|x| (*x as f32).to_le_bytes())
                .collect(),
        }
    }

    fn numbers(&self, bytes: &[u8]) -> Vec<f64> {
        match self.dtype {
            DType::F64 => bytemuck::pod_collect_to_vec::<u8, f64>(bytes),
            _ => bytemuck::pod_collect_to_vec::<u8, f32>(bytes)
                .into_iter()
                .map(f64::from)
                .collect(),
        }
    }
}

impl PlacedProduct {
    /// Queues the product; false when there is no cuBLAS.
    fn queue(&self, gpu: &CudaDevice) -> Result<bool, Error> {
        let Product {
            dtype,
            m,
            n,
            k,
            batch,
            ..
        } = self.product;
        let [a, b, c] = self.product.strides();
        let operand = |buffer, stride| MatMulOperand::Strided { buffer, stride };
        let backend = gpu.matmul(&MatMulCall {
            dtype,
            m,
            n,
            k,
            batch,
            a: operand(self.a.as_ref(), a),
            b: operand(self.b.as_ref(), b),
            c: operand(self.c.as_ref(), c),
        })?;
        assert_eq!(backend.is_none(), gpu.without_blas().is_some());
        assert!(backend.is_none_or(|name| name == "cublas"));
        Ok(backend.is_some())
    }

    /// The error relative to the reference. Checks that the elements between the matrices
    /// were not written.
    fn error(&self) -> f64 {
        let Product { m, n, k, batch, .. } = self.product;
        let [a, b, c] = self.product.strides();
        let found = self.product.numbers(&down(&self.c).unwrap());
        let (mut squared_error, mut squared) = (0.0, 0.0);
        for (index, found) in found.into_iter().enumerate() {
            let (matrix, place) = (index / c, index % c);
            if place >= m * n {
                assert!(found.is_nan(), "element {place} of {matrix} was written");
                continue;
            }
            let (row, column) = (place / n, place % n);
            let expected: f64 = (0..k)
                .map(|i| {
                    self.left[matrix * a + row * k + i] * self.right[matrix * b + i * n + column]
                })
                .sum();
            squared_error += (found - expected).powi(2);
            squared += expected * expected;
        }
        assert!(batch > 0 && squared_error.is_finite());
        (squared_error / squared.max(f64::MIN_POSITIVE)).sqrt()
    }
}

/// Numbers between -1 and 1 that single precision represents exactly.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    noise(count * 2, seed)
        .chunks_exact(2)
        .map(|word| f64::from(i16::from_le_bytes([word[0], word[1]])) / f64::from(1 << 15))
        .collect()
}

/// As [`with_gpu`]; requires cuBLAS.
fn with_library(test: impl FnOnce(&CudaDevice)) {
    with_gpu(|gpu| {
        let is_there = ODD.place(&gpu).unwrap().queue(&gpu).unwrap();
        assert!(is_there, "{}", gpu.without_blas().unwrap_or_default());
        test(&gpu);
    });
}

fn assert_right(gpu: &CudaDevice, product: Product, tolerance: f64) {
    let placed = product.place(gpu).unwrap();
    assert!(placed.queue(gpu).unwrap());
    let error = placed.error();
    assert!(error < tolerance, "{product:?}: relative error {error}");
    // And on a leased stream.
    let placed = product.place(gpu).unwrap();
    let took = device_ns(gpu, || placed.queue(gpu).map(drop));
    let error = placed.error();
    assert!(error < tolerance, "{product:?}: relative error {error}");
    assert!(took > 0, "{product:?}");
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn products_are_as_precise_as_their_type() {
    with_library(|gpu| {
        for (dtype, tolerance) in [(DType::F32, 1e-6), (DType::F64, 1e-14)] {
            for (batch, shares_b, gap) in [
                (1, false, 0),
                (5, false, 0),
                (5, true, 0),
                (5, false, 3),
                (5, true, 3),
            ] {
                let product = Product {
                    dtype,
                    batch,
                    shares_b,
                    gap,
                    ..ODD
                };
                assert_right(gpu, product, tolerance);
            }
            let even = Product {
                dtype,
                m: 128,
                n: 128,
                k: 128,
                batch: 10,
                ..ODD
            };
            assert_right(gpu, even, tolerance);
        }
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_product_over_nothing_is_zero() {
    with_library(|gpu| {
        let placed = Product { k: 0, ..ODD }.place(gpu).unwrap();
        assert!(placed.queue(gpu).unwrap());
        assert!(down(&placed.c).unwrap().iter().all(|byte| *byte == 0));
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn rounding_operands_is_less_precise_and_can_be_turned_off() {
    with_library(|gpu| {
        let product = Product {
            m: 256,
            n: 256,
            k: 64,
            ..ODD
        };
        assert_right(gpu, product, 1e-6);
        gpu.set_tf32(true);
        assert_right(gpu, product, 2e-3);
        gpu.set_tf32(false);
        assert_right(gpu, product, 1e-6);
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_product_and_kernels_around_it_are_timed_together() {
    with_library(|gpu| {
        let bytes = noise(LARGE, 1);
        let resident = Resident::new(gpu, &bytes, &bytes).unwrap();
        let product = Product {
            m: 1024,
            n: 1024,
            k: 1024,
            batch: 4,
            ..ODD
        };
        let placed = product.place(gpu).unwrap();
        let median = |body: &dyn Fn() -> Result<(), Error>| {
            device_ns(gpu, body);
            let mut times: Vec<_> = (0..9).map(|_| device_ns(gpu, body)).collect();
            times.sort_unstable();
            times[4]
        };
        let kernel = median(&|| resident.launch(gpu));
        let library = median(&|| placed.queue(gpu).map(drop));
        let together = median(&|| {
            resident.launch(gpu)?;
            placed.queue(gpu)?;
            placed.queue(gpu)?;
            resident.launch(gpu)
        });
        let ratio = together as f64 / (2 * kernel + 2 * library) as f64;
        assert!(
            (0.5..1.6).contains(&ratio),
            "{together} ns for two kernels of {kernel} and two products of {library}"
        );
    });
}

/// A library's kernels are timed by events; the wait of a map for its first chunk must not
/// fall between them.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn waiting_for_a_map_does_not_count_as_product_time() {
    with_library(|gpu| {
        let placed = ODD.place(gpu).unwrap();
        let (data, mut output) = (noise(2 << 20, 1), vec![0; 2 << 20]);
        let inputs = [ChunkedMapInput::new(&data[..], 1)];
        let took = device_ns(gpu, || {
            placed.queue(gpu)?;
            let work = ChunkedMap::new(&inputs, output.as_mut_slice(), 1);
            let moved = gpu.chunked_map(work, &mut |chunk| {
                thread::sleep(Duration::from_millis(50));
                let input = chunk.inputs[0];
                launch(gpu, input, input, chunk.output, chunk.elements)
            });
            moved.map(drop)
        });
        assert!(took < 40_000_000, "{took} ns");
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_product_that_does_not_fit_its_buffers_is_refused() {
    with_library(|gpu| {
        let mut placed = ODD.place(gpu).unwrap();
        placed.product.k += 1;
        let outcome = execute(gpu, || placed.queue(gpu).map(drop));
        assert!(matches!(outcome, Err(Error::BadParameter { .. })));
    });
}
