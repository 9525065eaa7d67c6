//! Steps as the engine reads them: one after another, their operands in one row.
//!
//! A program is often run on a few examples only, so most of what it reads of its
//! plan has to be fetched from far. Operands that lie one by one wherever memory was
//! free cost a twentieth of the time of 399 solvers on their own tasks.

use super::fused::{self, Fused};
use super::{Argument, Body, Operation, Step};
use crate::prefetch::fetch;
use crate::value::Value;
use std::ops::Range;

/// A plan's steps and its bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlatCode {
    /// Those of the plan by number, then those of each body.
    steps: Vec<FlatStep>,
    /// What those of the plan are given, see [`FlatCode::places`].
    places: Vec<u32>,
    /// Values written into the steps of the plan, each once.
    constants: Vec<Value>,
    /// What those of bodies are given.
    operands: Vec<Argument>,
    bodies: Vec<FlatBody>,
}

/// Inputs of an evaluation.
pub(crate) const INPUTS: usize = 3;

/// One step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlatStep {
    pub operation: Operation,
    /// Where its operands begin.
    first: u32,
    count: u16,
    /// What it and the next step come to, where they are done at once.
    pub fused: Option<Fused>,
}

/// A function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlatBody {
    pub result: Argument,
    /// See [`Body::fingerprint`].
    pub fingerprint: i64,
    first: u32,
    count: u32,
    pub arity: u8,
}

impl FlatCode {
    /// The steps of a plan and the bodies they call.
    pub(crate) fn new(steps: &[Step], bodies: &[Body]) -> FlatCode {
        let of_bodies = || bodies.iter().flat_map(|body| &body.steps);
        let given = |step: &Step| step.arguments.len();
        let mut flat_code = FlatCode {
            steps: Vec::with_capacity(steps.len() + of_bodies().count()),
            places: Vec::with_capacity(steps.iter().map(given).sum()),
            constants: constants(steps),
            operands: Vec::with_capacity(of_bodies().map(given).sum()),
            bodies: Vec::with_capacity(bodies.len()),
        };
        for step in steps {
            flat_code.push(step, flat_code.places.len(), None);
            for argument in &step.arguments {
                flat_code.places.push(flat_code.place(*argument) as u32);
            }
        }
        for body in bodies {
            flat_code.bodies.push(FlatBody {
                result: body.result,
                fingerprint: body.fingerprint,
                first: flat_code.steps.len() as u32,
                count: body.steps.len() as u32,
                arity: body.arity,
            });
            for (number, step) in body.steps.iter().enumerate() {
                flat_code.push(step, flat_code.operands.len(), fused::at(body, number));
                flat_code.operands.extend_from_slice(&step.arguments);
            }
        }
        flat_code
    }

    fn push(&mut self, step: &Step, first: usize, fused: Option<Fused>) {
        self.steps.push(FlatStep {
            operation: step.operation,
            first: first as u32,
            // Captured values are counted in 16 bits, arguments in fewer.
            count: step.arguments.len() as u16,
            fused,
        });
    }

    /// Where an operand of a step of the plan is found.
    pub(crate) fn place(&self, argument: Argument) -> usize {
        match argument {
            Argument::Parameter(input) => usize::from(input),
            Argument::Fixed(value) => {
                let mut constants = self.constants.iter();
                // All of them were gathered before.
                INPUTS
                    + constants
                        .position(|other| alike(value, *other))
                        .unwrap_or(0)
            }
            Argument::Local(step) => self.before_steps() + step as usize,
            // The outermost block closes over nothing.
            Argument::Captured(_) => 0,
        }
    }

    /// Reads it ahead.
    pub(crate) fn fetch(&self) {
        fetch(&self.steps, |step| step.first);
        fetch(&self.places, |place| *place);
        fetch(&self.operands, |operand| match operand {
            Argument::Local(place) => *place,
            _ => 0,
        });
        fetch(&self.bodies, |body| body.first);
    }

    /// A step of the plan.
    #[inline]
    pub(crate) fn step(&self, number: u32) -> &FlatStep {
        &self.steps[number as usize]
    }

    /// Values written into the steps of the plan.
    pub(crate) fn constants(&self) -> &[Value] {
        &self.constants
    }

    /// How many places come before those of steps.
    #[inline]
    pub(crate) fn before_steps(&self) -> usize {
        INPUTS + self.constants.len()
    }

