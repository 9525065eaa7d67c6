//! Functions of one and two elements return the CPU's bits on a GPU.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_runtime::array::Residency;
use heddle_runtime::device::DeviceId;
use heddle_runtime::ops::{
    Abs, Add, ArrayOrScalar, Binary, BinaryFunction, BinaryInPlace, Div, Exp, Float, Mul, Number,
    Random, Scale, Sqrt, Square, Sub, Unary, UnaryFunction, UnaryInPlace,
};
use heddle_runtime::{Array, Error, Runtime};

use heddle_testing::Random as Generator;
use heddle_testing::agreement::{
    EdgeCases, GPU, SIZES, STREAMED, agree, assert_same, on, runtime, runtime_in_chunks,
};

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
    runtime: &Runtime,
    generator: &mut Generator,
    f: F,
) {
    let name = f.kind().name();
    for len in SIZES {
        let left = Array::from_slice(&generator.with_edge_cases::<T>(len));
        let right = Array::from_slice(&divisors::<T>(generator, len));
        let what = format!("{name} of {len}");
        agree(runtime, Binary::new(f, &left, &right).unwrap(), &what);
        for _ in 0..4 {
            let scalar = generator.case::<T>();
            let what = format!("{what} with {scalar:?}");
            agree(runtime, Binary::new(f, scalar, &right).unwrap(), &what);
            if !(T::IS_INTEGER && scalar == T::ZERO && f.divides()) {
                agree(runtime, Binary::new(f, &left, scalar).unwrap(), &what);
            }
        }
        in_place(runtime, f, &left, &ArrayOrScalar::Array(right), &what);
        in_place(
            runtime,
            f,
            &left,
            &ArrayOrScalar::Scalar(T::from_u8(3)),
            &what,
        );
    }
}

fn in_place<T: Number, F: BinaryFunction<T>>(
    runtime: &Runtime,
    f: F,
    left: &Array<T>,
    right: &ArrayOrScalar<T>,
    what: &str,
) {
    let expected = on(
        runtime,
        DeviceId::CPU,
        Binary::new(f, left, right.clone()).unwrap(),
    )
    .unwrap();
    let values = left.to_vec().unwrap();
    // Elements of its own, then elements shared with another array.
    for shared in [false, true] {
        let mut data = Array::from_slice(&values);
        let other = shared.then(|| data.clone());
        let operation = BinaryInPlace::new(f, &mut data, right.clone()).unwrap();
        on(runtime, GPU, operation).unwrap();
        assert_eq!(data.residency(), Residency::Device(GPU));
        assert_same(&data, &expected, what);
        if let Some(other) = other {
            assert_same(&other, &Array::from_slice(&values), what);
        }
    }
}

fn unary<T: EdgeCases + Number, F: UnaryFunction<T>>(
    runtime: &Runtime,
    generator: &mut Generator,
    f: F,
) {
    for len in SIZES {
        let what = format!("{} of {len}", f.kind().name());
        let values = generator.with_edge_cases::<T>(len);
        let input = Array::from_slice(&values);
        let operation = Unary::new(f, &input);
        let expected = on(runtime, DeviceId::CPU, operation.clone()).unwrap();
        agree(runtime, operation, &what);
        let mut data = Array::from_slice(&values);
        on(runtime, GPU, UnaryInPlace::new(f, &mut data)).unwrap();
        assert_eq!(data.residency(), Residency::Device(GPU));
        assert_same(&data, &expected, &what);
    }
}

fn every<T: EdgeCases + Number>() {
    let (runtime, mut generator) = (runtime(), Generator::fresh());
    binary::<T, _>(&runtime, &mut generator, Add);
    binary::<T, _>(&runtime, &mut generator, Sub);
    binary::<T, _>(&runtime, &mut generator, Mul);
    binary::<T, _>(&runtime, &mut generator, Div);
    unary::<T, _>(&runtime, &mut generator, Square);
    unary::<T, _>(&runtime, &mut generator, Abs);
}

fn floats<T: EdgeCases + Float>(dense: &[T]) {
    let (runtime, mut generator) = (runtime(), Generator::fresh());
    unary::<T, _>(&runtime, &mut generator, Sqrt);
    unary::<T, _>(&runtime, &mut generator, Exp);
    // Random bits are nearly all huge or tiny; these values are where exp varies.
    let dense = Array::from_slice(dense);
    agree(&runtime, Unary::new(Exp, &dense), "exp");
    agree(&runtime, Unary::new(Sqrt, &dense), "sqrt");
    for len in SIZES {
        let input = Array::from_slice(&generator.with_edge_cases::<T>(len));
        for _ in 0..4 {
            let operation = Scale::new(&input, generator.case(), generator.case());
            agree(&runtime, operation, &format!("scale of {len}"));
        }
    }
}

#[test]
fn over_bytes() {
    every::<u8>();
}

#[test]
fn over_signed_integers() {
    every::<i32>();
}

