//! Steps in the layout the engine reads: contiguous, with their operands in one array.
//!
//! A program often runs on a few examples only, so most of its plan is read from main memory, not
//! from a cache. Operands in separate allocations cost a twentieth of the time of 399 solvers on
//! their own tasks.

use super::fused::{self, Fused};
use super::{Body, Step, StepOperand, StepOperation};
use crate::prefetch::fetch;
use crate::reading::Reading;
use crate::value::Value;
use std::ops::Range;

/// A plan's steps and its bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlatCode {
    /// The steps of the plan by number, then those of each body.
    steps: Vec<FlatStep>,
    /// The operands of the plan's steps, see [`FlatCode::slots`].
    slots: Vec<u32>,
    /// The constants of the plan's steps, each once.
    constants: Vec<Value>,
    /// The operands of the bodies' steps.
    operands: Vec<StepOperand>,
    bodies: Vec<FlatBody>,
}

/// The number of inputs of an evaluation. The last two are the candidate, as classic and as typed
/// programs see it: without one it is `()` for the former and `None` for the latter.
pub(crate) const INPUTS: usize = 4;

/// A step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlatStep {
    pub operation: StepOperation,
    /// See [`Step::reading`].
    pub reading: Reading,
    /// The index of its first operand.
    first: u32,
    count: u16,
    /// The fused operation of this step and the next, if they can be run as one.
    pub fused: Option<Fused>,
}

/// A function body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlatBody {
    pub result: StepOperand,
    /// See [`Body::fingerprint`].
    pub fingerprint: i64,
    first: u32,
    count: u32,
    pub arity: u8,
}

impl FlatCode {
    /// Lays out the steps of a plan and of the bodies they call.
    pub(crate) fn new(steps: &[Step], bodies: &[Body]) -> FlatCode {
        let of_bodies = || bodies.iter().flat_map(|body| &body.steps);
        let given = |step: &Step| step.arguments.len();
        let mut flat_code = FlatCode {
            steps: Vec::with_capacity(steps.len() + of_bodies().count()),
            slots: Vec::with_capacity(steps.iter().map(given).sum()),
            constants: constants(steps),
            operands: Vec::with_capacity(of_bodies().map(given).sum()),
            bodies: Vec::with_capacity(bodies.len()),
        };
        for step in steps {
            flat_code.push(step, flat_code.slots.len(), None);
            for argument in &step.arguments {
                flat_code.slots.push(flat_code.slot(*argument) as u32);
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
            reading: step.reading,
            first: first as u32,
            // The number of captured values has 16 bits, that of arguments fewer.
            count: step.arguments.len() as u16,
            fused,
        });
    }

    /// Returns the slot of an operand of a step of the plan.
    pub(crate) fn slot(&self, argument: StepOperand) -> usize {
        match argument {
            StepOperand::Parameter(input) => usize::from(input),
            StepOperand::Fixed(value) => {
                let mut constants = self.constants.iter();
                // `constants` collected all of them before.
                INPUTS
                    + constants
                        .position(|other| alike(value, *other))
                        .unwrap_or(0)
            }
            StepOperand::Local(step) => self.before_steps() + step as usize,
            // The steps of the plan are not in a function and capture nothing.
            StepOperand::Captured(_) => 0,
        }
    }

    /// Loads the steps and operands into the cache.
    pub(crate) fn fetch(&self) {
        fetch(&self.steps, |step| step.first);
        fetch(&self.slots, |slot| *slot);
        fetch(&self.operands, |operand| match operand {
            StepOperand::Local(slot) => *slot,
            _ => 0,
        });
        fetch(&self.bodies, |body| body.first);
    }

    /// Returns a step of the plan.
    #[inline]
    pub(crate) fn step(&self, number: u32) -> &FlatStep {
        &self.steps[number as usize]
    }

    /// Returns the constants of the plan's steps.
    pub(crate) fn constants(&self) -> &[Value] {
        &self.constants
    }

    /// Returns the number of slots before those of steps.
    #[inline]
    pub(crate) fn before_steps(&self) -> usize {
        INPUTS + self.constants.len()
    }

    /// Returns the operands of a step of the plan as slots: the inputs come first, then the
    /// constants, then the results of steps. All are indices of one array, because the branch on
    /// the kind of an operand is unpredictable: testing each took 2 % of the time.
    #[inline]
    pub(crate) fn slots(&self, step: &FlatStep) -> &[u32] {
        &self.slots[range(step.first, u32::from(step.count))]
    }

