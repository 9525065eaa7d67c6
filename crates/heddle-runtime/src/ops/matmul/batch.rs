//! Many products of one size.

use std::ops::Range;

use gemm::Parallelism;

use crate::array::{Array, HostBuffer};
use crate::cpu::CpuPool;
use crate::device::{DeviceId, ExecutionContext, ExecutionTarget};
use crate::error::Error;
use crate::operation::{Agreement, Description, Kind, Operation, WorkUnit};
use crate::shape::Shape;
use crate::units::Bytes;

use super::super::number::Float;
use super::super::{agreement, memory_budget};
use super::gemm::{Extents, product};
use super::gpu::{self, ProductBatch};
use super::{cost, mismatch, multiply_adds, shared_product, small, tolerance};

/// The products of two batches of matrices.
pub static BATCH_MATMUL: Kind = Kind::new("batch-matmul", WorkUnit::MultiplyAdds);

/// Multiply-adds that one thread takes at a time: about 3 µs, far more than handing out a part
/// costs.
const PART: u64 = 128 << 10;

/// The products of `b` matrices by `b` matrices, item by item. One operand may be a single
/// matrix (two axes), which is then used with every item of the other.
#[derive(Clone, Debug)]
pub struct BatchMatMul<T: Float> {
    lhs: Array<T>,
    rhs: Array<T>,
    batch: usize,
    item: Extents,
    shape: Shape,
}

impl<T: Float> BatchMatMul<T> {
    /// Fails unless the batches have equal length or one operand is a single matrix, and
    /// the matrices have matching extents.
    pub fn new(lhs: &Array<T>, rhs: &Array<T>) -> Result<Self, Error> {
        let (batch, m, k, inner, n) = match (lhs.shape().extents(), rhs.shape().extents()) {
            (&[batch, m, k], &[other, inner, n]) if batch == other => (batch, m, k, inner, n),
            (&[batch, m, k], &[inner, n]) | (&[m, k], &[batch, inner, n]) => {
                (batch, m, k, inner, n)
            }
            _ => return Err(mismatch(&BATCH_MATMUL, lhs, rhs)),
        };
        if k != inner {
            return Err(mismatch(&BATCH_MATMUL, lhs, rhs));
        }
        Ok(Self {
            lhs: lhs.clone(),
            rhs: rhs.clone(),
            batch,
            item: Extents { m, k, n },
            shape: Shape::new(&[batch, m, n])?,
        })
    }

    /// The products requested of a GPU. A single right matrix makes one tall product, as on
    /// the host.
    fn products(&self) -> ProductBatch {
        let Extents { m, k, n } = self.item;
        if self.rhs.shape().rank() == 2 {
            let tall = Extents {
                m: self.batch * m,
                ..self.item
            };
            return ProductBatch::one(tall);
        }
        let is_shared = self.lhs.shape().rank() == 2;
        ProductBatch {
            each: self.item,
            batch: self.batch,
            lhs_stride: if is_shared { 0 } else { m * k },
            rhs_stride: k * n,
        }
    }

    fn items(&self, pool: &CpuPool, out: &mut [T], lhs: &[T], rhs: &[T]) {
        let Extents { m, k, n } = self.item;
        let each = multiply_adds(self.item);
        let lhs_of = |index| operand(lhs, index, m * k);
        let rhs_of = |index| operand(rhs, index, k * n);
        if pool.is_worth_sharing(cost(each)) {
            for (index, out) in out.chunks_mut(m * n).enumerate() {
                shared_product(pool, self.item, out, lhs_of(index), rhs_of(index));
            }
            return;
        }
        let group = usize::try_from(PART / each.max(1)).map_or(1, |count| count.clamp(1, 1024));
        let parts = out.chunks_mut(group * m * n).enumerate();
        pool.each(
            cost(each.saturating_mul(self.batch as u64)),
            parts,
            |(part, out)| {
                if small::suits(self.item) {
                    let first = part * group;
                    let items = first..first + out.len() / (m * n);
                    let lhs = operands(lhs, items.clone(), m * k);
                    small::products(self.item, out, lhs, operands(rhs, items, k * n));
                    return;
                }
                for (offset, out) in out.chunks_mut(m * n).enumerate() {
                    let index = part * group + offset;
                    let (lhs, rhs) = (lhs_of(index), rhs_of(index));
                    product(self.item, out, lhs, rhs, Parallelism::None);
                }
            },
        );
    }
}

/// Returns item `index` of a batch, or the single matrix used for all items.
fn operand<T>(elements: &[T], index: usize, len: usize) -> &[T] {
    if elements.len() == len {
        elements
    } else {
        &elements[index * len..][..len]
    }
}

/// Like [`operand`], for consecutive items.
fn operands<T>(elements: &[T], items: Range<usize>, len: usize) -> &[T] {
    if elements.len() == len {
        elements
    } else {
        &elements[items.start * len..items.end * len]
    }
}

impl<T: Float> Operation for BatchMatMul<T> {
    type Output = Array<T>;

    fn describe(&self) -> Description {
        let work = multiply_adds(self.item).saturating_mul(self.batch as u64);
        memory_budget::can_split(
            Description::new(&BATCH_MATMUL, T::DTYPE, work)
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
                let (products, operands) = (self.products(), (&self.lhs, &self.rhs));
                return gpu::multiply(
                    context,
                    accelerator,
                    &BATCH_MATMUL,
                    products,
                    operands,
                    &self.shape,
                );
            }
        };
        let (lhs, rhs) = (context.host(&self.lhs)?, context.host(&self.rhs)?);
        let mut buffer = HostBuffer::try_unspecified(BATCH_MATMUL.name(), self.shape.elements())?;
        let out = buffer.as_mut_slice();
        if self.rhs.shape().rank() == 2 {
            // Items stored one below the other are one tall matrix.
            let tall = Extents {
                m: self.batch * self.item.m,
                ..self.item
            };
            shared_product(pool, tall, out, lhs, rhs);
        } else if !out.is_empty() {
            self.items(pool, out, lhs, rhs);
        }
        Ok(Array::on_host(self.shape.clone(), buffer))
    }

    /// Within k^1.5 epsilons of the largest possible product of two elements.
    fn compare(&self, first: &Array<T>, second: &Array<T>) -> Agreement {
        let absolute = tolerance(self.item.k, &self.lhs, &self.rhs);
        agreement::within(first, second, 0.0, absolute)
    }
}
