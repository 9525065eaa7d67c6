//! Functions of one element, and passes that bring an array to a common measure.

use super::super::case::{Case, Finding};
use super::super::sample::Sample;
use super::super::sizes::Depth;
use super::super::trial::Trial;
use super::extent::elements;
use crate::array::Array;
use crate::error::Error;
use crate::operation::Operation;
use crate::ops::{
    Abs, EXP, Exp, Float, Normalize, NormalizeMode, SCALE, Scale, Sqrt, Square, Unary,
    UnaryFunction, UnaryInPlace,
};

pub(super) fn cases(all: &mut Vec<Case>, depth: Depth) {
    numbers::<u8>(all, depth);
    numbers::<i32>(all, depth);
    numbers::<u32>(all, depth);
    numbers::<f32>(all, depth);
    numbers::<f64>(all, depth);
    floats::<f32>(all, depth);
    floats::<f64>(all, depth);
}

fn numbers<T: Sample>(all: &mut Vec<Case>, depth: Depth) {
    function::<T, _>(all, depth, Square, |trial, operand, extents| {
        trial.wide(operand, extents)
    });
    function::<T, _>(all, depth, Abs, |trial, operand, extents| {
        trial.wide(operand, extents)
    });
    edges::<T, _>(all, Square, T::EDGES);
    edges::<T, _>(all, Abs, T::EDGES);
}

fn floats<T: Sample + Float>(all: &mut Vec<Case>, depth: Depth) {
    function::<T, _>(all, depth, Sqrt, |trial, operand, extents| {
        trial.wide(operand, extents)
    });
    edges::<T, _>(all, Sqrt, T::EDGES);
    function::<T, _>(all, depth, Exp, powers);
    // Where the answer is subnormal an ulp is worth more than the tolerance says,
    // so the edges of exp are those of its normal range.
    all.push(Case::new(&EXP, T::DTYPE, "edges", |trial| {
        let values = [0.0, -0.0, 1.0, -1.0, 1e-30, 80.0, -80.0, 1e4, -1e4];
        let mut values: Vec<T> = values.into_iter().map(T::from_f64).collect();
        values.extend([f64::INFINITY, f64::NEG_INFINITY, f64::NAN].map(T::from_f64));
        both_ways(trial, Exp, &Array::from_slice(&values))
    }));
    scale::<T>(all, depth);
    for mode in [
        NormalizeMode::ZScore,
        NormalizeMode::MinMax,
        NormalizeMode::Unit,
    ] {
        normalize::<T>(all, depth, mode);
    }
}

/// Powers whose exponential is a normal number.
fn powers<T: Sample + Float>(
    trial: &Trial<'_>,
    operand: u64,
    extents: &[usize],
) -> Result<Array<T>, Error> {
    let mut array = trial.near::<T>(operand, extents)?;
    for value in array.as_mut_slice()? {
        *value = value.times(T::from_u8(20));
    }
    Ok(array)
}

type Draw<T> = fn(&Trial<'_>, u64, &[usize]) -> Result<Array<T>, Error>;

fn function<T: Sample, F: UnaryFunction<T> + 'static>(
    all: &mut Vec<Case>,
    depth: Depth,
    function: F,
    draw: Draw<T>,
) {
    for length in depth.lengths::<T>() {
        let what = elements(length);
        all.push(Case::new(
            function.kind(),
            T::DTYPE,
            what.clone(),
            move |trial| {
                let input = draw(trial, 0, &[length])?;
                Ok(trial.check(|side| Unary::new(function, &side.place(0, &input)?)))
            },
        ));
        let what = format!("{what}, in place");
        all.push(Case::new(function.kind(), T::DTYPE, what, move |trial| {
            in_place(trial, function, &draw(trial, 0, &[length])?)
        }));
    }
}

fn edges<T: Sample, F: UnaryFunction<T> + 'static>(
    all: &mut Vec<Case>,
    function: F,
    edges: &'static [T],
) {
    all.push(Case::new(
        function.kind(),
        T::DTYPE,
        "edges",
        move |trial| both_ways(trial, function, &Array::from_slice(edges)),
    ));
}

/// Into a new array, then over the array itself; the first difference counts.
fn both_ways<T: Sample, F: UnaryFunction<T>>(
    trial: &Trial<'_>,
    function: F,
    input: &Array<T>,
) -> Result<Finding, Error> {
    match trial.check(|side| Unary::new(function, &side.place(0, input)?)) {
        Finding::Agrees(_) => in_place(trial, function, input),
        finding => Ok(finding),
    }
}

fn in_place<T: Sample, F: UnaryFunction<T>>(
    trial: &Trial<'_>,
    function: F,
    data: &Array<T>,
) -> Result<Finding, Error> {
    let judge = Unary::new(function, data)?;
    Ok(trial.check_in_place(
        data,
        |side, data| side.run(&mut UnaryInPlace::new(function, data)?),
        |expected, found| judge.compare(expected, found),
    ))
}

fn scale<T: Sample + Float>(all: &mut Vec<Case>, depth: Depth) {
    for length in depth.lengths::<T>() {
        all.push(Case::new(
            &SCALE,
            T::DTYPE,
            elements(length),
            move |trial| {
                let input = trial.wide::<T>(0, &[length])?;
                let line = trial.wide::<T>(1, &[2])?;
                let line = line.as_slice()?;
                Ok(trial.check(|side| Scale::new(&side.place(0, &input)?, line[0], line[1])))
            },
        ));
    }
    all.push(Case::new(&SCALE, T::DTYPE, "edges", |trial| {
        let input = Array::from_slice(T::EDGES);
        let (factor, offset) = (T::from_f64(-0.3), T::from_f64(1e-8));
        Ok(trial.check(|side| Scale::new(&side.place(0, &input)?, factor, offset)))
    }));
}

fn normalize<T: Sample + Float>(all: &mut Vec<Case>, depth: Depth, mode: NormalizeMode) {
    let ask = move |trial: &Trial<'_>, input: &Array<T>| {
        trial.check(|side| Normalize::new(&side.place(0, input)?, mode))
    };
    for length in depth.lengths::<T>() {
        all.push(Case::new(
            mode.kind(),
            T::DTYPE,
            elements(length),
            move |trial| Ok(ask(trial, &trial.near::<T>(0, &[length])?)),
        ));
    }
    for (name, value) in [("zeros", 0.0), ("a constant", 0.1), ("all NaN", f64::NAN)] {
        let what = format!("4097 elements, {name}");
        all.push(Case::new(mode.kind(), T::DTYPE, what, move |trial| {
            Ok(ask(trial, &Array::from_slice(&[T::from_f64(value); 4097])))
        }));
    }
    all.push(Case::new(
        mode.kind(),
        T::DTYPE,
        "4097 elements, one NaN",
        move |trial| {
            let mut input = trial.near::<T>(0, &[4097])?;
            input.as_mut_slice()?[4000] = T::from_f64(f64::NAN);
            Ok(ask(trial, &input))
        },
    ));
    all.push(Case::new(
        mode.kind(),
        T::DTYPE,
        "a matrix of 63x65",
        move |trial| Ok(ask(trial, &trial.near::<T>(0, &[63, 65])?)),
    ));
}
