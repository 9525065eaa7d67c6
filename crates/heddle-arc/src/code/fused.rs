//! Pairs of steps of a body that are run as one.

use super::{Body, StepOperand, StepOperation};
use crate::prim::Prim;

/// The operation of two fused steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fused {
    /// `colorcount` of `toobject`.
    ColourCount,
    /// `size` of `intersection`.
    SharedSize,
    /// `difference` with `combine`.
    WithoutBoth,
    /// The same where the next step only tests whether anything is left: its operand is the empty
    /// set or `true` instead of the set.
    LeftByBoth,
}

/// Returns the fused operation of a step and the next, if there is one.
pub(super) fn at(body: &Body, step: usize) -> Option<Fused> {
    match body.steps[step].operation {
        StepOperation::Primitive(Prim::Toobject | Prim::Intersection | Prim::Combine) => {
            pair_at(body, step)
        }
        _ => None,
    }
}

fn pair_at(body: &Body, step: usize) -> Option<Fused> {
    let second = body.steps.get(step + 1)?;
    let fused = match (body.steps[step].operation, second.operation) {
        (StepOperation::Primitive(first), StepOperation::Primitive(second)) => {
            [Fused::ColourCount, Fused::SharedSize, Fused::WithoutBoth]
                .into_iter()
                .find(|fused| fused.prims() == (first, second))?
        }
        _ => return None,
    };
    let mut own = second.arguments.iter().enumerate();
    if !own.all(|(index, argument)| reads(argument, step) == (index == fused.between()))
        || is_read(body, step, step + 2)
    {
        return None;
    }
    let next = body.steps.get(step + 2).map(|step| step.operation);
    let tests_emptiness = next == Some(StepOperation::Primitive(Prim::Flip))
        && body.steps[step + 2]
            .arguments
            .iter()
            .all(|argument| reads(argument, step + 1))
        && !is_read(body, step + 1, step + 3);
    Some(match fused {
        Fused::WithoutBoth if tests_emptiness => Fused::LeftByBoth,
        _ => fused,
    })
}

/// Whether an operand is the result of a step.
fn reads(argument: &StepOperand, step: usize) -> bool {
    matches!(argument, StepOperand::Local(index) if *index as usize == step)
}

/// Whether the result of a step is read by a step from `later` on, or is the body's result.
fn is_read(body: &Body, step: usize, later: usize) -> bool {
    let mut operands = body.steps[later..].iter().flat_map(|step| &step.arguments);
    operands.any(|argument| reads(argument, step)) || reads(&body.result, step)
}

impl Fused {
    /// Returns the two primitives.
    pub(crate) fn prims(self) -> (Prim, Prim) {
        match self {
            Fused::ColourCount => (Prim::Toobject, Prim::Colorcount),
            Fused::SharedSize => (Prim::Intersection, Prim::Size),
            Fused::WithoutBoth | Fused::LeftByBoth => (Prim::Combine, Prim::Difference),
        }
    }

    /// Returns which operand of the second step is the result of the first.
    pub(super) fn between(self) -> usize {
        match self {
            Fused::ColourCount | Fused::SharedSize => 0,
            Fused::WithoutBoth | Fused::LeftByBoth => 1,
        }
    }
}
