//! Products of matrices that do not fit on the device together.
//!
//! Some columns of the right matrix are kept there while the rows of the left matrix and of the
//! result stream past them, so each element is computed in one piece. Only if a few whole rows
//! and columns are too large is `k` divided too; the parts are then added up on the host,
//! within the tolerance of the product. A batch is divided into items first.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use crate::array::{Array, HostBuffer};
use crate::device::{
    Accelerator, ChunkedMap, ChunkedMapInput, DeviceBuffer, DeviceMemory, ExecutionContext,
};
use crate::error::Error;
use crate::operation::Kind;
use crate::shape::Shape;
use crate::units::Bytes;

use super::super::memory_budget;
use super::super::number::Float;
use super::super::submatrix::{packed, ranges};
use super::gemm::Extents;
use super::gpu::{self, ProductBatch};

/// The least number of rows and columns worth keeping: fewer leave most of a kernel's tile
/// empty and read every row as often.
const FEW: usize = 32;

/// Computes the products into an array of `shape` on the host. There is at least one element.
pub(super) fn multiply<T: Float>(
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
    kind: &'static Kind,
    products: ProductBatch,
    (lhs, rhs): (&Array<T>, &Array<T>),
    shape: &Shape,
) -> Result<Array<T>, Error> {
    let mut out = HostBuffer::try_unspecified(kind.name(), shape.elements())?;
    let stream = StreamedProduct {
        context,
        accelerator,
        kind,
        memory_budget: memory_budget::for_chunks(context),
    };
    let Extents { m, k, n } = products.each;
    let row = Bytes::of::<T>(k + n);
    let is_held = products.batch == 1 && rhs.residency().is_on(context.device());
    if k == 0 {
        out.as_mut_slice().fill(T::ZERO);
    } else if is_held && row <= stream.memory_budget {
        let held = HeldColumns::Resident(context.resident(rhs, accelerator)?);
        stream.rows(products.each, context.host(lhs)?, &held, out.as_mut_slice())?;
    } else if stream.holds_item::<T>(products) {
        stream.items(
            products,
            context.host(lhs)?,
            context.host(rhs)?,
            out.as_mut_slice(),
        )?;
    } else {
        let (lhs, rhs) = (context.host(lhs)?, context.host(rhs)?);
        for (index, out) in out.as_mut_slice().chunks_mut(m * n).enumerate() {
            let lhs = &lhs[index * products.lhs_stride..][..m * k];
            let rhs = &rhs[index * products.rhs_stride..][..k * n];
            stream.tiles(products.each, lhs, rhs, out)?;
        }
    }
    Ok(Array::on_host(shape.clone(), out))
}

/// The columns that rows stream past.
enum HeldColumns<'a, T> {
    Resident(Arc<DeviceBuffer>),
    Host(&'a [T]),
}

struct StreamedProduct<'a> {
    context: &'a ExecutionContext<'a>,
    accelerator: &'a dyn Accelerator,
    kind: &'static Kind,
    memory_budget: Bytes,
}

