//! Filters on the colour of an object's cells, evaluated on whole rows.
//!
//! Most filters are `sfilter(object, first)` and `sfilter(object, matcher(first, colour))`. They
//! are evaluated with one word for each row, and charged as if the condition had been called for
//! each cell.

use super::ValueResult;
use super::call::Eval;
use super::columns::FEW;
use crate::code::{FlatStep, StepOperand, StepOperation};
use crate::fault::Fault;
use crate::prim::Prim;
use crate::value::{Bits, Mask, Space, Value, Window, lanes};

/// A test of a cell's colour alone.
#[derive(Clone, Copy)]
struct ColourTest {
    /// The colour compared with, or `None` if the number is outside the colours of a cell.
    colour: Option<i8>,
    /// Whether cells of this colour are kept, or all others.
    keeps: bool,
    /// Steps for each cell.
    steps: u64,
    /// Whether the condition is a body, which counts as a nested call.
    is_body: bool,
}

/// Returns the filtered object, if the condition tests the colour alone.
pub(super) fn by_colour(
    eval: &mut Eval<'_>,
    object: Value,
    condition: Value,
) -> Result<Option<Value>, Fault> {
    let (Value::Object(..) | Value::Painted { .. }, Some(mask)) = (object, object.mask()) else {
        return Ok(None);
    };
    if eval.space.reading.is_typed() {
        return Ok(None);
    }
    let Some(test) = test_of(eval, condition) else {
        return Ok(None);
    };
    let space = &mut *eval.space;
    let count = space.count(mask);
    if test.is_body && count < FEW {
        return Ok(None);
    }
    // The iteration is charged first, then the steps of the condition for all cells.
    space.meter.work(count as u64)?;
    if test.is_body {
        space.meter.enter()?;
        space.meter.leave();
    }
    space.meter.work(test.steps * count as u64)?;
    match object {
        Value::Painted { cells, .. } => kept(space, object, (mask, cells as usize), test).map(Some),
        Value::Object(_, own) if (test.colour == Some(own)) == test.keeps => Ok(Some(object)),
        _ => Ok(Some(Value::EMPTY_SET)),
    }
}

/// Returns the test of a condition, if it depends on the colour alone.
fn test_of(eval: &Eval<'_>, condition: Value) -> Option<ColourTest> {
    let (id, at) = match condition {
        Value::Prim(Prim::First) => {
            return Some(ColourTest {
                colour: Some(0),
                keeps: false,
                steps: 1,
                is_body: false,
            });
        }
        Value::Body { id, at, .. } => (id, at),
        _ => return None,
    };
    let flat_code = &eval.code.flat_code;
    let body = flat_code.body(id);
    let steps = flat_code.steps_of(body);
    let (first, rest) = steps.split_first()?;
    let (equality, flip) = rest.split_first()?;
    let is = |step: &FlatStep, prim| {
        step.operation == StepOperation::Primitive(prim) && step.fused.is_none()
    };
    let of_parameter = matches!(flat_code.operands(first), [StepOperand::Parameter(0)]);
    if body.arity != 1 || !is(first, Prim::First) || !is(equality, Prim::Equality) {
        return None;
    }
    let (&[StepOperand::Local(0), other] | &[other, StepOperand::Local(0)]) =
        flat_code.operands(equality)
    else {
        return None;
    };
    let wanted = match other {
        StepOperand::Captured(index) => eval.space.values[at as usize + 1 + usize::from(index)],
        StepOperand::Fixed(value) => value,
        StepOperand::Parameter(_) | StepOperand::Local(_) => return None,
    };
    let is_last = |index: u32| matches!(body.result, StepOperand::Local(last) if last == index);
    let keeps = match flip {
        [] if is_last(1) => true,
        [flip] if is_last(2) && is(flip, Prim::Flip) => {
            matches!(flat_code.operands(flip), [StepOperand::Local(1)]).then_some(false)?
        }
        _ => return None,
    };
    let Value::Int(wanted) = wanted else {
        return None;
    };
    of_parameter.then_some(ColourTest {
        colour: i8::try_from(wanted).ok(),
        keeps,
        steps: steps.len() as u64,
        is_body: true,
    })
}

/// Returns the cells of a many-coloured object that pass the test.
fn kept(
    space: &mut Space,
    object: Value,
    (mask, cells): (Mask, usize),
    test: ColourTest,
) -> ValueResult {
    let width = usize::from(mask.width);
    let word_of = |space: &Space, row: usize| -> Bits {
        let word = space.rows[mask.rows as usize + row];
        let same = match test.colour {
            Some(colour) => lanes::of_colour(word, &space.cells, cells + row * width, colour),
            None => 0,
        };
        if test.keeps { same } else { word & !same }
    };
    let (mut all, mut count, mut lost) = (0, 0, false);
    let mut bounds: Option<(usize, usize)> = None;
    for row in 0..usize::from(mask.height) {
        let word = word_of(space, row);
        lost |= word != space.rows[mask.rows as usize + row];
        if word != 0 {
            all |= word;
            count += u64::from(word.count_ones());
            bounds = Some((bounds.map_or(row, |(first, _)| first), row));
        }
    }
    let Some((first, last)) = bounds else {
        return Ok(Value::EMPTY_SET);
    };
    if !lost {
        return Ok(object);
    }
    let (left, right) = (all.trailing_zeros() as usize, all.ilog2() as usize);
    // It is part of the object's window, so it fits a mask.
    let window = Window {
        top: mask.top() + first as i64,
        left: mask.left() + left as i64,
        bottom: mask.top() + last as i64,
        right: mask.left() + right as i64,
    };
    space.meter.work(count)?;
    let at = space.new_window(window)?;
    let new = space.new_cells(window.height() * window.width())?;
    for row in 0..window.height() {
        let word = word_of(space, first + row) >> left;
        space.rows[at + row] = word;
        let from = cells + (first + row) * width + left;
        lanes::copy_under(word, &mut space.cells, from, new + row * window.width());
    }
    Ok(space.finish_cells(at, new, window))
}

