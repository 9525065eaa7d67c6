//! Steps as the engine reads them: one after another, their operands in one row.
//!
//! A program is often run on a few examples only, so most of what it reads of its
//! plan has to be fetched from far. Operands that lie one by one wherever memory was
//! free cost a tenth of the time of 399 solvers on their own tasks.

use super::fused::{self, Fused};
use super::{Argument, Body, Operation, Step};
use crate::ahead::fetch;
use crate::value::Value;
use std::ops::Range;

/// A plan's steps and its bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tape {
    /// Those of the plan by number, then those of each body.
    steps: Vec<TapeStep>,
    operands: Vec<Argument>,
    bodies: Vec<TapeBody>,
}

/// One step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TapeStep {
    pub operation: Operation,
    /// Where its operands begin.
    first: u32,
    count: u16,
    /// What it and the next step come to, where they are done at once.
    pub fused: Option<Fused>,
}

/// A function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TapeBody {
    pub result: Argument,
    /// See [`Body::fingerprint`].
    pub fingerprint: i64,
    first: u32,
    count: u32,
    pub arity: u8,
}

impl Tape {
    /// The steps of a plan and the bodies they call.
    pub(crate) fn new(steps: &[Step], bodies: &[Body]) -> Tape {
        let of_bodies = || bodies.iter().flat_map(|body| &body.steps);
        let all = steps.iter().chain(of_bodies());
        let mut tape = Tape {
            steps: Vec::with_capacity(steps.len() + of_bodies().count()),
            operands: Vec::with_capacity(all.map(|step| step.arguments.len()).sum()),
            bodies: Vec::with_capacity(bodies.len()),
        };
        for step in steps {
            tape.push(step, None);
        }
        for body in bodies {
            tape.bodies.push(TapeBody {
                result: body.result,
                fingerprint: body.fingerprint,
                first: tape.steps.len() as u32,
                count: body.steps.len() as u32,
                arity: body.arity,
            });
            for (number, step) in body.steps.iter().enumerate() {
                tape.push(step, fused::at(body, number));
            }
        }
        tape
    }

    fn push(&mut self, step: &Step, fused: Option<Fused>) {
        self.steps.push(TapeStep {
            operation: step.operation,
            first: self.operands.len() as u32,
            // Captured values are counted in 16 bits, arguments in fewer.
            count: step.arguments.len() as u16,
            fused,
        });
        self.operands.extend_from_slice(&step.arguments);
    }

    /// Reads it ahead.
    pub(crate) fn fetch(&self) {
        fetch(&self.steps, |step| step.first);
        fetch(&self.operands, |operand| match operand {
            Argument::Local(place) => *place,
            _ => 0,
        });
        fetch(&self.bodies, |body| body.first);
    }

    /// A step of the plan.
    #[inline]
    pub(crate) fn step(&self, number: u32) -> &TapeStep {
        &self.steps[number as usize]
    }

    /// What a step is given.
    #[inline]
    pub(crate) fn operands(&self, step: &TapeStep) -> &[Argument] {
        &self.operands[range(step.first, u32::from(step.count))]
    }

    /// What two steps done at once are given: the first, and the second beside what
    /// the first makes.
    pub(crate) fn pair(&self, fused: Fused, pair: [&TapeStep; 2]) -> ([Argument; 2], Argument) {
        let [first, second] = pair.map(|step| self.operands(step));
        let none = Argument::Fixed(Value::None);
        let other = second.get(1 - fused.between()).copied().unwrap_or(none);
        ([first[0], first[1]], other)
    }

    #[inline]
    pub(crate) fn body(&self, id: u32) -> &TapeBody {
        &self.bodies[id as usize]
    }

    /// The steps of a body.
    #[inline]
    pub(crate) fn steps_of(&self, body: &TapeBody) -> &[TapeStep] {
        &self.steps[range(body.first, body.count)]
    }
}

fn range(first: u32, count: u32) -> Range<usize> {
    first as usize..first as usize + count as usize
}
