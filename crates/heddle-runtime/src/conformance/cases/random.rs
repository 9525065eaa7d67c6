//! Random arrays: every length, every part of the seed.

use super::super::case::Case;
use super::super::sizes::Depth;
use super::extent::{elements, shape};
use crate::ops::{RANDOM, Random, RandomElement};

/// The cases of random arrays of an element type.
pub(crate) fn random<T: RandomElement>(list: &mut Vec<Case>, depth: Depth) {
    for length in depth.lengths::<T>() {
        let case = Case::new(&RANDOM, T::DTYPE, elements(length), move |trial| {
            let seed = trial.seed(0);
            Ok(trial.check(|_| Random::<T>::new(seed, &[length])))
        });
        list.push(case.on_host_only());
    }
    // Both halves of a seed are part of the key.
    for seed in [0, 1, 1 << 32, u64::MAX] {
        let what = format!("{}, seed {seed:#x}", shape(&[31, 33]));
        let case = Case::new(&RANDOM, T::DTYPE, what, move |trial| {
            Ok(trial.check(|_| Random::<T>::new(seed, &[31, 33])))
        });
        list.push(case.on_host_only());
    }
}
