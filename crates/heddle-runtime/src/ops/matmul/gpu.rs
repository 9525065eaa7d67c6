//! Products on a GPU: by the vendor's library if there is one, otherwise by a kernel of this
//! crate.

use std::sync::Arc;

use crate::array::Array;
use crate::device::{
    Accelerator, Argument, DeviceBuffer, DeviceMemory, ExecutionContext, Launch, MatMulCall,
    MatMulOperand,
};
use crate::error::Error;
use crate::operation::Kind;
use crate::shape::Shape;
use crate::units::Bytes;

use super::super::kernel::{BLOCK, Kernels, allocate_elements, filled, kernels};
use super::super::memory_budget as memory;
use super::super::number::Float;
use super::gemm::Extents;
use super::stream;

/// Tiles of 64 x 64 elements.
const LARGE: Kernels = kernels!("matmul", floats);
/// Tiles of 16 x 16 elements.
const SMALL: Kernels = kernels!("matmul_small", floats);
/// With fewer large tiles than this, multiprocessors of a large GPU are idle, and small tiles
/// are faster although they read their operands four times as often.
const ENOUGH_TILES: usize = 128;
/// The largest number of blocks per launch; beyond it each block computes several tiles.
const MOST_BLOCKS: usize = 1 << 20;

/// Products of one size.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProductBatch {
    pub(super) each: Extents,
    pub(super) batch: usize,
    /// Elements from one left matrix to the next; 0 if all products use the same one.
    pub(super) lhs_stride: usize,
    /// The same for the right matrices.
    pub(super) rhs_stride: usize,
}

impl ProductBatch {
    /// A single product.
    pub(super) fn one(each: Extents) -> Self {
        Self {
            each,
            batch: 1,
            lhs_stride: 0,
            rhs_stride: 0,
        }
    }
}

/// Computes the products into an array of `shape`, which is on the device if it fits there.
pub(super) fn multiply<T: Float>(
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
    kind: &'static Kind,
    products: ProductBatch,
    (lhs, rhs): (&Array<T>, &Array<T>),
    shape: &Shape,
) -> Result<Array<T>, Error> {
    if shape.elements() == 0 {
        return filled(shape, allocate_elements::<T>(accelerator, 0)?);
    }
    let missing = memory::missing_of_both(context.device(), lhs, rhs);
    if !memory::has(context, missing + Bytes::of::<T>(shape.elements())) {
        return stream::multiply(context, accelerator, kind, products, (lhs, rhs), shape);
    }
    let out = allocate_elements::<T>(accelerator, shape.elements())?;
    let lhs = context.resident(lhs, accelerator)?;
    let rhs = context.resident(rhs, accelerator)?;
    queue::<T>(accelerator, kind, products, [&**lhs, &**rhs], &*out)?;
    filled(shape, out)
}

/// Queues products of matrices on the device. There is at least one element.
pub(super) fn queue<T: Float>(
    accelerator: &dyn Accelerator,
    kind: &'static Kind,
    products: ProductBatch,
    [lhs, rhs]: [&dyn DeviceMemory; 2],
    out: &dyn DeviceMemory,
) -> Result<(), Error> {
    let ProductBatch { each, batch, .. } = products;
    let Extents { m, k, n } = each;
    let operand = |buffer, stride| MatMulOperand::Strided { buffer, stride };
    let call = MatMulCall {
        dtype: T::DTYPE,
        m,
        n,
        k,
        batch,
        a: operand(lhs, products.lhs_stride),
        b: operand(rhs, products.rhs_stride),
        c: operand(out, m * n),
    };
    // With `k = 0` the operands have no bytes, so the library is not called.
    let by_library = k > 0 && accelerator.matmul(&call)?.is_some();
    if !by_library {
        launch::<T>(accelerator, kind, products, [lhs, rhs], out)?;
    }
    Ok(())
}

/// Queues one product for each pair of buffers, all of one size and of at least one element: in
/// one launch if the library can, otherwise one by one.
pub(super) fn queue_each<T: Float>(
    accelerator: &dyn Accelerator,
    kind: &'static Kind,
    each: Extents,
    [lhs, rhs]: [&[Arc<DeviceBuffer>]; 2],
    out: &[DeviceBuffer],
) -> Result<(), Error> {
    let lhs: Vec<&dyn DeviceMemory> = lhs.iter().map(|buffer| &***buffer).collect();
    let rhs: Vec<&dyn DeviceMemory> = rhs.iter().map(|buffer| &***buffer).collect();
    let out: Vec<&dyn DeviceMemory> = out.iter().map(|buffer| &**buffer).collect();
    let call = MatMulCall {
        dtype: T::DTYPE,
        m: each.m,
        n: each.n,
        k: each.k,
        batch: out.len(),
        a: MatMulOperand::Each(&lhs),
        b: MatMulOperand::Each(&rhs),
        c: MatMulOperand::Each(&out),
    };
    if accelerator.matmul(&call)?.is_some() {
        return Ok(());
    }
    for ((&lhs, &rhs), &out) in lhs.iter().zip(&rhs).zip(&out) {
        launch::<T>(accelerator, kind, ProductBatch::one(each), [lhs, rhs], out)?;
    }
    Ok(())
}

fn launch<T: Float>(
    accelerator: &dyn Accelerator,
    kind: &'static Kind,
    products: ProductBatch,
    [lhs, rhs]: [&dyn DeviceMemory; 2],
    out: &dyn DeviceMemory,
) -> Result<(), Error> {
    let Extents { m, k, n } = products.each;
    let tiles = |side: usize| {
        let of_one = m.div_ceil(side) * n.div_ceil(side);
        of_one.saturating_mul(products.batch)
    };
    let is_large = m.min(n) >= 32 && tiles(64) >= ENOUGH_TILES;
    let (kernels, tiles) = if is_large {
        (&LARGE, tiles(64))
    } else {
        (&SMALL, tiles(16))
    };
    accelerator.launch(&Launch::new(
        kernels.of::<T>(kind.name())?,
        tiles.min(MOST_BLOCKS) as u32,
        BLOCK,
        &[
            Argument::Buffer(lhs),
            Argument::U64(products.lhs_stride as u64),
            Argument::Buffer(rhs),
            Argument::U64(products.rhs_stride as u64),
            Argument::Buffer(out),
            Argument::U64(m as u64),
            Argument::U64(n as u64),
            Argument::U64(k as u64),
            Argument::U64(products.batch as u64),
        ],
    ))
}
