//! A batch returns the results of its operations run one by one, in their order, on the CPU
//! and on an emulated GPU.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_runtime::device::DeviceId;
use heddle_runtime::ops::{Exp, MatMul, Square, Xor};
use heddle_runtime::{Array, Error, Runtime};
use heddle_testing::several_gpus::{bytes, forced, matrix, small, xored};
use proptest::prelude::*;

/// The CPU alone, and an emulated GPU that takes every operation.
fn both() -> [Runtime; 2] {
    let cpu = Runtime::builder().without_model_cache().build().unwrap();
    [cpu, forced(small())]
}

fn check_xor(runtime: &Runtime, cases: &[(Vec<u8>, Vec<u8>)]) {
    let arrays: Vec<_> = cases
        .iter()
        .map(|(data, key)| (Array::from_slice(data), Array::from_slice(key)))
        .collect();
    let results = runtime.xor_batch(arrays.iter().map(|(data, key)| (data, key)));
    assert_eq!(results.len(), cases.len());
    for ((data, key), result) in cases.iter().zip(results) {
        assert_eq!(result.unwrap().as_slice().unwrap(), xored(data, key));
    }
}

#[test]
fn xors_of_ragged_lengths_and_keys() {
    for runtime in both() {
        for keys in [&[1_usize, 3, 16, 33, 700][..], &[2000]] {
            let cases: Vec<_> = [0_usize, 1, 5, 16, 17, 100, 1000, 0, 1024, 31]
                .iter()
                .enumerate()
                .map(|(item, &len)| (bytes(len, item), bytes(keys[item % keys.len()], item + 50)))
                .collect();
            check_xor(&runtime, &cases);
        }
    }
}

#[test]
fn a_shared_key_is_uploaded_once() {
    let runtime = forced(small());
    let key = Array::from_slice(&bytes(40, 1));
    let items: Vec<_> = (0..64)
        .map(|item| Array::from_slice(&bytes(64, item)))
        .collect();
    let results = runtime.xor_batch(items.iter().map(|data| (data, &key)));
    for (item, result) in items.iter().zip(&results) {
        let expected = xored(item.as_slice().unwrap(), key.as_slice().unwrap());
        assert_eq!(result.as_ref().unwrap().as_slice().unwrap(), expected);
    }
    // Uploaded: the data, the key on lines of 16 bytes and three numbers for each item;
    // downloaded: as much as the data.
    let moved = runtime.report().summary.totals.bytes_moved;
    assert_eq!(moved, 64 * 64 + 48 + 64 * 24 + 64 * 64);
    let statistics = runtime.batch_statistics();
    assert_eq!((statistics.batches(), statistics.items()), (1, 64));
    assert_eq!(statistics.kinds[0].devices[0].device, DeviceId::simt(0));
    assert_eq!(statistics.kinds[0].kind, "xor-batch");
}

#[test]
fn a_batch_that_streams_in_chunks_is_right() {
    let runtime = forced(small());
    // Together above the 4 MiB from which maps are streamed.
    let cases: Vec<_> = (0..90)
        .map(|item| (bytes(60_000 + item * 7, item), bytes(100 + item, item)))
        .collect();
    check_xor(&runtime, &cases);
}

#[test]
fn an_empty_batch_has_no_results() {
    for runtime in both() {
        assert!(runtime.batch(Vec::<Xor<u8>>::new()).is_empty());
        assert!(runtime.matmul_batch::<f32>([]).is_empty());
        assert_eq!(runtime.batch_statistics().to_string(), "nothing was merged");
    }
}

#[test]
fn products_of_several_shapes_in_order() {
    for runtime in both() {
        let shapes = [
            (4, 5, 6),
            (16, 16, 16),
            (4, 5, 6),
            (1, 1, 1),
            (16, 16, 16),
            (3, 0, 2),
        ];
        let pairs: Vec<_> = shapes
            .iter()
            .enumerate()
            .map(|(item, &(m, k, n))| (matrix(m, k, item), matrix(k, n, item + 9)))
            .collect();
        let results = runtime.matmul_batch(pairs.iter().map(|(lhs, rhs)| (lhs, rhs)));
        for ((lhs, rhs), result) in pairs.iter().zip(results) {
            let alone = runtime.run_on(DeviceId::CPU, MatMul::new(lhs, rhs).unwrap());
            let (alone, result) = (alone.unwrap(), result.unwrap());
            assert_eq!(result.shape(), alone.shape());
            assert_eq!(result.as_slice().unwrap(), alone.as_slice().unwrap());
        }
    }
}

#[test]
fn a_shared_matrix_is_not_packed() {
    for runtime in both() {
        let shared = matrix(8, 8, 3);
        let items: Vec<_> = (0..5).map(|item| matrix(8, 8, item)).collect();
        let right = runtime.matmul_batch(items.iter().map(|item| (item, &shared)));
        let left = runtime.matmul_batch(items.iter().map(|item| (&shared, item)));
        for (index, item) in items.iter().enumerate() {
            let cpu = |operation| runtime.run_on(DeviceId::CPU, operation).unwrap();
            let expected = cpu(MatMul::new(item, &shared).unwrap());
            let found = right[index].as_ref().unwrap();
            assert_eq!(found.as_slice().unwrap(), expected.as_slice().unwrap());
            let expected = cpu(MatMul::new(&shared, item).unwrap());
            let found = left[index].as_ref().unwrap();
            assert_eq!(found.as_slice().unwrap(), expected.as_slice().unwrap());
        }
    }
}

