//! The only use of the `gemm` crate, whose interface is raw pointers.
//!
//! Chosen over `private-gemm-x86` 0.1, which supports x86 only and with two threads took 187 µs
//! at n = 256 where this took 158 (equal from 512 on). Its feature `x86-v4` enables its AVX-512
//! kernels.
#![allow(unsafe_code)]

use gemm::Parallelism;

use super::super::number::Float;

/// The extents of a product: `m` x `k` by `k` x `n`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extents {
    pub(super) m: usize,
    pub(super) k: usize,
    pub(super) n: usize,
}

/// `out = lhs * rhs`, all row-major and dense; every element of `out` is written.
///
/// # Panics
/// When a slice does not hold its matrix.
pub(super) fn product<T: Float>(
    Extents { m, k, n }: Extents,
    out: &mut [T],
    lhs: &[T],
    rhs: &[T],
    parallelism: Parallelism,
) {
    let holds = |len: usize, rows: usize, columns| rows.checked_mul(columns) == Some(len);
    assert!(holds(out.len(), m, n) && holds(lhs.len(), m, k) && holds(rhs.len(), k, n));
    if k == 0 {
        out.fill(T::ZERO);
        return;
    }
    let (lhs_stride, out_stride) = (k.cast_signed(), n.cast_signed());
    // SAFETY: the lengths were checked above, without overflow, so every element the strides
    // reach lies within its slice; `out` is exclusive and cannot overlap the others;
    // `read_dst` is false, so its content is not read; `T` is f32 or f64 (`Float`
    // is sealed), both of which `gemm` has kernels for.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            out.as_mut_ptr(),
            1,
            out_stride,
            false,
            lhs.as_ptr(),
            1,
            lhs_stride,
            rhs.as_ptr(),
            1,
            out_stride,
            T::ZERO,
            T::ONE,
            false,
            false,
            false,
            parallelism,
        );
    }
}