#[cfg(test)]
mod tests {
    use super::super::higher::sfilter_listed;
    use super::*;
    use crate::code::{Body, Code, FlatCode, Step};
    use crate::meter::Budget;
    use crate::reading::Reading;
    use crate::rng::Rng;

    /// Bodies that test the colour, and similar ones that do not.
    fn code() -> Code {
        let step = |prim, arguments: &[StepOperand]| Step {
            operation: StepOperation::Primitive(prim),
            reading: Reading::Classic,
            arguments: arguments.to_vec(),
        };
        let (x, first, captured) = (
            StepOperand::Parameter(0),
            StepOperand::Local(0),
            StepOperand::Captured(0),
        );
        let is = |wanted| {
            vec![
                step(Prim::First, &[x]),
                step(Prim::Equality, &[first, wanted]),
            ]
        };
        let mut is_not = is(captured);
        is_not.push(step(Prim::Flip, &[StepOperand::Local(1)]));
        let mut other = is(captured);
        other.push(step(Prim::Flip, &[first]));
        let three = StepOperand::Fixed(Value::Int(3));
        let turned = vec![
            step(Prim::First, &[x]),
            step(Prim::Equality, &[captured, first]),
        ];
        let bodies = [is(captured), is_not, other, is(three), turned].map(|steps| Body {
            arity: 1,
            result: StepOperand::Local(steps.len() as u32 - 1),
            steps,
            fingerprint: 0,
        });
        Code {
            flat_code: FlatCode::new(&[], &bodies),
            bodies: bodies.to_vec(),
        }
    }

    /// An object of one or several colours.
    fn object(space: &mut Space, rng: &mut Rng) -> Value {
        let base = space.stack.len();
        let (size, colours) = (1 + rng.below(12), 1 + rng.below(5));
        for _ in 0..=rng.below(80) {
            let cell = Value::Cell {
                colour: rng.below(colours) as i32 + 1,
                i: rng.below(size) as i32 - 2,
                j: rng.below(6 * size) as i32 - 3,
            };
            let places = &space.stack[base..];
            let taken = places.iter().any(|other| match (*other, cell) {
                (Value::Cell { i, j, .. }, Value::Cell { i: k, j: l, .. }) => (i, j) == (k, l),
                _ => false,
            });
            if !taken {
                space.stack.push(cell);
            }
        }
        space.set_from(base).unwrap()
    }

    #[test]
    fn filter_equals_cell_by_cell_evaluation() {
        let code = code();
        let mut rng = Rng::new(11);
        let mut by_colour_count = 0;
        for round in 0..2_000 {
            let steps = [u64::MAX, 30 + rng.below(400) as u64][round % 2];
            let bytes = [u64::MAX, 600 + rng.below(3_000) as u64][round / 2 % 2];
            let budget = Budget {
                steps,
                bytes,
                ..Budget::default()
            };
            let seed = rng.below(1 << 30) as u64;
            let run = |listed: bool| {
                let mut rng = Rng::new(seed);
                let mut space = Space::new(Budget::default());
                let object = object(&mut space, &mut rng);
                let wanted = [Value::Int(rng.below(7) as i64), Value::Int(1_000)][rng.below(9) / 8];
                let condition = match rng.below(6) as u32 {
                    5 => Value::Prim(Prim::First),
                    id => {
                        let start = space.stack.len();
                        space.stack.push(wanted);
                        space.closure_from(id, 0, start).unwrap()
                    }
                };
                space.meter = crate::meter::Meter::new(budget);
                let mut eval = Eval {
                    space: &mut space,
                    code: &code,
                };
                let kept = if listed {
                    sfilter_listed(&mut eval, object, condition).map(Some)
                } else {
                    by_colour(&mut eval, object, condition)
                };
                let kept = kept.map(|kept| kept.map(|kept| space.export(kept)));
                (kept, space.meter.steps(), space.meter.peak_bytes())
            };
            let (listed, known) = (run(false), run(true));
            match listed.0 {
                Ok(None) => {}
                // The charges after a fault are not specified.
                Err(fault) => assert_eq!(known.0.unwrap_err(), fault, "seed {seed}"),
                Ok(Some(_)) => {
                    by_colour_count += 1;
                    assert_eq!(listed, known, "seed {seed}");
                }
            }
        }
        assert!(by_colour_count > 500, "{by_colour_count}");
    }
}
