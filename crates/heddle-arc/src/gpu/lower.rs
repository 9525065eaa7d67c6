//! Lowering of plans to bytecode.
//!
//! Every program of a plan becomes a header and its steps. The function bodies and constants
//! of the plan are written once and shared by its programs. A plan of very many programs is
//! lowered in chunks on all threads, which then [join](super::joined_code) the chunks.
//!
//! Note: results are in registers, and a program reuses a register when its value is no
//! longer needed. In a body, step `n` writes register `n`, because a body runs over many
//! elements at once, with one column for each step.

use super::constants::Constants;
use crate::code::{Body, Step, StepOperand, StepOperation};
use crate::plan::{Plan, PlannedProgram};
use std::ops::Range;

/// Words of a program before its steps.
pub(super) const PROGRAM_HEAD: usize = 6;
/// Words of a body before its steps.
pub(super) const BODY_HEAD: usize = 6;
/// Calls the first argument with the others.
pub(super) const CALL: u32 = 254;
/// Makes a function of a body.
pub(super) const CLOSE: u32 = 255;
/// Of a program: it looks at more of an example than its grid.
const WHOLE_IMAGE: u32 = 1;
/// Where an argument comes from, in its two highest bits.
pub(super) const SOURCE_SHIFT: u32 = 30;
pub(super) const REGISTER: u32 = 1 << SOURCE_SHIFT;
pub(super) const CAPTURED: u32 = 2 << SOURCE_SHIFT;
pub(super) const CONSTANT: u32 = 3 << SOURCE_SHIFT;
/// Words of a constant, and what their place is a multiple of.
pub(super) const CONSTANT_WORDS: usize = 4;

/// The bytecode of some programs.
#[derive(Clone, Debug, Default)]
pub struct Bytecode {
    words: Vec<u32>,
    /// Where each program begins; none where it cannot be written.
    programs: Vec<Option<u32>>,
    /// Of each program, what similar ones are sorted by.
    likeness: Vec<u64>,
    /// Whether each program has calls of the typed dialect.
    typed: Vec<bool>,
    /// Where each body begins is written here.
    table: Range<usize>,
}

impl Bytecode {
    /// The bytecode of all programs of a plan.
    #[must_use]
    pub fn of(plan: &Plan) -> Bytecode {
        Bytecode::of_some(plan, 0..plan.len())
    }

    /// The bytecode of these programs of a plan, in this order.
    #[must_use]
    pub fn of_some(plan: &Plan, programs: impl IntoIterator<Item = usize>) -> Bytecode {
        let mut writer = Writer::new(&plan.code.bodies);
        let places = plan.shared_steps + plan.max_own_steps;
        writer.last_use.resize(places, 0);
        writer.register.resize(places, 0);
        for program in programs {
            writer.program(&plan.steps, &plan.programs[program]);
        }
        writer.finish()
    }

    /// Programs of one or two steps, each step given its operands; the last step's
    /// value is the result.
    pub(super) fn of_steps<'a>(programs: impl IntoIterator<Item = &'a [Step]>) -> Bytecode {
        let mut writer = Writer::new(&[]);
        for steps in programs {
            writer.straight(steps);
        }
        writer.finish()
    }

    /// The offset of a program; `None` if it has no bytecode, because it has too many registers
    /// or closes over more than 255 values.
    #[must_use]
    pub fn program(&self, program: usize) -> Option<u32> {
        self.programs.get(program).copied().flatten()
    }

    /// A number by which programs that begin with the same operations lie side by
    /// side when sorted: the first eight operations, one byte each.
    #[must_use]
    pub(super) fn likeness(&self, program: usize) -> u64 {
        self.likeness.get(program).copied().unwrap_or(u64::MAX)
    }

    /// Whether a program has no bytecode because of its dialect.
    pub(super) fn is_typed(&self, program: usize) -> bool {
        self.typed.get(program).is_some_and(|typed| *typed)
    }

    /// Forgets the words.
    pub(super) fn drop_words(&mut self) {
        self.words = Vec::new();
    }

    /// The number of programs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.programs.len()
    }

    /// Whether there are no programs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.programs.is_empty()
    }

    /// The words.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Writes the words where they will be read from word `base` on.
    pub(super) fn write_to(&self, words: &mut [u32], base: u32) {
        words.copy_from_slice(&self.words);
        for word in &mut words[self.table.clone()] {
            *word += base;
        }
        for at in self.programs.iter().flatten() {
            let at = *at as usize;
            words[at + 3] += base;
            words[at + 4] += base;
        }
    }
}

