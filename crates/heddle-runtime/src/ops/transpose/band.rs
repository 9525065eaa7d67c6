//! Transposes some columns of a matrix into rows of the result.

use super::simd::{self, SimdToken, SimdWork, TransposeElement};

/// Columns from `first_column` on, as many as `out` has rows, at most `L`.
pub(super) struct Band<'a, U, const L: usize> {
    pub(super) out: &'a mut [U],
    pub(super) input: &'a [U],
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) first_column: usize,
}

/// Rows of a thin matrix taken at a time, so that the cache lines read for one column are still
/// cached for the next.
const THIN_ROWS: usize = 512;

impl<U: TransposeElement, const L: usize> Band<'_, U, L> {
    pub(super) fn transpose_block(self) {
        let width = self.out.len() / self.rows;
        if self.rows < U::SIDE {
            self.few_rows(width);
        } else if width < U::SIDE {
            self.few_columns();
        } else {
            SimdToken::with(self);
        }
    }

    /// Goes block by block through two on the stack, one read and one written, so that
    /// memory sees whole cache lines on both sides, even if the rows are a power of two
    /// apart and would share a set of the cache.
    #[inline(always)]
    fn blocks(self, token: SimdToken, width: usize) {
        let (mut from, mut to) = ([[U::default(); L]; L], [[U::default(); L]; L]);
        for first_row in (0..self.rows).step_by(L) {
            let height = L.min(self.rows - first_row);
            let lines = self.input[first_row * self.columns..].chunks(self.columns);
            for (from, line) in from[..height].iter_mut().zip(lines) {
                let line = &line[self.first_column..];
                match line.first_chunk::<L>() {
                    Some(line) if width == L => *from = *line,
                    _ => from[..width].copy_from_slice(&line[..width]),
                }
            }
            simd::transpose_block(token, &from, &mut to, height, width);
            let lines = self.out.chunks_exact_mut(self.rows);
            for (line, to) in lines.zip(&to) {
                let line = &mut line[first_row..];
                match line.first_chunk_mut::<L>() {
                    Some(line) => *line = *to,
                    None => line.copy_from_slice(&to[..height]),
                }
            }
        }
    }

    fn few_rows(self, width: usize) {
        let lines = self.input.chunks_exact(self.columns);
        for (row, line) in lines.enumerate() {
            let line = &line[self.first_column..][..width];
            for (out, &x) in self.out[row..].iter_mut().step_by(self.rows).zip(line) {
                *out = x;
            }
        }
    }

    fn few_columns(self) {
        for first_row in (0..self.rows).step_by(THIN_ROWS) {
            let height = THIN_ROWS.min(self.rows - first_row);
            for (column, line) in self.out.chunks_exact_mut(self.rows).enumerate() {
                let start = first_row * self.columns + self.first_column + column;
                let elements = self.input[start..].iter().step_by(self.columns);
                for (out, &x) in line[first_row..][..height].iter_mut().zip(elements) {
                    *out = x;
                }
            }
        }
    }
}

impl<U: TransposeElement, const L: usize> SimdWork for Band<'_, U, L> {
    #[inline(always)]
    fn run(self, token: SimdToken) {
        let width = self.out.len() / self.rows;
        self.blocks(token, width);
    }
}
