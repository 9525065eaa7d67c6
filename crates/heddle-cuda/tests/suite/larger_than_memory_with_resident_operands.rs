//! Operands of which some are on a GPU that has no memory for the rest, and any operation
//! in any amount of memory.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_runtime::device::Device;
use heddle_runtime::ops::{
    Add, Binary, BinaryInPlace, Div, MatMul, Max, Normalize, NormalizeMode, Number, Square, Std,
    Sum, Transpose, UnaryInPlace, Xor, XorInPlace,
};
use heddle_runtime::{Array, Error, Residency};
use heddle_testing::Random;
use heddle_testing::agreement::assert_same;
use heddle_testing::small_gpu::{MIB, SmallGpu};
use proptest::prelude::*;

/// Small positive values, none of them zero.
fn small_positive<T: Number>(random: &mut Random, len: usize) -> Array<T> {
    let values: Vec<T> = (0..len)
        .map(|_| T::from_u8((random.word() % 255) as u8 + 1))
        .collect();
    Array::from_slice(&values)
}

/// A GPU of which `left` takes three eighths; `right`, of the same size, is on the host,
/// and the GPU cannot hold it and a result.
fn nearly_full_gpu<T: Number>(random: &mut Random) -> (SmallGpu, Array<T>, Array<T>) {
    let small = SmallGpu::new(8 * MIB);
    let len = 3 * MIB as usize / size_of::<T>();
    let left = small.resident(&small_positive::<T>(random, len));
    let right = small_positive::<T>(random, len);
    (small, left, right)
}

#[test]
fn one_side_of_a_map_is_on_the_device() {
    let mut random = Random::fresh();
    let (small, left, right) = nearly_full_gpu::<i32>(&mut random);
    let [expected, found] = small.agree(Binary::new(Add, &left, &right).unwrap(), "left");
    assert_same(&found, &expected, "left");
    assert_eq!(found.residency(), Residency::Host);
    assert_eq!(right.residency(), Residency::Host);
    // An array that was read on the host may leave the device, so each operation gets a new
    // copy.
    let left = small.resident(&left);
    small.agree(Binary::new(Div, &right, &left).unwrap(), "right");
    let left = small.resident(&left);
    small.agree(Xor::new(&right, &left).unwrap(), "key");
    let left = small.resident(&left);
    small.agree(Xor::new(&left, &right).unwrap(), "data");
    let left = small.resident(&left);
    let short = small_positive::<i32>(&mut random, 700_000);
    small.agree(Xor::new(&left, &short).unwrap(), "short key");
}

#[test]
fn data_overwritten_in_place_moves_to_the_host() {
    let mut random = Random::fresh();
    let (small, mut data, right) = nearly_full_gpu::<u32>(&mut random);
    // Its only copy is on the device, which also has memory for the key.
    small
        .gpu(XorInPlace::new(&mut data, &right).unwrap())
        .unwrap();
    assert_eq!(data.residency(), Residency::Device(small.gpu.id()));
    right.evict();
    // With less free memory it passes through.
    let other = small.resident(&small_positive::<u32>(&mut random, MIB as usize * 3 / 4));
    let expected = small.cpu(Xor::new(&data, &right).unwrap()).unwrap();
    small
        .gpu(XorInPlace::new(&mut data, &right).unwrap())
        .unwrap();
    assert_eq!(data.residency(), Residency::Host);
    assert_same(&data, &expected, "in place");
    assert_eq!(small.gpu.free_memory().0, 5 * MIB);
    drop(other);
    assert_eq!(small.gpu.free_memory().0, 8 * MIB);
}

#[test]
fn shared_data_is_left_alone() {
    let mut random = Random::fresh();
    let (small, data, _) = nearly_full_gpu::<f32>(&mut random);
    let blocker = small.resident(&small_positive::<f32>(&mut random, MIB as usize * 3 / 4));
    let before = Array::from_slice(&data.to_vec().unwrap());
    let mut over = data.clone();
    small.gpu(UnaryInPlace::new(Square, &mut over)).unwrap();
    assert_same(&data, &before, "shared");
    assert_eq!(over.residency(), Residency::Host);
    drop(blocker);
}

#[test]
fn resident_arrays_are_reduced_on_the_device() {
    let mut random = Random::fresh();
    let (small, input, _) = nearly_full_gpu::<f64>(&mut random);
    let (_, timing) = small.gpu(Sum::new(&input)).unwrap();
    assert_eq!(timing.moved.up.0, 0);
    assert_eq!(input.residency(), Residency::Device(small.gpu.id()));
    let blocker = small.resident(&small_positive::<f64>(&mut random, MIB as usize * 3 / 8));
    for mode in [
        NormalizeMode::ZScore,
        NormalizeMode::MinMax,
        NormalizeMode::Unit,
    ] {
        let [_, found] = small.agree(Normalize::new(&input, mode), "normalize");
        assert_eq!(found.residency(), Residency::Host);
    }
    drop(blocker);
}

