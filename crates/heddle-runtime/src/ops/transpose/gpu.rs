//! Transposition on a GPU, through tiles in shared memory.

use crate::array::{Array, HostBuffer};
use crate::device::{
    Accelerator, Argument, ChunkedMap, ChunkedMapInput, DeviceMemory, ExecutionContext,
};
use crate::dtype::Element;
use crate::error::Error;
use crate::units::Bytes;

use super::super::kernel::{self, Kernels};
use super::super::memory_budget;
use super::super::submatrix::{packed, ranges};
use super::{TRANSPOSE, Transpose};

/// The kernels, by the width of an element in bits.
const KERNELS: Kernels = Kernels::new([
    Some("transpose_8"),
    Some("transpose_32"),
    Some("transpose_32"),
    Some("transpose_32"),
    Some("transpose_64"),
]);
/// Elements that a thread of those moves per tile of 32 by 32.
const PER_THREAD: usize = 32 * 32 / kernel::BLOCK as usize;
/// The most bytes of a streamed tile: several fit into the staging memory of a device and move
/// at once.
const LARGEST_TILE: u64 = 1 << 20;

impl<T: Element> Transpose<T> {
    pub(super) fn run_on_gpu(
        &self,
        context: &ExecutionContext<'_>,
        accelerator: &dyn Accelerator,
    ) -> Result<Array<T>, Error> {
        let elements = self.shape.elements();
        let missing = memory_budget::missing(context.device(), &self.input);
        if !memory_budget::has(context, missing + self.input.bytes()) {
            return self.stream(context, accelerator);
        }
        let input = context.resident(&self.input, accelerator)?;
        let out = kernel::allocate_elements::<T>(accelerator, elements)?;
        // Without elements there may be no rows either, and nothing is launched.
        let batch = elements.checked_div(self.rows * self.columns).unwrap_or(0);
        let matrices = Matrices {
            batch,
            rows: self.rows,
            columns: self.columns,
        };
        matrices.transpose_block::<T>(accelerator, &**input, &*out)?;
        kernel::filled(&self.shape, out)
    }

    /// From host to host: whole matrices of a batch, or tiles of matrices that are too
    /// large. There is at least one element.
    fn stream(
        &self,
        context: &ExecutionContext<'_>,
        accelerator: &dyn Accelerator,
    ) -> Result<Array<T>, Error> {
        let (rows, columns) = (self.rows, self.columns);
        let stream = StreamedTranspose {
            context,
            accelerator,
            memory_budget: memory_budget::for_chunks(context),
        };
        let most = (stream.memory_budget.0 / 4).min(LARGEST_TILE) as usize / size_of::<T>();
        let input = context.host(&self.input)?;
        let mut out = HostBuffer::try_unspecified(TRANSPOSE.name(), input.len())?;
        if rows * columns <= most {
            stream.matrices([rows, columns], input, out.as_mut_slice())?;
        } else {
            let items = input.chunks(rows * columns);
            for (from, to) in items.zip(out.as_mut_slice().chunks_mut(rows * columns)) {
                stream.tiles([rows, columns], most, from, to)?;
            }
        }
        Ok(Array::on_host(self.shape.clone(), out))
    }
}

/// Matrices stored back to back.
struct Matrices {
    batch: usize,
    rows: usize,
    columns: usize,
}

impl Matrices {
    /// Queues their transposition.
    fn transpose_block<T: Element>(
        &self,
        accelerator: &dyn Accelerator,
        input: &dyn DeviceMemory,
        output: &dyn DeviceMemory,
    ) -> Result<(), Error> {
        kernel::over_elements(
            accelerator,
            KERNELS.of::<T>(TRANSPOSE.name())?,
            self.batch * self.rows * self.columns,
            PER_THREAD,
            &[
                Argument::Buffer(input),
                Argument::Buffer(output),
                Argument::U64(self.batch as u64),
                Argument::U64(self.rows as u64),
                Argument::U64(self.columns as u64),
            ],
        )
    }
}

struct StreamedTranspose<'a> {
    context: &'a ExecutionContext<'a>,
    accelerator: &'a dyn Accelerator,
    memory_budget: Bytes,
}

impl StreamedTranspose<'_> {
    /// Transposes matrices stored back to back.
    fn matrices<T: Element>(
        &self,
        [rows, columns]: [usize; 2],
        input: &[T],
        output: &mut [T],
    ) -> Result<(), Error> {
        let unit = rows * columns * size_of::<T>();
        let inputs = [ChunkedMapInput::new(
            bytemuck::cast_slice::<_, u8>(input),
            unit,
        )];
        let output = bytemuck::cast_slice_mut::<_, u8>(output);
        let work = ChunkedMap::new(&inputs, output, unit).within(self.memory_budget);
        self.context
            .chunked_map(self.accelerator, work, &mut |chunk| {
                let matrices = Matrices {
                    batch: chunk.elements,
                    rows,
                    columns,
                };
                matrices.transpose_block::<T>(self.accelerator, chunk.inputs[0], chunk.output)
            })
    }

    /// Transposes one matrix in tiles of at most `most` elements: a strip of columns is
    /// divided into tiles stored back to back.
    fn tiles<T: Element>(
        &self,
        [rows, columns]: [usize; 2],
        most: usize,
        input: &[T],
        output: &mut [T],
    ) -> Result<(), Error> {
        // Both sides of a tile are long, so that the host copies long runs.
        let width = (most / rows).max(most.isqrt()).clamp(1, columns);
        let height = (most / width).clamp(1, rows);
        for strip in ranges(columns, width) {
            let from = packed(input, columns, 0..rows, strip.clone())?;
            let to = &mut output[strip.start * rows..strip.end * rows];
            let across = strip.len();
            if height == rows {
                self.matrices([rows, across], &from, to)?;
                continue;
            }
            let mut turned = HostBuffer::try_unspecified(TRANSPOSE.name(), to.len())?;
            let (whole, rest) = (rows / height * height, rows % height);
            let (tiles, last) = turned.as_mut_slice().split_at_mut(whole * across);
            self.matrices([height, across], &from[..whole * across], tiles)?;
            if rest > 0 {
                self.matrices([rest, across], &from[whole * across..], last)?;
            }
            let tiles = turned.as_slice().chunks(height * across);
            for (range, tile) in ranges(rows, height).zip(tiles) {
                for (row, part) in to.chunks_mut(rows).zip(tile.chunks(range.len())) {
                    row[range.clone()].copy_from_slice(part);
                }
            }
        }
        Ok(())
    }
}
