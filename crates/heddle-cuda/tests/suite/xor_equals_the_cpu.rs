//! Exclusive or gives the CPU's bits on a GPU where the conformance suite has no case: over
//! itself, and in chunks.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_runtime::Array;
use heddle_runtime::array::Residency;
use heddle_runtime::ops::{BitElement, Xor, XorInPlace};
use heddle_testing::Random;
use heddle_testing::agreement::{CpuGpuPair, STREAMED, assert_same};

#[test]
fn by_itself_is_zero() {
    let pair = CpuGpuPair::new();
    let mut data = Array::from_slice(&Random::fresh().bits::<u32>(1001));
    let key = data.clone();
    pair.gpu(XorInPlace::new(&mut data, &key).unwrap());
    assert_eq!(data.to_vec().unwrap(), [0; 1001]);
}

#[test]
fn large_data_on_the_host_is_streamed() {
    fn streamed<T: BitElement>() {
        let mut random = Random::fresh();
        let pair = CpuGpuPair::in_chunks(100_003);
        let len = STREAMED / size_of::<T>() + 5;
        let values = random.bits::<T>(len);
        let data = Array::from_slice(&values);
        for key_len in [1, 7, 16, 4099, len, len + 3] {
            let key = Array::from_slice(&random.bits::<T>(key_len));
            let operation = Xor::new(&data, &key).unwrap();
            let expected = pair.same_bits(operation, Residency::Host, "streamed");
            let mut data = Array::from_slice(&values);
            pair.gpu(XorInPlace::new(&mut data, &key).unwrap());
            assert_eq!(data.residency(), Residency::Host);
            assert_same(&data, &expected, "streamed in place");
        }
    }
    streamed::<u8>();
    streamed::<u32>();
}
