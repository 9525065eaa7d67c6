//! A matrix product for a device's vendor library.

use super::DeviceMemory;
use crate::dtype::DType;
use crate::error::Error;
use crate::units::Bytes;

/// `c[i] = a[i] · b[i]` for every `i` of the batch, all row-major and dense. A literal stays
/// possible, as of a [`Launch`](super::Launch).
#[derive(Clone, Copy, Debug)]
pub struct MatMulCall<'a> {
    /// `F32` or `F64`; the library gets no other type.
    pub dtype: DType,
    /// Rows of `a` and `c`.
    pub m: usize,
    /// Columns of `b` and `c`.
    pub n: usize,
    /// Columns of `a`, rows of `b`.
    pub k: usize,
    /// Products to compute.
    pub batch: usize,
    /// The left operands, `m × k` each.
    pub a: MatMulOperand<'a>,
    /// The right operands, `k × n` each.
    pub b: MatMulOperand<'a>,
    /// The results, `m × n` each.
    pub c: MatMulOperand<'a>,
}

/// One matrix per product of the batch.
#[derive(Clone, Copy, Debug)]
pub enum MatMulOperand<'a> {
    /// Matrices at equal distances in one buffer.
    Strided {
        /// The buffer with the matrices; the first starts at its beginning.
        buffer: &'a dyn DeviceMemory,
        /// Elements from one matrix to the next; 0 if all products use the same one, which a result
        /// cannot.
        stride: usize,
    },
    /// One buffer per matrix; those of a result are all different.
    Each(&'a [&'a dyn DeviceMemory]),
}

impl<'a> MatMulOperand<'a> {
    /// Returns all buffers of the matrices.
    #[must_use]
    pub fn buffers(&self) -> &[&'a dyn DeviceMemory] {
        match self {
            Self::Strided { buffer, .. } => std::slice::from_ref(buffer),
            Self::Each(buffers) => buffers,
        }
    }

    /// Whether `batch` matrices of `bytes` bytes each, with elements of `size` bytes, lie within
    /// the buffers.
    fn holds(&self, batch: usize, bytes: Option<usize>, size: usize) -> bool {
        let fits = |needed: Option<usize>, buffer: &dyn DeviceMemory| {
            needed.is_some_and(|needed| needed as u64 <= buffer.bytes().0)
        };
        match *self {
            Self::Strided { buffer, stride } => {
                let needed = bytes.and_then(|bytes| {
                    let last = (batch - 1).checked_mul(stride)?.checked_mul(size)?;
                    last.checked_add(bytes)
                });
                fits(needed, buffer)
            }
            Self::Each(buffers) => {
                buffers.len() == batch && buffers.iter().all(|buffer| fits(bytes, *buffer))
            }
        }
    }
}

impl MatMulCall<'_> {
    /// Checks that every matrix lies within its buffer and no two results overlap.
    pub fn validate(&self) -> Result<(), Error> {
        if self.batch == 0 {
            return Ok(());
        }
        let of_c = self.m.checked_mul(self.n);
        if let MatMulOperand::Strided { stride, .. } = self.c
            && self.batch > 1
            && of_c.is_none_or(|elements| stride < elements)
        {
            return Err(unsuited(
                "stride of c",
                "at least m × n",
                stride.to_string(),
            ));
        }
        let operands = [
            ("a", &self.a, self.m.checked_mul(self.k)),
            ("b", &self.b, self.k.checked_mul(self.n)),
            ("c", &self.c, of_c),
        ];
        let size = self.dtype.size();
        for (name, operand, each) in operands {
            let bytes = each.and_then(|each| each.checked_mul(size));
            if !operand.holds(self.batch, bytes, size) {
                let buffers = operand.buffers();
                let found: Bytes = buffers.iter().map(|buffer| buffer.bytes()).sum();
                return Err(unsuited(
                    name,
                    "buffers that hold all its matrices",
                    format!("{found} in {}", buffers.len()),
                ));
            }
        }
        Ok(())
    }
}

fn unsuited(parameter: &'static str, expected: &'static str, found: String) -> Error {
    Error::BadParameter {
        operation: "matmul",
        parameter,
        expected,
        found,
    }
}
