//! What the engine runs: flat steps, and function bodies made of them.
//!
//! A [`Body`] is a function of the program with its closures dissolved: where
//! the source composes, forks and binds, the body has the calls themselves, one
//! step each, in order. Steps name their operands by place, so running one is a
//! fetch and a jump.

mod flat_code;
mod fused;

pub(crate) use flat_code::{FlatCode, FlatStep, INPUTS};
pub(crate) use fused::Fused;

use crate::prim::Prim;
use crate::value::Value;

/// Where an operand of a step comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Argument {
    /// An argument of the body.
    Parameter(u8),
    /// The result of an earlier step of the body.
    Local(u32),
    /// A value the body closes over.
    Captured(u16),
    /// A value without parts: a number, a pair, a primitive.
    Fixed(Value),
}

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    /// Calls a primitive.
    Primitive(Prim),
    /// Calls its first operand with the others.
    Call,
    /// Makes a function of a body, closing over its operands.
    Close(u32),
}

/// One step of a body.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub operation: Operation,
    pub arguments: Vec<Argument>,
}

/// A function of the program.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub arity: u8,
    pub steps: Vec<Step>,
    pub result: Argument,
    /// Says what the body computes, whatever its number: functions in sets are
    /// ordered by it.
    pub fingerprint: i64,
}

/// The bodies a plan can call, and all its steps as the engine reads them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub bodies: Vec<Body>,
    pub flat_code: FlatCode,
}
