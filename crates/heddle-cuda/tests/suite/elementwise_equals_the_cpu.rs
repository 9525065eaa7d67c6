//! Functions of one and two elements return the CPU's bits on a GPU for random bits, in chunks and
//! in any shape; the conformance suite has every length, form and zero divisor.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_runtime::Residency::{self, Device, Host};
use heddle_runtime::ops::{
    Abs, Add, Binary, BinaryFunction, BinaryInPlace, Div, Exp, Float, Mul, Number, Random, Scale,
    Sqrt, Square, Sub, Unary, UnaryFunction, UnaryInPlace,
};
use heddle_runtime::{Array, Error};

use heddle_testing::Random as Generator;
use heddle_testing::agreement::{CpuGpuPair, EdgeCases, GPU, STREAMED, assert_same};

const ON_GPU: Residency = Device(GPU);

/// More than one block, and a remainder that fills no line.
const LEN: usize = 10_007;

/// Random values without a zero among the integers.
fn divisors<T: EdgeCases + Number>(generator: &mut Generator, len: usize) -> Vec<T> {
    let mut values = generator.with_edge_cases::<T>(len);
    for value in &mut values {
        if T::IS_INTEGER && *value == T::ZERO {
            *value = T::from_u8(7);
        }
    }
    values
}

fn binary<T: EdgeCases + Number, F: BinaryFunction<T>>(
    pair: &CpuGpuPair,
    generator: &mut Generator,
    f: F,
) {
    let name = f.kind().name();
    let values = generator.with_edge_cases::<T>(LEN);
    let left = Array::from_slice(&values);
    let right = Array::from_slice(&divisors::<T>(generator, LEN));
    let expected = pair.same_bits(Binary::new(f, &left, &right).unwrap(), ON_GPU, name);
    for _ in 0..4 {
        let scalar = divisors::<T>(generator, 1)[0];
        let what = format!("{name} with {scalar:?}");
        pair.same_bits(Binary::new(f, scalar, &right).unwrap(), ON_GPU, &what);
        pair.same_bits(Binary::new(f, &left, scalar).unwrap(), ON_GPU, &what);
    }
    // Elements shared with another array.
    let mut data = left.clone();
    pair.gpu(BinaryInPlace::new(f, &mut data, &right).unwrap());
    assert_eq!(data.residency(), ON_GPU);
    assert_same(&data, &expected, name);
    assert_same(&left, &Array::from_slice(&values), name);
}

fn unary<T: EdgeCases + Number, F: UnaryFunction<T>>(
    pair: &CpuGpuPair,
    generator: &mut Generator,
    f: F,
) {
    let input = Array::from_slice(&generator.with_edge_cases::<T>(LEN));
    pair.same_bits(Unary::new(f, &input), ON_GPU, f.kind().name());
}

fn every<T: EdgeCases + Number>() {
    let (pair, mut generator) = (CpuGpuPair::new(), Generator::fresh());
    binary::<T, _>(&pair, &mut generator, Add);
    binary::<T, _>(&pair, &mut generator, Sub);
    binary::<T, _>(&pair, &mut generator, Mul);
    binary::<T, _>(&pair, &mut generator, Div);
    unary::<T, _>(&pair, &mut generator, Square);
    unary::<T, _>(&pair, &mut generator, Abs);
}

fn floats<T: EdgeCases + Float>(dense: &[T]) {
    let (pair, mut generator) = (CpuGpuPair::new(), Generator::fresh());
    unary::<T, _>(&pair, &mut generator, Sqrt);
    unary::<T, _>(&pair, &mut generator, Exp);
    // Random bits are nearly all huge or tiny; these values are where exp varies.
    let dense = Array::from_slice(dense);
    pair.same_bits(Unary::new(Exp, &dense), ON_GPU, "exp");
    pair.same_bits(Unary::new(Sqrt, &dense), ON_GPU, "sqrt");
    let input = Array::from_slice(&generator.with_edge_cases::<T>(LEN));
    for _ in 0..4 {
        let operation = Scale::new(&input, generator.case(), generator.case());
        pair.same_bits(operation, ON_GPU, "scale");
    }
}

