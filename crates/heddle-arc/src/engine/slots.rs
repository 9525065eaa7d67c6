//! What became of the steps of a plan on the examples of a block.

use crate::fault::Fault;
use crate::prim::Prim;
use crate::value::Value;

/// What became of a step.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slot {
    /// Not run, or taken back.
    Empty,
    Ready(Value),
    /// It went wrong.
    Failed,
    /// It needs more steps than a first look has.
    PutOff,
}

/// What a step cost and how it failed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Record {
    pub steps: u64,
    /// Bytes it left behind, and the most it held.
    pub bytes: u64,
    pub peak_bytes: u64,
    /// Only looked at where wall time is bounded.
    pub nanos: u64,
    pub fault: Option<(Fault, Option<Prim>)>,
}

/// The slots of shared steps, for each example of a block, and those of the
/// program that is running.
#[derive(Debug, Default)]
pub(super) struct Slots {
    states: Vec<Slot>,
    records: Vec<Record>,
    /// Shared steps of the plan; smaller places are theirs.
    shared: usize,
    /// Where the slots of the current example and those of the program begin.
    example: usize,
    own: usize,
}

impl Slots {
    /// Makes room for a plan and a block of examples; everything is empty.
    pub(super) fn reset(&mut self, shared: usize, examples: usize, own: usize) {
        self.shared = shared;
        self.example = 0;
        self.own = shared * examples;
        self.states.clear();
        self.states.resize(self.own + own, Slot::Empty);
        self.records.resize(self.own + own, Record::default());
    }

    /// Turns to an example of the block.
    pub(super) fn turn_to(&mut self, example: usize) {
        self.example = example * self.shared;
    }

    fn index(&self, place: u32) -> usize {
        let place = place as usize;
        if place < self.shared {
            self.example + place
        } else {
            self.own + place - self.shared
        }
    }

    pub(super) fn slot(&self, place: u32) -> Slot {
        self.states[self.index(place)]
    }

    pub(super) fn record(&self, place: u32) -> Record {
        self.records[self.index(place)]
    }

    pub(super) fn set(&mut self, place: u32, slot: Slot, record: Record) {
        let index = self.index(place);
        self.states[index] = slot;
        self.records[index] = record;
    }

    pub(super) fn empty(&mut self, place: u32) {
        let index = self.index(place);
        self.states[index] = Slot::Empty;
    }

    pub(super) fn held_bytes(&self) -> usize {
        self.states.capacity() * size_of::<Slot>() + self.records.capacity() * size_of::<Record>()
    }
}
