//! Exclusive or gives the CPU's bits on a GPU, for every type and key.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_runtime::array::Residency;
use heddle_runtime::device::DeviceId;
use heddle_runtime::ops::{BitElement, Xor, XorInPlace};
use heddle_runtime::{Array, Runtime};

use heddle_testing::Random;
use heddle_testing::agreement::{
    GPU, SIZES, STREAMED, agree, assert_same, on, runtime, runtime_in_chunks,
};

fn check<T: BitElement>(runtime: &Runtime, random: &mut Random, len: usize, key_len: usize) {
    let what = format!("xor of {len} with a key of {key_len}");
    let values = random.bits::<T>(len);
    let data = Array::from_slice(&values);
    let key = Array::from_slice(&random.bits::<T>(key_len));
    let operation = Xor::new(&data, &key).unwrap();
    let expected = on(runtime, DeviceId::CPU, operation.clone()).unwrap();
    agree(runtime, operation, &what);
    for shared in [false, true] {
        let mut data = Array::from_slice(&values);
        let other = shared.then(|| data.clone());
        on(runtime, GPU, XorInPlace::new(&mut data, &key).unwrap()).unwrap();
        assert_eq!(data.residency(), Residency::Device(GPU));
        assert_same(&data, &expected, &what);
        if let Some(other) = other {
            assert_same(&other, &Array::from_slice(&values), &what);
        }
    }
}

fn every<T: BitElement>() {
    let (runtime, mut random) = (runtime(), Random::fresh());
    for len in SIZES {
        for key_len in [1, 2, 3, 4, 5, 16, 17, 64, 1009, len.max(1), len + 1] {
            check::<T>(&runtime, &mut random, len, key_len);
        }
    }
    check::<T>(&runtime, &mut random, 0, 0);
}

#[test]
fn over_bytes() {
    every::<u8>();
}

#[test]
fn over_unsigned_integers() {
    every::<u32>();
}

#[test]
fn over_signed_integers() {
    every::<i32>();
}

#[test]
fn by_itself_is_zero() {
    let runtime = runtime();
    let mut data = Array::from_slice(&Random::fresh().bits::<u32>(1001));
    let key = data.clone();
    on(&runtime, GPU, XorInPlace::new(&mut data, &key).unwrap()).unwrap();
    assert_eq!(data.to_vec().unwrap(), [0; 1001]);
}

#[test]
fn large_data_on_the_host_is_streamed() {
    fn streamed<T: BitElement>() {
        let mut random = Random::fresh();
        let runtime = runtime_in_chunks(100_003);
        let len = STREAMED / size_of::<T>() + 5;
        let values = random.bits::<T>(len);
        let data = Array::from_slice(&values);
        for key_len in [1, 7, 16, 4099, len, len + 3] {
            let key = Array::from_slice(&random.bits::<T>(key_len));
            let operation = Xor::new(&data, &key).unwrap();
            let expected = on(&runtime, DeviceId::CPU, operation.clone()).unwrap();
            let found = on(&runtime, GPU, operation).unwrap();
            assert_eq!(found.residency(), Residency::Host);
            assert_same(&found, &expected, "streamed");
            let mut data = Array::from_slice(&values);
            on(&runtime, GPU, XorInPlace::new(&mut data, &key).unwrap()).unwrap();
            assert_eq!(data.residency(), Residency::Host);
            assert_same(&data, &expected, "streamed in place");
        }
    }
    streamed::<u8>();
    streamed::<u32>();
}