impl StreamedProduct<'_> {
    /// Whether one product of a batch fits into the memory budget.
    fn holds_item<T: Float>(&self, products: ProductBatch) -> bool {
        let Extents { m, k, n } = products.each;
        products.batch > 1 && Bytes::of::<T>(m * k + k * n + m * n) <= self.memory_budget
    }

    /// All products of a batch, as many at once as fit.
    fn items<T: Float>(
        &self,
        products: ProductBatch,
        lhs: &[T],
        rhs: &[T],
        out: &mut [T],
    ) -> Result<(), Error> {
        let Extents { m, n, .. } = products.each;
        let input = |elements, stride| {
            ChunkedMapInput::new(
                bytemuck::cast_slice::<_, u8>(elements),
                stride * size_of::<T>(),
            )
        };
        let inputs = [
            input(lhs, products.lhs_stride),
            input(rhs, products.rhs_stride),
        ];
        let work = ChunkedMap::new(
            &inputs,
            bytemuck::cast_slice_mut::<_, u8>(out),
            m * n * size_of::<T>(),
        )
        .within(self.memory_budget);
        self.context
            .chunked_map(self.accelerator, work, &mut |chunk| {
                let here = ProductBatch {
                    batch: chunk.elements,
                    ..products
                };
                let operands = [chunk.inputs[0], chunk.inputs[1]];
                gpu::queue::<T>(self.accelerator, self.kind, here, operands, chunk.output)
            })
    }

    /// One product whose right matrix is kept on the device, row by row of the left one.
    fn rows<T: Float>(
        &self,
        each: Extents,
        lhs: &[T],
        held: &HeldColumns<'_, T>,
        out: &mut [T],
    ) -> Result<(), Error> {
        let mut inputs: SmallVec<[_; 2]> = smallvec![ChunkedMapInput::new(
            bytemuck::cast_slice::<_, u8>(lhs),
            each.k * size_of::<T>()
        )];
        if let HeldColumns::Host(columns) = held {
            inputs.push(ChunkedMapInput::new(
                bytemuck::cast_slice::<_, u8>(columns),
                0,
            ));
        }
        let work = ChunkedMap::new(
            &inputs,
            bytemuck::cast_slice_mut::<_, u8>(out),
            each.n * size_of::<T>(),
        )
        .within(self.memory_budget);
        self.context
            .chunked_map(self.accelerator, work, &mut |chunk| {
                let columns: &dyn DeviceMemory = match held {
                    HeldColumns::Resident(buffer) => &***buffer,
                    HeldColumns::Host(_) => chunk.inputs[1],
                };
                let here = ProductBatch::one(Extents {
                    m: chunk.elements,
                    ..each
                });
                let operands = [chunk.inputs[0], columns];
                gpu::queue::<T>(self.accelerator, self.kind, here, operands, chunk.output)
            })
    }

    /// One product, with as many columns and as much of `k` at a time as fit.
    fn tiles<T: Float>(
        &self,
        each: Extents,
        lhs: &[T],
        rhs: &[T],
        out: &mut [T],
    ) -> Result<(), Error> {
        let Extents { m, k, n } = each;
        let tile = Tile::within(each, self.memory_budget.0 as usize / size_of::<T>());
        for columns in ranges(n, tile.n) {
            for depth in ranges(k, tile.k) {
                let left = packed(lhs, k, 0..m, depth.clone())?;
                let right = packed(rhs, n, depth.clone(), columns.clone())?;
                let part = Extents {
                    m,
                    k: depth.len(),
                    n: columns.len(),
                };
                if part.n == n && part.k == k {
                    self.rows(part, &left, &HeldColumns::Host(&right), out)?;
                    continue;
                }
                let mut submatrix = HostBuffer::try_unspecified(self.kind.name(), m * part.n)?;
                self.rows(
                    part,
                    &left,
                    &HeldColumns::Host(&right),
                    submatrix.as_mut_slice(),
                )?;
                let rows = out.chunks_mut(n).zip(submatrix.as_slice().chunks(part.n));
                for (to, from) in rows {
                    let to = &mut to[columns.clone()];
                    if depth.start == 0 {
                        to.copy_from_slice(from);
                    } else {
                        for (sum, &term) in to.iter_mut().zip(from) {
                            *sum = sum.plus(term);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// The part of a product on the device at a time: `k` x `n` of the right matrix, past which
/// rows of lengths `k` and `n` stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tile {
    k: usize,
    n: usize,
}

impl Tile {
    /// Returns the tile that fills half of `elements`, with the other half for a few rows.
    /// It has all of `k` unless a few rows or columns of that length are too large.
    fn within(Extents { m, k, n }: Extents, elements: usize) -> Self {
        let half = elements / 2;
        let (rows, columns) = (m.clamp(1, FEW), n.clamp(1, FEW));
        let of_rows = half / rows;
        let k = k
            .min(half / columns)
            .min(of_rows.saturating_sub(columns))
            .max(1);
        Self {
            k,
            n: n.min(half / k).min(of_rows.saturating_sub(k)).max(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_product_that_fits_is_not_cut() {
        let whole = Extents {
            m: 1000,
            k: 100,
            n: 70,
        };
        assert_eq!(Tile::within(whole, 20_000), Tile { k: 100, n: 70 });
    }

    #[test]
    fn columns_are_cut_before_k() {
        let wide = Extents {
            m: 1000,
            k: 1000,
            n: 100_000,
        };
        let tile = Tile::within(wide, 1 << 20);
        assert_eq!(tile.k, 1000);
        assert!(tile.n < 100_000 && tile.n > FEW);
        let deep = Extents {
            m: 1000,
            k: 1_000_000,
            n: 1000,
        };
        let tile = Tile::within(deep, 1 << 20);
        assert!(tile.k < 1_000_000 && tile.n >= FEW, "{tile:?}");
    }

    proptest! {
        #[test]
        fn a_tile_and_a_few_rows_fit(
            m in 1_usize..100_000,
            k in 1_usize..1_000_000,
            n in 1_usize..1_000_000,
            elements in 10_000_usize..10_000_000,
        ) {
            let tile = Tile::within(Extents { m, k, n }, elements);
            prop_assert!((1..=k).contains(&tile.k) && (1..=n).contains(&tile.n));
            let rows = m.min(FEW) * (tile.k + tile.n);
            prop_assert!(tile.k * tile.n + rows <= elements, "{tile:?}");
        }
    }
}