fn align(words: &mut Vec<u32>) {
    words.resize(words.len().next_multiple_of(CONSTANT_WORDS), 0);
}

/// Something bytecode has no number for.
struct TooMany;

struct Writer {
    code: Bytecode,
    /// Bodies that cannot be written.
    unwritten: Vec<bool>,
    constants: Constants,
    /// By place of a step's result: the step that needs it last, its register.
    last_use: Vec<u32>,
    register: Vec<u32>,
    /// Registers whose values are not needed any more.
    free: Vec<u32>,
    registers: u32,
}

impl Writer {
    fn new(bodies: &[Body]) -> Self {
        let mut writer = Writer {
            code: Bytecode {
                words: vec![0; bodies.len()],
                table: 0..bodies.len(),
                ..Bytecode::default()
            },
            unwritten: Vec::with_capacity(bodies.len()),
            constants: Constants::new(),
            last_use: Vec::new(),
            register: Vec::new(),
            free: Vec::new(),
            registers: 0,
        };
        for (number, body) in bodies.iter().enumerate() {
            let at = writer.code.words.len();
            let written = writer.body(body);
            if written.is_err() {
                writer.code.words.truncate(at);
            }
            writer.unwritten.push(written.is_err());
            writer.code.words[number] = at as u32;
        }
        writer
    }

    fn body(&mut self, body: &Body) -> Result<(), TooMany> {
        let result = self.argument(body.result, |place| place);
        let fingerprint = body.fingerprint as u64;
        let steps = body.steps.len() as u32;
        self.code.words.extend([
            u32::from(body.arity),
            steps,
            result,
            fingerprint as u32,
            (fingerprint >> 32) as u32,
            steps,
        ]);
        for (number, step) in body.steps.iter().enumerate() {
            self.begin_step(step, number as u32)?;
            for argument in &step.arguments {
                let word = self.argument(*argument, |place| place);
                self.code.words.push(word);
            }
        }
        Ok(())
    }

    /// Everything of a step but its arguments.
    fn begin_step(&mut self, step: &Step, register: u32) -> Result<(), TooMany> {
        if step.reading.is_typed() {
            return Err(TooMany);
        }
        let count = u8::try_from(step.arguments.len()).map_err(|_| TooMany)?;
        let register = u16::try_from(register).map_err(|_| TooMany)?;
        let shape = u32::from(count) << 8 | u32::from(register) << 16;
        match step.operation {
            StepOperation::Primitive(prim) => self.code.words.push(prim as u32 | shape),
            StepOperation::Call => self.code.words.push(CALL | shape),
            StepOperation::Close(body) => {
                if self.unwritten.get(body as usize) != Some(&false) {
                    return Err(TooMany);
                }
                self.code.words.extend([CLOSE | shape, body]);
            }
        }
        Ok(())
    }

    fn argument(&mut self, argument: StepOperand, register: impl Fn(u32) -> u32) -> u32 {
        match argument {
            StepOperand::Parameter(place) => u32::from(place),
            StepOperand::Local(place) => REGISTER | register(place),
            StepOperand::Captured(place) => CAPTURED | u32::from(place),
            StepOperand::Fixed(value) => CONSTANT | self.constants.number(value),
        }
    }

    fn program(&mut self, steps: &[Step], planned: &PlannedProgram) {
        let at = self.code.words.len();
        let written = self.planned(steps, planned);
        if written.is_err() {
            self.code.words.truncate(at);
        }
        self.push(written.ok().map(|()| at));
        let mut steps = planned
            .steps
            .iter()
            .map(|step| &steps[step.number as usize]);
        self.code
            .typed
            .push(steps.any(|step| step.reading.is_typed()));
    }

    /// Adds a program that was written from here on, or was not.
    fn push(&mut self, at: Option<usize>) {
        let likeness = at.map_or(u64::MAX, |at| likeness(&self.code.words[at..]));
        self.code.likeness.push(likeness);
        self.code.programs.push(at.map(|at| at as u32));
    }

