//! Functions of two elements: arrays and scalars on either side, into a new array and over the left
//! one, all pairs of edge values, and zero divisors.

use super::super::case::{Case, CaseResult};
use super::super::sample::SampleElement;
use super::super::sizes::{Depth, MIXED};
use super::super::trial::Trial;
use super::batches;
use super::extent::elements;
use crate::array::Array;
use crate::error::Error;
use crate::operation::Operation;
use crate::ops::{ArrayOrScalar, Binary, BinaryFunction, BinaryInPlace};

/// Which operands are arrays; the other one, if any, is a scalar.
#[derive(Clone, Copy)]
enum Form {
    Arrays,
    ScalarRight,
    ScalarLeft,
    InPlace,
    InPlaceScalar,
}

const FORMS: [(Form, &str); 5] = [
    (Form::Arrays, "two arrays"),
    (Form::ScalarRight, "array and scalar"),
    (Form::ScalarLeft, "scalar and array"),
    (Form::InPlace, "in place, array"),
    (Form::InPlaceScalar, "in place, scalar"),
];

/// The cases of a function of two elements, single and merged.
pub(crate) fn binary<T: SampleElement, F: BinaryFunction<T> + 'static>(
    list: &mut Vec<Case>,
    depth: Depth,
    function: F,
) {
    let kind = function.kind();
    for length in depth.lengths::<T>() {
        for (form, name) in FORMS {
            let what = format!("{}, {name}", elements(length));
            let case = Case::new(kind, T::DTYPE, what, move |trial| {
                let left = trial.wide_range::<T>(0, &[length])?;
                let right = divisors(trial.wide_range::<T>(1, &[length])?, function)?;
                // At least one element, so that a scalar can be taken from it.
                let scalar = divisors(trial.wide_range::<T>(2, &[1])?, function)?.as_slice()?[0];
                ask(trial, function, form, &left, &right, scalar)
            });
            list.push(if length == MIXED { case.mixed() } else { case });
        }
    }
    list.push(
        Case::new(kind, T::DTYPE, "two scalars", move |trial| {
            let values = divisors(trial.wide_range::<T>(0, &[2])?, function)?;
            let values = values.as_slice()?;
            Ok(trial.check(|_| Binary::new(function, values[0], values[1])))
        })
        .on_host_only(),
    );
    list.push(Case::new(
        kind,
        T::DTYPE,
        "every edge against every edge",
        move |trial| {
            let count = T::EDGES.len();
            let pick = |index: fn(usize, usize) -> usize| {
                let values: Vec<T> = (0..count * count)
                    .map(|at| T::EDGES[index(at, count)])
                    .collect();
                Array::from_slice(&values)
            };
            let left = pick(|at, count| at / count);
            let right = divisors(pick(|at, count| at % count), function)?;
            ask(trial, function, Form::Arrays, &left, &right, T::from_u8(3))
        },
    ));
    list.push(Case::new(
        kind,
        T::DTYPE,
        "shapes that do not match",
        move |trial| {
            let (left, right) = (
                trial.wide_range::<T>(0, &[2, 3])?,
                trial.wide_range::<T>(1, &[3, 2])?,
            );
            Ok(trial.check(|runner| {
                Binary::new(function, runner.place(0, &left)?, runner.place(1, &right)?)
            }))
        },
    ));
    if function.divides() && T::IS_INTEGER {
        zeros::<T, F>(list, function);
    }
    batches::binary(list, function);
}

fn ask<T: SampleElement, F: BinaryFunction<T>>(
    trial: &Trial<'_>,
    function: F,
    form: Form,
    left: &Array<T>,
    right: &Array<T>,
    scalar: T,
) -> Result<CaseResult, Error> {
    let finding = match form {
        Form::Arrays => trial
            .check(|runner| Binary::new(function, runner.place(0, left)?, runner.place(1, right)?)),
        Form::ScalarRight => {
            trial.check(|runner| Binary::new(function, runner.place(0, left)?, scalar))
        }
        Form::ScalarLeft => {
            trial.check(|runner| Binary::new(function, scalar, runner.place(0, right)?))
        }
        Form::InPlace => return in_place(trial, function, left, &ArrayOrScalar::from(right)),
        Form::InPlaceScalar => {
            return in_place(trial, function, left, &ArrayOrScalar::Scalar(scalar));
        }
    };
    Ok(finding)
}

fn in_place<T: SampleElement, F: BinaryFunction<T>>(
    trial: &Trial<'_>,
    function: F,
    data: &Array<T>,
    right: &ArrayOrScalar<T>,
) -> Result<CaseResult, Error> {
    let operation = Binary::new(function, data, right.clone())?;
    Ok(trial.check_in_place(
        data,
        |runner, data| {
            let right = match right {
                ArrayOrScalar::Array(right) => ArrayOrScalar::Array(runner.place(1, right)?),
                scalar @ ArrayOrScalar::Scalar(_) => scalar.clone(),
            };
            runner.run(&mut BinaryInPlace::new(function, data, right)?)
        },
        |expected, found| operation.compare(expected, found),
    ))
}

/// Returns the same elements, with zero divisors replaced if the function divides.
fn divisors<T: SampleElement, F: BinaryFunction<T>>(
    mut array: Array<T>,
    function: F,
) -> Result<Array<T>, Error> {
    if function.divides() && T::IS_INTEGER {
        for value in array.as_mut_slice()? {
            if *value == T::ZERO {
                *value = T::from_u8(7);
            }
        }
    }
    Ok(array)
}

/// Integer zeros in a divisor: the error names the index of the first, and data that would have
/// been overwritten is unchanged.
fn zeros<T: SampleElement, F: BinaryFunction<T> + 'static>(list: &mut Vec<Case>, function: F) {
    const LENGTH: usize = 10_007;
    let kind = function.kind();
    let places: [(&str, &[usize]); 5] = [
        ("the first element", &[0]),
        ("the last element", &[LENGTH - 1]),
        ("a block's last element", &[255]),
        ("two elements, the later one drawn first", &[9000, 4097]),
        ("many elements", &[10_006, 300, 301, 302, 4096, 8191]),
    ];
    for (name, places) in places {
        for (form, runner) in FORMS {
            let divides_by_array = matches!(form, Form::Arrays | Form::ScalarLeft | Form::InPlace);
            if !divides_by_array {
                continue;
            }
            let what = format!("zero divisor at {name}, {runner}");
            list.push(Case::new(kind, T::DTYPE, what, move |trial| {
                let left = trial.wide_range::<T>(0, &[LENGTH])?;
                let mut right = divisors(trial.wide_range::<T>(1, &[LENGTH])?, function)?;
                for &place in places {
                    right.as_mut_slice()?[place] = T::ZERO;
                }
                ask(trial, function, form, &left, &right, T::from_u8(9))
            }));
        }
    }
    list.push(Case::new(
        kind,
        T::DTYPE,
        "a scalar zero divisor",
        move |trial| {
            let left = trial.wide_range::<T>(0, &[10])?;
            Ok(trial.check(|runner| Binary::new(function, runner.place(0, &left)?, T::ZERO)))
        },
    ));
}
