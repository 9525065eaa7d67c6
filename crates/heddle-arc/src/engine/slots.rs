//! The results of a plan's steps on the examples of a block.

use crate::fault::Fault;
use crate::prim::Prim;
use crate::value::Value;

/// The state of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepState {
    /// It has not run, or its value was freed.
    Empty,
    /// It has a value.
    Ready,
    /// It failed.
    Failed,
    /// It needs more steps than the first passes allow.
    Deferred,
}

/// The cost of a step, and its fault if it failed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StepRecord {
    pub steps: u64,
    /// Bytes still held after it; `peak_bytes` is the most held during it.
    pub bytes: u64,
    pub peak_bytes: u64,
    /// Measured only where wall time is limited or workers are timed.
    pub nanos: u64,
    pub fault: Option<(Fault, Option<Prim>)>,
}

/// The sizes of a plan and a block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SlotCounts {
    /// Values that every example has before the first step runs: inputs and constants.
    pub given: usize,
    /// Shared steps of the plan.
    pub shared: usize,
    pub examples: usize,
    /// The largest number of steps of one program that no other program needs.
    pub own: usize,
}

/// The slots of shared steps, for each example of a block, and of the running program's
/// own steps.
///
/// Steps are numbered from 0, shared steps first. In the row of values, inputs and
/// constants come before the steps, so that all operands of a step are in one row.
#[derive(Debug, Default)]
pub(super) struct Slots {
    values: Vec<Value>,
    states: Vec<StepState>,
    records: Vec<StepRecord>,
    sizes: SlotCounts,
    of_values: SlotBases,
    of_steps: SlotBases,
}

/// The offsets of a row, whose first items belong to the example and whose other items
/// belong to the program.
#[derive(Clone, Copy, Debug, Default)]
struct SlotBases {
    /// The number of items that belong to the example.
    common: usize,
    /// The offset of those items.
    example: usize,
    /// The offset of the program's items.
    own: usize,
}

impl SlotBases {
    #[inline]
    fn index(self, number: usize) -> usize {
        let base = if number < self.common {
            self.example
        } else {
            self.own
        };
        base + number
    }
}

impl Slots {
    /// Allocates empty slots for a plan and a block of examples.
    pub(super) fn reset(&mut self, sizes: SlotCounts) {
        self.sizes = sizes;
        self.select_example(0);
        let steps = sizes.shared * sizes.examples + sizes.own;
        self.values
            .resize(steps + sizes.given * sizes.examples, Value::None);
        self.states.clear();
        self.states.resize(steps, StepState::Empty);
        self.records.resize(steps, StepRecord::default());
    }

    /// Selects an example of the block.
    pub(super) fn select_example(&mut self, example: usize) {
        let bases = |common: usize| SlotBases {
            common,
            example: example * common,
            own: self.sizes.examples.saturating_sub(1) * common,
        };
        self.of_values = bases(self.sizes.given + self.sizes.shared);
        self.of_steps = bases(self.sizes.shared);
    }

    /// Writes the example's inputs and constants.
    pub(super) fn give(&mut self, inputs: &[Value], constants: &[Value]) {
        let slots = self.values[self.of_values.example..].iter_mut();
        for (slot, value) in slots.zip(inputs.iter().chain(constants)) {
            *slot = *value;
        }
    }

    #[inline]
    fn step(&self, slot: u32) -> usize {
        self.of_steps.index(slot as usize)
    }

    /// The value in a slot; slots are numbered from the first input. A step whose value is
    /// read has run.
    #[inline]
    pub(super) fn value(&self, slot: u32) -> Value {
        self.values[self.of_values.index(slot as usize)]
    }

    #[inline]
    pub(super) fn state(&self, slot: u32) -> StepState {
        self.states[self.step(slot)]
    }

    #[inline]
    pub(super) fn record(&self, slot: u32) -> StepRecord {
        self.records[self.step(slot)]
    }

    #[inline]
    pub(super) fn set_value(&mut self, slot: u32, value: Value) {
        let index = self.of_values.index(self.sizes.given + slot as usize);
        self.values[index] = value;
    }

    #[inline]
    pub(super) fn set(&mut self, slot: u32, state: StepState, record: StepRecord) {
        let index = self.step(slot);
        self.states[index] = state;
        self.records[index] = record;
    }

    pub(super) fn empty(&mut self, slot: u32) {
        let index = self.step(slot);
        self.states[index] = StepState::Empty;
    }

    pub(super) fn held_bytes(&self) -> usize {
        self.values.capacity() * size_of::<Value>()
            + self.states.capacity() * size_of::<StepState>()
            + self.records.capacity() * size_of::<StepRecord>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_share_nothing_but_the_slots_of_the_program() {
        let mut slots = Slots::default();
        slots.reset(SlotCounts {
            given: 2,
            shared: 2,
            examples: 3,
            own: 2,
        });
        let number = |value: Value| value.int().unwrap();
        for example in 0..3 {
            slots.select_example(example);
            slots.give(&[Value::Int(10 * example as i64)], &[Value::Int(7)]);
            // The two shared steps and the program's first own step.
            for slot in 0..3 {
                let value = Value::Int(100 * example as i64 + i64::from(slot));
                slots.set_value(slot, value);
                let record = StepRecord {
                    steps: value.int().unwrap() as u64,
                    ..StepRecord::default()
                };
                assert_eq!(
                    slots.state(slot) == StepState::Empty,
                    slot < 2 || example == 0
                );
                slots.set(slot, StepState::Ready, record);
            }
        }
        for example in [1, 0, 2] {
            slots.select_example(example);
            let expected = [0, 1].map(|step| 100 * example as i64 + step);
            assert_eq!(number(slots.value(0)), 10 * example as i64);
            assert_eq!(number(slots.value(1)), 7);
            assert_eq!([2, 3].map(|slot| number(slots.value(slot))), expected);
            let steps = [0, 1].map(|slot| slots.record(slot).steps as i64);
            assert_eq!(steps, expected);
            assert_eq!(number(slots.value(4)), 202);
            assert_eq!(slots.state(2), StepState::Ready);
            assert_eq!(slots.state(3), StepState::Empty);
        }
        slots.empty(1);
        assert_eq!(slots.state(1), StepState::Empty);
        slots.select_example(0);
        assert_eq!(slots.state(1), StepState::Ready);
    }
}
