//! Normalization is the same on a GPU as on the CPU for content that the conformance suite does
//! not have: infinities, squares beyond the range, a mean far from zero.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::float_cmp, reason = "what must be exact is compared exactly")]

use heddle_runtime::ops::{Float, Normalize, NormalizeMode};
use heddle_runtime::units::Bytes;
use heddle_runtime::{Array, Residency};
use heddle_testing::Random;
use heddle_testing::agreement::{CpuGpuPair, GPU};

const MODES: [NormalizeMode; 3] = [
    NormalizeMode::ZScore,
    NormalizeMode::MinMax,
    NormalizeMode::Unit,
];
fn floats<T: Float>(values: &[f64]) -> Vec<T> {
    values.iter().map(|&x| T::from_f64(x)).collect()
}

/// Checks every mode, element by element within `tolerance`.
fn every_mode<T: Float>(pair: &CpuGpuPair, values: &[T], tolerance: f64, what: &str) {
    let array = Array::from_slice(values);
    for mode in MODES {
        let what = format!("{mode:?} of {what} in {}", T::DTYPE);
        let [cpu, gpu] = pair.agree(Normalize::new(&array, mode), &what);
        let both = cpu.to_vec().unwrap().into_iter().zip(gpu.to_vec().unwrap());
        for (index, (cpu, gpu)) in both.enumerate() {
            let (cpu, gpu) = (cpu.to_f64(), gpu.to_f64());
            let distance = (cpu - gpu).abs();
            assert!(
                cpu == gpu || distance <= tolerance * cpu.abs().max(1.0) || cpu.is_nan(),
                "{what}, element {index}: {cpu} against {gpu}"
            );
            assert_eq!(cpu.is_nan(), gpu.is_nan(), "{what}, element {index}");
        }
    }
}

fn both_types(pair: &CpuGpuPair, values: &[f64], what: &str) {
    every_mode(pair, &floats::<f32>(values), 2.5e-7, what);
    every_mode(pair, values, 1e-12, what);
}

#[test]
fn nan_and_infinity() {
    let (pair, mut random) = (CpuGpuPair::new(), Random::fresh());
    let plain: Vec<f64> = (0..100_003).map(|_| random.any_magnitude()).collect();
    both_types(&pair, &plain, "any magnitude");
    both_types(&pair, &plain[..16_385], "two chunks and one");
    for at in [0, 8192, 20_010] {
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut values = plain[..20_011].to_vec();
            values[at] = odd;
            both_types(&pair, &values, &format!("{odd} at {at}"));
            values[10_000] = -f64::INFINITY;
            both_types(&pair, &values, &format!("{odd} at {at} and an infinity"));
        }
    }
}

#[test]
fn doubles_whose_squares_leave_the_range() {
    let (pair, mut random) = (CpuGpuPair::new(), Random::fresh());
    for scale in [1e200, 1e-200, 1e-310, 5e-324, 1e153, 1e-155, 1e305] {
        let values: Vec<f64> = (0..9001).map(|_| random.signed() * scale).collect();
        unit_of(&pair, &values, &format!("about {scale:e}"));
    }
    let scales = [1e200, 1.0, 1e-200, 0.0];
    let mixed: Vec<f64> = (0..9001)
        .map(|i| random.signed() * scales[i % scales.len()])
        .collect();
    unit_of(&pair, &mixed, "mixed");
    let small: Vec<f64> = mixed.iter().map(|x| x * 1e-200).collect();
    unit_of(&pair, &small, "mixed and small");
}

/// Checks that the result's length is one. Of all statistics only the length is protected
/// from overflow and underflow, on the CPU as well.
fn unit_of(pair: &CpuGpuPair, values: &[f64], what: &str) {
    let unit = Normalize::new(&Array::from_slice(values), NormalizeMode::Unit);
    let [_, gpu] = pair.agree(unit, what);
    let length = gpu.to_vec().unwrap().iter().map(|x| x * x).sum::<f64>();
    // A length of subnormal size has few bits left.
    let tolerance = if what.contains("e-3") { 0.5 } else { 1e-12 };
    assert!((length - 1.0).abs() < tolerance, "{what}: {length}");
}

#[test]
fn a_mean_far_from_zero() {
    let (pair, mut random) = (CpuGpuPair::new(), Random::fresh());
    let values: Vec<f64> = (0..30_011).map(|_| 1e9 + random.signed()).collect();
    let array = Array::from_slice(&values);
    let [cpu, gpu] = pair.agree(
        Normalize::new(&array, NormalizeMode::ZScore),
        "a billion and less than one",
    );
    let both = cpu.to_vec().unwrap().into_iter().zip(gpu.to_vec().unwrap());
    for (cpu, gpu) in both {
        // The mean is known to 1e-7 at best: an ulp of a billion.
        assert!((cpu - gpu).abs() < 1e-6, "{cpu} against {gpu}");
    }
}

#[test]
fn nothing_is_downloaded_and_the_shape_is_kept() {
    let pair = CpuGpuPair::new();
    let array = Array::from_shape(&[10, 30], &vec![1.5_f32; 300]).unwrap();
    for (mode, up) in MODES.into_iter().zip([1200, 0, 0]) {
        let outcome = pair.gpu(Normalize::new(&array, mode));
        assert_eq!(outcome.output.residency(), Residency::Device(GPU));
        assert_eq!(outcome.output.shape(), array.shape());
        let moved = outcome.timing.moved;
        assert_eq!((moved.up, moved.down), (Bytes(up), Bytes(0)));
    }
}

#[test]
fn the_number_of_workers_changes_no_bit() {
    let mut random = Random::fresh();
    let values: Vec<f64> = (0..200_003).map(|_| random.any_magnitude()).collect();
    let all = |workers| {
        let pair = CpuGpuPair::with_workers(workers);
        let array = Array::from_slice(&values);
        MODES.map(|mode| {
            let result = pair.gpu(Normalize::new(&array, mode)).output;
            let bits = result.to_vec().unwrap().into_iter().map(f64::to_bits);
            bits.collect::<Vec<_>>()
        })
    };
    let one = all(1);
    for workers in 2..5 {
        assert!(all(workers) == one, "{workers} workers");
    }
}