#[test]
fn over_unsigned_integers() {
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
fn the_first_zero_divisor_is_reported() {
    fn zeros<T: EdgeCases + Number>() {
        let runtime = runtime();
        for len in [1, 17, 4097, 10_007] {
            for first in [0, 1, 16, len / 2, len - 1] {
                let first = first.min(len - 1);
                let mut values = vec![T::from_u8(5); len];
                values[first] = T::ZERO;
                values[len - 1] = T::ZERO;
                let left = Array::from_slice(&vec![T::from_u8(9); len]);
                let divisor = Array::from_slice(&values);
                let place = |error: Error| match error {
                    Error::DivisionByZero { dtype, index } => {
                        assert_eq!(dtype, T::DTYPE);
                        index
                    }
                    other => panic!("{other}"),
                };
                for operation in [
                    Binary::new(Div, &left, &divisor),
                    Binary::new(Div, T::from_u8(9), &divisor),
                ] {
                    let error = on(&runtime, GPU, operation.unwrap()).unwrap_err();
                    assert_eq!(place(error), first);
                }
                let mut data = Array::from_slice(&left.to_vec().unwrap());
                let operation = BinaryInPlace::new(Div, &mut data, &divisor).unwrap();
                let error = on(&runtime, GPU, operation).unwrap_err();
                assert_eq!(place(error), first);
                assert_same(&data, &left, "untouched");
            }
        }
    }
    zeros::<u8>();
    zeros::<i32>();
    zeros::<u32>();
}

#[test]
fn large_maps_from_host_to_host_are_streamed() {
    let mut generator = Generator::fresh();
    let runtime = runtime_in_chunks(300_007);
    let len = STREAMED / 4 + 13;
    let values = generator.with_edge_cases::<i32>(len);
    let other = Array::from_slice(&divisors::<i32>(&mut generator, len));
    let left = Array::from_slice(&values);
    let streamed = |operation: Binary<i32, _>| {
        let expected = on(&runtime, DeviceId::CPU, operation.clone()).unwrap();
        let found = on(&runtime, GPU, operation).unwrap();
        assert_eq!(found.residency(), Residency::Host);
        assert_eq!(left.residency(), Residency::Host);
        assert_same(&found, &expected, "streamed");
        expected
    };
    streamed(Binary::new(Div, 1_000_003, &other).unwrap());
    streamed(Binary::new(Div, &left, 3).unwrap());
    let expected = streamed(Binary::new(Div, &left, &other).unwrap());
    let mut data = Array::from_slice(&values);
    on(
        &runtime,
        GPU,
        BinaryInPlace::new(Div, &mut data, &other).unwrap(),
    )
    .unwrap();
    assert_eq!(data.residency(), Residency::Host);
    assert_same(&data, &expected, "streamed in place");

    let mut holes = other.to_vec().unwrap();
    holes[700_001] = 0;
    holes[len - 1] = 0;
    let holes = Array::from_slice(&holes);
    let mut data = Array::from_slice(&values);
    let operation = BinaryInPlace::new(Div, &mut data, &holes).unwrap();
    let error = on(&runtime, GPU, operation).unwrap_err();
    assert!(
        matches!(error, Error::DivisionByZero { index: 700_001, .. }),
        "{error}"
    );
    assert_same(&data, &left, "untouched");

    let floats = Array::from_slice(&generator.with_edge_cases::<f32>(len));
    let scale = Scale::new(&floats, 1.5, -2.25);
    let expected = on(&runtime, DeviceId::CPU, scale.clone()).unwrap();
    assert_same(&on(&runtime, GPU, scale).unwrap(), &expected, "scale");
    let square = Unary::new(Square, &floats);
    let expected = on(&runtime, DeviceId::CPU, square.clone()).unwrap();
    let found = on(&runtime, GPU, square).unwrap();
    assert_eq!(found.residency(), Residency::Host);
    assert_same(&found, &expected, "square");
}

#[test]
fn operands_on_the_gpu_stay_there() {
    let runtime = runtime();
    let len = STREAMED / 4 + 1;
    let large = on(&runtime, GPU, Random::<f32>::new(5, &[len]).unwrap()).unwrap();
    let outcome = runtime
        .run_traced(Binary::new(Mul, &large, &large).unwrap(), Some(GPU))
        .unwrap();
    assert_eq!(outcome.timing.moved.bytes().0, 0);
    assert_eq!(outcome.output.residency(), Residency::Device(GPU));
    let mut data = large;
    let outcome = runtime
        .run_traced(UnaryInPlace::new(Square, &mut data), Some(GPU))
        .unwrap();
    assert_eq!(outcome.timing.moved.bytes().0, 0);
    assert_eq!(data.residency(), Residency::Device(GPU));
}

#[test]
fn two_scalars_make_a_scalar() {
    let runtime = runtime();
    agree(&runtime, Binary::new(Add, 1_i32, 2).unwrap(), "1 + 2");
    agree(&runtime, Binary::new(Sub, 1_u8, 2).unwrap(), "1 - 2");
    agree(&runtime, Binary::new(Div, 1.0_f64, 0.0).unwrap(), "1 / 0");
    let sum = on(&runtime, GPU, Binary::new(Mul, 3_u32, 5).unwrap()).unwrap();
    assert_eq!(
        (sum.shape().extents(), sum.as_slice().unwrap()),
        (&[][..], &[15][..])
    );
}

#[test]
fn shapes_are_kept() {
    let runtime = runtime();
    let cube = Array::from_shape(&[2, 3, 5], &Generator::fresh().bits::<i32>(30)).unwrap();
    agree(&runtime, Binary::new(Add, &cube, &cube).unwrap(), "cube");
    agree(&runtime, Unary::new(Abs, &cube), "cube");
    let mut data = cube.clone();
    on(&runtime, GPU, UnaryInPlace::new(Abs, &mut data)).unwrap();
    assert_eq!(data.shape().extents(), [2, 3, 5]);
    let point = Array::from_shape(&[], &[4_i32]).unwrap();
    agree(&runtime, Unary::new(Square, &point), "point");
}
