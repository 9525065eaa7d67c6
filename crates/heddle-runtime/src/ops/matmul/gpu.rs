//! Products on a GPU: the vendor's library where there is one, a kernel of our
//! own otherwise.

use crate::array::Array;
use crate::device::{Accelerator, Argument, Lane, Launch, MatMulCall, MatMulOperand};
use crate::error::Error;
use crate::operation::Kind;
use crate::shape::Shape;

use super::super::kernel::{BLOCK, Names, filled, room};
use super::super::number::Float;
use super::gemm::Extents;

/// Tiles of 64 x 64 elements.
const LARGE: Names = Names::new([None, None, None, Some("matmul_f32"), Some("matmul_f64")]);
/// Tiles of 16 x 16 elements.
const SMALL: Names = Names::new([
    None,
    None,
    None,
    Some("matmul_small_f32"),
    Some("matmul_small_f64"),
]);
/// Fewer large tiles than this leave multiprocessors of a large GPU idle, and
/// small ones are then faster though they read their operands four times as often.
const ENOUGH_TILES: usize = 128;
/// Blocks of a launch, at most; each then makes several tiles.
const MOST_BLOCKS: usize = 1 << 20;

/// Products of one size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Products {
    pub(super) each: Extents,
    pub(super) batch: usize,
    /// Elements from one left matrix to the next; 0 where one stands for all.
    pub(super) lhs_stride: usize,
    /// The same of the right ones.
    pub(super) rhs_stride: usize,
}

/// The products as an array of `shape`, on the device.
pub(super) fn multiply<T: Float>(
    lane: &Lane<'_>,
    accelerator: &dyn Accelerator,
    kind: &'static Kind,
    products: Products,
    (lhs, rhs): (&Array<T>, &Array<T>),
    shape: &Shape,
) -> Result<Array<T>, Error> {
    let out = room::<T>(accelerator, shape.elements())?;
    if shape.elements() == 0 {
        return filled(shape, out);
    }
    let lhs = lane.resident(lhs, accelerator)?;
    let rhs = lane.resident(rhs, accelerator)?;
    let Products { each, batch, .. } = products;
    let Extents { m, k, n } = each;
    let operand = |buffer, stride| MatMulOperand { buffer, stride };
    let call = MatMulCall {
        dtype: T::DTYPE,
        m,
        n,
        k,
        batch,
        a: operand(&**lhs, products.lhs_stride),
        b: operand(&**rhs, products.rhs_stride),
        c: operand(&*out, m * n),
    };
    // A product of no terms has operands of no bytes, which no library is asked about.
    let by_library = k > 0 && accelerator.matmul(&call)?.is_some();
    if !by_library {
        launch::<T>(accelerator, kind, &call)?;
    }
    filled(shape, out)
}

fn launch<T: Float>(
    accelerator: &dyn Accelerator,
    kind: &'static Kind,
    call: &MatMulCall<'_>,
) -> Result<(), Error> {
    let tiles = |side: usize| {
        let of_one = call.m.div_ceil(side) * call.n.div_ceil(side);
        of_one.saturating_mul(call.batch)
    };
    let is_large = call.m.min(call.n) >= 32 && tiles(64) >= ENOUGH_TILES;
    let (names, tiles) = if is_large {
        (&LARGE, tiles(64))
    } else {
        (&SMALL, tiles(16))
    };
    accelerator.launch(&Launch {
        kernel: names.of::<T>(kind.name())?,
        grid: [tiles.min(MOST_BLOCKS) as u32, 1, 1],
        block: [BLOCK, 1, 1],
        shared: 0,
        arguments: &[
            Argument::Buffer(call.a.buffer),
            Argument::U64(call.a.stride as u64),
            Argument::Buffer(call.b.buffer),
            Argument::U64(call.b.stride as u64),
            Argument::Buffer(call.c.buffer),
            Argument::U64(call.m as u64),
            Argument::U64(call.n as u64),
            Argument::U64(call.k as u64),
            Argument::U64(call.batch as u64),
        ],
    })
}
