//! Many operations as one: irregular lengths, shared and separate operands, and one item that fails
//! among others that do not; packed from the host, and where they are.

use super::super::case::{Case, CaseResult};
use super::super::runner::CaseRunner;
use super::super::sample::SampleElement;
use super::super::trial::Trial;
use crate::array::Array;
use crate::batch::{Batchable, MergedOperation, family};
use crate::dtype::{DType, Element};
use crate::error::Error;
use crate::operation::Kind;
use crate::ops::{
    Binary, BinaryFunction, BitElement, Float, MATMUL, MatMul, RandomElement, Unary, UnaryFunction,
    XOR, Xor,
};

/// Around cache lines, blocks and the size up to which results share a buffer. Not zero, because an
/// empty array is on no device.
const LENGTHS: [usize; 9] = [1, 15, 16, 17, 255, 1000, 1024, 1025, 5003];
/// More than one transfer holds.
const MANY: usize = 3_000;

/// Adds the same case twice: with operands packed from the host, and left on the device.
fn both<B: Batchable>(
    list: &mut Vec<Case>,
    kind: &'static Kind,
    dtype: DType,
    what: &str,
    build: impl Fn(&Trial<'_>, &CaseRunner<'_>) -> Result<Vec<B>, Error> + Copy + Send + Sync + 'static,
) {
    let run = move |trial: &Trial<'_>| -> Result<CaseResult, Error> {
        Ok(trial.check(|runner| build(trial, runner).map(MergedOperation::<B, _>::new)))
    };
    let kinds = family(kind);
    list.push(Case::new(&kinds.packed, dtype, what, run).on_host_only());
    list.push(Case::new(&kinds.resident, dtype, what, run).on_device_only());
}

fn drawn<T: Element>(
    runner: &CaseRunner<'_>,
    draw: impl Fn(u64, &[usize]) -> Result<Array<T>, Error>,
) -> Result<Vec<Array<T>>, Error> {
    let lengths = LENGTHS.iter().enumerate();
    lengths
        .map(|(index, &length)| runner.place(0, &draw(index as u64, &[length])?))
        .collect()
}

pub(super) fn xor<T: BitElement + RandomElement>(list: &mut Vec<Case>) {
    for (what, keys) in [
        ("keys that repeat", &[1, 7, 16, 33, 600][..]),
        ("keys that do not repeat", &[6000]),
    ] {
        both(list, &XOR, T::DTYPE, what, |trial, runner| {
            let data = drawn(runner, |operand, extents| {
                trial.random::<T>(operand, extents)
            })?;
            let lengths = keys.iter().cycle().zip(100..);
            let pairs = data.iter().zip(lengths);
            pairs
                .map(|(data, (&length, operand))| {
                    Xor::new(data, &runner.place(0, &trial.random(operand, &[length])?)?)
                })
                .collect()
        });
    }
    both(list, &XOR, T::DTYPE, "one key for many", |trial, runner| {
        let key = runner.place(0, &trial.random::<T>(0, &[33])?)?;
        let whole = trial.random::<T>(1, &[MANY])?;
        let whole = whole.as_slice()?;
        (0..64)
            .map(|item| {
                let data = Array::from_slice(&whole[item..item + 1 + item * 17]);
                Xor::new(&runner.place(0, &data)?, &key)
            })
            .collect()
    });
}

pub(super) fn matmul<T: SampleElement + Float>(list: &mut Vec<Case>) {
    for (what, is_shared) in [
        ("separate right operands", false),
        ("one right operand", true),
    ] {
        both(list, &MATMUL, T::DTYPE, what, move |trial, runner| {
            let of = |operand, extents: &[usize]| {
                runner.place(0, &trial.near_zero::<T>(operand, extents)?)
            };
            let shared = of(0, &[33, 20])?;
            (1..12)
                .map(|item| {
                    let right = if is_shared {
                        shared.clone()
                    } else {
                        of(50 + item, &[33, 20])?
                    };
                    MatMul::new(&of(item, &[17, 33])?, &right)
                })
                .collect()
        });
    }
}

pub(super) fn unary<T: SampleElement, F: UnaryFunction<T> + 'static>(
    list: &mut Vec<Case>,
    function: F,
) {
    both(
        list,
        function.kind(),
        T::DTYPE,
        "arrays",
        move |trial, runner| {
            let inputs = drawn(runner, |operand, extents| {
                trial.near_zero::<T>(operand, extents)
            })?;
            Ok(inputs
                .iter()
                .map(|input| Unary::new(function, input))
                .collect())
        },
    );
}

pub(super) fn binary<T: SampleElement, F: BinaryFunction<T> + 'static>(
    list: &mut Vec<Case>,
    function: F,
) {
    let kind = function.kind();
    both(list, kind, T::DTYPE, "two arrays", move |trial, runner| {
        // An integer zero among the divisors fails its own item.
        let right = |operand, extents: &[usize]| trial.near_zero::<T>(100 + operand, extents);
        let lefts = drawn(runner, |operand, extents| {
            trial.near_zero::<T>(operand, extents)
        })?;
        let rights = drawn(runner, right)?;
        lefts
            .iter()
            .zip(&rights)
            .map(|(left, right)| Binary::new(function, left, right))
            .collect()
    });
    both(
        list,
        kind,
        T::DTYPE,
        "separate scalars",
        move |trial, runner| {
            let lefts = drawn(runner, |operand, extents| {
                trial.near_zero::<T>(operand, extents)
            })?;
            lefts
                .iter()
                .zip(1_u8..)
                .map(|(left, scalar)| Binary::new(function, left, T::from_u8(scalar)))
                .collect()
        },
    );
    both(list, kind, T::DTYPE, "one scalar", move |trial, runner| {
        let rights = drawn(runner, |operand, extents| {
            trial.near_zero::<T>(operand, extents)
        })?;
        let nonzero = rights
            .iter()
            .map(|right| Binary::new(function, right, T::from_u8(3)));
        nonzero.collect()
    });
}
