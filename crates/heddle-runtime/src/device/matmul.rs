//! A matrix product asked of a device's vendor library.

use super::DeviceMemory;
use crate::dtype::DType;
use crate::error::Error;

/// `c[i] = a[i] · b[i]` for every `i` of the batch, all row-major and dense.
#[derive(Clone, Copy, Debug)]
pub struct MatMulCall<'a> {
    /// `F32` or `F64`; a library is never asked for another.
    pub dtype: DType,
    /// Rows of `a` and `c`.
    pub m: usize,
    /// Columns of `b` and `c`.
    pub n: usize,
    /// Columns of `a`, rows of `b`.
    pub k: usize,
    /// Products to compute.
    pub batch: usize,
    /// Left operand, `m × k` each.
    pub a: MatMulOperand<'a>,
    /// Right operand, `k × n` each.
    pub b: MatMulOperand<'a>,
    /// Result, `m × n` each.
    pub c: MatMulOperand<'a>,
}

/// One matrix per product of the batch.
#[derive(Clone, Copy, Debug)]
pub struct MatMulOperand<'a> {
    /// The buffer the first matrix starts.
    pub buffer: &'a dyn DeviceMemory,
    /// Elements from one matrix to the next; 0 uses the same one for all, which
    /// a result cannot.
    pub stride: usize,
}

impl MatMulCall<'_> {
    /// Checks that every matrix lies within its buffer and no two results overlap.
    pub fn validate(&self) -> Result<(), Error> {
        let of_c = self.m.checked_mul(self.n);
        if self.batch > 1 && of_c.is_none_or(|elements| self.c.stride < elements) {
            return Err(unsuited(
                "stride of c",
                "at least m × n",
                self.c.stride.to_string(),
            ));
        }
        let operands = [
            ("a", &self.a, self.m.checked_mul(self.k)),
            ("b", &self.b, self.k.checked_mul(self.n)),
            ("c", &self.c, of_c),
        ];
        for (name, operand, each) in operands {
            let needed = each
                .and_then(|each| {
                    let last = self.batch.saturating_sub(1).checked_mul(operand.stride)?;
                    last.checked_add(each)?.checked_mul(self.dtype.size())
                })
                .filter(|&needed| needed as u64 <= operand.buffer.bytes().0);
            if self.batch > 0 && needed.is_none() {
                return Err(unsuited(
                    name,
                    "a buffer that holds all its matrices",
                    operand.buffer.bytes().to_string(),
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
