//! The fixed blocks, lanes and merge tree of every reduction.

use crate::cpu::CpuPool;
use crate::dtype::Element;
use crate::units::Bytes;

/// Elements per block: 128 KiB of doubles, an eighth of a second-level cache. It is part of the
/// definition of float results: changing it changes last bits.
const BLOCK: usize = 16 << 10;
/// Doubles of a 512-bit vector.
const VECTOR: usize = 8;
/// Independent accumulators within a block: four vectors, enough to hide the latency of an
/// addition. Also part of the definition of float results.
const LANES: usize = 4 * VECTOR;

/// Reduces every block with `block` and merges the results pairwise, left before right. Returns
/// `None` for an empty array.
pub(in super::super) fn reduce<T: Element, P: Copy + Send>(
    pool: &CpuPool,
    data: &[T],
    block: impl Fn(&[T]) -> P + Sync,
    merge: impl Fn(P, P) -> P + Copy,
) -> Option<P> {
    if data.len() <= BLOCK {
        return (!data.is_empty()).then(|| block(data));
    }
    let mut partials = vec![None; data.len().div_ceil(BLOCK)];
    let parts = partials.iter_mut().zip(data.chunks(BLOCK));
    pool.each(Bytes::of::<T>(data.len()), parts, |(partial, data)| {
        *partial = Some(block(data));
    });
    tree(&partials, merge)
}

fn tree<P: Copy>(partials: &[Option<P>], merge: impl Fn(P, P) -> P + Copy) -> Option<P> {
    match partials {
        [] => None,
        [one] => *one,
        many => {
            let (left, right) = many.split_at(many.len() / 2);
            Some(merge(tree(left, merge)?, tree(right, merge)?))
        }
    }
}

/// Folds a block over [`LANES`] accumulators and then those into one, in order.
#[inline(always)]
pub(in super::super) fn fold_lanes<T: Copy, A: Copy>(
    data: &[T],
    start: A,
    step: impl Fn(A, T) -> A,
    join: impl Fn(A, A) -> A,
) -> A {
    // Four arrays of a vector each stay in registers; one array of all the lanes went
    // through memory and took six times as long.
    let [mut first, mut second, mut third, mut fourth] = [[start; VECTOR]; 4];
    let (rows, rest) = data.as_chunks::<LANES>();
    for row in rows {
        for i in 0..VECTOR {
            first[i] = step(first[i], row[i]);
            second[i] = step(second[i], row[i + VECTOR]);
            third[i] = step(third[i], row[i + 2 * VECTOR]);
            fourth[i] = step(fourth[i], row[i + 3 * VECTOR]);
        }
    }
    let mut lanes = [start; LANES];
    for (lane, vector) in lanes
        .chunks_exact_mut(VECTOR)
        .zip([first, second, third, fourth])
    {
        lane.copy_from_slice(&vector);
    }
    for (lane, &x) in lanes.iter_mut().zip(rest) {
        *lane = step(*lane, x);
    }
    let mut width = LANES;
    while width > 1 {
        width /= 2;
        for lane in 0..width {
            lanes[lane] = join(lanes[lane], lanes[lane + width]);
        }
    }
    lanes[0]
}
