//! Transposition, in blocks that fit the first-level cache.
//!
//! Elements are only moved, so kernels exist per width and not per type.

mod band;
mod gpu;
mod simd;

use bytemuck::{cast_slice, cast_slice_mut};

use crate::array::{Array, HostBuffer};
use crate::cpu::CpuPool;
use crate::device::{DeviceId, ExecutionContext, ExecutionTarget};
use crate::dtype::Element;
use crate::error::Error;
use crate::operation::{Agreement, Description, Kind, Operation, WorkUnit};
use crate::shape::Shape;
use crate::units::Bytes;

use self::band::Band;
use self::simd::TransposeElement;
use super::{agreement, memory_budget};

/// Exchanges the last two axes.
pub static TRANSPOSE: Kind = Kind::new("transpose", WorkUnit::Bytes);

/// The longest side of a small matrix, and the side of its blocks.
const SMALL: usize = 16;

/// A matrix, or each matrix of a batch (rank 3), with rows and columns exchanged.
#[derive(Clone, Debug)]
pub struct Transpose<T: Element> {
    input: Array<T>,
    shape: Shape,
    rows: usize,
    columns: usize,
}

impl<T: Element> Transpose<T> {
    /// Fails unless the array has two axes, or three of which the first is a batch.
    pub fn new(input: &Array<T>) -> Result<Self, Error> {
        let (rows, columns, shape) = match *input.shape().extents() {
            [rows, columns] => (rows, columns, Shape::new(&[columns, rows])?),
            [batch, rows, columns] => (rows, columns, Shape::new(&[batch, columns, rows])?),
            _ => {
                return Err(Error::ShapeUnsuited {
                    operation: TRANSPOSE.name(),
                    expected: "a matrix or a batch of matrices (two or three axes)",
                    found: input.shape().clone().into(),
                });
            }
        };
        Ok(Self {
            input: input.clone(),
            shape,
            rows,
            columns,
        })
    }
}

impl<T: Element> Operation for Transpose<T> {
    type Output = Array<T>;

    fn describe(&self) -> Description {
        let bytes = self.input.bytes();
        memory_budget::can_split(
            Description::new(&TRANSPOSE, T::DTYPE, (bytes + bytes).0)
                .reads(&self.input)
                .writes(bytes),
        )
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host() || device.has_kernels()
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<Array<T>, Error> {
        let pool = match context.target() {
            ExecutionTarget::Host(pool) => pool,
            ExecutionTarget::Accelerator(accelerator) => {
                return self.run_on_gpu(context, accelerator);
            }
        };
        let input = context.host(&self.input)?;
        let mut out = HostBuffer::try_unspecified(TRANSPOSE.name(), input.len())?;
        let bytes = self.input.bytes();
        let transpose_block = TransposeTask {
            pool,
            rows: self.rows,
            columns: self.columns,
            cost: bytes + bytes,
        };
        let to = out.as_mut_slice();
        // Clearing large blocks takes longer than a small matrix has elements.
        let is_small = self.rows.max(self.columns) <= SMALL;
        match (size_of::<T>(), is_small) {
            (1, true) => transpose_block.all::<u8, SMALL>(cast_slice_mut(to), cast_slice(input)),
            (1, false) => transpose_block.all::<u8, 64>(cast_slice_mut(to), cast_slice(input)),
            (4, true) => transpose_block.all::<u32, SMALL>(cast_slice_mut(to), cast_slice(input)),
            (4, false) => transpose_block.all::<u32, 32>(cast_slice_mut(to), cast_slice(input)),
            (_, true) => transpose_block.all::<u64, SMALL>(cast_slice_mut(to), cast_slice(input)),
            (_, false) => transpose_block.all::<u64, 32>(cast_slice_mut(to), cast_slice(input)),
        }
        Ok(Array::on_host(self.shape.clone(), out))
    }

    fn compare(&self, first: &Array<T>, second: &Array<T>) -> Agreement {
        agreement::exact(first, second)
    }
}

/// The transposition of matrices of one size.
struct TransposeTask<'a> {
    pool: &'a CpuPool,
    rows: usize,
    columns: usize,
    cost: Bytes,
}

impl TransposeTask<'_> {
    /// Transposes every matrix of a batch, in blocks of `L` by `L`. A thread takes the
    /// columns of one block at a time.
    fn all<U: TransposeElement, const L: usize>(&self, out: &mut [U], input: &[U]) {
        let (rows, columns) = (self.rows, self.columns);
        if input.is_empty() {
            return;
        }
        let bands = out
            .chunks_mut(rows * columns)
            .zip(input.chunks(rows * columns))
            .flat_map(|(out, input)| {
                out.chunks_mut(L * rows)
                    .enumerate()
                    .map(move |(index, out)| (out, input, index * L))
            });
        self.pool
            .each(self.cost, bands, |(out, input, first_column)| {
                let band = Band::<U, L> {
                    out,
                    input,
                    rows,
                    columns,
                    first_column,
                };
                band.transpose_block();
            });
    }
}
