//! Products and transposes agree with their definition for every shape.
#![allow(clippy::unwrap_used, clippy::many_single_char_names)] // A test outside its `#[test]` function is a test still.

use heddle_runtime::ops::{BatchMatMul, Float, MatMul, Random, RandomElement, Transpose};
use heddle_runtime::{Agreement, Array, Error, Operation};
use heddle_testing::cpu_ops::{device, poison, run};
use proptest::prelude::*;

fn random<T: RandomElement>(extents: &[usize]) -> Array<T> {
    run(&device(1), &mut Random::new(11, extents).unwrap()).unwrap()
}

fn naive<T: Float>(m: usize, k: usize, n: usize, a: &[T], b: &[T]) -> Vec<f64> {
    let mut out = vec![0.0; m * n];
    for i in 0..m {
        for l in 0..k {
            for j in 0..n {
                out[i * n + j] += a[i * k + l].to_f64() * b[l * n + j].to_f64();
            }
        }
    }
    out
}

fn assert_close<T: Float>(found: &[T], expected: &[f64], k: usize) {
    assert_eq!(found.len(), expected.len());
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        let bound = (k as f64).powf(1.5) * T::EPSILON;
        assert!(
            (a.to_f64() - b).abs() <= bound,
            "element {i}: {a} against {b}"
        );
    }
}

fn check<T: Float + RandomElement>(threads: usize, m: usize, k: usize, n: usize) {
    let (a, b) = (random::<T>(&[m, k]), random::<T>(&[k, n]));
    poison::<T>(m * n);
    let mut product = MatMul::new(&a, &b).unwrap();
    let found = run(&device(threads), &mut product).unwrap();
    assert_eq!(found.shape().extents(), [m, n]);
    let expected = naive(m, k, n, a.as_slice().unwrap(), b.as_slice().unwrap());
    assert_close(found.as_slice().unwrap(), &expected, k);
    assert_eq!(product.compare(&found, &found), Agreement::Same);
}

proptest! {
    #![proptest_config(heddle_testing::depth::cases(64))]

    #[test]
    fn products_of_any_shape_are_right(m in 0_usize..40, k in 0_usize..40, n in 0_usize..40) {
        check::<f32>(1, m, k, n);
        check::<f64>(1, m, k, n);
    }

    #[test]
    fn batches_of_any_shape_are_right(
        b in 0_usize..9, m in 0_usize..12, k in 0_usize..12, n in 0_usize..12,
    ) {
        check_batch(1, b, m, k, n);
    }

    #[test]
    fn transposing_twice_changes_nothing(b in 0_usize..4, rows in 0_usize..70, columns in 0_usize..70) {
        check_transpose::<u8>(b, rows, columns);
        check_transpose::<f32>(b, rows, columns);
        check_transpose::<f64>(b, rows, columns);
    }
}

/// Thin and odd shapes around the threading threshold of a million multiply-adds.
#[test]
fn products_around_the_threading_threshold_are_right() {
    for (m, k, n) in [
        (101, 100, 103),
        (1, 1500, 701),
        (1100, 1000, 1),
        (1100, 1, 1000),
        (128, 65, 129),
    ] {
        check::<f32>(2, m, k, n);
    }
    check::<f64>(3, 105, 101, 100);
}

fn check_batch(threads: usize, batch: usize, m: usize, k: usize, n: usize) {
    let device = device(threads);
    let (a, b) = (random::<f32>(&[batch, m, k]), random::<f32>(&[batch, k, n]));
    let (one_a, one_b) = (random::<f32>(&[m, k]), random::<f32>(&[k, n]));
    for (lhs, rhs) in [(&a, &b), (&one_a, &b), (&a, &one_b)] {
        poison::<f32>(batch * m * n);
        let found = run(&device, &mut BatchMatMul::new(lhs, rhs).unwrap()).unwrap();
        assert_eq!(found.shape().extents(), [batch, m, n]);
        let item = |array: &Array<f32>, index: usize, len: usize| {
            let start = if array.shape().rank() == 3 {
                index * len
            } else {
                0
            };
            array.as_slice().unwrap()[start..start + len].to_vec()
        };
        for index in 0..batch {
            let expected = naive(m, k, n, &item(lhs, index, m * k), &item(rhs, index, k * n));
            let found = &found.as_slice().unwrap()[index * m * n..][..m * n];
            assert_close(found, &expected, k);
        }
    }
}

#[test]
fn batches_around_the_threading_threshold_are_right() {
    // With many small items threads divide the batch; with few large ones they divide each product.
    check_batch(2, 700, 11, 13, 12);
    check_batch(2, 2, 110, 100, 101);
}

#[test]
fn mismatched_shapes_are_refused() {
    let zeros = |extents: &[usize]| Array::<f32>::zeros(extents).unwrap();
    for (left, right) in [
        (&[2, 3][..], &[2, 3][..]),
        (&[3], &[3, 2]),
        (&[2, 3], &[3]),
        (&[1, 2, 3], &[3, 2]),
    ] {
        let error = MatMul::new(&zeros(left), &zeros(right)).unwrap_err();
        assert!(matches!(
            error,
            Error::ShapeMismatch {
                operation: "matmul",
                ..
            }
        ));
    }
    for (left, right) in [
        (&[2, 3][..], &[3, 2][..]),
        (&[4, 2, 3], &[5, 3, 2]),
        (&[4, 2, 3], &[4, 2, 3]),
        (&[4, 2, 3], &[2, 3]),
    ] {
        let error = BatchMatMul::new(&zeros(left), &zeros(right)).unwrap_err();
        assert!(matches!(
            error,
            Error::ShapeMismatch {
                operation: "batch-matmul",
                ..
            }
        ));
    }
    for extents in [&[][..], &[3], &[1, 2, 3, 4]] {
        let error = Transpose::new(&zeros(extents)).unwrap_err();
        assert!(matches!(
            error,
            Error::ShapeUnsuited {
                operation: "transpose",
                ..
            }
        ));
    }
}

fn check_transpose<T: RandomElement>(batch: usize, rows: usize, columns: usize) {
    let device = device(2);
    let array = random::<T>(&[batch, rows, columns]);
    poison::<T>(array.len());
    let turned = run(&device, &mut Transpose::new(&array).unwrap()).unwrap();
    assert_eq!(turned.shape().extents(), [batch, columns, rows]);
    let (before, after) = (array.as_slice().unwrap(), turned.as_slice().unwrap());
    for item in 0..batch {
        for i in 0..rows {
            for j in 0..columns {
                let base = item * rows * columns;
                assert_eq!(after[base + j * rows + i], before[base + i * columns + j]);
            }
        }
    }
    poison::<T>(array.len());
    let back = run(&device, &mut Transpose::new(&turned).unwrap()).unwrap();
    assert_eq!(back.as_slice().unwrap(), before);
}

#[test]
fn large_transposes_are_right() {
    check_transpose::<u32>(1, 1000, 401);
    check_transpose::<u8>(1, 1, 1_000_003);
    check_transpose::<i32>(1, 200_003, 2);
    check_transpose::<f32>(30, 100, 101);
    let matrix = random::<f32>(&[5, 7]);
    let turned = run(&device(1), &mut Transpose::new(&matrix).unwrap()).unwrap();
    assert_eq!(turned.shape().extents(), [7, 5]);
}
