//! Sum, mean, deviation, minimum and maximum are the same on a GPU as on the CPU: integers
//! exactly, floats within a stated rounding.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::float_cmp, reason = "what must be exact is compared exactly")]

use heddle_runtime::ops::{Max, Mean, Min, Number, Std, Sum, Summable};
use heddle_runtime::units::Bytes;
use heddle_runtime::{Array, Residency};
use heddle_testing::Random;
use heddle_testing::agreement::{CpuGpuPair, GPU};

/// Sizes around the chunks of every element size; the conformance suite has smaller ones.
const SIZES: [usize; 9] = [1, 4097, 8191, 8192, 8193, 32_767, 32_768, 32_769, 100_000];

trait Sample: Summable {
    fn sample(random: &mut Random) -> Self;
}

macro_rules! sample {
    ($type:ty, |$random:ident| $value:expr) => {
        impl Sample for $type {
            fn sample($random: &mut Random) -> Self {
                $value
            }
        }
    };
}
sample!(u8, |random| random.word() as u8);
sample!(i32, |random| random.word() as i32);
sample!(u32, |random| random.word() as u32);
sample!(f32, |random| random.any_magnitude() as f32);
sample!(f64, |random| random.any_magnitude());

fn samples<T: Sample>(random: &mut Random, len: usize) -> Vec<T> {
    (0..len).map(|_| T::sample(random)).collect()
}

/// Checks that both are within `tolerance`, or both NaN.
fn assert_close(cpu: f64, gpu: f64, tolerance: f64, what: &str) {
    let is_close = (cpu - gpu).abs() <= tolerance || cpu == gpu || (cpu.is_nan() && gpu.is_nan());
    assert!(is_close, "{what}: {cpu} against {gpu}");
}

fn every_reduction<T: Sample>(pair: &CpuGpuPair, values: &[T], what: &str) {
    let array = Array::from_slice(values);
    let magnitudes: f64 = values.iter().map(|x| x.to_f64().abs()).sum();
    let len = values.len() as f64;

    let [cpu, gpu] = pair.agree(Sum::new(&array), what);
    if T::IS_INTEGER {
        assert_eq!(cpu, gpu, "sum of {what}");
    }
    let rounding = 1e-12 * magnitudes;
    assert_close(T::sum_to_f64(cpu), T::sum_to_f64(gpu), rounding, what);
    let [cpu, gpu] = pair.agree(Mean::new(&array).unwrap(), what);
    assert_close(cpu, gpu, rounding / len, what);
    let [cpu, gpu] = pair.agree(Std::new(&array).unwrap(), what);
    assert_close(cpu, gpu, 1e-11 * cpu + rounding / len, what);
    let [cpu, gpu] = pair.agree(Min::new(&array).unwrap(), what);
    assert_close(cpu.to_f64(), gpu.to_f64(), 0.0, what);
    let [cpu, gpu] = pair.agree(Max::new(&array).unwrap(), what);
    assert_close(cpu.to_f64(), gpu.to_f64(), 0.0, what);
}

fn every_size<T: Sample>() {
    let (pair, mut random) = (CpuGpuPair::new(), Random::fresh());
    for len in SIZES {
        let values = samples::<T>(&mut random, len);
        every_reduction(&pair, &values, &format!("{len} {}", T::DTYPE));
    }
}

#[test]
fn every_type_of_every_size() {
    every_size::<u8>();
    every_size::<i32>();
    every_size::<u32>();
    every_size::<f32>();
    every_size::<f64>();
}

#[test]
fn the_ends_of_every_integer_type() {
    let pair = CpuGpuPair::new();
    for len in [1, 1000, 100_000] {
        every_reduction(&pair, &vec![u8::MAX; len], "greatest bytes");
        every_reduction(&pair, &vec![u32::MAX; len], "greatest words");
        every_reduction(&pair, &vec![i32::MIN; len], "least words");
        let alternating: Vec<i32> = [i32::MIN, i32::MAX].repeat(len);
        every_reduction(&pair, &alternating, "both ends");
    }
}

