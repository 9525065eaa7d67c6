//! Transposed matrices equal the CPU's, of any shape and type.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_runtime::ops::Transpose;
use heddle_runtime::{Array, Element};

use heddle_testing::Random;
use heddle_testing::agreement::{agree, runtime};

const SIDES: [usize; 9] = [0, 1, 2, 7, 31, 32, 33, 64, 131];

fn every<T: Element>() {
    let (runtime, mut random) = (runtime(), Random::fresh());
    let mut check = |extents: &[usize]| {
        let values = random.bits::<T>(extents.iter().product());
        let input = Array::from_shape(extents, &values).unwrap();
        let operation = Transpose::new(&input).unwrap();
        agree(&runtime, operation, &format!("transpose of {extents:?}"));
    };
    for rows in SIDES {
        for columns in SIDES {
            check(&[rows, columns]);
        }
    }
    for batch in [0, 1, 3] {
        for (rows, columns) in [(0, 4), (1, 1), (5, 3), (32, 32), (33, 65), (100, 31)] {
            check(&[batch, rows, columns]);
        }
    }
    // More matrices than blocks.
    check(&[5000, 2, 3]);
    check(&[1, 10_007]);
    check(&[10_007, 1]);
}

#[test]
fn of_bytes() {
    every::<u8>();
}

#[test]
fn of_signed_integers() {
    every::<i32>();
}

#[test]
fn of_unsigned_integers() {
    every::<u32>();
}

#[test]
fn of_singles() {
    every::<f32>();
}

#[test]
fn of_doubles() {
    every::<f64>();
}
