//! Products too small for `gemm`, whose packing and set-up would take most of the time.

use pulp::{Arch, Simd, WithSimd};

use super::super::number::Float;
use super::gemm::Extents;

/// The longest side for which this kernel is used. Against `gemm` in single precision: 0.22 and
/// 0.40 µs at 8, 0.28 and 0.37 at 16, 0.76 and 0.88 at 32 (EPYC Zen 4); the advantage shrinks
/// with the side.
const LONGEST: usize = 32;
/// Rows of the result computed together: each row of `rhs` is loaded once for all of them.
const ROWS: usize = 4;

/// Whether [`products`] is faster than `gemm`.
pub(super) fn suits(Extents { m, k, n }: Extents) -> bool {
    m.max(k).max(n) <= LONGEST && m.min(k).min(n) > 0
}

/// `out = lhs * rhs` for each item stored in `out`; an operand of one matrix is used with all
/// items. All row-major and dense.
pub(super) fn products<T: Float>(item: Extents, out: &mut [T], lhs: &[T], rhs: &[T]) {
    Arch::new().dispatch(ProductsPass {
        item,
        out,
        lhs,
        rhs,
    });
}

struct ProductsPass<'a, T> {
    item: Extents,
    out: &'a mut [T],
    lhs: &'a [T],
    rhs: &'a [T],
}

impl<T: Float> WithSimd for ProductsPass<'_, T> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Extents { m, k, n } = self.item;
        let of = |elements: usize, len: usize, index: usize| {
            if elements == len { 0 } else { index * len }
        };
        for (index, out) in self.out.chunks_exact_mut(m * n).enumerate() {
            let lhs = &self.lhs[of(self.lhs.len(), m * k, index)..][..m * k];
            let rhs = &self.rhs[of(self.rhs.len(), k * n, index)..][..k * n];
            let mut rows = out.chunks_exact_mut(ROWS * n);
            let mut lines = lhs.chunks_exact(ROWS * k);
            for (out, lhs) in (&mut rows).zip(&mut lines) {
                band::<T, ROWS>(out, lhs, rhs, k, n);
            }
            let rest = rows.into_remainder().chunks_exact_mut(n);
            for (out, lhs) in rest.zip(lines.remainder().chunks_exact(k)) {
                band::<T, 1>(out, lhs, rhs, k, n);
            }
        }
    }
}

/// Computes `R` rows of the result, in panels as wide as the remaining columns allow.
#[inline(always)]
fn band<T: Float, const R: usize>(out: &mut [T], lhs: &[T], rhs: &[T], k: usize, n: usize) {
    let mut column = 0;
    while column + 16 <= n {
        panel::<T, R, 16>(out, lhs, rhs, k, n, column);
        column += 16;
    }
    while column + 8 <= n {
        panel::<T, R, 8>(out, lhs, rhs, k, n, column);
        column += 8;
    }
    while column + 4 <= n {
        panel::<T, R, 4>(out, lhs, rhs, k, n, column);
        column += 4;
    }
    while column < n {
        panel::<T, R, 1>(out, lhs, rhs, k, n, column);
        column += 1;
    }
}

/// Computes `R` rows by `W` columns of the result, accumulated in registers.
#[inline(always)]
fn panel<T: Float, const R: usize, const W: usize>(
    out: &mut [T],
    lhs: &[T],
    rhs: &[T],
    k: usize,
    n: usize,
    column: usize,
) {
    let mut sums = [[T::ZERO; W]; R];
    let lines: [&[T]; R] = std::array::from_fn(|row| &lhs[row * k..][..k]);
    for (step, line) in rhs.chunks_exact(n).enumerate().take(k) {
        let Some(line) = line[column..].first_chunk::<W>() else {
            return;
        };
        for row in 0..R {
            let factor = lines[row][step];
            for j in 0..W {
                sums[row][j] = line[j].fused(factor, sums[row][j]);
            }
        }
    }
    for (row, sums) in sums.iter().enumerate() {
        out[row * n + column..][..W].copy_from_slice(sums);
    }
}
