//! Reductions to one value: signs that cancel, a large offset that absorbs small terms, a single
//! NaN, and no elements at all.

use super::super::case::{Case, CaseResult};
use super::super::sample::SampleElement;
use super::super::sizes::Depth;
use super::super::trial::Trial;
use super::extent::elements;
use crate::array::Array;
use crate::error::Error;
use crate::operation::Kind;
use crate::ops::{MAX, MEAN, MIN, Max, Mean, Min, STD, SUM, Std, Sum, Summable};

/// The cases of the sum.
pub(crate) fn sum<T: SampleElement + Summable>(list: &mut Vec<Case>, depth: Depth) {
    reduction::<T>(list, depth, &SUM, |trial, input| {
        trial.check(|runner| Ok(Sum::new(&runner.place(0, input)?)))
    });
}

/// The cases of the mean.
pub(crate) fn mean<T: SampleElement + Summable>(list: &mut Vec<Case>, depth: Depth) {
    reduction::<T>(list, depth, &MEAN, |trial, input| {
        trial.check(|runner| Mean::new(&runner.place(0, input)?))
    });
}

/// The cases of the standard deviation.
pub(crate) fn std<T: SampleElement>(list: &mut Vec<Case>, depth: Depth) {
    reduction::<T>(list, depth, &STD, |trial, input| {
        trial.check(|runner| Std::new(&runner.place(0, input)?))
    });
}

/// The cases of the least element.
pub(crate) fn min<T: SampleElement>(list: &mut Vec<Case>, depth: Depth) {
    reduction::<T>(list, depth, &MIN, |trial, input| {
        trial.check(|runner| Min::new(&runner.place(0, input)?))
    });
}

/// The cases of the greatest element.
pub(crate) fn max<T: SampleElement>(list: &mut Vec<Case>, depth: Depth) {
    reduction::<T>(list, depth, &MAX, |trial, input| {
        trial.check(|runner| Max::new(&runner.place(0, input)?))
    });
}

fn reduction<T: SampleElement>(
    list: &mut Vec<Case>,
    depth: Depth,
    kind: &'static Kind,
    ask: fn(&Trial<'_>, &Array<T>) -> CaseResult,
) {
    // Zero is among the lengths: the sum is zero, and the others return an error.
    for length in depth.lengths::<T>() {
        list.push(Case::new(kind, T::DTYPE, elements(length), move |trial| {
            Ok(ask(trial, &trial.near_zero::<T>(0, &[length])?))
        }));
    }
    list.push(Case::new(
        kind,
        T::DTYPE,
        "10007 elements, many magnitudes",
        move |trial| Ok(ask(trial, &trial.wide_range::<T>(0, &[10_007])?)),
    ));
    list.push(Case::new(
        kind,
        T::DTYPE,
        "4097 elements, a constant",
        move |trial| Ok(ask(trial, &Array::from_slice(&[T::from_u8(3); 4097]))),
    ));
    list.push(Case::new(
        kind,
        T::DTYPE,
        "10007 elements beside a large offset",
        move |trial| Ok(ask(trial, &offset(trial)?)),
    ));
    list.push(Case::new(
        kind,
        T::DTYPE,
        "a matrix of 63x65",
        move |trial| Ok(ask(trial, &trial.near_zero::<T>(0, &[63, 65])?)),
    ));
    list.push(Case::new(
        kind,
        T::DTYPE,
        "the extreme is last",
        move |trial| {
            let mut input = trial.near_zero::<T>(0, &[4097])?;
            let end = *T::EDGES
                .iter()
                .find(|&&edge| edge > T::from_u8(100))
                .unwrap_or(&T::ZERO);
            input.as_mut_slice()?[4096] = end;
            Ok(ask(trial, &input))
        },
    ));
    if !T::IS_INTEGER {
        list.push(Case::new(
            kind,
            T::DTYPE,
            "edges, NaN among them",
            move |trial| Ok(ask(trial, &Array::from_slice(T::EDGES))),
        ));
        list.push(Case::new(
            kind,
            T::DTYPE,
            "one NaN in 10007",
            move |trial| {
                let mut input = trial.near_zero::<T>(0, &[10_007])?;
                let nan = T::EDGES
                    .iter()
                    .copied()
                    .find(|value| value.to_f64().is_nan());
                input.as_mut_slice()?[5003] = nan.unwrap_or_default();
                Ok(ask(trial, &input))
            },
        ));
    }
}

/// Small differences around a large value.
fn offset<T: SampleElement>(trial: &Trial<'_>) -> Result<Array<T>, Error> {
    let mut input = trial.near_zero::<T>(0, &[10_007])?;
    let thousand = T::from_u8(100).times(T::from_u8(10));
    for value in input.as_mut_slice()? {
        *value = value.plus(thousand);
    }
    Ok(input)
}
