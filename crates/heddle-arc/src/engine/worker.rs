//! The engine of one thread: runs one program on one example at a time. `deferral` decides
//! the order of evaluations.

mod deferral;

pub(super) use deferral::{Deferred, DeferredEvaluations};

use super::slots::{SlotCounts, Slots, StepRecord, StepState};
use super::speed::SpeedEstimate;
use super::{EvaluationRef, Example, PrimitiveTimes, Undefined};
use crate::code::{INPUTS, StepOperand, StepOperation};
use crate::compact::Eval;
use crate::fault::{BudgetLimit, Fault};
use crate::meter::Budget;
use crate::plan::{Plan, PlannedProgram, PlannedStep};
use crate::prim::Prim;
use crate::value::{Space, Value};
use std::time::{Duration, Instant};

/// The number of examples that a program runs on before the next program. From the second
/// example on, its code and branches are in the CPU's caches. For 399 solvers on 60 grids,
/// blocks of 60 took 3 to 8 % less time than blocks of 3.
pub(crate) const BLOCK: usize = 64;

/// The most bytes of shared values in a block. Beyond it, each program computes the shared
/// values it needs and frees them.
const SHARED_BYTES: usize = 64 << 20;

/// Runs plans on one thread and keeps its memory between runs.
#[derive(Debug)]
pub struct Worker {
    space: Space,
    slots: Slots,
    /// For each example of the block, whether its import succeeded.
    imported: Vec<Result<(), Fault>>,
    /// Shared steps whose values are freed after the running program.
    temporary_steps: Vec<u32>,
    /// The evaluations deferred by the two passes; `deferrals_plan` is the number of their
    /// plan.
    deferrals: [DeferredEvaluations<Vec<SpeedEstimate>>; 2],
    deferrals_plan: Option<u64>,
    shared_bytes: usize,
    /// The most steps of an evaluation in the current pass.
    allowed_steps: u64,
    budget: Budget,
    /// The times of primitives; `None` unless the worker is timed.
    times: Option<Box<PrimitiveTimes>>,
}

impl Worker {
    /// A worker; each evaluation has this budget.
    #[must_use]
    pub fn new(budget: Budget) -> Self {
        Worker {
            space: Space::new(budget),
            slots: Slots::default(),
            imported: Vec::new(),
            temporary_steps: Vec::new(),
            deferrals: Default::default(),
            deferrals_plan: None,
            shared_bytes: SHARED_BYTES,
            allowed_steps: budget.steps,
            budget,
            times: None,
        }
    }

    /// A worker that also measures the time of every primitive, which makes it slower.
    #[must_use]
    pub fn timed(budget: Budget) -> Self {
        Worker {
            times: Some(Box::default()),
            ..Worker::new(budget)
        }
    }

    /// The times measured by a [timed](Worker::timed) worker.
    #[must_use]
    pub fn times(&self) -> Option<&PrimitiveTimes> {
        self.times.as_deref()
    }

