//! Separate products, merged into one strided product.

use gemm::Parallelism;

use crate::array::{Array, HostBuffer};
use crate::batch::pack::{self, ResultBuffers};
use crate::batch::{Batchable, Group, OperandTotals, family};
use crate::device::{
    Accelerator, ChunkedMapInput, ExecutionContext, ExecutionTarget, GatherPieces, GatherSource,
};
use crate::error::Error;
use crate::operation::{Description, Operation};
use crate::units::Bytes;

use super::super::number::Float;
use super::super::{elementwise_gpu, kernel, memory_budget};
use super::gemm::{Extents, product};
use super::gpu::{self, ProductBatch};
use super::{MATMUL, MatMul, cost, multiply_adds, small};

/// Multiply-adds added per item for the cost of creating its result.
pub(in super::super) const ITEM_MULTIPLY_ADDS: u64 = 4096;

impl<T: Float> Batchable for MatMul<T> {
    fn group(&self) -> Group {
        let Extents { m, k, n } = self.extents;
        Group::new(&MATMUL, T::DTYPE)
            .shaped([m, k, n])
            .resident_with(&[&self.lhs, &self.rhs])
    }

    fn describe_batch(items: &[Self]) -> Description {
        let resident_device = items
            .first()
            .and_then(|item| item.group().resident_device());
        let mut operands = OperandTotals::default();
        let (mut work, mut output) = (0_u64, Bytes(0));
        let (mut lhs, mut rhs) = (None, None);
        for item in items {
            operands.add(resident_device, &item.lhs, lhs);
            operands.add(resident_device, &item.rhs, rhs);
            (lhs, rhs) = (Some(&item.lhs), Some(&item.rhs));
            output = output + Bytes::of::<T>(item.shape.elements());
            work = work.saturating_add(multiply_adds(item.extents) + ITEM_MULTIPLY_ADDS);
        }
        operands.describe(family(&MATMUL), resident_device, T::DTYPE, work, output)
    }

    fn run_batch(
        items: &mut [Self],
        context: &ExecutionContext<'_>,
    ) -> Result<Vec<Result<Array<T>, Error>>, Error> {
        match context.target() {
            ExecutionTarget::Host(pool) => {
                let each = multiply_adds(items[0].extents);
                // With fewer items than threads could use, all threads share
                // every product instead.
                if pool.is_worth_sharing(cost(each)) && items.len() < 2 * pool.threads() {
                    return Ok(items.iter_mut().map(|item| item.run(context)).collect());
                }
                let all = cost(each.saturating_mul(items.len() as u64));
                pack::on_host(items, context, all, |(): &mut (), item, context| {
                    item.alone(context)
                })
            }
            ExecutionTarget::Accelerator(accelerator)
                if items[0].group().resident_device() == Some(context.device()) =>
            {
                resident(items, context, accelerator)
            }
            ExecutionTarget::Accelerator(accelerator) => strided(items, context, accelerator),
        }
    }
}

impl<T: Float> MatMul<T> {
    /// Computes the product on the calling thread alone.
    fn alone(&self, context: &ExecutionContext<'_>) -> Result<Array<T>, Error> {
        let (lhs, rhs) = (context.host(&self.lhs)?, context.host(&self.rhs)?);
        let mut out = HostBuffer::try_unspecified(MATMUL.name(), self.shape.elements())?;
        if small::suits(self.extents) {
            small::products(self.extents, out.as_mut_slice(), lhs, rhs);
        } else {
            let out = out.as_mut_slice();
            product(self.extents, out, lhs, rhs, Parallelism::None);
        }
        Ok(Array::on_host(self.shape.clone(), out))
    }
}