#[test]
fn either_side_of_a_product_is_on_the_device() {
    let (small, mut random) = (SmallGpu::new(6 * MIB), Random::fresh());
    let matrix = |random: &mut Random, rows: usize, columns: usize| {
        let values: Vec<f32> = (0..rows * columns)
            .map(|_| random.signed() as f32)
            .collect();
        Array::from_shape(&[rows, columns], &values).unwrap()
    };
    let (wide, tall) = (
        matrix(&mut random, 40, 20_000),
        matrix(&mut random, 20_000, 40),
    );
    let (m, k) = (matrix(&mut random, 300, 40), matrix(&mut random, 40, 300));
    let check = |lhs: &Array<f32>, rhs: &Array<f32>, what| {
        let [_, found] = small.agree(MatMul::new(lhs, rhs).unwrap(), what);
        assert_eq!(found.residency(), Residency::Host, "{what}");
    };
    check(&m, &small.resident(&wide), "the right one is there");
    check(&small.resident(&tall), &k, "the left one is there");
    let (m, wide) = (small.resident(&m), small.resident(&wide));
    check(&m, &wide, "both are there");
}

#[test]
fn a_zero_divisor_is_found_in_any_piece() {
    let (small, mut random) = (SmallGpu::new(4 * MIB), Random::fresh());
    let left = small_positive::<i32>(&mut random, 3 * MIB as usize);
    for place in [0, 1_000_003, left.len() - 1] {
        let mut right = small_positive::<i32>(&mut random, left.len());
        right.as_mut_slice().unwrap()[place] = 0;
        let refused = |error: Option<Error>| match error {
            Some(Error::DivisionByZero { index, .. }) => assert_eq!(index, place),
            other => panic!("{other:?}"),
        };
        refused(small.gpu(Binary::new(Div, &left, &right).unwrap()).err());
        let mut data = left.clone();
        refused(
            small
                .gpu(BinaryInPlace::new(Div, &mut data, &right).unwrap())
                .err(),
        );
        assert_same(&data, &left, "refused");
        assert_eq!(small.gpu.free_memory().0, 4 * MIB);
    }
}

proptest! {
    #![proptest_config(heddle_testing::depth::cases(24))]

    /// Any memory above the minimum, any size and any place of an operand.
    #[test]
    fn any_memory_and_any_size(
        memory in 2 * MIB + 300..7 * MIB,
        len in 1_usize..3 << 20,
        key in 1_usize..2 << 20,
        rows in 1_usize..3000,
        seed in any::<u64>(),
    ) {
        let (small, mut random) = (SmallGpu::new(memory), Random::seeded(seed));
        let bytes = small_positive::<u8>(&mut random, len);
        let words = small_positive::<i32>(&mut random, len / 2 + 1);
        let floats = small_positive::<f32>(&mut random, len / 2 + 1);
        let keys = small_positive::<u8>(&mut random, key);
        let rows = rows.min(floats.len());
        let columns = floats.len() / rows;
        let elements = &floats.as_slice().unwrap()[..rows * columns];
        let matrix = Array::from_shape(&[rows, columns], elements).unwrap();
        let thin = small_positive::<f32>(&mut random, columns * 3).reshape(&[columns, 3]).unwrap();
        let agree = |what: Result<(), String>| {
            prop_assert_eq!(what, Ok(()));
            // The operands that fitted have stayed, and nothing else.
            bytes.evict();
            keys.evict();
            words.evict();
            floats.evict();
            matrix.evict();
            thin.evict();
            prop_assert_eq!(small.gpu.free_memory().0, memory);
            Ok(())
        };
        agree(small.same(Xor::new(&bytes, &keys).unwrap()))?;
        agree(small.same(Binary::new(Div, &words, &words).unwrap()))?;
        agree(small.same(Binary::new(Add, &floats, 3.0).unwrap()))?;
        agree(small.same(Sum::new(&words)))?;
        agree(small.same(Max::new(&bytes).unwrap()))?;
        agree(small.same(Std::new(&floats).unwrap()))?;
        agree(small.same(Normalize::new(&floats, NormalizeMode::ZScore)))?;
        agree(small.same(Transpose::new(&matrix).unwrap()))?;
        agree(small.same(MatMul::new(&matrix, &thin).unwrap()))?;
    }
}
