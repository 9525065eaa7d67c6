//! Transposition on a GPU, through tiles in shared memory.

use crate::array::Array;
use crate::device::{Accelerator, Argument, Lane};
use crate::dtype::Element;
use crate::error::Error;

use super::super::kernel::{self, Names};
use super::{TRANSPOSE, Transpose};

/// By the width of an element in bits.
const KERNELS: Names = Names::new([
    Some("transpose_8"),
    Some("transpose_32"),
    Some("transpose_32"),
    Some("transpose_32"),
    Some("transpose_64"),
]);
/// Elements a thread of those moves per tile of 32 by 32.
const PER_THREAD: usize = 32 * 32 / kernel::BLOCK as usize;

impl<T: Element> Transpose<T> {
    pub(super) fn run_on_gpu(
        &self,
        lane: &Lane<'_>,
        accelerator: &dyn Accelerator,
    ) -> Result<Array<T>, Error> {
        let elements = self.shape.elements();
        let input = lane.resident(&self.input, accelerator)?;
        let out = kernel::room::<T>(accelerator, elements)?;
        // No element, and then perhaps no row: nothing is launched over nothing.
        let batch = elements.checked_div(self.rows * self.columns).unwrap_or(0);
        kernel::over_elements(
            accelerator,
            KERNELS.of::<T>(TRANSPOSE.name())?,
            elements,
            PER_THREAD,
            &[
                Argument::Buffer(&**input),
                Argument::Buffer(&*out),
                Argument::U64(batch as u64),
                Argument::U64(self.rows as u64),
                Argument::U64(self.columns as u64),
            ],
        )?;
        kernel::filled(&self.shape, out)
    }
}
