//! Operands of several times a GPU's memory: the results are right, and no allocation
//! exceeds the memory.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_runtime::ops::{
    Abs, Add, BatchMatMul, Binary, BinaryFunction, BinaryInPlace, BitElement, Div, Exp, Float,
    MatMul, Max, Mean, Min, Mul, Normalize, NormalizeMode, Number, Scale, Sqrt, Square, Std, Sub,
    Sum, Summable, Transpose, Unary, UnaryFunction, UnaryInPlace, Xor, XorInPlace,
};
use heddle_runtime::{Array, Residency};
use heddle_testing::Random;
use heddle_testing::agreement::{CpuGpuPair, assert_same};
use heddle_testing::small_gpu::{MIB, SmallGpu};

/// The memory of the GPU, and the multiple of it that the operands take.
const MEMORY: u64 = 4 * MIB;
const TIMES: u64 = 3;
/// The smallest memory that large operations run in, for those that are slow on the
/// emulator.
const SMALL_MEMORY: u64 = 2 * MIB;

/// An array of `times` the memory, plus some elements that do not fill a line.
fn larger<T: Number>(random: &mut Random, times: u64) -> Array<T> {
    let len = (times * MEMORY) as usize / size_of::<T>() + 3;
    small_positive(random, len)
}

/// Small positive values, none of them zero.
fn small_positive<T: Number>(random: &mut Random, len: usize) -> Array<T> {
    let values: Vec<T> = (0..len)
        .map(|_| T::from_u8((random.word() % 255) as u8 + 1))
        .collect();
    Array::from_slice(&values)
}

fn unary<T: Number, F: UnaryFunction<T> + Copy>(small: &SmallGpu, function: F, input: &Array<T>) {
    let what = format!("{} of {}", function.kind(), T::DTYPE);
    let [expected, found] = small.agree(Unary::new(function, input), &what);
    assert_eq!(found.residency(), Residency::Host, "{what}");
    let mut data = Array::from_slice(input.as_slice().unwrap());
    small.gpu(UnaryInPlace::new(function, &mut data)).unwrap();
    if function.tolerance() == 0.0 {
        assert_same(&found, &expected, &what);
    }
    assert_same(&data, &found, &format!("{what} in place"));
}

fn binary<T: Number, F: BinaryFunction<T> + Copy>(
    small: &SmallGpu,
    function: F,
    left: &Array<T>,
    right: &Array<T>,
) {
    let what = format!("{} of {}", function.kind(), T::DTYPE);
    let scalar = T::from_u8(7);
    let [expected, found] = small.agree(Binary::new(function, left, right).unwrap(), &what);
    assert_same(&found, &expected, &what);
    assert_eq!(found.residency(), Residency::Host, "{what}");
    let [to_right, _] = small.agree(Binary::new(function, left, scalar).unwrap(), &what);
    small.agree(Binary::new(function, scalar, right).unwrap(), &what);
    small.agree(Binary::new(function, left, left).unwrap(), &what);

    let mut data = Array::from_slice(left.as_slice().unwrap());
    small
        .gpu(BinaryInPlace::new(function, &mut data, right).unwrap())
        .unwrap();
    assert_same(&data, &expected, &format!("{what} in place"));
    let mut data = left.clone();
    small
        .gpu(BinaryInPlace::new(function, &mut data, scalar).unwrap())
        .unwrap();
    assert_same(&data, &to_right, &format!("{what} in place"));
}

fn maps<T: Number>() {
    let (small, mut random) = (SmallGpu::new(MEMORY), Random::fresh());
    let left = larger::<T>(&mut random, TIMES);
    let right = small_positive::<T>(&mut random, left.len());
    unary(&small, Square, &left);
    unary(&small, Abs, &left);
    binary(&small, Add, &left, &right);
    binary(&small, Sub, &left, &right);
    binary(&small, Mul, &left, &right);
    binary(&small, Div, &left, &right);
}

#[test]
fn maps_of_bytes() {
    maps::<u8>();
}

#[test]
fn maps_of_signed_integers() {
    maps::<i32>();
}

#[test]
fn maps_of_unsigned_integers() {
    maps::<u32>();
}

