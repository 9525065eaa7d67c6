//! Products of matrices by our own kernel equal the CPU's, for any extents; batches are in the
//! conformance suite.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_runtime::ops::{Float, MatMul};
use heddle_runtime::units::Bytes;
use heddle_runtime::{Array, Residency};
use heddle_testing::Random;
use heddle_testing::agreement::{CpuGpuPair, GPU};

fn matrices<T: Float>(random: &mut Random, extents: &[usize]) -> Array<T> {
    let len = extents.iter().product();
    let values: Vec<T> = (0..len).map(|_| T::from_f64(random.signed())).collect();
    Array::from_shape(extents, &values).unwrap()
}

/// The product in double precision, one term after another.
fn reference<T: Float>(m: usize, k: usize, n: usize, lhs: &[T], rhs: &[T]) -> Vec<f64> {
    let term = |y: usize, x: usize, i: usize| lhs[y * k + i].to_f64() * rhs[i * n + x].to_f64();
    (0..m * n)
        .map(|at| (0..k).map(|i| term(at / n, at % n, i)).sum())
        .collect()
}

/// Elements are at most one, so k terms are off by at most k roundings of up to k.
fn assert_close<T: Float>(found: &[T], expected: &[f64], k: usize, what: &str) {
    let tolerance = T::EPSILON * (k as f64).powf(1.5);
    assert_eq!(found.len(), expected.len(), "{what}");
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        let distance = (found.to_f64() - expected).abs();
        assert!(
            distance <= tolerance,
            "{what}, element {index}: {distance:e}"
        );
    }
}

fn one_product<T: Float>(pair: &CpuGpuPair, random: &mut Random, [m, k, n]: [usize; 3]) {
    let what = format!("{m}x{k}x{n} {}", T::DTYPE);
    let (lhs, rhs) = (
        matrices::<T>(random, &[m, k]),
        matrices::<T>(random, &[k, n]),
    );
    let [_, gpu] = pair.agree(MatMul::new(&lhs, &rhs).unwrap(), &what);
    let expected = reference(m, k, n, lhs.as_slice().unwrap(), rhs.as_slice().unwrap());
    assert_close(gpu.as_slice().unwrap(), &expected, k, &what);
}

/// Small tiles, whole and cut; then large ones, which need 128 of 64 x 64.
const SHAPES: [[usize; 3]; 18] = [
    [1, 1, 1],
    [1, 1000, 1],
    [1, 7, 300],
    [300, 7, 1],
    [2, 3, 5],
    [16, 16, 16],
    [17, 33, 65],
    [31, 37, 41],
    [64, 64, 64],
    [63, 65, 67],
    [101, 103, 107],
    [5, 0, 7],
    [0, 4, 3],
    [3, 4, 0],
    [768, 16, 704],
    [773, 17, 709],
    [700, 1, 770],
    [709, 5, 772],
];

#[test]
fn any_extents() {
    let (pair, mut random) = (CpuGpuPair::new(), Random::fresh());
    for shape in SHAPES {
        one_product::<f32>(&pair, &mut random, shape);
        one_product::<f64>(&pair, &mut random, shape);
    }
}

#[test]
fn nan_and_infinity_stay_in_their_row_and_column() {
    let (pair, mut random) = (CpuGpuPair::new(), Random::fresh());
    let lhs = matrices::<f32>(&mut random, &[70, 37]);
    let rhs = matrices::<f32>(&mut random, &[37, 19]);
    for odd in [f32::NAN, f32::INFINITY] {
        for (row, column) in [(0, 0), (69, 36), (15, 31)] {
            let mut lhs = lhs.clone();
            lhs.as_mut_slice().unwrap()[row * 37 + column] = odd;
            let mut operation = MatMul::new(&lhs, &rhs).unwrap();
            let found = pair.gpu(&mut operation).output.to_vec().unwrap();
            for (at, x) in found.into_iter().enumerate() {
                let is_odd = if odd.is_nan() {
                    x.is_nan()
                } else {
                    x.is_infinite()
                };
                assert_eq!(is_odd, at / 19 == row, "{odd} at {row}, {column}: {x}");
            }
        }
    }
}

#[test]
fn the_result_stays_and_operands_are_uploaded_once() {
    let (pair, mut random) = (CpuGpuPair::new(), Random::fresh());
    let lhs = matrices::<f64>(&mut random, &[20, 30]);
    let rhs = matrices::<f64>(&mut random, &[30, 10]);
    let first = pair.gpu(MatMul::new(&lhs, &rhs).unwrap());
    assert_eq!(first.output.residency(), Residency::Device(GPU));
    let moved = first.timing.moved;
    assert_eq!((moved.up, moved.down), (Bytes(8 * 900), Bytes(0)));
    let squared = pair.gpu(MatMul::new(&first.output, &matrices(&mut random, &[10, 3])).unwrap());
    assert_eq!(squared.timing.moved.up, Bytes(8 * 30));
}

#[test]
fn neither_tiles_nor_workers_change_a_bit() {
    let mut random = Random::fresh();
    let lhs = matrices::<f32>(&mut random, &[777, 23]);
    let rhs = matrices::<f32>(&mut random, &[23, 801]);
    let bits = |values: Vec<f32>| values.into_iter().map(f32::to_bits).collect::<Vec<_>>();
    // Each runtime has a GPU of its own, so each gets copies in host memory.
    let copy =
        |array: &Array<f32>| Array::from_shape(array.shape().extents(), array.as_slice().unwrap());
    let all = |workers| {
        let (lhs, rhs) = (copy(&lhs).unwrap(), copy(&rhs).unwrap());
        let product = CpuGpuPair::with_workers(workers).gpu(MatMul::new(&lhs, &rhs).unwrap());
        bits(product.output.to_vec().unwrap())
    };
    let one = all(1);
    for workers in 2..5 {
        assert!(all(workers) == one, "{workers} workers");
    }
    // The first rows alone are too few for large tiles.
    let rows = 40;
    let top = Array::from_shape(&[rows, 23], &lhs.as_slice().unwrap()[..rows * 23]).unwrap();
    let part = CpuGpuPair::new().gpu(MatMul::new(&top, &rhs).unwrap());
    assert!(bits(part.output.to_vec().unwrap()) == one[..rows * 801]);
}