#[test]
fn over_integers() {
    every::<u8>();
    every::<i32>();
    every::<u32>();
}

#[test]
fn over_singles() {
    every::<f32>();
    let dense: Vec<f32> = (-60_000..60_000).map(|i| i as f32 * 0.00183).collect();
    floats::<f32>(&dense);
}

#[test]
fn over_doubles() {
    every::<f64>();
    let dense: Vec<f64> = (-60_000..60_000).map(|i| f64::from(i) * 0.012_7).collect();
    floats::<f64>(&dense);
}

#[test]
fn large_maps_from_host_to_host_are_streamed() {
    let mut generator = Generator::fresh();
    let pair = CpuGpuPair::in_chunks(300_007);
    let len = STREAMED / 4 + 13;
    let values = generator.with_edge_cases::<i32>(len);
    let other = Array::from_slice(&divisors::<i32>(&mut generator, len));
    let left = Array::from_slice(&values);
    let streamed = |operation| pair.same_bits(operation, Host, "streamed");
    streamed(Binary::new(Div, 1_000_003, &other).unwrap());
    streamed(Binary::new(Div, &left, 3).unwrap());
    let expected = streamed(Binary::new(Div, &left, &other).unwrap());
    assert_eq!(left.residency(), Host);
    let mut data = Array::from_slice(&values);
    pair.gpu(BinaryInPlace::new(Div, &mut data, &other).unwrap());
    assert_eq!(data.residency(), Host);
    assert_same(&data, &expected, "streamed in place");

    let mut holes = other.to_vec().unwrap();
    holes[700_001] = 0;
    holes[len - 1] = 0;
    let holes = Array::from_slice(&holes);
    let mut data = Array::from_slice(&values);
    let outcome = pair.try_gpu(BinaryInPlace::new(Div, &mut data, &holes).unwrap());
    assert!(
        matches!(outcome, Err(Error::DivisionByZero { index: 700_001, .. })),
        "{outcome:?}"
    );
    assert_same(&data, &left, "untouched");

    let floats = Array::from_slice(&generator.with_edge_cases::<f32>(len));
    pair.same_bits(Scale::new(&floats, 1.5, -2.25), Host, "scale");
    pair.same_bits(Unary::new(Square, &floats), Host, "square");
}

#[test]
fn operands_on_the_gpu_stay_there() {
    let pair = CpuGpuPair::new();
    let large = Random::<f32>::new(5, &[STREAMED / 4 + 1]).unwrap();
    let mut data = pair.gpu(large).output;
    let outcome = pair.gpu(Binary::new(Mul, &data, &data).unwrap());
    assert_eq!(outcome.timing.moved.bytes().0, 0);
    assert_eq!(outcome.output.residency(), ON_GPU);
    let outcome = pair.gpu(UnaryInPlace::new(Square, &mut data));
    assert_eq!(outcome.timing.moved.bytes().0, 0);
    assert_eq!(data.residency(), ON_GPU);
}

#[test]
fn shapes_are_kept() {
    let pair = CpuGpuPair::new();
    let cube = Array::from_shape(&[2, 3, 5], &Generator::fresh().bits::<i32>(30)).unwrap();
    pair.same_bits(Binary::new(Add, &cube, &cube).unwrap(), ON_GPU, "cube");
    pair.same_bits(Unary::new(Abs, &cube), ON_GPU, "cube");
    let mut data = cube.clone();
    pair.gpu(UnaryInPlace::new(Abs, &mut data));
    assert_eq!(data.shape().extents(), [2, 3, 5]);
    let point = Array::from_shape(&[], &[4_i32]).unwrap();
    pair.same_bits(Unary::new(Square, &point), ON_GPU, "point");
    let sum = pair.gpu(Binary::new(Mul, 3_u32, 5).unwrap()).output;
    assert_eq!(sum.shape().extents(), [0; 0]);
    assert_eq!(sum.as_slice().unwrap(), [15]);
}
