//! Golden vectors as programs of one line.
//!
//! The arguments of a vector are the inputs of an example, and its primitive is the only
//! step of a program, or the first of two if the built function is then called. [`alone`]
//! runs the same program on the CPU, step by step as the engine does.

use super::answer::Answer;
use super::dump::{defined, unbound};
use super::image::{Examples, INPUTS};
use super::launch::{Job, ScheduleRow};
use super::lower::Bytecode;
use crate::code::{Code, Step, StepOperand, StepOperation};
use crate::compact::Eval;
use crate::engine::{Evaluation, EvaluationRef, Undefined};
use crate::fault::{BudgetLimit, Fault};
use crate::golden::GoldenVector;
use crate::meter::Budget;
use crate::prim::Prim;
use crate::reading::Reading;
use crate::value::{Space, Value};
use std::time::Duration;

/// A job of vectors; each vector is one row with one example.
#[derive(Debug)]
pub struct Singles {
    job: Job,
    places: Vec<usize>,
}

impl Singles {
    /// A job of those vectors whose number of arguments is the arity of their primitive.
    #[must_use]
    pub fn new(vectors: &[GoldenVector]) -> Singles {
        let mut examples = Examples::new(Budget::default());
        let mut space = Space::new(unbound());
        let mut programs = Vec::new();
        let mut places = Vec::new();
        for (place, vector) in vectors.iter().enumerate() {
            space.clear();
            if let Some((inputs, steps)) = program(&mut space, vector)
                && examples.push_values(&space, inputs, 0, None).is_ok()
            {
                programs.push(steps);
                places.push(place);
            }
        }
        let code = Bytecode::of_steps(programs.iter().map(Vec::as_slice));
        let rows = (0..programs.len() as u32).filter_map(|number| {
            Some(ScheduleRow {
                program: code.program(number as usize)?,
                first_example: number,
                examples: 1,
                first_result: number,
            })
        });
        let rows: Vec<ScheduleRow> = rows.collect();
        Singles {
            job: Job::new(code.words(), &examples.to_bytes(), &rows),
            places,
        }
    }

    /// The job to launch.
    #[must_use]
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// The indices of the vectors in the job, in its order.
    #[must_use]
    pub fn places(&self) -> &[usize] {
        &self.places
    }

    /// The evaluation of a result and its dump, as the CPU engine would return it, and its
    /// steps if it is defined. The error describes a flag or an invalid result.
    pub fn evaluation(answer: &Answer, dump: &[u8]) -> Result<(Evaluation, Option<u32>), String> {
        match *answer {
            Answer::Flagged(flag) => Err(format!("flagged: {flag}")),
            Answer::Undefined {
                fault,
                primitive,
                step,
            } => {
                let undefined = Undefined {
                    fault,
                    primitive,
                    line: step.map_or(0, |step| step + 1),
                };
                Ok((Evaluation::Undefined(undefined), None))
            }
            Answer::Defined { steps, .. } => match defined(dump) {
                Ok(evaluation) => Ok((evaluation, Some(steps))),
                Err(error) => Err(error.to_string()),
            },
        }
    }
}

/// The inputs of a vector's example and the steps of its program. Arguments
/// without parts are constants where there are more than inputs.
fn program(space: &mut Space, vector: &GoldenVector) -> Option<([Value; INPUTS], Vec<Step>)> {
    if vector.args.len() != vector.prim.arity() || vector.prim.view().is_some() {
        return None;
    }
    let all = vector.args.iter().chain(vector.apply.iter().flatten());
    let values: Result<Vec<Value>, Fault> = all.map(|plain| space.import(plain)).collect();
    let values = values.ok()?;
    let too_many = values.len() > INPUTS;
    let mut inputs = [Value::None; INPUTS];
    let mut next = 0_u8;
    let mut arguments = Vec::with_capacity(values.len());
    for value in values {
        arguments.push(if too_many && value.is_free() {
            StepOperand::Fixed(value)
        } else {
            *inputs.get_mut(usize::from(next))? = value;
            next += 1;
            StepOperand::Parameter(next - 1)
        });
    }
    let more = arguments.split_off(vector.args.len());
    let mut steps = vec![Step {
        operation: StepOperation::Primitive(vector.prim),
        reading: Reading::Classic,
        arguments,
    }];
    if vector.apply.is_some() {
        steps.push(Step {
            operation: StepOperation::Call,
            reading: Reading::Classic,
            arguments: std::iter::once(StepOperand::Local(0)).chain(more).collect(),
        });
    }
    Some((inputs, steps))
}

/// The evaluation of a vector on the CPU, as a program of one or two lines, and its steps
/// if it is defined.
#[must_use]
pub fn alone(vector: &GoldenVector, budget: Budget) -> Option<(Evaluation, Option<u32>)> {
    let mut space = Space::new(unbound());
    let (inputs, steps) = program(&mut space, vector)?;
    let code = Code::default();
    let mut fetched: Vec<Value> = Vec::new();
    let (mut steps_spent, mut bytes_spent) = (0_u64, 0_u64);
    // The inputs were taken in without a budget; what follows has one.
    space.meter = crate::meter::Meter::new(budget);
    for (line, step) in (1..).zip(steps) {
        let fetch = |argument: &StepOperand| match *argument {
            StepOperand::Parameter(place) => inputs[usize::from(place)],
            StepOperand::Local(place) => fetched[place as usize],
            StepOperand::Fixed(value) => value,
            StepOperand::Captured(_) => Value::None,
        };
        let operands: Vec<Value> = step.arguments.iter().map(fetch).collect();
        space.begin_step(Duration::ZERO);
        let mark = space.mark();
        let mut eval = Eval {
            code: &code,
            space: &mut space,
        };
        let result = match step.operation {
            StepOperation::Primitive(prim) => eval.primitive(prim, &operands),
            _ => eval.call(operands[0], &operands[1..]),
        };
        if result.map_or(true, Value::is_free) {
            space.cut(mark);
        }
        let undefined = |fault: Fault, primitive: Option<Prim>| {
            let undefined = Undefined {
                fault,
                primitive,
                line,
            };
            Some((Evaluation::Undefined(undefined), None))
        };
        let value = match result {
            Ok(value) => value,
            Err(fault) => return undefined(fault, space.failed_primitive),
        };
        steps_spent = steps_spent.saturating_add(space.meter.steps());
        let peak = bytes_spent.saturating_add(space.meter.peak_bytes());
        bytes_spent = bytes_spent.saturating_add(space.meter.bytes());
        let primitive = match step.operation {
            StepOperation::Primitive(prim) => Some(prim),
            _ => None,
        };
        if steps_spent > budget.steps {
            return undefined(Fault::Budget(BudgetLimit::Steps), primitive);
        }
        if peak > budget.bytes {
            return undefined(Fault::Budget(BudgetLimit::Bytes), primitive);
        }
        fetched.push(value);
    }
    let evaluation = EvaluationRef::Defined {
        value: *fetched.last()?,
        space: &space,
        steps: steps_spent,
    };
    let steps = u32::try_from(steps_spent).unwrap_or(u32::MAX);
    Some((evaluation.to_evaluation(), Some(steps)))
}
