//! Products of matrices that have no room on the device together.
//!
//! Some columns of the right matrix are held there while the rows of the left one
//! and of the result stream past them, so an element is computed as it is in one
//! go. Only where a few rows and columns are too long to be held is `k` cut too;
//! the parts are then added up on the host, within the products' tolerance.
//! A batch is first cut into items.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use crate::array::{Array, HostBuffer};
use crate::device::{Accelerator, DeviceBuffer, DeviceMemory, Lane, Pipeline, PipelineInput};
use crate::error::Error;
use crate::operation::Kind;
use crate::shape::Shape;
use crate::units::Bytes;

use super::super::number::Float;
use super::super::panel::{packed, ranges};
use super::super::room;
use super::gemm::Extents;
use super::gpu::{self, Products};

/// Rows and columns that are worth holding: fewer would leave most of a kernel's
/// tile empty, and fetch every row as often.
const FEW: usize = 32;

/// The products as an array of `shape`, on the host. There is at least one
/// element.
pub(super) fn multiply<T: Float>(
    lane: &Lane<'_>,
    accelerator: &dyn Accelerator,
    kind: &'static Kind,
    products: Products,
    (lhs, rhs): (&Array<T>, &Array<T>),
    shape: &Shape,
) -> Result<Array<T>, Error> {
    let mut out = HostBuffer::unspecified(shape.elements());
    let stream = Stream {
        lane,
        accelerator,
        kind,
        room: room::for_pieces(lane),
    };
    let Extents { m, k, n } = products.each;
    let row = Bytes::of::<T>(k + n);
    let is_held = products.batch == 1 && rhs.residency().is_on(lane.device());
    if k == 0 {
        out.as_mut_slice().fill(T::ZERO);
    } else if is_held && row <= stream.room {
        let held = Held::Resident(lane.resident(rhs, accelerator)?);
        stream.rows(products.each, lane.host(lhs)?, &held, out.as_mut_slice())?;
    } else if stream.holds_item::<T>(products) {
        stream.items(
            products,
            lane.host(lhs)?,
            lane.host(rhs)?,
            out.as_mut_slice(),
        )?;
    } else {
        let (lhs, rhs) = (lane.host(lhs)?, lane.host(rhs)?);
        for (index, out) in out.as_mut_slice().chunks_mut(m * n).enumerate() {
            let lhs = &lhs[index * products.lhs_stride..][..m * k];
            let rhs = &rhs[index * products.rhs_stride..][..k * n];
            stream.tiles(products.each, lhs, rhs, out)?;
        }
    }
    Ok(Array::on_host(shape.clone(), out))
}

/// The columns that rows stream past.
enum Held<'a, T> {
    Resident(Arc<DeviceBuffer>),
    Host(&'a [T]),
}

struct Stream<'a> {
    lane: &'a Lane<'a>,
    accelerator: &'a dyn Accelerator,
    kind: &'static Kind,
    room: Bytes,
}

impl Stream<'_> {
    /// Whether one product of a batch finds room.
    fn holds_item<T: Float>(&self, products: Products) -> bool {
        let Extents { m, k, n } = products.each;
        products.batch > 1 && Bytes::of::<T>(m * k + k * n + m * n) <= self.room
    }

    /// All products of a batch, as many at once as there is room for.
    fn items<T: Float>(
        &self,
        products: Products,
        lhs: &[T],
        rhs: &[T],
        out: &mut [T],
    ) -> Result<(), Error> {
        let Extents { m, n, .. } = products.each;
        let input = |elements, stride| PipelineInput {
            bytes: bytemuck::cast_slice(elements).into(),
            unit: stride * size_of::<T>(),
        };
        let work = Pipeline {
            inputs: &[
                input(lhs, products.lhs_stride),
                input(rhs, products.rhs_stride),
            ],
            output: bytemuck::cast_slice_mut(out).into(),
            output_unit: m * n * size_of::<T>(),
            chunk_elements: 0,
            room: self.room,
        };
        self.lane.pipeline(self.accelerator, work, &mut |chunk| {
            let here = Products {
                batch: chunk.elements,
                ..products
            };
            let operands = [chunk.inputs[0], chunk.inputs[1]];
            gpu::queue::<T>(self.accelerator, self.kind, here, operands, chunk.output)
        })
    }

    /// One product whose right matrix is held, row by row of the left one.
    fn rows<T: Float>(
        &self,
        each: Extents,
        lhs: &[T],
        held: &Held<'_, T>,
        out: &mut [T],
    ) -> Result<(), Error> {
        let mut inputs: SmallVec<[_; 2]> = smallvec![PipelineInput {
            bytes: bytemuck::cast_slice(lhs).into(),
            unit: each.k * size_of::<T>(),
        }];
        if let Held::Host(columns) = held {
            inputs.push(PipelineInput {
                bytes: bytemuck::cast_slice(columns).into(),
                unit: 0,
            });
        }
        let work = Pipeline {
            inputs: &inputs,
            output: bytemuck::cast_slice_mut(out).into(),
            output_unit: each.n * size_of::<T>(),
            chunk_elements: 0,
            room: self.room,
        };
        self.lane.pipeline(self.accelerator, work, &mut |chunk| {
            let columns: &dyn DeviceMemory = match held {
                Held::Resident(buffer) => &***buffer,
                Held::Host(_) => chunk.inputs[1],
            };
            let here = Products::one(Extents {
                m: chunk.elements,
                ..each
            });
            let operands = [chunk.inputs[0], columns];
            gpu::queue::<T>(self.accelerator, self.kind, here, operands, chunk.output)
        })
    }

    /// One product, some columns and as much of `k` at a time as there is room for.
    fn tiles<T: Float>(
        &self,
        each: Extents,
        lhs: &[T],
        rhs: &[T],
        out: &mut [T],
    ) -> Result<(), Error> {
        let Extents { m, k, n } = each;
        let tile = Tile::within(each, self.room.0 as usize / size_of::<T>());
        for columns in ranges(n, tile.n) {
            for depth in ranges(k, tile.k) {
                let left = packed(lhs, k, 0..m, depth.clone());
                let right = packed(rhs, n, depth.clone(), columns.clone());
                let part = Extents {
                    m,
                    k: depth.len(),
                    n: columns.len(),
                };
                if part.n == n && part.k == k {
                    self.rows(part, &left, &Held::Host(&right), out)?;
                    continue;
                }
                let mut panel = HostBuffer::unspecified(m * part.n);
                self.rows(part, &left, &Held::Host(&right), panel.as_mut_slice())?;
                let rows = out.chunks_mut(n).zip(panel.as_slice().chunks(part.n));
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

/// How much of a product is on the device at a time: `k` x `n` of the right
/// matrix, past which rows of `k` and of `n` stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tile {
    k: usize,
    n: usize,
}

impl Tile {
    /// The tile of which half of `elements` holds what is held and the other half
    /// a few rows. All of `k` unless a few rows or columns of it are too long.
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