    /// What a step of the plan is given, by place: the inputs have the first, then
    /// come the constants, then the places of steps. One row for all, because what an
    /// operand is cannot be predicted: asking it of each was 2 % of the time.
    #[inline]
    pub(crate) fn places(&self, step: &FlatStep) -> &[u32] {
        &self.places[range(step.first, u32::from(step.count))]
    }

    /// What a step of a body is given.
    #[inline]
    pub(crate) fn operands(&self, step: &FlatStep) -> &[Argument] {
        &self.operands[range(step.first, u32::from(step.count))]
    }

    /// What two steps done at once are given: the first, and the second beside what
    /// the first makes.
    pub(crate) fn pair(&self, fused: Fused, pair: [&FlatStep; 2]) -> ([Argument; 2], Argument) {
        let [first, second] = pair.map(|step| self.operands(step));
        let none = Argument::Fixed(Value::None);
        let other = second.get(1 - fused.between()).copied().unwrap_or(none);
        ([first[0], first[1]], other)
    }

    #[inline]
    pub(crate) fn body(&self, id: u32) -> &FlatBody {
        &self.bodies[id as usize]
    }

    /// The steps of a body.
    #[inline]
    pub(crate) fn steps_of(&self, body: &FlatBody) -> &[FlatStep] {
        &self.steps[range(body.first, body.count)]
    }
}

/// The values written into steps, each once.
fn constants(steps: &[Step]) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    for argument in steps.iter().flat_map(|step| &step.arguments) {
        if let Argument::Fixed(value) = *argument
            && !found.iter().any(|other| alike(value, *other))
        {
            found.push(value);
        }
    }
    found
}

/// Whether two values without parts are one.
fn alike(a: Value, b: Value) -> bool {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Pair(a, b), Value::Pair(c, d)) => (a, b) == (c, d),
        (Value::Prim(a), Value::Prim(b)) => a == b,
        // No other value is written into code.
        _ => false,
    }
}

fn range(first: u32, count: u32) -> Range<usize> {
    first as usize..first as usize + count as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::Prim;

    fn step(prim: Prim, arguments: &[Argument]) -> Step {
        Step {
            operation: Operation::Primitive(prim),
            arguments: arguments.to_vec(),
        }
    }

    fn int(n: i64) -> Argument {
        Argument::Fixed(Value::Int(n))
    }

    #[test]
    fn inputs_come_first_then_constants_then_steps() {
        let steps = [
            step(Prim::Canvas, &[int(7), Argument::Parameter(2)]),
            step(Prim::Fill, &[Argument::Local(0), int(8), int(7)]),
            step(Prim::Hconcat, &[Argument::Local(1), Argument::Local(0)]),
        ];
        let flat_code = FlatCode::new(&steps, &[]);
        assert_eq!(flat_code.constants().len(), 2);
        let places = |number: u32| flat_code.places(flat_code.step(number));
        assert_eq!(places(0), [3, 2]);
        assert_eq!(places(1), [5, 4, 3]);
        assert_eq!(places(2), [6, 5]);
    }

    #[test]
    fn bodies_keep_their_steps_and_pairs_are_found() {
        let steps = vec![
            step(Prim::Flip, &[Argument::Parameter(0)]),
            step(
                Prim::Combine,
                &[Argument::Parameter(0), Argument::Captured(1)],
            ),
            step(
                Prim::Difference,
                &[Argument::Captured(0), Argument::Local(1)],
            ),
        ];
        let body = Body {
            arity: 1,
            steps,
            result: Argument::Local(2),
            fingerprint: 5,
        };
        let own = [step(Prim::Size, &[Argument::Parameter(0)])];
        let flat_code = FlatCode::new(&own, &[body.clone(), body]);
        let second = flat_code.body(1);
        let found = flat_code.steps_of(second);
        let fused: Vec<Option<Fused>> = found.iter().map(|step| step.fused).collect();
        assert_eq!(fused, [None, Some(Fused::WithoutBoth), None]);
        let (given, other) = flat_code.pair(Fused::WithoutBoth, [&found[1], &found[2]]);
        assert!(matches!(
            given,
            [Argument::Parameter(0), Argument::Captured(1)]
        ));
        assert!(matches!(other, Argument::Captured(0)));
        assert_eq!((second.arity, second.fingerprint), (1, 5));
        assert!(matches!(
            flat_code.operands(&found[0]),
            [Argument::Parameter(0)]
        ));
    }
}