#[test]
fn nan_and_infinity_at_any_index() {
    let (pair, mut random) = (CpuGpuPair::new(), Random::fresh());
    let len = 20_011;
    let (single, double) = (
        samples::<f32>(&mut random, len),
        samples::<f64>(&mut random, len),
    );
    for at in [0, 1, 31, 4096, 8191, 8192, 16_384, len - 1] {
        for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let what = format!("{odd} at {at}");
            let mut values = single.clone();
            values[at] = odd;
            every_reduction(&pair, &values, &what);
            let mut values = double.clone();
            values[at] = odd.into();
            every_reduction(&pair, &values, &what);
        }
        let mut both = double.clone();
        both[at] = f64::INFINITY;
        both[len / 2] = f64::NEG_INFINITY;
        every_reduction(&pair, &both, "both infinities");
        let least = pair.gpu(Min::new(&Array::from_slice(&both)).unwrap());
        assert_eq!(least.output, f64::NEG_INFINITY);
        both[len / 3] = f64::NAN;
        let greatest = pair.gpu(Max::new(&Array::from_slice(&both)).unwrap());
        assert!(greatest.output.is_nan());
    }
}

#[test]
fn a_constant_has_no_deviation() {
    fn check<T: Number>(pair: &CpuGpuPair, value: T) {
        for len in [1, 3, 257, 8193, 100_000] {
            let constant = Array::from_slice(&vec![value; len]);
            assert_eq!(pair.gpu(Std::new(&constant).unwrap()).output, 0.0);
        }
    }
    let pair = CpuGpuPair::new();
    check(&pair, 0.1_f32);
    check(&pair, -1e300_f64 / 3.0);
    check(&pair, 200_u8);
    check(&pair, i32::MIN);
    check(&pair, u32::MAX);
}

#[test]
fn a_small_deviation_far_from_zero_is_not_lost() {
    let (pair, mut random) = (CpuGpuPair::new(), Random::fresh());
    let mut values: Vec<f64> = (0..50_021).map(|_| 1e6 + random.signed()).collect();
    // An outlier first: distances are taken from it.
    values[0] = 0.0;
    every_reduction(&pair, &values, "far from zero");
    let tight: Vec<f64> = (0..50_021)
        .map(|_| 1e9 + 1e-3 * (random.signed() * 100.0).round())
        .collect();
    every_reduction(&pair, &tight, "a billion and some thousandths");
}

#[test]
fn the_number_of_workers_changes_no_bit() {
    fn bits<T: Sample>(pair: &CpuGpuPair, values: &[T]) -> Vec<u64> {
        let array = Array::from_slice(values);
        [
            T::sum_to_f64(pair.gpu(Sum::new(&array)).output),
            pair.gpu(Mean::new(&array).unwrap()).output,
            pair.gpu(Std::new(&array).unwrap()).output,
            pair.gpu(Min::new(&array).unwrap()).output.to_f64(),
            pair.gpu(Max::new(&array).unwrap()).output.to_f64(),
        ]
        .map(f64::to_bits)
        .to_vec()
    }
    let mut random = Random::fresh();
    let single = samples::<f32>(&mut random, 300_007);
    let double = samples::<f64>(&mut random, 300_007);
    let word = samples::<i32>(&mut random, 300_007);
    let all = |workers| {
        let pair = CpuGpuPair::with_workers(workers);
        [
            bits(&pair, &single),
            bits(&pair, &double),
            bits(&pair, &word),
        ]
    };
    let one = all(1);
    for workers in 2..5 {
        assert_eq!(all(workers), one, "{workers} workers");
    }
}

/// More partial sums than one block merges, so that there is a third pass.
#[test]
fn partials_of_partials() {
    let (pair, mut random) = (CpuGpuPair::new(), Random::fresh());
    let some = samples::<f64>(&mut random, 1 << 20);
    let values: Vec<f64> = some.iter().copied().cycle().take(4_300_003).collect();
    every_reduction(&pair, &values, "1050 chunks");
}

#[test]
fn only_the_value_is_downloaded_and_the_array_is_uploaded_once() {
    let pair = CpuGpuPair::new();
    let array = Array::from_slice(&vec![3_u8; 5000]);
    let first = pair.gpu(Sum::new(&array));
    assert_eq!(first.output, 15_000);
    assert_eq!(first.timing.moved.up, Bytes(5000));
    assert_eq!(first.timing.moved.down, Bytes(8));
    assert_eq!(array.residency(), Residency::Both(GPU));
    let again = pair.gpu(Std::new(&array).unwrap()).timing.moved;
    assert_eq!((again.up, again.down), (Bytes(0), Bytes(24)));
    let again = pair.gpu(Max::new(&array).unwrap()).timing.moved;
    assert_eq!((again.up, again.down), (Bytes(0), Bytes(1)));
}