#[test]
fn maps_of_ragged_shapes_and_scalars() {
    for runtime in both() {
        let arrays: Vec<Array<f32>> = [3_usize, 0, 17, 256, 1]
            .iter()
            .map(|&len| Array::from_slice(&(0..len).map(|x| x as f32).collect::<Vec<_>>()))
            .collect();
        let sums = runtime.add_batch(arrays.iter().map(|array| (array, array)));
        let scaled = runtime.mul_batch(arrays.iter().zip(2_u8..).map(|(a, by)| (a, f32::from(by))));
        let shared = runtime.sub_batch(arrays.iter().map(|array| (10.0_f32, array)));
        let squares = runtime.unary_batch(Square, &arrays);
        let powers = runtime.unary_batch(Exp, &arrays);
        for (index, array) in arrays.iter().enumerate() {
            let x = array.as_slice().unwrap();
            let is = |results: &[Result<Array<f32>, Error>], f: &dyn Fn(f32) -> f32| {
                let expected: Vec<f32> = x.iter().map(|&x| f(x)).collect();
                assert_eq!(
                    results[index].as_ref().unwrap().as_slice().unwrap(),
                    expected
                );
            };
            is(&sums, &|x| x + x);
            is(&scaled, &|x| x * (index as f32 + 2.0));
            is(&shared, &|x| 10.0 - x);
            is(&squares, &|x| x * x);
            assert_eq!(powers[index].as_ref().unwrap().len(), x.len());
        }
        let scalars = runtime.add_batch([(1.0_f32, 2.0_f32), (3.0, 4.0)]);
        let values: Vec<f32> = scalars
            .iter()
            .map(|result| result.as_ref().unwrap().as_slice().unwrap()[0])
            .collect();
        assert_eq!(values, [3.0, 7.0]);
    }
}

#[test]
fn one_bad_item_fails_alone() {
    for runtime in both() {
        let array = |values: &[i32]| Array::from_slice(values);
        let pairs = [
            (array(&[8, 6]), array(&[2, 3])),
            (array(&[1, 2, 3]), array(&[1, 0, 1])),
            (array(&[1, 2]), array(&[1, 2, 3])),
            (array(&[9]), array(&[3])),
        ];
        let results = runtime.div_batch(pairs.iter().map(|(left, right)| (left, right)));
        assert_eq!(results[0].as_ref().unwrap().as_slice().unwrap(), [4, 2]);
        assert!(matches!(
            results[1],
            Err(Error::DivisionByZero { index: 1, .. })
        ));
        assert!(matches!(results[2], Err(Error::ShapeMismatch { .. })));
        assert_eq!(results[3].as_ref().unwrap().as_slice().unwrap(), [3]);
        let all_bad = runtime.div_batch(pairs[1..3].iter().map(|(left, right)| (left, right)));
        assert!(all_bad.iter().all(Result::is_err));
        let data = Array::from_slice(b"abc");
        let (key, none) = (Array::from_slice(b"k"), Array::from_slice(b""));
        let results = runtime.xor_batch([(&data, &key), (&data, &none), (&data, &key)]);
        assert!(matches!(results[1], Err(Error::EmptyKey)));
        assert!(results[0].is_ok() && results[2].is_ok());
    }
}

#[test]
fn kinds_mix_in_one_batch() {
    for runtime in both() {
        let mut mixed = runtime.mixed();
        let (data, key) = (
            Array::from_slice(b"shared secret"),
            Array::from_slice(b"key"),
        );
        let products: Vec<_> = (0..4)
            .map(|item| {
                let pair = (matrix(4, 4, item), matrix(4, 4, item + 1));
                let product = mixed.push(MatMul::new(&pair.0, &pair.1).unwrap());
                let secret = mixed.push(Xor::new(&data, &key).unwrap());
                (pair, product, secret)
            })
            .collect();
        mixed.run();
        for ((lhs, rhs), product, secret) in products {
            let expected = runtime.run_on(DeviceId::CPU, MatMul::new(&lhs, &rhs).unwrap());
            let product = product.wait().unwrap();
            assert_eq!(
                product.as_slice().unwrap(),
                expected.unwrap().as_slice().unwrap()
            );
            assert_eq!(
                secret.wait().unwrap().as_slice().unwrap(),
                xored(b"shared secret", b"key")
            );
        }
        assert_eq!(runtime.batch_statistics().batches(), 2);
    }
}

#[test]
fn resident_operands_stay_on_the_gpu() {
    let runtime = forced(small());
    let key = Array::from_slice(&bytes(7, 1));
    let made: Vec<_> = (0..6)
        .map(|item| {
            runtime
                .xor(&Array::from_slice(&bytes(100, item)), &key)
                .unwrap()
        })
        .collect();
    let again = runtime.xor_batch(made.iter().map(|made| (made, &key)));
    for (item, result) in again.iter().enumerate() {
        let result = result.as_ref().unwrap();
        assert!(result.residency().is_on(DeviceId::simt(0)));
        assert_eq!(result.as_slice().unwrap(), bytes(100, item));
    }
    let statistics = runtime.batch_statistics();
    assert_eq!(statistics.kinds[0].kind, "xor-batch-resident");
}

proptest! {
    #![proptest_config(heddle_testing::depth::cases(48))]

    #[test]
    fn any_batch_of_xors_is_its_items(
        cases in prop::collection::vec((0_usize..300, 1_usize..60), 1..40),
    ) {
        let cases: Vec<_> = cases
            .iter()
            .enumerate()
            .map(|(item, &(len, key))| (bytes(len, item), bytes(key, item)))
            .collect();
        for runtime in both() {
            check_xor(&runtime, &cases);
        }
    }
}
