//! Reductions and normalizations are right, and the same bits for any thread count.
#![allow(clippy::unwrap_used, clippy::float_cmp)] // A test outside its `#[test]` function is a test still.

use heddle_runtime::cpu::CpuDevice;
use heddle_runtime::ops::{
    Max, Mean, Min, Normalize, NormalizeMode, Random, RandomElement, Std, Sum, Summable,
};
use heddle_runtime::{Agreement, Array, Error, Operation};
use heddle_testing::cpu_ops::{AROUND_THREADING, AWKWARD, device, poison, run};
use proptest::prelude::*;

const MODES: [NormalizeMode; 3] = [
    NormalizeMode::ZScore,
    NormalizeMode::MinMax,
    NormalizeMode::Unit,
];

fn close(a: f64, b: f64, scale: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-12 * scale
}

fn check<T: Summable>(device: &CpuDevice, data: &[T]) {
    let array = Array::from_slice(data);
    let wide: Vec<f64> = data.iter().map(|x| x.to_f64()).collect();
    let count = wide.len() as f64;
    let magnitude: f64 = wide.iter().map(|x| x.abs()).sum();
    let sum: f64 = wide.iter().sum();
    let found = T::sum_to_f64(run(device, &mut Sum::new(&array)).unwrap());
    assert!(close(found, sum, magnitude), "sum {found} against {sum}");
    if data.is_empty() {
        return;
    }
    let mean = sum / count;
    let found = run(device, &mut Mean::new(&array).unwrap()).unwrap();
    assert!(
        close(found, mean, magnitude / count),
        "mean {found} against {mean}"
    );
    let std = (wide.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count).sqrt();
    let found = run(device, &mut Std::new(&array).unwrap()).unwrap();
    assert!(close(found, std, magnitude), "std {found} against {std}");
    let least = wide.iter().copied().reduce(f64::min).unwrap();
    let found = run(device, &mut Min::new(&array).unwrap()).unwrap();
    assert_eq!(found.to_f64(), least);
    let greatest = wide.iter().copied().reduce(f64::max).unwrap();
    let found = run(device, &mut Max::new(&array).unwrap()).unwrap();
    assert_eq!(found.to_f64(), greatest);
}

proptest! {
    #![proptest_config(heddle_testing::depth::cases(24))]
    #[test]
    fn reductions_of_u8_are_right(data in prop::collection::vec(any::<u8>(), 0..400)) {
        check(&device(1), &data);
    }
    #[test]
    fn reductions_of_u32_are_right(data in prop::collection::vec(any::<u32>(), 0..400)) {
        check(&device(1), &data);
    }
    #[test]
    fn reductions_of_i32_are_right(data in prop::collection::vec(any::<i32>(), 0..400)) {
        check(&device(1), &data);
    }
    #[test]
    fn reductions_of_f32_are_right(data in prop::collection::vec(-1e6_f32..1e6, 0..400)) {
        check(&device(1), &data);
    }
    #[test]
    fn reductions_of_f64_are_right(data in prop::collection::vec(-1e6_f64..1e6, 0..400)) {
        check(&device(1), &data);
    }
}

fn random<T: RandomElement>(len: usize) -> Array<T> {
    run(&device(2), &mut Random::new(7, &[len]).unwrap()).unwrap()
}

#[test]
fn reductions_are_right_at_awkward_lengths() {
    let device = device(2);
    for len in AWKWARD.into_iter().chain(AROUND_THREADING) {
        check(&device, random::<u8>(len).as_slice().unwrap());
        check(&device, random::<i32>(len).as_slice().unwrap());
        check(&device, random::<f64>(len).as_slice().unwrap());
    }
    check(&device, &vec![u32::MAX; 300_000]);
    check(&device, &vec![u8::MAX; 1_200_000]);
}

