//! The results of evaluations on a GPU, decoded from their words.

use crate::assess::Grade;
use crate::engine::Undefined;
use crate::fault::{BudgetLimit, Fault, ValueKind};
use crate::plan::Plan;
use crate::prim::Prim;
use std::fmt;

/// The reason why the CPU must repeat an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Flag {
    /// The evaluation needs more cells of grids than a warp holds.
    Cells,
    /// It needs more rows of masks.
    Rows,
    /// It needs more values.
    Values,
    /// It needs more stack, for elements of new containers or steps of running functions.
    Stack,
    /// It needs more temporary memory inside one primitive.
    Room,
    /// Functions or values are nested too deep.
    Nesting,
    /// A value has a form that the kernel does not compute on.
    Form,
    /// The value is larger than the buffer for its copy.
    Answer,
    /// It needs more steps than a warp may take.
    Steps,
    /// The result is not one that the kernel writes.
    Garbled,
    /// The program has no bytecode, or the example no image.
    Unlowered,
    /// The program has calls of the typed dialect, which have no bytecode.
    Dialect,
}

impl Flag {
    /// Every reason.
    pub const ALL: [Flag; 12] = [
        Flag::Cells,
        Flag::Rows,
        Flag::Values,
        Flag::Stack,
        Flag::Room,
        Flag::Nesting,
        Flag::Form,
        Flag::Answer,
        Flag::Steps,
        Flag::Garbled,
        Flag::Unlowered,
        Flag::Dialect,
    ];

    /// The one a kernel says with this number.
    pub(super) fn of(number: u8) -> Option<Flag> {
        let said = &Flag::ALL[..=Flag::Steps as usize];
        said.get(usize::from(number).checked_sub(64)?).copied()
    }

    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Flag::Cells => "cells",
            Flag::Rows => "rows",
            Flag::Values => "values",
            Flag::Stack => "stack",
            Flag::Room => "room",
            Flag::Nesting => "nesting",
            Flag::Form => "form",
            Flag::Answer => "answer",
            Flag::Steps => "steps",
            Flag::Garbled => "garbled",
            Flag::Unlowered => "unlowered",
            Flag::Dialect => "dialect",
        }
    }
}

impl fmt::Display for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The numbers of flagged evaluations by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    counts: [u64; Flag::ALL.len()],
}

impl Flags {
    /// Counts one evaluation.
    pub fn add(&mut self, flag: Flag) {
        self.counts[flag as usize] += 1;
    }

    /// Adds the numbers of another.
    pub fn add_all(&mut self, other: &Flags) {
        for (count, other) in self.counts.iter_mut().zip(other.counts) {
            *count += other;
        }
    }

    /// The number for this reason.
    #[must_use]
    pub fn count(&self, flag: Flag) -> u64 {
        self.counts[flag as usize]
    }

    /// The number for all reasons.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }
}

impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for flag in Flag::ALL {
            if self.count(flag) > 0 {
                let comma = if first { "" } else { ", " };
                write!(f, "{comma}{} {flag}", self.count(flag))?;
                first = false;
            }
        }
        if first { f.write_str("none") } else { Ok(()) }
    }
}

/// The result of an evaluation on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The program returned a value.
    Defined {
        /// The steps of the evaluation, at most 2^24 - 1.
        steps: u32,
        /// The number of cells equal to the wanted grid's, if it is a grid of that shape.
        cells: u32,
        /// Whether it is a grid of the wanted shape.
        fits: bool,
        /// Whether it is the wanted grid.
        right: bool,
    },
    /// The program returned no value.
    Undefined {
        /// The fault.
        fault: Fault,
        /// The primitive that failed.
        primitive: Option<Prim>,
        /// The step of the program, counted from 0.
        step: Option<u32>,
    },
    /// The warp did not finish the evaluation.
    Flagged(Flag),
}

/// The highest byte of the lower half: what else there is. No result is zero.
const SAID_UNDEFINED: u32 = 0x80;
const SAID_DEFINED: u32 = 0xc0;
/// The rest of it.
const SAID: u32 = 0xff_ffff;
/// No step in particular.
const NO_STEP: u32 = 0xff_ffff;
/// No primitive in particular.
const NO_PRIMITIVE: u8 = 0xff;

impl Answer {
    /// Decodes a result.
    #[must_use]
    pub fn of(result: u64) -> Answer {
        let (low, high) = (result as u32, (result >> 32) as u32);
        let fault = low & SAID;
        let failed_primitive = high;
        match low >> 24 {
            SAID_UNDEFINED => {}
            SAID_DEFINED => {
                return Answer::Defined {
                    steps: low & SAID,
                    cells: high & 0x3fff_ffff,
                    fits: high >> 30 & 1 == 1,
                    right: high >> 31 == 1,
                };
            }
            _ => return Answer::Flagged(Flag::Garbled),
        }
        let primitive = failed_primitive as u8;
        let is_known = primitive == NO_PRIMITIVE || usize::from(primitive) < Prim::ALL.len();
        let step = Some(failed_primitive >> 8).filter(|step| *step != NO_STEP);
        match read_fault(fault) {
            Ok(fault) if is_known => Answer::Undefined {
                fault,
                primitive: culprit_of(failed_primitive),
                step,
            },
            Ok(_) => Answer::Flagged(Flag::Garbled),
            Err(flag) => Answer::Flagged(flag),
        }
    }