/// Products of operands on the host: transfers overlap computation.
fn strided<T: Float>(
    items: &mut [MatMul<T>],
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
) -> Result<Vec<Result<Array<T>, Error>>, Error> {
    let each = items[0].extents;
    let of_one = Bytes::of::<T>(each.m * each.k + each.k * each.n + each.m * each.n);
    // Empty products, and items too large for the memory budget, have their own paths.
    if each.m * each.k * each.n == 0 || of_one > memory_budget::for_chunks(context) {
        return pack::one_by_one(items, context);
    }
    let lhs = packed_matrices(context, items, |item| &item.lhs)?;
    let rhs = packed_matrices(context, items, |item| &item.rhs)?;
    let mut result_buffers = ResultBuffers::of(items.iter().map(|item| item.shape.elements()))?;
    let products = ProductBatch {
        each,
        batch: items.len(),
        lhs_stride: if lhs.unit == 0 { 0 } else { each.m * each.k },
        rhs_stride: if rhs.unit == 0 { 0 } else { each.k * each.n },
    };
    let inputs = [lhs.input(), rhs.input()];
    let unit = each.m * each.n * size_of::<T>();
    elementwise_gpu::scattered(
        context,
        accelerator,
        &inputs,
        result_buffers.sink(1),
        unit,
        &mut |chunk| {
            let here = ProductBatch {
                batch: chunk.elements,
                ..products
            };
            let operands = [chunk.inputs[0], chunk.inputs[1]];
            gpu::queue::<T>(accelerator, &MATMUL, here, operands, chunk.output)
        },
    )?;
    let shapes = items.iter().map(|item| &item.shape);
    Ok(result_buffers.results(shapes))
}

/// Products of operands that are on the device, in one launch; the results stay there.
fn resident<T: Float>(
    items: &mut [MatMul<T>],
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
) -> Result<Vec<Result<Array<T>, Error>>, Error> {
    let each = items[0].extents;
    let outputs = Bytes::of::<T>(each.m * each.n * items.len());
    if each.m * each.k * each.n == 0 || !memory_budget::has(context, outputs) {
        return pack::one_by_one(items, context);
    }
    let prefetched = |array: &Array<T>| context.resident(array, accelerator);
    let lhs: Vec<_> = items
        .iter()
        .map(|item| prefetched(&item.lhs))
        .collect::<Result<_, _>>()?;
    let rhs: Vec<_> = items
        .iter()
        .map(|item| prefetched(&item.rhs))
        .collect::<Result<_, _>>()?;
    let out: Vec<_> = items
        .iter()
        .map(|item| kernel::allocate_elements::<T>(accelerator, item.shape.elements()))
        .collect::<Result<_, _>>()?;
    gpu::queue_each::<T>(accelerator, &MATMUL, each, [&lhs, &rhs], &out)?;
    let filled = items.iter().zip(out);
    Ok(filled
        .map(|(item, out)| kernel::filled(&item.shape, out))
        .collect())
}

/// One operand of all items.
struct PackedMatrices<'a> {
    bytes: GatherPieces<'a>,
    /// Bytes per item; 0 if all items use the same matrix.
    unit: usize,
}

impl PackedMatrices<'_> {
    fn input(&self) -> ChunkedMapInput<'_> {
        ChunkedMapInput {
            bytes: GatherSource::GatherPieces(&self.bytes),
            unit: self.unit,
        }
    }
}

fn packed_matrices<'a, T: Float>(
    context: &ExecutionContext<'_>,
    items: &'a [MatMul<T>],
    of: impl Fn(&'a MatMul<T>) -> &'a Array<T>,
) -> Result<PackedMatrices<'a>, Error> {
    let first = of(&items[0]);
    let is_one = items.iter().all(|item| of(item).is_same(first));
    let needed = if is_one { &items[..1] } else { items };
    let mut bytes = GatherPieces::with_capacity(needed.len());
    for item in needed {
        bytes.push(bytemuck::cast_slice(context.host(of(item))?), 0);
    }
    let unit = if is_one { 0 } else { first.bytes().0 as usize };
    Ok(PackedMatrices { bytes, unit })
}