#[test]
fn the_bits_do_not_depend_on_the_thread_count() {
    // Enough blocks for every thread, the last one short.
    let singles = random::<f32>(1_200_007);
    let doubles = random::<f64>(300_011);
    let results = [1, 2, 3, 8].map(|threads| {
        let device = device(threads);
        let mut bits = vec![
            run(&device, &mut Sum::new(&singles)).unwrap().to_bits(),
            run(&device, &mut Mean::new(&singles).unwrap())
                .unwrap()
                .to_bits(),
            run(&device, &mut Std::new(&singles).unwrap())
                .unwrap()
                .to_bits(),
            run(&device, &mut Sum::new(&doubles)).unwrap().to_bits(),
            run(&device, &mut Std::new(&doubles).unwrap())
                .unwrap()
                .to_bits(),
            run(&device, &mut Min::new(&doubles).unwrap())
                .unwrap()
                .to_bits(),
        ];
        for mode in MODES {
            let result = run(&device, &mut Normalize::new(&singles, mode)).unwrap();
            bits.extend(
                result
                    .as_slice()
                    .unwrap()
                    .iter()
                    .map(|x| u64::from(x.to_bits())),
            );
        }
        bits
    });
    assert!(results.iter().all(|bits| *bits == results[0]));
}

#[test]
fn a_nan_at_any_index_is_the_least_and_the_greatest() {
    let device = device(2);
    for len in [1, 5, 33, 16_385, 300_000] {
        for place in [0, len / 2, len - 1] {
            let mut values = vec![1.0_f32; len];
            values[place] = f32::NAN;
            let array = Array::from_slice(&values);
            assert!(
                run(&device, &mut Min::new(&array).unwrap())
                    .unwrap()
                    .is_nan()
            );
            assert!(
                run(&device, &mut Max::new(&array).unwrap())
                    .unwrap()
                    .is_nan()
            );
            assert!(run(&device, &mut Sum::new(&array)).unwrap().is_nan());
            assert!(
                run(&device, &mut Std::new(&array).unwrap())
                    .unwrap()
                    .is_nan()
            );
            for mode in MODES {
                let result = run(&device, &mut Normalize::new(&array, mode)).unwrap();
                assert!(
                    result.as_slice().unwrap().iter().all(|x| x.is_nan()),
                    "{mode:?} {len}"
                );
            }
        }
    }
}

#[test]
fn an_empty_array_has_a_sum_and_no_mean() {
    let none = Array::<f32>::from_slice(&[]);
    assert_eq!(run(&device(1), &mut Sum::new(&none)).unwrap(), 0.0);
    assert!(matches!(
        Mean::new(&none),
        Err(Error::EmptyArray { operation: "mean" })
    ));
    assert!(matches!(Std::new(&none), Err(Error::EmptyArray { .. })));
    assert!(matches!(Min::new(&none), Err(Error::EmptyArray { .. })));
    assert!(matches!(Max::new(&none), Err(Error::EmptyArray { .. })));
    for mode in MODES {
        let result = run(&device(1), &mut Normalize::new(&none, mode)).unwrap();
        assert!(result.is_empty());
    }
}

#[test]
fn normalized_arrays_have_the_promised_properties() {
    let device = device(2);
    for len in [2, 3, 1009, 16_385, 400_003] {
        let array = random::<f64>(len);
        let normal = |mode| {
            poison::<f64>(len);
            run(&device, &mut Normalize::new(&array, mode)).unwrap()
        };
        let scores = normal(NormalizeMode::ZScore);
        assert!(
            run(&device, &mut Mean::new(&scores).unwrap())
                .unwrap()
                .abs()
                < 1e-12
        );
        let std = run(&device, &mut Std::new(&scores).unwrap()).unwrap();
        assert!((std - 1.0).abs() < 1e-12);
        let unit = normal(NormalizeMode::MinMax);
        assert_eq!(run(&device, &mut Min::new(&unit).unwrap()).unwrap(), 0.0);
        assert_eq!(run(&device, &mut Max::new(&unit).unwrap()).unwrap(), 1.0);
        let length: f64 = normal(NormalizeMode::Unit)
            .as_slice()
            .unwrap()
            .iter()
            .map(|x| x * x)
            .sum();
        assert!((length - 1.0).abs() < 1e-10);
    }
}

