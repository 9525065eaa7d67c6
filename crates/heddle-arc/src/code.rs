//! Flat steps and the function bodies made of them, as the engine runs them.
//!
//! A [`Body`] is a function of the program after its closures are expanded: where the source
//! composes, forks and binds, the body contains the calls themselves, one step each, in order.
//! Steps refer to their operands by index, so running a step takes one fetch and one jump.

mod flat_code;
mod fused;

pub(crate) use flat_code::{FlatCode, FlatStep, INPUTS};
pub(crate) use fused::Fused;

use crate::prim::Prim;
use crate::reading::Reading;
use crate::value::Value;

/// The source of an operand of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StepOperand {
    /// An argument of the body.
    Parameter(u8),
    /// The result of an earlier step of the body.
    Local(u32),
    /// A captured value of the body.
    Captured(u16),
    /// A value without parts: a number, a pair or a primitive.
    Fixed(Value),
}

/// The operation of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum StepOperation {
    /// Calls a primitive.
    Primitive(Prim),
    /// Calls its first operand with the others.
    Call,
    /// Builds a function from a body, capturing its operands.
    Close(u32),
}

/// One step of a body.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub operation: StepOperation,
    /// The reading of a step of the plan. A step of a body has that of the call of the body.
    pub reading: Reading,
    pub arguments: Vec<StepOperand>,
}

/// A function of the program.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub arity: u8,
    pub steps: Vec<Step>,
    pub result: StepOperand,
    /// A hash of the computation, independent of the body's number. Functions in sets are ordered
    /// by it.
    pub fingerprint: i64,
}

/// The bodies a plan can call, and all its steps in the engine's layout.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub bodies: Vec<Body>,
    pub flat_code: FlatCode,
}
