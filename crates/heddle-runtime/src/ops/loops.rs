//! Loops over arrays: vectorised, and divided between threads where that pays.
//!
//! Every loop is compiled for each supported instruction set of the CPU and dispatched once per
//! part, so no `unsafe` and no intrinsics are needed: the compiler vectorises the plain loop.

use std::sync::atomic::{AtomicUsize, Ordering};

use pulp::{Arch, Simd, WithSimd};

use crate::cpu::CpuPool;
use crate::dtype::Element;
use crate::units::Bytes;

use super::number::Number;

/// Bytes of the result that one thread takes at a time: enough to make handing out parts free,
/// and few enough to stay in the second-level cache and to divide evenly.
const PART_BYTES: usize = 64 << 10;

/// A function of one element.
pub(super) trait Map<T>: Copy + Send + Sync {
    /// Its cost as a multiple of a copy, for the threading threshold.
    fn weight(self) -> u64 {
        1
    }
    fn apply(self, x: T) -> T;
}

/// A function of two elements.
pub(super) trait Zip<T>: Copy + Send + Sync {
    /// Its cost as a multiple of a copy, for the threading threshold.
    fn weight(self) -> u64 {
        1
    }
    fn apply(self, x: T, y: T) -> T;
}

/// The number of elements that one thread takes at a time.
pub(super) const fn part<T>() -> usize {
    PART_BYTES / size_of::<T>()
}

/// `out[i] = f(input[i])`.
pub(super) fn map<T: Element>(pool: &CpuPool, out: &mut [T], input: &[T], f: impl Map<T>) {
    let cost = Bytes(Bytes::of::<T>(2 * out.len()).0 * f.weight());
    let parts = out.chunks_mut(part::<T>()).zip(input.chunks(part::<T>()));
    pool.each(cost, parts, |(out, input)| {
        Arch::new().dispatch(MapPass { out, input, f });
    });
}

/// `data[i] = f(data[i])`.
pub(super) fn map_in_place<T: Element>(pool: &CpuPool, data: &mut [T], f: impl Map<T>) {
    let cost = Bytes(Bytes::of::<T>(2 * data.len()).0 * f.weight());
    pool.each(cost, data.chunks_mut(part::<T>()), |data| {
        Arch::new().dispatch(MapInPlacePass { data, f });
    });
}

/// `out[i] = f(left[i], right[i])`.
pub(super) fn zip<T: Element>(
    pool: &CpuPool,
    out: &mut [T],
    left: &[T],
    right: &[T],
    f: impl Zip<T>,
) {
    let cost = Bytes(Bytes::of::<T>(3 * out.len()).0 * f.weight());
    let parts = out
        .chunks_mut(part::<T>())
        .zip(left.chunks(part::<T>()))
        .zip(right.chunks(part::<T>()));
    pool.each(cost, parts, |((out, left), right)| {
        zip_part(out, left, right, f);
    });
}

/// `data[i] = f(data[i], right[i])`.
pub(super) fn zip_in_place<T: Element>(
    pool: &CpuPool,
    data: &mut [T],
    right: &[T],
    f: impl Zip<T>,
) {
    let cost = Bytes(Bytes::of::<T>(3 * data.len()).0 * f.weight());
    let parts = data.chunks_mut(part::<T>()).zip(right.chunks(part::<T>()));
    pool.each(cost, parts, |(data, right)| {
        zip_in_place_part(data, right, f);
    });
}

/// One part of [`zip`].
pub(super) fn zip_part<T: Element>(out: &mut [T], left: &[T], right: &[T], f: impl Zip<T>) {
    Arch::new().dispatch(ZipPass {
        out,
        left,
        right,
        f,
    });
}

/// One part of [`zip_in_place`].
pub(super) fn zip_in_place_part<T: Element>(data: &mut [T], right: &[T], f: impl Zip<T>) {
    Arch::new().dispatch(ZipInPlacePass { data, right, f });
}

/// Returns the index of the first zero.
pub(super) fn first_zero<T: Number>(pool: &CpuPool, data: &[T]) -> Option<usize> {
    let first = AtomicUsize::new(usize::MAX);
    let parts = data.chunks(part::<T>()).enumerate();
    pool.each(Bytes::of::<T>(data.len()), parts, |(index, data)| {
        // Only a part that contains a zero is searched for its index.
        if Arch::new().dispatch(HasZeroPass { data })
            && let Some(place) = data.iter().position(|&x| x == T::ZERO)
        {
            first.fetch_min(index * part::<T>() + place, Ordering::Relaxed);
        }
    });
    Some(first.into_inner()).filter(|&index| index < data.len())
}

struct HasZeroPass<'a, T> {
    data: &'a [T],
}

impl<T: Number> WithSimd for HasZeroPass<'_, T> {
    type Output = bool;
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> bool {
        // Compared as bytes without leaving early, which would keep the loop scalar.
        let zeros = |row: &[T]| row.iter().map(|&x| u8::from(x == T::ZERO)).max();
        self.data.chunks(1024).any(|row| zeros(row) == Some(1))
    }
}

struct MapPass<'a, T, F> {
    out: &'a mut [T],
    input: &'a [T],
    f: F,
}

impl<T: Element, F: Map<T>> WithSimd for MapPass<'_, T, F> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (out, &x) in self.out.iter_mut().zip(self.input) {
            *out = self.f.apply(x);
        }
    }
}

struct MapInPlacePass<'a, T, F> {
    data: &'a mut [T],
    f: F,
}

impl<T: Element, F: Map<T>> WithSimd for MapInPlacePass<'_, T, F> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for x in self.data {
            *x = self.f.apply(*x);
        }
    }
}

struct ZipPass<'a, T, F> {
    out: &'a mut [T],
    left: &'a [T],
    right: &'a [T],
    f: F,
}

impl<T: Element, F: Zip<T>> WithSimd for ZipPass<'_, T, F> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for ((out, &x), &y) in self.out.iter_mut().zip(self.left).zip(self.right) {
            *out = self.f.apply(x, y);
        }
    }
}

struct ZipInPlacePass<'a, T, F> {
    data: &'a mut [T],
    right: &'a [T],
    f: F,
}

impl<T: Element, F: Zip<T>> WithSimd for ZipInPlacePass<'_, T, F> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (x, &y) in self.data.iter_mut().zip(self.right) {
            *x = self.f.apply(*x, y);
        }
    }
}