    /// The bytes of memory allocated, used or not.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.space.held_bytes() + self.slots.held_bytes()
    }

    fn set_step_limit(&mut self, steps: u64) {
        self.allowed_steps = steps.min(self.budget.steps);
        self.space.meter.limit_steps(self.allowed_steps);
    }

    /// Clears all values and imports the examples of a block.
    fn begin(&mut self, plan: &Plan, block: &[Example<'_>]) {
        plan.fetch();
        self.space.clear();
        let flat_code = &plan.code.flat_code;
        self.slots.reset(SlotCounts {
            given: flat_code.before_steps(),
            shared: plan.shared_steps,
            examples: block.len(),
            own: plan.max_own_steps,
        });
        self.imported.clear();
        for (index, example) in block.iter().enumerate() {
            self.space.meter.restart();
            let inputs = self.import_example(plan, example);
            if let Ok(inputs) = &inputs {
                self.slots.select_example(index);
                self.slots.give(inputs, flat_code.constants());
            }
            self.imported.push(inputs.map(|_| ()));
        }
    }

    fn import_example(
        &mut self,
        plan: &Plan,
        example: &Example<'_>,
    ) -> Result<[Value; INPUTS], Fault> {
        let mut inputs = [Value::None, Value::None, Value::EMPTY_TUPLE, Value::None];
        inputs[0] = self.space.import_grid(example.input)?;
        if plan.takes.examples {
            inputs[1] = self.space.import_pairs(example.pairs)?;
        }
        if let (true, Some(candidate)) = (plan.takes.candidate, example.candidate) {
            inputs[2] = self.space.import_grid(candidate)?;
            inputs[3] = inputs[2];
        }
        Ok(inputs)
    }

    /// Runs a program on an example of the block, reports the outcome and frees its memory.
    /// Returns `false`, without a report, if the evaluation is deferred.
    fn evaluate(
        &mut self,
        plan: &Plan,
        index: usize,
        program: usize,
        report: impl FnOnce(EvaluationRef<'_>),
    ) -> bool {
        if let Err(fault) = self.imported[index] {
            report(EvaluationRef::Undefined(Undefined {
                fault,
                primitive: None,
                line: 0,
            }));
            return true;
        }
        self.slots.select_example(index);
        let planned = &plan.programs[program];
        self.run_shared_steps(plan, planned);
        let mark = self.space.mark();
        let outcome = self.program(plan, planned);
        let evaluation = match outcome {
            ProgramOutcome::Deferred => None,
            ProgramOutcome::Undefined(undefined) => Some(EvaluationRef::Undefined(undefined)),
            ProgramOutcome::Defined(steps) => Some(EvaluationRef::Defined {
                value: self.fetch(plan, planned.result),
                space: &self.space,
                steps,
            }),
        };
        let done = evaluation.is_some();
        if let Some(evaluation) = evaluation {
            report(evaluation);
        }
        self.space.cut(mark);
        while let Some(step) = self.temporary_steps.pop() {
            self.slots.empty(step);
        }
        done
    }

    /// Runs the shared steps that a program needs and that have not run. After a failed step
    /// the program ends, so later steps are not needed.
    fn run_shared_steps(&mut self, plan: &Plan, planned: &PlannedProgram) {
        for step in &planned.shared {
            if self.must_run(step.slot) {
                if self.space.used_bytes() > self.shared_bytes {
                    return;
                }
                // Its time does not belong to an evaluation yet.
                self.step(plan, *step, 0);
            }
            if self.slots.state(step.slot) != StepState::Ready {
                return;
            }
        }
    }

    /// Whether a shared step has not run, or must run again with more steps than earlier
    /// passes allowed.
    fn must_run(&self, slot: u32) -> bool {
        match self.slots.state(slot) {
            StepState::Empty => true,
            StepState::Deferred => self.allowed_steps == self.budget.steps,
            StepState::Ready | StepState::Failed => false,
        }
    }

    /// Runs the program's own steps and adds up the cost of all its steps, in order.
    fn program(&mut self, plan: &Plan, planned: &PlannedProgram) -> ProgramOutcome {
        let mut spent = StepRecord::default();
        for step in &planned.steps {
            let shared = (step.slot as usize) < plan.shared_steps;
            if !shared {
                self.step(plan, *step, spent.nanos);
            } else if self.must_run(step.slot) {
                self.step(plan, *step, spent.nanos);
                self.temporary_steps.push(step.slot);
            }
            if self.slots.state(step.slot) == StepState::Deferred {
                return ProgramOutcome::Deferred;
            }
            let record = self.slots.record(step.slot);
            let failure = record
                .fault
                .or_else(|| self.over_budget(&mut spent, record, plan.primitive_of(step.number)));
            if let Some((fault, primitive)) = failure {
                return ProgramOutcome::Undefined(Undefined {
                    fault,
                    primitive,
                    line: step.line,
                });
            }
            if spent.steps > self.allowed_steps {
                return ProgramOutcome::Deferred;
            }
        }
        ProgramOutcome::Defined(spent.steps)
    }

    /// Adds a step's cost; returns a fault if the evaluation exceeds its budget.
    fn over_budget(
        &self,
        spent: &mut StepRecord,
        record: StepRecord,
        primitive: Option<Prim>,
    ) -> Option<(Fault, Option<Prim>)> {
        spent.steps = spent.steps.saturating_add(record.steps);
        spent.nanos = spent.nanos.saturating_add(record.nanos);
        let peak = spent.bytes.saturating_add(record.peak_bytes);
        spent.bytes = spent.bytes.saturating_add(record.bytes);
        let late = |most: std::time::Duration| u128::from(spent.nanos) > most.as_nanos();
        let limit = if spent.steps > self.budget.steps {
            BudgetLimit::Steps
        } else if peak > self.budget.bytes {
            BudgetLimit::Bytes
        } else if self.budget.time.is_some_and(late) {
            BudgetLimit::Time
        } else {
            return None;
        };
        Some((Fault::Budget(limit), primitive))
    }

    /// The result of a program that ran to its end.
    fn fetch(&self, plan: &Plan, argument: StepOperand) -> Value {
        match argument {
            StepOperand::Fixed(value) => value,
            other => self.slots.value(plan.code.flat_code.slot(other) as u32),
        }
    }

    fn eval<'a>(&'a mut self, plan: &'a Plan) -> Eval<'a> {
        Eval {
            code: &plan.code,
            space: &mut self.space,
        }
    }

    /// Runs a step. Its operands are ready, because a program runs its steps in order and stops
    /// at the first that fails. The evaluation has taken `spent_nanos` so far.
    fn step(&mut self, plan: &Plan, planned: PlannedStep, spent_nanos: u64) {
        let flat_code = &plan.code.flat_code;
        let code = flat_code.step(planned.number);
        let operands = flat_code.slots(code);
        let is_timed = self.times.is_some() || self.budget.time.is_some();
        let start = is_timed.then(Instant::now);
        self.space.begin_step(Duration::from_nanos(spent_nanos));
        self.space.reading = code.reading;
        let mark = self.space.mark();
        let result = match (code.operation, operands) {
            (StepOperation::Primitive(prim), &[x]) => {
                let values = [self.slots.value(x)];
                self.eval(plan).primitive(prim, &values)
            }
            (StepOperation::Primitive(prim), &[x, y]) => {
                let values = [self.slots.value(x), self.slots.value(y)];
                self.eval(plan).primitive(prim, &values)
            }
            (StepOperation::Close(id), _) => {
                for operand in operands {
                    let value = self.slots.value(*operand);
                    self.space.stack.push(value);
                }
                let fingerprint = flat_code.body(id).fingerprint;
                self.space.closure_from(id, fingerprint, 0)
            }
            (operation, _) => {
                let mut values = [Value::None; 5];
                for (value, operand) in values.iter_mut().zip(operands) {
                    *value = self.slots.value(*operand);
                }
                let values = &values[..operands.len()];
                match operation {
                    StepOperation::Primitive(prim) => self.eval(plan).primitive(prim, values),
                    _ => match self.eval(plan).call(values[0], &values[1..]) {
                        Err(fault) if code.reading.guards_lines() && !fault.is_budget() => {
                            Ok(Value::EMPTY_TUPLE)
                        }
                        result => result,
                    },
                }
            }
        };
        // A value without parts needs none of the memory the step took.
        if result.map_or(true, Value::is_free) {
            self.space.cut(mark);
        }
        let meter = &self.space.meter;
        let mut record = StepRecord {
            steps: meter.steps(),
            bytes: meter.bytes(),
            peak_bytes: meter.peak_bytes(),
            nanos: start.map_or(0, |start| start.elapsed().as_nanos() as u64),
            fault: None,
        };
        let state = match result {
            Ok(value) => {
                self.slots.set_value(planned.slot, value);
                StepState::Ready
            }
            Err(Fault::Budget(BudgetLimit::Steps)) if self.allowed_steps < self.budget.steps => {
                StepState::Deferred
            }
            Err(fault) => {
                record.fault = Some((fault, self.space.failed_primitive));
                StepState::Failed
            }
        };
        self.slots.set(planned.slot, state, record);
        if let (Some(times), Some(start)) = (&mut self.times, start) {
            times.add(plan.primitive_of(planned.number), start.elapsed());
        }
    }
}

/// The outcome of a program.
enum ProgramOutcome {
    /// It ended with a value, after this many steps.
    Defined(u64),
    Undefined(Undefined),
    Deferred,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Evaluation, Grid};
    use crate::program::load;

    #[test]
    fn without_memory_for_shared_values_every_program_computes_its_own() {
        let text = "def solve_a(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    O = subgrid(x2, I)
    return O
def solve_b(I):
    x1 = objects(I, T, F, T)
    x2 = argmin(x1, size)
    O = subgrid(x2, I)
    return O
def solve_c(I):
    x1 = objects(I, T, F, T)
    x2 = argmin(x1, size)
    O = first(x2)
    return O";
        let plan = Plan::new(&load(text, "ours.py").programs);
        let grid = Grid::new(&[[0, 1, 1], [2, 0, 0], [0, 0, 0]]).unwrap();
        let run = |shared_bytes: usize| {
            let mut worker = Worker::new(Budget::default());
            worker.shared_bytes = shared_bytes;
            let mut found: Vec<Evaluation> = Vec::new();
            // Two examples, so that values left by the first would show in the second.
            let examples = [Example::new(&grid), Example::new(&grid)];
            worker.run(&plan, &examples, |_, _, evaluation| {
                found.push(evaluation.to_evaluation());
            });
            found
        };
        let shared = run(SHARED_BYTES);
        assert_eq!(shared.len(), 6);
        assert!(shared.iter().all(|e| matches!(e, Evaluation::Defined(_))));
        for shared_bytes in [0, 20, 100, 200] {
            assert_eq!(run(shared_bytes), shared, "{shared_bytes} bytes");
        }
    }
}
