//! Random arrays hold the same bits on every device.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_runtime::ops::{Random, RandomElement};

use heddle_testing::Random as Generator;
use heddle_testing::agreement::{SIZES, agree, runtime};

fn every<T: RandomElement>() {
    let (runtime, mut generator) = (runtime(), Generator::fresh());
    for len in SIZES {
        for seed in [0, 1, u64::MAX, generator.word()] {
            let operation = Random::<T>::new(seed, &[len]).unwrap();
            agree(&runtime, operation, &format!("random under {seed}"));
        }
    }
    // More than one stride of the largest grid.
    let len = 4096 * 256 * (16 / size_of::<T>()) + 5;
    agree(
        &runtime,
        Random::<T>::new(generator.word(), &[len]).unwrap(),
        "many",
    );
    agree(&runtime, Random::<T>::new(3, &[4, 5, 6]).unwrap(), "cube");
}

#[test]
fn bytes() {
    every::<u8>();
}

#[test]
fn signed_integers() {
    every::<i32>();
}

#[test]
fn unsigned_integers() {
    every::<u32>();
}

#[test]
fn singles() {
    every::<f32>();
}

#[test]
fn doubles() {
    every::<f64>();
}