#[test]
fn constant_arrays_become_zeros_and_extreme_ones_stay_finite() {
    let device = device(2);
    // A tenth has no exact double: a plain mean of it would be off by a bit.
    let tenths = Array::from_slice(&vec![0.1_f64; 100_003]);
    for mode in [NormalizeMode::ZScore, NormalizeMode::MinMax] {
        poison::<f64>(100_003);
        let result = run(&device, &mut Normalize::new(&tenths, mode)).unwrap();
        assert!(result.as_slice().unwrap().iter().all(|&x| x == 0.0));
    }
    let zeros = Array::<f32>::zeros(&[2000]).unwrap();
    poison::<f32>(2000);
    let mut unit = Normalize::new(&zeros, NormalizeMode::Unit);
    assert!(
        run(&device, &mut unit)
            .unwrap()
            .as_slice()
            .unwrap()
            .iter()
            .all(|&x| x == 0.0)
    );
    for size in [3e300_f64, 3e-300, 4e-310] {
        let array = Array::from_slice(&[size, -size]);
        let mut unit = Normalize::new(&array, NormalizeMode::Unit);
        let result = run(&device, &mut unit).unwrap().to_vec().unwrap();
        assert!((result[0] - 0.5_f64.sqrt()).abs() < 1e-12 && result[1] == -result[0]);
    }
}

#[test]
fn comparison_allows_for_the_order_of_addition() {
    let array = Array::from_slice(&[1e8_f32, -1e8, 1.0]);
    let sum = Sum::new(&array);
    assert_eq!(sum.compare(&1.0, &(1.0 + 1e-6)), Agreement::Same);
    assert!(matches!(sum.compare(&1.0, &1.01), Agreement::Different(_)));
    let bytes = Sum::new(&Array::from_slice(&[1_u8]));
    assert!(matches!(bytes.compare(&1, &2), Agreement::Different(_)));
}

/// Distances are taken from a block's first element; one far from all others must not cost the
/// precision of the rest.
#[test]
fn a_distant_first_element_does_not_change_the_deviation() {
    let device = device(2);
    let mut values: Vec<f64> = (0..40_000).map(|i| 1e9 + f64::from(i % 7)).collect();
    for block in values.chunks_mut(16 << 10) {
        block[0] = 1e9 + 1e6;
    }
    let count = values.len() as f64;
    let mean = values.iter().map(|x| x - 1e9).sum::<f64>() / count;
    let squares: f64 = values.iter().map(|x| ((x - 1e9) - mean).powi(2)).sum();
    let expected = (squares / count).sqrt();
    let array = Array::from_slice(&values);
    let found = run(&device, &mut Std::new(&array).unwrap()).unwrap();
    assert!((found - expected).abs() <= 1e-9 * expected);
    let constant = Array::from_slice(&vec![0.1_f32; 40_000]);
    assert_eq!(
        run(&device, &mut Std::new(&constant).unwrap()).unwrap(),
        0.0
    );
}

/// Ranges whose inverse exceeds single precision are computed in doubles.
#[test]
fn f32_normalizes_at_any_scale() {
    let device = device(1);
    for size in [1e-40_f32, 1e-25, 1.0, 1e25, 3e38] {
        let array = Array::from_slice(&[-size, 0.0, size]);
        let normal = |mode| {
            let mut operation = Normalize::new(&array, mode);
            run(&device, &mut operation).unwrap().to_vec().unwrap()
        };
        assert_eq!(normal(NormalizeMode::MinMax), [0.0, 0.5, 1.0], "{size}");
        for (mode, last) in [
            (NormalizeMode::ZScore, 1.5_f32.sqrt()),
            (NormalizeMode::Unit, 0.5_f32.sqrt()),
        ] {
            let result = normal(mode);
            assert!((result[2] - last).abs() <= 2.0 * f32::EPSILON, "{size}");
            assert_eq!(result[0], -result[2]);
        }
    }
}