fn float_maps<T: Float>() {
    maps::<T>();
    let (small, mut random) = (SmallGpu::new(MEMORY), Random::fresh());
    let input = larger::<T>(&mut random, TIMES);
    unary(&small, Sqrt, &input);
    unary(&small, Exp, &input);
    let scaled = Scale::new(&input, T::from_u8(3), T::ONE);
    let [expected, found] = small.agree(scaled, "scale");
    assert_same(&found, &expected, "scale");
}

#[test]
fn maps_of_floats() {
    float_maps::<f32>();
}

#[test]
fn maps_of_doubles() {
    float_maps::<f64>();
}

fn xors<T: BitElement + Number>() {
    let (small, mut random) = (SmallGpu::new(MEMORY), Random::fresh());
    let data = larger::<T>(&mut random, TIMES);
    let memory = MEMORY as usize / size_of::<T>();
    // Keys that repeat often, keys that are themselves larger than the memory, and keys
    // that do not repeat.
    for len in [
        1,
        17,
        1009,
        memory / 3,
        memory + 5,
        data.len(),
        data.len() + 9,
    ] {
        let key = small_positive::<T>(&mut random, len);
        let what = format!("xor of {} with a key of {len}", T::DTYPE);
        let [expected, found] = small.agree(Xor::new(&data, &key).unwrap(), &what);
        assert_same(&found, &expected, &what);
        let mut over = data.clone();
        small
            .gpu(XorInPlace::new(&mut over, &key).unwrap())
            .unwrap();
        assert_same(&over, &expected, &format!("{what} in place"));
    }
}

#[test]
fn xor_of_bytes() {
    xors::<u8>();
}

#[test]
fn xor_of_integers() {
    xors::<i32>();
    xors::<u32>();
}

/// Every reduction equals that of a GPU with enough memory, to the bit.
fn reductions<T: Summable>(times: u64) {
    let (small, large, mut random) = (SmallGpu::new(MEMORY), CpuGpuPair::new(), Random::fresh());
    let input = larger::<T>(&mut random, times);
    macro_rules! same {
        ($operation:ident, $built:expr, $bits:expr) => {{
            let what = concat!(stringify!($operation), " in pieces");
            let operation = $built;
            let [_, found] = small.agree(operation.clone(), what);
            assert_eq!(input.residency(), Residency::Host, "{what}");
            let whole = large.gpu(operation).output;
            input.evict();
            assert_eq!($bits(found), $bits(whole), "{what} of {}", T::DTYPE);
        }};
    }
    same!(Sum, Sum::new(&input), |x| T::sum_to_f64(x).to_bits());
    same!(Mean, Mean::new(&input).unwrap(), f64::to_bits);
    same!(Std, Std::new(&input).unwrap(), f64::to_bits);
    same!(Min, Min::new(&input).unwrap(), |x: T| x.to_f64().to_bits());
    same!(Max, Max::new(&input).unwrap(), |x: T| x.to_f64().to_bits());
}

#[test]
fn reductions_of_bytes() {
    reductions::<u8>(TIMES);
}

#[test]
fn reductions_of_integers() {
    reductions::<i32>(TIMES);
    reductions::<u32>(TIMES);
}

#[test]
fn reductions_of_floats() {
    reductions::<f32>(20);
    reductions::<f64>(TIMES);
}

fn normalized<T: Float>() {
    let (small, large, mut random) = (SmallGpu::new(MEMORY), CpuGpuPair::new(), Random::fresh());
    let input = larger::<T>(&mut random, TIMES);
    for mode in [
        NormalizeMode::ZScore,
        NormalizeMode::MinMax,
        NormalizeMode::Unit,
    ] {
        let what = format!("{mode:?} of {}", T::DTYPE);
        let operation = Normalize::new(&input, mode);
        let [_, found] = small.agree(operation.clone(), &what);
        assert_eq!(found.residency(), Residency::Host, "{what}");
        let whole = large.gpu(operation).output;
        assert_same(&found, &whole, &what);
        input.evict();
    }
}

#[test]
fn normalized_floats() {
    normalized::<f32>();
}

#[test]
fn normalized_doubles() {
    normalized::<f64>();
}

/// The largest case: three times 64 MiB.
#[test]
fn three_times_a_larger_memory() {
    let (small, mut random) = (SmallGpu::new(64 * MIB), Random::fresh());
    let data = small_positive::<u8>(&mut random, 192 * MIB as usize + 1);
    let key = small_positive::<u8>(&mut random, 96 * MIB as usize + 5);
    let [expected, found] = small.agree(Xor::new(&data, &key).unwrap(), "xor");
    assert_same(&found, &expected, "xor");
    small.agree(Sum::new(&data), "sum");
}

