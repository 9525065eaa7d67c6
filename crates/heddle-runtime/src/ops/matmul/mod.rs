//! Matrix products.
//!
//! A product of fewer than a million multiply-adds runs on the calling thread: at n = 64 it
//! takes 5 µs, less than waking a second thread costs; at n = 128 two threads take 25 µs and
//! one takes 38 (EPYC Zen 4, two cores).

mod batch;
mod batched;
mod gemm;
mod gpu;
mod small;
mod stream;

use ::gemm::Parallelism;

use crate::array::{Array, HostBuffer};
use crate::cpu::CpuPool;
use crate::device::{DeviceId, ExecutionContext, ExecutionTarget};
use crate::error::Error;
use crate::operation::{Agreement, Description, Kind, Operation, WorkUnit};
use crate::shape::Shape;
use crate::units::Bytes;

pub use batch::{BATCH_MATMUL, BatchMatMul};
pub(super) use batched::ITEM_MULTIPLY_ADDS;

use self::gemm::Extents;
use self::gpu::ProductBatch;
use super::number::{Float, Number};
use super::{agreement, memory_budget};

/// The product of two matrices.
pub static MATMUL: Kind = Kind::new("matmul", WorkUnit::MultiplyAdds);

/// The product of an `m` x `k` and a `k` x `n` matrix. Zeros if `k` is zero.
#[derive(Clone, Debug)]
pub struct MatMul<T: Float> {
    lhs: Array<T>,
    rhs: Array<T>,
    extents: Extents,
    shape: Shape,
}

impl<T: Float> MatMul<T> {
    /// Fails unless both are matrices and the first has as many columns as the second has
    /// rows.
    pub fn new(lhs: &Array<T>, rhs: &Array<T>) -> Result<Self, Error> {
        let (&[m, k], &[inner, n]) = (lhs.shape().extents(), rhs.shape().extents()) else {
            return Err(mismatch(&MATMUL, lhs, rhs));
        };
        if k != inner {
            return Err(mismatch(&MATMUL, lhs, rhs));
        }
        Ok(Self {
            lhs: lhs.clone(),
            rhs: rhs.clone(),
            extents: Extents { m, k, n },
            shape: Shape::new(&[m, n])?,
        })
    }
}

impl<T: Float> Operation for MatMul<T> {
    type Output = Array<T>;

    fn describe(&self) -> Description {
        memory_budget::can_split(
            Description::new(&MATMUL, T::DTYPE, multiply_adds(self.extents))
                .reads_both(&self.lhs, &self.rhs)
                .writes(Bytes::of::<T>(self.shape.elements())),
        )
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host() || device.has_kernels()
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<Array<T>, Error> {
        let pool = match context.target() {
            ExecutionTarget::Host(pool) => pool,
            ExecutionTarget::Accelerator(accelerator) => {
                let products = ProductBatch::one(self.extents);
                let operands = (&self.lhs, &self.rhs);
                return gpu::multiply(
                    context,
                    accelerator,
                    &MATMUL,
                    products,
                    operands,
                    &self.shape,
                );
            }
        };
        let (lhs, rhs) = (context.host(&self.lhs)?, context.host(&self.rhs)?);
        let mut out = HostBuffer::try_unspecified(MATMUL.name(), self.shape.elements())?;
        shared_product(pool, self.extents, out.as_mut_slice(), lhs, rhs);
        Ok(Array::on_host(self.shape.clone(), out))
    }

    /// Within k^1.5 epsilons of the largest possible product of two elements.
    fn compare(&self, first: &Array<T>, second: &Array<T>) -> Agreement {
        let absolute = tolerance(self.extents.k, &self.lhs, &self.rhs);
        agreement::within(first, second, 0.0, absolute)
    }
}

/// Computes one product on as many threads as pays.
fn shared_product<T: Float>(pool: &CpuPool, extents: Extents, out: &mut [T], lhs: &[T], rhs: &[T]) {
    if small::suits(extents) {
        small::products(extents, out, lhs, rhs);
        return;
    }
    let is_shared = pool.is_worth_sharing(cost(multiply_adds(extents)));
    match is_shared.then(|| pool.rayon()).flatten() {
        Some(workers) => {
            let parallelism = Parallelism::Rayon(pool.threads());
            workers.install(|| gemm::product(extents, out, lhs, rhs, parallelism));
        }
        None => gemm::product(extents, out, lhs, rhs, Parallelism::None),
    }
}

/// The cost of multiply-adds in the pool's unit: one costs as much as copying two bytes (55
/// billion a second on one core of the machine the threshold was set on).
fn cost(multiply_adds: u64) -> Bytes {
    Bytes(multiply_adds.saturating_mul(2))
}

fn multiply_adds(Extents { m, k, n }: Extents) -> u64 {
    (m as u64).saturating_mul(k as u64).saturating_mul(n as u64)
}

/// `k` roundings of partial sums that grow to `k` times the largest product; random errors add
/// up like the square root of their number.
fn tolerance<T: Float>(k: usize, lhs: &Array<T>, rhs: &Array<T>) -> f64 {
    (k as f64).powf(1.5) * T::EPSILON * largest(lhs) * largest(rhs)
}

fn largest<T: Number>(array: &Array<T>) -> f64 {
    let elements = array.as_slice().unwrap_or_default();
    elements
        .iter()
        .map(|x| x.to_f64().abs())
        .fold(0.0, f64::max)
}

fn mismatch<T: Float>(kind: &'static Kind, lhs: &Array<T>, rhs: &Array<T>) -> Error {
    Error::ShapeMismatch {
        operation: kind.name(),
        expected: "m x k by k x n (for a batch: b x m x k by b x k x n, one side may lack b)",
        left: lhs.shape().clone().into(),
        right: rhs.shape().clone().into(),
    }
}