    fn planned(&mut self, steps: &[Step], planned: &PlannedProgram) -> Result<(), TooMany> {
        let whole = self.look_ahead(steps, planned);
        let head = self.code.words.len();
        let flags = if whole { WHOLE_IMAGE } else { 0 };
        let table = self.code.table.start as u32;
        let count = planned.steps.len() as u32;
        self.code.words.extend([count, 0, flags, table, 0, 0]);
        self.free.clear();
        self.registers = 0;
        for (number, planned) in planned.steps.iter().enumerate() {
            let step = &steps[planned.number as usize];
            let own = self.free.pop().unwrap_or_else(|| {
                self.registers += 1;
                self.registers - 1
            });
            self.begin_step(step, own)?;
            for argument in &step.arguments {
                let register = argument_register(&self.register, *argument);
                let word = self.argument(*argument, |_| register);
                self.code.words.push(word);
            }
            for argument in &step.arguments {
                if let StepOperand::Local(place) = *argument
                    && self.last_use[place as usize] == number as u32
                {
                    self.free.push(self.register[place as usize]);
                    // Once, should it stand there twice.
                    self.last_use[place as usize] = NEVER;
                }
            }
            self.register[planned.slot as usize] = own;
        }
        let register = argument_register(&self.register, planned.result);
        self.code.words[head + 1] = self.argument(planned.result, |_| register);
        self.code.words[head + 5] = self.registers;
        Ok(())
    }

    /// Notes where every value of a program is needed last; whether the program
    /// looks at more than the grid.
    fn look_ahead(&mut self, steps: &[Step], planned: &PlannedProgram) -> bool {
        let beyond_grid = |argument: &StepOperand| matches!(argument, StepOperand::Parameter(1..));
        let mut whole = beyond_grid(&planned.result);
        for (number, planned) in planned.steps.iter().enumerate() {
            self.last_use[planned.slot as usize] = number as u32;
            for argument in &steps[planned.number as usize].arguments {
                whole |= beyond_grid(argument);
                if let StepOperand::Local(place) = argument {
                    self.last_use[*place as usize] = number as u32;
                }
            }
        }
        if let StepOperand::Local(place) = planned.result {
            self.last_use[place as usize] = NEVER;
        }
        whole
    }

    /// A program whose step `n` writes register `n`.
    fn straight(&mut self, steps: &[Step]) {
        let at = self.code.words.len();
        let count = steps.len() as u32;
        let result = REGISTER | count.saturating_sub(1);
        let table = self.code.table.start as u32;
        self.code
            .words
            .extend([count, result, WHOLE_IMAGE, table, 0, count]);
        let mut written = Ok(());
        for (number, step) in steps.iter().enumerate() {
            written = written.and(self.begin_step(step, number as u32));
            for argument in &step.arguments {
                let word = self.argument(*argument, |place| place);
                self.code.words.push(word);
            }
        }
        self.push(written.ok().map(|()| at));
    }

    fn finish(mut self) -> Bytecode {
        align(&mut self.code.words);
        let constants = self.code.words.len() as u32;
        for program in self.code.programs.iter().flatten() {
            self.code.words[*program as usize + 4] = constants;
        }
        self.code.words.extend(self.constants.words().flatten());
        self.code
    }
}

/// See [`Bytecode::likeness`]; of the words of a program.
fn likeness(words: &[u32]) -> u64 {
    let mut at = PROGRAM_HEAD;
    let mut likeness = 0;
    for step in 0..8 {
        likeness <<= 8;
        if step < words[0] {
            let word = words[at];
            let operation = word & 0xff;
            likeness |= u64::from(operation + 1).min(0xff);
            at += 1 + usize::from(operation == CLOSE) + (word >> 8 & 0xff) as usize;
        }
    }
    likeness
}

/// Not needed by any step, or by what comes after all.
const NEVER: u32 = u32::MAX;