fn matrices<T: Float>(random: &mut Random, extents: &[usize]) -> Array<T> {
    let len = extents.iter().product();
    let values: Vec<T> = (0..len).map(|_| T::from_f64(random.signed())).collect();
    Array::from_shape(extents, &values).unwrap()
}

/// Products of matrices that are wide, deep, tall, one row or one column; `whole` where
/// sums along `k` are not cut, so that the bits are those of a GPU with enough memory.
fn products<T: Float>(shapes: &[(bool, [usize; 3])]) {
    let (small, large, mut random) = (
        SmallGpu::new(SMALL_MEMORY),
        CpuGpuPair::new(),
        Random::fresh(),
    );
    for &(whole, [m, k, n]) in shapes {
        let what = format!("{m}x{k}x{n} {}", T::DTYPE);
        let lhs = matrices::<T>(&mut random, &[m, k]);
        let rhs = matrices::<T>(&mut random, &[k, n]);
        let operation = MatMul::new(&lhs, &rhs).unwrap();
        let [_, found] = small.agree(operation.clone(), &what);
        assert_eq!(found.residency(), Residency::Host, "{what}");
        if whole {
            assert_same(&found, &large.gpu(operation).output, &what);
        }
    }
}

#[test]
fn products_of_floats() {
    products::<f32>(&[
        (true, [33, 500, 1501]),
        (true, [3001, 203, 5]),
        (true, [1, 700, 1500]),
        (true, [1001, 2, 999]),
        (true, [1000, 0, 1001]),
        (false, [17, 20_003, 31]),
        (false, [1, 400_001, 1]),
    ]);
}

#[test]
fn products_of_doubles() {
    products::<f64>(&[
        (true, [35, 203, 2503]),
        (true, [1003, 301, 3]),
        (false, [37, 9001, 35]),
        (false, [3, 100_001, 2]),
    ]);
}

fn batches<T: Float>() {
    let (small, large, mut random) = (
        SmallGpu::new(SMALL_MEMORY),
        CpuGpuPair::new(),
        Random::fresh(),
    );
    // Many small items, and items none of which fits.
    for (batch, [m, k, n]) in [
        (1101, [16, 15, 17]),
        (43, [65, 63, 129]),
        (2, [300, 12, 1501]),
    ] {
        for shared in ["neither", "left", "right"] {
            let what = format!("{batch} of {m}x{k}x{n} {}, shared: {shared}", T::DTYPE);
            let (left, right) = match shared {
                "left" => (vec![m, k], vec![batch, k, n]),
                "right" => (vec![batch, m, k], vec![k, n]),
                _ => (vec![batch, m, k], vec![batch, k, n]),
            };
            let lhs = matrices::<T>(&mut random, &left);
            let rhs = matrices::<T>(&mut random, &right);
            let operation = BatchMatMul::new(&lhs, &rhs).unwrap();
            let [_, found] = small.agree(operation.clone(), &what);
            assert_same(&found, &large.gpu(operation).output, &what);
        }
    }
}

#[test]
fn batches_of_floats() {
    batches::<f32>();
}

#[test]
fn batches_of_doubles() {
    batches::<f64>();
}

fn transposed<T: Number>() {
    let (small, mut random) = (SmallGpu::new(SMALL_MEMORY), Random::fresh());
    let len = (TIMES * SMALL_MEMORY) as usize / size_of::<T>();
    for shape in [
        vec![1001, len / 1001],
        vec![3, len / 3],
        vec![len, 1],
        vec![len / 720, 24, 30],
        vec![2, 1009, len / 2018],
    ] {
        let what = format!("{shape:?} {}", T::DTYPE);
        let input = small_positive::<T>(&mut random, shape.iter().product());
        let operation = Transpose::new(&input.reshape(&shape).unwrap()).unwrap();
        let [expected, found] = small.agree(operation, &what);
        assert_same(&found, &expected, &what);
    }
}

#[test]
fn transposed_matrices() {
    transposed::<u8>();
    transposed::<f32>();
    transposed::<f64>();
}
