//! Xor is right at every length, phase and key, and undoes itself.
#![allow(clippy::unwrap_used)] // A test outside its `#[test]` function is a test still.

use heddle_runtime::ops::{BitElement, Xor, XorInPlace};
use heddle_runtime::{Array, Error};
use heddle_testing::cpu_ops::{AROUND_THREADING, AWKWARD, device, poison, run};
use proptest::prelude::*;

fn reference<T: BitElement>(data: &[T], key: &[T]) -> Vec<T> {
    data.iter()
        .enumerate()
        .map(|(i, &x)| x.xor(key[i % key.len()]))
        .collect()
}

fn check<T: BitElement>(data: &[T], key: &[T]) {
    let device = device(2);
    let expected = reference(data, key);
    let mut array = Array::from_slice(data);
    let key = Array::from_slice(key);
    poison::<T>(data.len());
    let result = run(&device, &mut Xor::new(&array, &key).unwrap()).unwrap();
    assert_eq!(result.as_slice().unwrap(), expected);
    let back = run(&device, &mut Xor::new(&result, &key).unwrap()).unwrap();
    assert_eq!(back.as_slice().unwrap(), data);
    run(&device, &mut XorInPlace::new(&mut array, &key).unwrap()).unwrap();
    assert_eq!(array.as_slice().unwrap(), expected);
}

proptest! {
    #![proptest_config(heddle_testing::depth::cases(64))]

    #[test]
    fn xor_of_u8_is_right(
        data in prop::collection::vec(any::<u8>(), 0..9000),
        key in prop::collection::vec(any::<u8>(), 1..5000),
    ) {
        check(&data, &key);
    }

    #[test]
    fn xor_with_a_short_key_is_right(
        data in prop::collection::vec(any::<u8>(), 0..9000),
        key in prop::collection::vec(any::<u8>(), 1..9),
    ) {
        check(&data, &key);
    }

    #[test]
    fn xor_of_u32_is_right(
        data in prop::collection::vec(any::<u32>(), 0..600),
        key in prop::collection::vec(any::<u32>(), 1..70),
    ) {
        check(&data, &key);
    }

    #[test]
    fn xor_of_i32_is_right(
        data in prop::collection::vec(any::<i32>(), 0..600),
        key in prop::collection::vec(any::<i32>(), 1..70),
    ) {
        check(&data, &key);
    }
}

#[test]
fn xor_is_right_at_awkward_lengths() {
    for len in AWKWARD.into_iter().chain(AROUND_THREADING) {
        let data: Vec<u8> = (0..len).map(|i| (i * 7) as u8).collect();
        for period in [1, 3, 64, 4095, 70_001] {
            let key: Vec<u8> = (0..period).map(|i| (i * 31 + 9) as u8).collect();
            check(&data, &key);
        }
    }
}

#[test]
fn shapes_are_kept_and_clones_are_unchanged() {
    let device = device(1);
    let data = Array::from_shape(&[2, 3], &[1_u8, 2, 3, 4, 5, 6]).unwrap();
    let key = Array::from_slice(&[255_u8]);
    let result = run(&device, &mut Xor::new(&data, &key).unwrap()).unwrap();
    assert_eq!(result.shape(), data.shape());
    let mut copy = data.clone();
    run(&device, &mut XorInPlace::new(&mut copy, &key).unwrap()).unwrap();
    assert_eq!(copy.as_slice().unwrap(), result.as_slice().unwrap());
    assert_eq!(data.as_slice().unwrap()[0], 1);
}

#[test]
fn an_empty_key_is_refused_unless_the_data_is_empty() {
    let none = Array::<u8>::from_slice(&[]);
    let some = Array::from_slice(&[1_u8]);
    assert!(matches!(Xor::new(&some, &none), Err(Error::EmptyKey)));
    assert!(matches!(
        XorInPlace::new(&mut some.clone(), &none),
        Err(Error::EmptyKey)
    ));
    let result = run(&device(1), &mut Xor::new(&none, &none).unwrap()).unwrap();
    assert!(result.is_empty());
}
