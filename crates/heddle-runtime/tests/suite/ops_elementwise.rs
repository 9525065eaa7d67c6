//! Elementwise functions agree with plain Rust, element by element.
#![allow(clippy::unwrap_used)] // A test outside its `#[test]` function is a test still.

use heddle_runtime::ops::{
    Abs, Add, Binary, BinaryFunction, BinaryInPlace, Div, Exp, Mul, Number, Scale, Sqrt, Square,
    Sub, Unary, UnaryFunction, UnaryInPlace,
};
use heddle_runtime::{Array, DType, Error};
use heddle_testing::cpu_ops::{AROUND_THREADING, AWKWARD, device, poison, run, ulps_f32, ulps_f64};
use proptest::prelude::*;

/// Checks for equality, with NaN equal to NaN.
fn assert_same<T: Number>(found: &[T], expected: &[T]) {
    assert_eq!(found.len(), expected.len());
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        let both_nan = a.to_f64().is_nan() && b.to_f64().is_nan();
        assert!(a == b || both_nan, "element {i}: {a} against {b}");
    }
}

fn check_unary<T: Number, F: UnaryFunction<T>>(f: F, data: &[T], expected: impl Fn(T) -> T) {
    let device = device(2);
    let expected: Vec<T> = data.iter().map(|&x| expected(x)).collect();
    let mut array = Array::from_slice(data);
    poison::<T>(data.len());
    let result = run(&device, &mut Unary::new(f, &array)).unwrap();
    assert_same(result.as_slice().unwrap(), &expected);
    run(&device, &mut UnaryInPlace::new(f, &mut array)).unwrap();
    assert_same(array.as_slice().unwrap(), &expected);
}

fn check_binary<T: Number, F: BinaryFunction<T>>(
    f: F,
    left: &[T],
    right: &[T],
    expected: impl Fn(T, T) -> T,
) {
    let device = device(2);
    let (a, b) = (Array::from_slice(left), Array::from_slice(right));
    let pairs = left.iter().zip(right);
    let expect: Vec<T> = pairs.map(|(&x, &y)| expected(x, y)).collect();
    poison::<T>(left.len());
    let result = run(&device, &mut Binary::new(f, &a, &b).unwrap()).unwrap();
    assert_same(result.as_slice().unwrap(), &expect);
    let mut own = a.clone();
    run(&device, &mut BinaryInPlace::new(f, &mut own, &b).unwrap()).unwrap();
    assert_same(own.as_slice().unwrap(), &expect);
    let Some(&scalar) = right.first() else { return };
    let expect: Vec<T> = left.iter().map(|&x| expected(x, scalar)).collect();
    poison::<T>(left.len());
    let result = run(&device, &mut Binary::new(f, &a, scalar).unwrap()).unwrap();
    assert_same(result.as_slice().unwrap(), &expect);
    let mut own = a.clone();
    run(
        &device,
        &mut BinaryInPlace::new(f, &mut own, scalar).unwrap(),
    )
    .unwrap();
    assert_same(own.as_slice().unwrap(), &expect);
    let expect: Vec<T> = right.iter().map(|&y| expected(scalar, y)).collect();
    poison::<T>(right.len());
    let result = run(&device, &mut Binary::new(f, scalar, &b).unwrap()).unwrap();
    assert_same(result.as_slice().unwrap(), &expect);
}

macro_rules! integers {
    ($name:ident, $type:ty) => {
        proptest! {
            #![proptest_config(heddle_testing::depth::cases(24))]
            #[test]
            fn $name(pairs in prop::collection::vec(any::<($type, $type)>(), 0..300)) {
                let (a, b): (Vec<$type>, Vec<$type>) = pairs.into_iter().unzip();
                check_binary(Add, &a, &b, <$type>::wrapping_add);
                check_binary(Sub, &a, &b, <$type>::wrapping_sub);
                check_binary(Mul, &a, &b, <$type>::wrapping_mul);
                let divisors: Vec<$type> = b.iter().map(|&x| if x == 0 { 1 } else { x }).collect();
                check_binary(Div, &a, &divisors, <$type>::wrapping_div);
                check_unary(Square, &a, |x| x.wrapping_mul(x));
            }
        }
    };
}
integers!(u8_arithmetic_wraps, u8);
integers!(u32_arithmetic_wraps, u32);
integers!(i32_arithmetic_wraps, i32);

macro_rules! floats {
    ($name:ident, $type:ty, $bits:ty) => {
        proptest! {
            #![proptest_config(heddle_testing::depth::cases(24))]
            /// Every bit pattern: subnormals, infinities and NaN included.
            #[test]
            fn $name(pairs in prop::collection::vec(any::<($bits, $bits)>(), 0..300)) {
                let (a, b): (Vec<$type>, Vec<$type>) = pairs
                    .into_iter()
                    .map(|(x, y)| (<$type>::from_bits(x), <$type>::from_bits(y)))
                    .unzip();
                check_binary(Add, &a, &b, |x, y| x + y);
                check_binary(Sub, &a, &b, |x, y| x - y);
                check_binary(Mul, &a, &b, |x, y| x * y);
                check_binary(Div, &a, &b, |x, y| x / y);
                check_unary(Square, &a, |x| x * x);
                check_unary(Abs, &a, <$type>::abs);
                check_unary(Sqrt, &a, <$type>::sqrt);
                let device = device(1);
                let array = Array::from_slice(&a);
                let result = run(&device, &mut Scale::new(&array, 3.0, -0.5)).unwrap();
                let expected: Vec<$type> = a.iter().map(|x| x.mul_add(3.0, -0.5)).collect();
                assert_same(result.as_slice().unwrap(), &expected);
            }
        }
    };
}
floats!(f32_arithmetic_is_ieee, f32, u32);
floats!(f64_arithmetic_is_ieee, f64, u64);

