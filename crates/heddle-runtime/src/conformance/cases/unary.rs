//! Functions of one element, and normalization.

use super::super::case::{Case, CaseResult};
use super::super::sample::SampleElement;
use super::super::sizes::Depth;
use super::super::trial::Trial;
use super::batches;
use super::extent::elements;
use crate::array::Array;
use crate::error::Error;
use crate::operation::Operation;
use crate::ops::{
    Float, Normalize, NormalizeMode, SCALE, Scale, Unary, UnaryFunction, UnaryInPlace,
};

/// The values on which a function of one element is tested.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Domain {
    /// Every value of the element type.
    All,
    /// Values no further from zero than this, a multiple of four, and the type's edges.
    Within(u8),
}

impl Domain {
    fn draw<T: SampleElement>(
        self,
        trial: &Trial<'_>,
        extents: &[usize],
    ) -> Result<Array<T>, Error> {
        let Self::Within(limit) = self else {
            return trial.wide_range(0, extents);
        };
        let mut array = trial.near_zero::<T>(0, extents)?;
        for value in array.as_mut_slice()? {
            // Values near zero have a magnitude of at most four.
            *value = value.times(T::from_u8(limit / 4));
        }
        Ok(array)
    }

    fn edges<T: SampleElement>(self) -> Array<T> {
        let mut edges = T::EDGES.to_vec();
        if let Self::Within(limit) = self {
            let limit = T::from_u8(limit);
            edges.extend([limit, T::ZERO.minus(limit)]);
        }
        Array::from(edges)
    }
}

/// The cases of a function of one element, single and merged.
pub(crate) fn unary<T: SampleElement, F: UnaryFunction<T> + 'static>(
    list: &mut Vec<Case>,
    depth: Depth,
    function: F,
    domain: Domain,
) {
    let kind = function.kind();
    for length in depth.lengths::<T>() {
        let what = elements(length);
        list.push(Case::new(kind, T::DTYPE, what.clone(), move |trial| {
            let input = domain.draw::<T>(trial, &[length])?;
            Ok(trial.check(|runner| Ok(Unary::new(function, &runner.place(0, &input)?))))
        }));
        let what = format!("{what}, in place");
        list.push(Case::new(kind, T::DTYPE, what, move |trial| {
            let data = domain.draw(trial, &[length])?;
            Ok(in_place(trial, function, &data))
        }));
    }
    list.push(Case::new(kind, T::DTYPE, "edges", move |trial| {
        Ok(both_ways(trial, function, &domain.edges()))
    }));
    batches::unary(list, function);
}

/// Runs it into a new array, then over the array itself; returns the first difference.
fn both_ways<T: SampleElement, F: UnaryFunction<T>>(
    trial: &Trial<'_>,
    function: F,
    input: &Array<T>,
) -> CaseResult {
    match trial.check(|runner| Ok(Unary::new(function, &runner.place(0, input)?))) {
        CaseResult::Agrees(_) => in_place(trial, function, input),
        finding => finding,
    }
}

fn in_place<T: SampleElement, F: UnaryFunction<T>>(
    trial: &Trial<'_>,
    function: F,
    data: &Array<T>,
) -> CaseResult {
    let operation = Unary::new(function, data);
    trial.check_in_place(
        data,
        |runner, data| runner.run(&mut UnaryInPlace::new(function, data)),
        |expected, found| operation.compare(expected, found),
    )
}

/// The cases of `input * factor + offset`.
pub(crate) fn scale<T: SampleElement + Float>(list: &mut Vec<Case>, depth: Depth) {
    for length in depth.lengths::<T>() {
        list.push(Case::new(
            &SCALE,
            T::DTYPE,
            elements(length),
            move |trial| {
                let input = trial.wide_range::<T>(0, &[length])?;
                let line = trial.wide_range::<T>(1, &[2])?;
                let line = line.as_slice()?;
                Ok(trial
                    .check(|runner| Ok(Scale::new(&runner.place(0, &input)?, line[0], line[1]))))
            },
        ));
    }
    list.push(Case::new(&SCALE, T::DTYPE, "edges", |trial| {
        let input = Array::from_slice(T::EDGES);
        let (factor, offset) = (T::from_f64(-0.3), T::from_f64(1e-8));
        Ok(trial.check(|runner| Ok(Scale::new(&runner.place(0, &input)?, factor, offset))))
    }));
}

/// The cases of normalization to mean zero and deviation one.
pub(crate) fn z_score<T: SampleElement + Float>(list: &mut Vec<Case>, depth: Depth) {
    normalize::<T>(list, depth, NormalizeMode::ZScore);
}

/// The cases of normalization to the range from zero to one.
pub(crate) fn min_max<T: SampleElement + Float>(list: &mut Vec<Case>, depth: Depth) {
    normalize::<T>(list, depth, NormalizeMode::MinMax);
}

/// The cases of normalization to length one.
pub(crate) fn unit<T: SampleElement + Float>(list: &mut Vec<Case>, depth: Depth) {
    normalize::<T>(list, depth, NormalizeMode::Unit);
}

fn normalize<T: SampleElement + Float>(list: &mut Vec<Case>, depth: Depth, mode: NormalizeMode) {
    let ask = move |trial: &Trial<'_>, input: &Array<T>| {
        trial.check(|runner| Ok(Normalize::new(&runner.place(0, input)?, mode)))
    };
    for length in depth.lengths::<T>() {
        list.push(Case::new(
            mode.kind(),
            T::DTYPE,
            elements(length),
            move |trial| Ok(ask(trial, &trial.near_zero::<T>(0, &[length])?)),
        ));
    }
    for (name, value) in [("zeros", 0.0), ("a constant", 0.1), ("all NaN", f64::NAN)] {
        let what = format!("4097 elements, {name}");
        list.push(Case::new(mode.kind(), T::DTYPE, what, move |trial| {
            Ok(ask(trial, &Array::from_slice(&[T::from_f64(value); 4097])))
        }));
    }
    list.push(Case::new(
        mode.kind(),
        T::DTYPE,
        "4097 elements, one NaN",
        move |trial| {
            let mut input = trial.near_zero::<T>(0, &[4097])?;
            input.as_mut_slice()?[4000] = T::from_f64(f64::NAN);
            Ok(ask(trial, &input))
        },
    ));
    list.push(Case::new(
        mode.kind(),
        T::DTYPE,
        "a matrix of 63x65",
        move |trial| Ok(ask(trial, &trial.near_zero::<T>(0, &[63, 65])?)),
    ));
}
