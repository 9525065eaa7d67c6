//! Probes of merged operations: items of one size, packed from the host, of the element type
//! most common in such work.

use smallvec::smallvec;

use super::{ArrayProbe, OperationSize, PreparedOperation, discard, operand};
use crate::array::{Array, Residency};
use crate::batch::pack::ITEM_BYTES;
use crate::batch::{Batchable, MergedOperation, family};
use crate::dtype::DType;
use crate::error::Error;
use crate::operation::{Kind, ResultLocation};
use crate::ops::elementwise::{Binary, BinaryFunction, Unary, UnaryFunction};
use crate::ops::matmul::{ITEM_MULTIPLY_ADDS, MATMUL, MatMul};
use crate::ops::xor::{XOR, Xor};
use crate::units::Bytes;

/// The numbers of items measured, and the bytes of each operand.
const COUNTS: [usize; 4] = [16, 128, 1024, 8192];
const ITEM: usize = 1024;
const KEY: usize = 32;
/// The numbers of items measured for products of matrices with this side.
const PRODUCTS: [usize; 4] = [4, 16, 64, 256];
const SIDE: usize = 64;

pub(in crate::ops) fn xor(list: &mut Vec<ArrayProbe>) {
    list.push(ArrayProbe {
        kind: &family(&XOR).packed,
        dtype: DType::U8,
        size_means: "items of 1 KiB",
        sizes: COUNTS.to_vec(),
        fixed_residency: Some(Residency::Host),
        operation_size: Box::new(|items| OperationSize {
            work: of_items(items, 2 * ITEM as u64 + KEY as u64 + ITEM_BYTES),
            operands: smallvec![Bytes(of_items(items, ITEM as u64)) + Bytes(KEY as u64)],
            output: Bytes(of_items(items, ITEM as u64)),
            result: ResultLocation::Host,
        }),
        prepare: Box::new(|items| {
            let key = operand::<u8>(KEY);
            merged(items, || Xor::new(&operand::<u8>(ITEM), &key))
        }),
    });
}

pub(in crate::ops) fn matmul(list: &mut Vec<ArrayProbe>) {
    list.push(ArrayProbe {
        kind: &family(&MATMUL).packed,
        dtype: DType::F32,
        size_means: "64 x 64 matrices",
        sizes: PRODUCTS.to_vec(),
        fixed_residency: Some(Residency::Host),
        operation_size: Box::new(|items| {
            let each = Bytes::of::<f32>(SIDE * SIDE);
            OperationSize {
                work: of_items(items, (SIDE * SIDE * SIDE) as u64 + ITEM_MULTIPLY_ADDS),
                operands: smallvec![Bytes(of_items(items, 2 * each.0))],
                output: Bytes(of_items(items, each.0)),
                result: ResultLocation::Host,
            }
        }),
        prepare: Box::new(|items| {
            let matrix = || operand::<f32>(SIDE * SIDE).reshape(&[SIDE, SIDE]);
            merged(items, || MatMul::new(&matrix()?, &matrix()?))
        }),
    });
}

pub(in crate::ops) fn binary<F: BinaryFunction<f32> + 'static>(
    list: &mut Vec<ArrayProbe>,
    function: F,
) {
    maps(list, function.kind(), 2, move |arrays| {
        Binary::new(function, &arrays[0], &arrays[1])
    });
}

pub(in crate::ops) fn unary<F: UnaryFunction<f32> + 'static>(
    list: &mut Vec<ArrayProbe>,
    function: F,
) {
    maps(list, function.kind(), 1, move |arrays| {
        Ok(Unary::new(function, &arrays[0]))
    });
}

/// Merged unary or binary operations, one per item, each created by `make`.
fn maps<B: Batchable + 'static>(
    list: &mut Vec<ArrayProbe>,
    kind: &'static Kind,
    arrays: usize,
    make: impl Fn(&[Array<f32>]) -> Result<B, Error> + Send + Sync + 'static,
) {
    list.push(ArrayProbe {
        kind: &family(kind).packed,
        dtype: DType::F32,
        size_means: "items of 1 KiB",
        sizes: COUNTS.to_vec(),
        fixed_residency: Some(Residency::Host),
        operation_size: Box::new(move |items| OperationSize {
            work: of_items(items, (arrays as u64 + 1) * ITEM as u64 + ITEM_BYTES),
            operands: smallvec![Bytes(of_items(items, (arrays * ITEM) as u64))],
            output: Bytes(of_items(items, ITEM as u64)),
            result: ResultLocation::Host,
        }),
        prepare: Box::new(move |items| {
            merged(items, || {
                let fill = |_| operand::<f32>(ITEM / size_of::<f32>());
                let operands: Vec<_> = (0..arrays).map(fill).collect();
                make(&operands)
            })
        }),
    });
}

/// The work or bytes of all items; any number of items may be given.
fn of_items(items: usize, each: u64) -> u64 {
    each.saturating_mul(items as u64)
}

/// Merged items as one operation whose results are dropped.
fn merged<B: Batchable + 'static>(
    items: usize,
    make: impl Fn() -> Result<B, Error>,
) -> PreparedOperation {
    let items: Result<Vec<B>, Error> = (0..items).map(|_| make()).collect();
    discard(items.map(MergedOperation::<B, Vec<B>>::new))
}