fn argument_register(registers: &[u32], argument: StepOperand) -> u32 {
    match argument {
        StepOperand::Local(place) => registers[place as usize],
        _ => 0,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::gpu::image::words_of;
    use crate::program::{Program, load};
    use crate::rng::Rng;
    use crate::search::{ProgramShape, generate};

    /// Follows a program in bytecode and in its plan: every register holds the
    /// step it should when it is read.
    pub(in crate::gpu) fn monitor(plan: &Plan, number: usize, words: &[u32], at: u32) {
        let at = at as usize;
        let planned = &plan.programs[number];
        assert_eq!(words[at] as usize, planned.steps.len());
        let constants = words[at + 4] as usize;
        assert_eq!(constants % 4, 0);
        let mut held = vec![NEVER; words[at + 5] as usize];
        let check = |word: u32, argument: StepOperand, held: &[u32]| match argument {
            StepOperand::Parameter(place) => assert_eq!(word, u32::from(place)),
            StepOperand::Captured(place) => assert_eq!(word, CAPTURED | u32::from(place)),
            StepOperand::Local(place) => assert_eq!(held[(word - REGISTER) as usize], place),
            StepOperand::Fixed(value) => {
                let at = constants + 4 * (word - CONSTANT) as usize;
                assert_eq!(words[at..at + 4], words_of(value));
            }
        };
        let mut next = at + PROGRAM_HEAD;
        for planned in &planned.steps {
            let step = &plan.steps[planned.number as usize];
            let head = words[next];
            next += 1;
            match step.operation {
                StepOperation::Primitive(prim) => assert_eq!(head & 0xff, prim as u32),
                StepOperation::Call => assert_eq!(head & 0xff, CALL),
                StepOperation::Close(body) => {
                    assert_eq!((head & 0xff, words[next]), (CLOSE, body));
                    next += 1;
                    let table = words[at + 3] as usize;
                    let body_at = words[table + body as usize] as usize;
                    let body = &plan.code.bodies[body as usize];
                    assert_eq!(words[body_at] as usize, usize::from(body.arity));
                    assert_eq!(words[body_at + 1] as usize, body.steps.len());
                    let low = u64::from(words[body_at + 3]);
                    let fingerprint = low | u64::from(words[body_at + 4]) << 32;
                    assert_eq!(fingerprint, body.fingerprint as u64);
                }
            }
            assert_eq!((head >> 8 & 0xff) as usize, step.arguments.len());
            for argument in &step.arguments {
                check(words[next], *argument, &held);
                next += 1;
            }
            held[(head >> 16) as usize] = planned.slot;
        }
        check(words[at + 1], planned.result, &held);
    }

    pub(in crate::gpu) fn programs(seed: u64, count: u64) -> Vec<Program> {
        (0..count)
            .map(|number| {
                generate(
                    "solve_a",
                    ProgramShape::default(),
                    &mut Rng::of(seed, number),
                )
            })
            .collect()
    }

    #[test]
    fn every_register_holds_what_is_read_from_it() {
        let plan = Plan::new(&programs(5, 500));
        let code = Bytecode::of(&plan);
        for program in 0..plan.len() {
            monitor(&plan, program, code.words(), code.program(program).unwrap());
        }
        let some = Bytecode::of_some(&plan, [17, 3]);
        assert_eq!(some.len(), 2);
        monitor(&plan, 17, some.words(), some.program(0).unwrap());
        monitor(&plan, 3, some.words(), some.program(1).unwrap());
    }

    #[test]
    fn programs_that_begin_alike_lie_side_by_side() {
        let program = |(name, last)| {
            format!("def solve_{name}(I):\n    x1 = rot90(I)\n    O = {last}(x1)\n    return O\n")
        };
        let text = [("a", "hmirror"), ("b", "vmirror"), ("c", "hmirror")].map(program);
        let text = text.concat();
        let plan = Plan::new(&load(&text, "ours.py").programs);
        let code = Bytecode::of(&plan);
        let [first, other, same] = [0, 1, 2].map(|program| code.likeness(program));
        assert_eq!(first, same);
        assert_ne!(first, other);
        assert_eq!(first >> 56, other >> 56);
    }

    #[test]
    fn registers_are_used_again() {
        let text = "def solve_a(I):
    x1 = rot90(I)
    x2 = rot180(x1)
    x3 = hmirror(x2)
    x4 = vmirror(x3)
    O = hconcat(x4, x4)
    return O
def solve_b(S, I, C):
    x1 = first(S)
    O = first(x1)
    return O";
        let plan = Plan::new(&load(text, "ours.py").programs);
        let code = Bytecode::of(&plan);
        let at = |program| code.program(program).unwrap() as usize;
        assert_eq!(code.words()[at(0) + 5], 2);
        assert_eq!((code.words()[at(0) + 2], code.words()[at(1) + 2]), (0, 1));
    }
}