#[test]
fn results_are_right_at_awkward_lengths() {
    for len in AWKWARD.into_iter().chain(AROUND_THREADING) {
        let a: Vec<u8> = (0..len).map(|i| (i * 7) as u8).collect();
        let b: Vec<u8> = (0..len).map(|i| (i % 13) as u8 + 1).collect();
        check_binary(Add, &a, &b, u8::wrapping_add);
        check_unary(Square, &a, |x| x.wrapping_mul(x));
    }
    let signed = [i32::MIN, -5, 0, 5, i32::MAX];
    check_unary(Abs, &signed, i32::wrapping_abs);
    check_unary(Abs, &[0_u8, 200], |x| x);
}

fn exp_of<T: heddle_runtime::ops::Float>(data: &[T]) -> Vec<T> {
    poison::<T>(data.len());
    let mut exp = Unary::new(Exp, &Array::from_slice(data));
    run(&device(2), &mut exp).unwrap().to_vec().unwrap()
}

/// Every 4099th float, subnormal results, infinities and NaNs among them.
#[test]
fn exp_of_f32_is_within_two_ulp() {
    let inputs: Vec<f32> = (0..=u32::MAX).step_by(4099).map(f32::from_bits).collect();
    // Most floats are tiny or huge; over these the result varies.
    let varied = (0..400_000).map(|i| i as f32 * 0.0005 - 106.0);
    let inputs: Vec<f32> = inputs.into_iter().chain(varied).collect();
    let mut worst = 0;
    for (&x, &found) in inputs.iter().zip(&exp_of(&inputs)) {
        let error = ulps_f32(found, f64::from(x).exp() as f32);
        assert!(error <= 2, "exp({x:e}) = {found:e}, {error} ulp off");
        worst = worst.max(error);
    }
    assert!(worst > 0, "the test compares the function with itself");
}

#[test]
fn exp_of_f64_is_within_two_ulp() {
    let inputs: Vec<f64> = (0..300_000)
        .map(|i| f64::from(i) * 0.004_987_654_321 - 748.0)
        .chain((0..50_000).map(|i| f64::from_bits(0x0001_4f8b_588e_3687 * i)))
        .collect();
    for (&x, &found) in inputs.iter().zip(&exp_of(&inputs)) {
        let error = ulps_f64(found, x.exp());
        assert!(error <= 2, "exp({x:e}) = {found:e}, {error} ulp off");
    }
}

#[test]
fn exp_is_right_at_the_ends_of_its_range() {
    let found = exp_of(&[f32::NEG_INFINITY, -104.0, -0.0, 0.0, 88.8, f32::INFINITY]);
    assert_eq!(found, [0.0, 0.0, 1.0, 1.0, f32::INFINITY, f32::INFINITY]);
    let found = exp_of(&[f64::NEG_INFINITY, -746.0, -0.0, 0.0, 709.8, f64::INFINITY]);
    assert_eq!(found, [0.0, 0.0, 1.0, 1.0, f64::INFINITY, f64::INFINITY]);
    assert!(exp_of(&[f32::NAN])[0].is_nan() && exp_of(&[-f64::NAN])[0].is_nan());
    assert!(exp_of(&[-100.0_f32])[0].is_subnormal() && exp_of(&[-740.0_f64])[0].is_subnormal());
}

#[test]
fn an_integer_zero_divisor_is_refused_with_its_index() {
    let device = device(2);
    let len = 2_000_000;
    let ones = Array::from_slice(&vec![1_i32; len]);
    for places in [
        vec![0],
        vec![len - 1],
        vec![1_999_000, 1_200_345, 1_999_999],
    ] {
        let mut values = vec![3_i32; len];
        for &place in &places {
            values[place] = 0;
        }
        let divisor = Array::from_slice(&values);
        let first = places.iter().copied().min().unwrap();
        let refused = |error| matches!(error, Error::DivisionByZero { dtype: DType::I32, index } if index == first);
        let error = run(&device, &mut Binary::new(Div, &ones, &divisor).unwrap()).unwrap_err();
        assert!(refused(error));
        let error = run(&device, &mut Binary::new(Div, 6, &divisor).unwrap()).unwrap_err();
        assert!(refused(error));
        let mut own = ones.clone();
        let error = run(
            &device,
            &mut BinaryInPlace::new(Div, &mut own, &divisor).unwrap(),
        )
        .unwrap_err();
        assert!(refused(error));
        assert!(own.as_slice().unwrap().iter().all(|&x| x == 1));
    }
    assert!(Binary::new(Div, &ones, 0).is_err());
    assert!(Binary::new(Div, Array::<i32>::from_slice(&[]), 0).is_ok());
    assert!(Binary::new(Div, Array::from_slice(&[1.0_f32]), 0.0).is_ok());
}

#[test]
fn different_shapes_are_refused() {
    let a = Array::<f32>::zeros(&[2, 3]).unwrap();
    let b = Array::<f32>::zeros(&[3, 2]).unwrap();
    assert!(matches!(
        Binary::new(Add, &a, &b),
        Err(Error::ShapeMismatch { .. })
    ));
    assert!(BinaryInPlace::new(Sub, &mut a.clone(), &b).is_err());
    let sum = run(&device(1), &mut Binary::new(Add, &a, 1.0).unwrap()).unwrap();
    assert_eq!(sum.shape(), a.shape());
    let scalar = run(&device(1), &mut Binary::new(Add, 1.0_f32, 2.0).unwrap()).unwrap();
    assert_eq!(
        (scalar.shape().rank(), scalar.as_slice().unwrap()),
        (0, &[3.0][..])
    );
}
