//! Exclusive or: keys shorter than, as long as and longer than the data, and a shared array that
//! must stay unchanged for its other holder.

use super::super::case::{Case, CaseResult};
use super::super::sizes::{Depth, MIXED};
use super::super::trial::Trial;
use super::batches;
use super::extent::elements;
use crate::array::Array;
use crate::error::Error;
use crate::operation::Operation;
use crate::ops::{BitElement, RandomElement, XOR, XOR_IN_PLACE, Xor, XorInPlace};

/// Lengths of keys: a divisor of every block, a prime, and values around a block.
const KEYS: [usize; 5] = [1, 8, 17, 256, 257];

/// The cases into a new array, single and merged.
pub(crate) fn xor<T: BitElement + RandomElement>(list: &mut Vec<Case>, depth: Depth) {
    for (length, key) in lengths::<T>(depth) {
        let case = Case::new(&XOR, T::DTYPE, sizes(length, key), move |trial| {
            let (data, key) = operands::<T>(trial, length, key)?;
            Ok(trial.check(|runner| Xor::new(&runner.place(0, &data)?, &runner.place(1, &key)?)))
        });
        list.push(if length == MIXED { case.mixed() } else { case });
    }
    list.push(Case::new(&XOR, T::DTYPE, "an empty key", |trial| {
        let (data, key) = operands::<T>(trial, 10, 0)?;
        Ok(trial.check(|runner| Xor::new(&runner.place(0, &data)?, &runner.place(1, &key)?)))
    }));
    batches::xor::<T>(list);
}

/// The cases over the data itself.
pub(crate) fn xor_in_place<T: BitElement + RandomElement>(list: &mut Vec<Case>, depth: Depth) {
    for (length, key) in lengths::<T>(depth) {
        let case = Case::new(&XOR_IN_PLACE, T::DTYPE, sizes(length, key), move |trial| {
            let (data, key) = operands::<T>(trial, length, key)?;
            in_place(trial, &data, &key)
        });
        list.push(if length == MIXED { case.mixed() } else { case });
    }
    list.push(Case::new(
        &XOR_IN_PLACE,
        T::DTYPE,
        "shared data stays unchanged for its other holder",
        |trial| {
            let (data, key) = operands::<T>(trial, 4097, 17)?;
            let operation = Xor::new(&data, &key)?;
            Ok(trial.check_in_place(
                &data,
                |runner, data| {
                    let kept = data.clone();
                    runner.run(&mut XorInPlace::new(data, &runner.place(1, &key)?)?)?;
                    // The other holder's array is what is compared.
                    *data = kept;
                    Ok(())
                },
                |expected, found| operation.compare(expected, found),
            ))
        },
    ));
}

/// The numbers of elements of data and key.
fn lengths<T: BitElement>(depth: Depth) -> impl Iterator<Item = (usize, usize)> {
    depth.lengths::<T>().flat_map(|length| {
        let shorter = KEYS.into_iter().filter(move |&key| key < length);
        let keys = shorter.chain([length, length + 5]);
        keys.map(move |key| (length, key))
    })
}

fn sizes(length: usize, key: usize) -> String {
    format!("{}, key of {key}", elements(length))
}

fn operands<T: RandomElement>(
    trial: &Trial<'_>,
    length: usize,
    key: usize,
) -> Result<(Array<T>, Array<T>), Error> {
    Ok((trial.random(0, &[length])?, trial.random(1, &[key])?))
}

fn in_place<T: BitElement>(
    trial: &Trial<'_>,
    data: &Array<T>,
    key: &Array<T>,
) -> Result<CaseResult, Error> {
    let operation = Xor::new(data, key)?;
    Ok(trial.check_in_place(
        data,
        |runner, data| runner.run(&mut XorInPlace::new(data, &runner.place(1, key)?)?),
        |expected, found| operation.compare(expected, found),
    ))
}