    /// Returns the operands of a step of a body.
    #[inline]
    pub(crate) fn operands(&self, step: &FlatStep) -> &[StepOperand] {
        &self.operands[range(step.first, u32::from(step.count))]
    }

    /// Returns the operands of two fused steps: those of the first, and the operand of the second
    /// that is not the result of the first.
    pub(crate) fn pair(
        &self,
        fused: Fused,
        pair: [&FlatStep; 2],
    ) -> ([StepOperand; 2], StepOperand) {
        let [first, second] = pair.map(|step| self.operands(step));
        let none = StepOperand::Fixed(Value::None);
        let other = second.get(1 - fused.between()).copied().unwrap_or(none);
        ([first[0], first[1]], other)
    }

    #[inline]
    pub(crate) fn body(&self, id: u32) -> &FlatBody {
        &self.bodies[id as usize]
    }

    /// Returns the steps of a body.
    #[inline]
    pub(crate) fn steps_of(&self, body: &FlatBody) -> &[FlatStep] {
        &self.steps[range(body.first, body.count)]
    }
}

/// Returns the constants of steps, each once.
fn constants(steps: &[Step]) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    for argument in steps.iter().flat_map(|step| &step.arguments) {
        if let StepOperand::Fixed(value) = *argument
            && !found.iter().any(|other| alike(value, *other))
        {
            found.push(value);
        }
    }
    found
}

/// Whether two values without parts are the same.
fn alike(a: Value, b: Value) -> bool {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Pair(a, b), Value::Pair(c, d)) => (a, b) == (c, d),
        (Value::Prim(a), Value::Prim(b)) => a == b,
        (Value::None, Value::None) => true,
        // Code contains no other values.
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
    use crate::reading::Reading;

    fn step(prim: Prim, arguments: &[StepOperand]) -> Step {
        Step {
            operation: StepOperation::Primitive(prim),
            reading: Reading::Classic,
            arguments: arguments.to_vec(),
        }
    }

    fn int(n: i64) -> StepOperand {
        StepOperand::Fixed(Value::Int(n))
    }

    #[test]
    fn inputs_come_first_then_constants_then_steps() {
        let steps = [
            step(Prim::Canvas, &[int(7), StepOperand::Parameter(2)]),
            step(Prim::Fill, &[StepOperand::Local(0), int(8), int(7)]),
            step(
                Prim::Hconcat,
                &[StepOperand::Local(1), StepOperand::Local(0)],
            ),
        ];
        let flat_code = FlatCode::new(&steps, &[]);
        assert_eq!(flat_code.constants().len(), 2);
        let slots = |number: u32| flat_code.slots(flat_code.step(number));
        assert_eq!(slots(0), [4, 2]);
        assert_eq!(slots(1), [6, 5, 4]);
        assert_eq!(slots(2), [7, 6]);
    }

    #[test]
    fn bodies_keep_their_steps_and_fused_pairs() {
        let steps = vec![
            step(Prim::Flip, &[StepOperand::Parameter(0)]),
            step(
                Prim::Combine,
                &[StepOperand::Parameter(0), StepOperand::Captured(1)],
            ),
            step(
                Prim::Difference,
                &[StepOperand::Captured(0), StepOperand::Local(1)],
            ),
        ];
        let body = Body {
            arity: 1,
            steps,
            result: StepOperand::Local(2),
            fingerprint: 5,
        };
        let own = [step(Prim::Size, &[StepOperand::Parameter(0)])];
        let flat_code = FlatCode::new(&own, &[body.clone(), body]);
        let second = flat_code.body(1);
        let found = flat_code.steps_of(second);
        let fused: Vec<Option<Fused>> = found.iter().map(|step| step.fused).collect();
        assert_eq!(fused, [None, Some(Fused::WithoutBoth), None]);
        let (given, other) = flat_code.pair(Fused::WithoutBoth, [&found[1], &found[2]]);
        assert!(matches!(
            given,
            [StepOperand::Parameter(0), StepOperand::Captured(1)]
        ));
        assert!(matches!(other, StepOperand::Captured(0)));
        assert_eq!((second.arity, second.fingerprint), (1, 5));
        assert!(matches!(
            flat_code.operands(&found[0]),
            [StepOperand::Parameter(0)]
        ));
    }
}
