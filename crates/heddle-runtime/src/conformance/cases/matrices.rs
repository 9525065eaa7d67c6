//! Matrix products and transposes: partial tiles at every edge, vectors, inner extents of zero,
//! batches with single matrices.

use super::super::case::Case;
use super::super::sample::SampleElement;
use super::super::sizes::Depth;
use super::super::sizes::Depth::{Quick, Standard, Thorough};
use super::batches;
use super::extent::{pair, shape};
use crate::ops::{BATCH_MATMUL, BatchMatMul, Float, MATMUL, MatMul, TRANSPOSE, Transpose};

/// Rows, inner extent and columns.
const PRODUCTS: [(Depth, [usize; 3]); 17] = [
    (Quick, [0, 3, 2]),
    (Quick, [2, 0, 3]),
    (Quick, [2, 3, 0]),
    (Quick, [1, 1, 1]),
    (Quick, [1, 257, 1]),
    (Quick, [257, 1, 255]),
    (Quick, [2, 3, 5]),
    (Quick, [15, 16, 17]),
    (Quick, [16, 16, 16]),
    (Quick, [31, 33, 32]),
    (Quick, [63, 65, 64]),
    (Quick, [127, 128, 129]),
    (Standard, [1, 10_007, 3]),
    (Standard, [256, 256, 256]),
    (Standard, [513, 127, 511]),
    (Thorough, [1023, 1024, 1025]),
    (Thorough, [2048, 2048, 2048]),
];

/// Left and right shapes; one of them may be a single matrix.
type Shapes = (&'static [usize], &'static [usize]);

const BATCHES: [(Depth, Shapes); 17] = [
    (Quick, (&[0, 2, 3], &[0, 3, 2])),
    (Quick, (&[1, 1, 1], &[1, 1, 1])),
    (Quick, (&[3, 2, 0], &[3, 0, 2])),
    (Quick, (&[3, 5, 7], &[3, 7, 2])),
    (Quick, (&[3, 5, 7], &[7, 2])),
    (Quick, (&[5, 7], &[3, 7, 2])),
    (Quick, (&[17, 16, 16], &[17, 16, 16])),
    (Quick, (&[5, 31, 33], &[5, 33, 29])),
    (Quick, (&[4, 0, 3], &[4, 3, 4])),
    (Quick, (&[300, 4, 4], &[300, 4, 4])),
    (Quick, (&[300, 4, 4], &[4, 4])),
    (Quick, (&[131, 33, 7], &[131, 7, 35])),
    (Quick, (&[33, 7], &[131, 7, 35])),
    (Quick, (&[131, 33, 7], &[7, 35])),
    (Standard, (&[10, 64, 65], &[10, 65, 63])),
    (Standard, (&[1031, 8, 8], &[1031, 8, 8])),
    (Thorough, (&[10, 512, 512], &[10, 512, 512])),
];

const TRANSPOSES: [(Depth, &[usize]); 20] = [
    (Quick, &[0, 5]),
    (Quick, &[5, 0]),
    (Quick, &[1, 1]),
    (Quick, &[1, 257]),
    (Quick, &[257, 1]),
    (Quick, &[31, 33]),
    (Quick, &[32, 32]),
    (Quick, &[127, 65]),
    (Quick, &[131, 64]),
    (Quick, &[1, 10_007]),
    (Quick, &[10_007, 1]),
    (Quick, &[3, 17, 19]),
    (Quick, &[2, 0, 3]),
    (Quick, &[0, 5, 3]),
    (Quick, &[3, 33, 65]),
    (Quick, &[3, 100, 31]),
    // More matrices than blocks.
    (Quick, &[5000, 2, 3]),
    (Standard, &[1023, 1025]),
    (Standard, &[70, 33, 31]),
    (Thorough, &[4099, 2053]),
];

/// The cases of products of two matrices, single and merged.
pub(crate) fn matmul<T: SampleElement + Float>(list: &mut Vec<Case>, depth: Depth) {
    for [m, k, n] in depth.of(&PRODUCTS) {
        let case = Case::new(&MATMUL, T::DTYPE, pair(&[m, k], &[k, n]), move |trial| {
            let (left, right) = (
                trial.near_zero::<T>(0, &[m, k])?,
                trial.near_zero::<T>(1, &[k, n])?,
            );
            Ok(trial
                .check(|runner| MatMul::new(&runner.place(0, &left)?, &runner.place(1, &right)?)))
        });
        list.push(if (m, k, n) == (31, 33, 32) {
            case.mixed()
        } else {
            case
        });
    }
    for (left, right) in [(&[2, 3], &[2, 3]), (&[2, 3], &[4, 2])] {
        let what = format!("{}, mismatched", pair(left, right));
        list.push(Case::new(&MATMUL, T::DTYPE, what, move |trial| {
            let (left, right) = (
                trial.near_zero::<T>(0, left)?,
                trial.near_zero::<T>(1, right)?,
            );
            Ok(trial
                .check(|runner| MatMul::new(&runner.place(0, &left)?, &runner.place(1, &right)?)))
        }));
    }
    list.push(Case::new(
        &MATMUL,
        T::DTYPE,
        "a NaN stays in its row",
        |trial| {
            let (mut left, right) = (
                trial.near_zero::<T>(0, &[33, 34])?,
                trial.near_zero::<T>(1, &[34, 35])?,
            );
            left.as_mut_slice()?[5 * 34 + 7] = T::from_f64(f64::NAN);
            Ok(trial
                .check(|runner| MatMul::new(&runner.place(0, &left)?, &runner.place(1, &right)?)))
        },
    ));
    batches::matmul::<T>(list);
}

/// The cases of products of two batches, or of a batch and a matrix.
pub(crate) fn batch_matmul<T: SampleElement + Float>(list: &mut Vec<Case>, depth: Depth) {
    for (left, right) in depth.of(&BATCHES) {
        let case = Case::new(&BATCH_MATMUL, T::DTYPE, pair(left, right), move |trial| {
            let (left, right) = (
                trial.near_zero::<T>(0, left)?,
                trial.near_zero::<T>(1, right)?,
            );
            Ok(trial.check(|runner| {
                BatchMatMul::new(&runner.place(0, &left)?, &runner.place(1, &right)?)
            }))
        });
        list.push(case.mixed());
    }
}

/// The cases of transposed matrices and batches of them.
pub(crate) fn transpose<T: SampleElement>(list: &mut Vec<Case>, depth: Depth) {
    for extents in depth.of(&TRANSPOSES) {
        list.push(Case::new(
            &TRANSPOSE,
            T::DTYPE,
            shape(extents),
            move |trial| {
                let input = trial.random::<T>(0, extents)?;
                Ok(trial.check(|runner| Transpose::new(&runner.place(0, &input)?)))
            },
        ));
    }
    list.push(Case::new(&TRANSPOSE, T::DTYPE, "one axis", |trial| {
        let input = trial.random::<T>(0, &[7])?;
        Ok(trial.check(|runner| Transpose::new(&runner.place(0, &input)?)))
    }));
}