    /// What a program of a plan is worth by it, or why the processor has to say.
    pub(super) fn grade(&self, plan: &Plan, program: usize) -> Result<Grade, Flag> {
        match (*self, self.undefined(plan, program)) {
            (Answer::Flagged(flag), _) => Err(flag),
            (_, Some(why)) => Ok(Grade::Undefined(why)),
            (Answer::Defined { right: true, .. }, _) => Ok(Grade::Right),
            (Answer::Defined { cells, .. }, _) => Ok(Grade::Wrong { cells }),
            // It said why.
            (Answer::Undefined { .. }, None) => Err(Flag::Garbled),
        }
    }

    /// The fault of a program of a plan, if it is undefined.
    #[must_use]
    pub fn undefined(&self, plan: &Plan, program: usize) -> Option<Undefined> {
        let Answer::Undefined {
            fault,
            primitive,
            step,
        } = *self
        else {
            return None;
        };
        let steps = &plan.programs[program].steps;
        let step = step.and_then(|step| steps.get(step as usize));
        Some(Undefined {
            fault,
            primitive,
            line: step.map_or(0, |step| step.line),
        })
    }
}

/// The primitive an evaluation went wrong in, or was flagged in, by the upper half of
/// its result.
pub(super) fn culprit_of(half: u32) -> Option<Prim> {
    Prim::ALL.get(usize::from(half as u8)).copied()
}

/// A fault by its number and what it speaks of, a byte each from the lowest up.
fn read_fault(word: u32) -> Result<Fault, Flag> {
    let [kind, a, b, _] = word.to_le_bytes();
    let value_kind = |number: u8| {
        let value_kind = ValueKind::ALL.get(usize::from(number)).copied();
        value_kind.ok_or(Flag::Garbled)
    };
    Ok(match kind {
        1 => Fault::Kind {
            expected: value_kind(a)?,
            found: value_kind(b)?,
        },
        2 => Fault::Empty(value_kind(a)?),
        3 => Fault::Missing(value_kind(a)?),
        4 => Fault::Range(value_kind(a)?),
        5 => Fault::Overflow,
        6 => Fault::DivideByZero,
        7 => Fault::Incomparable(value_kind(a)?, value_kind(b)?),
        8 => Fault::Arity { takes: a, given: b },
        9 => Fault::Budget(match a {
            0 => BudgetLimit::Steps,
            1 => BudgetLimit::Bytes,
            2 => BudgetLimit::Time,
            3 => BudgetLimit::Depth,
            _ => return Err(Flag::Garbled),
        }),
        kind => return Err(Flag::of(kind).unwrap_or(Flag::Garbled)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_read_as_the_kernel_writes_it() {
        let result = |said: u32, low: u32, high: u32| {
            Answer::of(u64::from(high) << 32 | u64::from(said << 24 | low))
        };
        let defined = result(SAID_DEFINED, 12, 7 | 1 << 30);
        let expected = Answer::Defined {
            steps: 12,
            cells: 7,
            fits: true,
            right: false,
        };
        assert_eq!(defined, expected);
        let kind = 1 | (ValueKind::Grid as u32) << 8 | (ValueKind::Set as u32) << 16;
        let undefined = result(SAID_UNDEFINED, kind, Prim::Rot90 as u32 | 3 << 8);
        let expected = Answer::Undefined {
            fault: Fault::Kind {
                expected: ValueKind::Grid,
                found: ValueKind::Set,
            },
            primitive: Some(Prim::Rot90),
            step: Some(3),
        };
        assert_eq!(undefined, expected);
        let flagged = result(SAID_UNDEFINED, 70, 0xffff_ffff);
        assert_eq!(flagged, Answer::Flagged(Flag::Form));
        for (low, high) in [(73, 0), (10, 0), (2 | 200 << 8, 0), (5, 200)] {
            let garbled = result(SAID_UNDEFINED, low, high);
            assert_eq!(garbled, Answer::Flagged(Flag::Garbled));
        }
        // Nothing was written, or by nobody we know.
        for said in [0, 1, 0x40, 0xff] {
            assert_eq!(result(said, 0, 0), Answer::Flagged(Flag::Garbled));
        }
    }

    #[test]
    fn flags_are_counted_by_reason() {
        let mut flags = Flags::default();
        assert_eq!(flags.to_string(), "none");
        flags.add(Flag::Form);
        flags.add(Flag::Form);
        flags.add(Flag::Cells);
        assert_eq!((flags.total(), flags.count(Flag::Form)), (3, 2));
        assert_eq!(flags.to_string(), "1 cells, 2 form");
    }
}
