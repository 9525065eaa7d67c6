//! Mutations: single changes to a program.

use super::constants::another;
use super::examples;
use super::rewrite::{tidied, with_lines_before};
use super::type_match::{all_fit, is_known};
use crate::constant::Constant;
use crate::engine::Grid;
use crate::prim::Prim;
use crate::program::{CallArgument, Callee, Form, Input, Program};
use crate::rng::Rng;
use crate::types::{Inference, Type, infer, result_of};

/// The kind of a mutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Mutation {
    /// A constant became another of its class.
    Constant,
    /// A primitive became another of its type.
    Primitive,
    /// A variable became another of its type.
    Variable,
    /// A colour became an expression over the examples.
    Colour,
}

impl Mutation {
    /// Every kind.
    pub const ALL: [Mutation; 4] = [
        Mutation::Constant,
        Mutation::Primitive,
        Mutation::Variable,
        Mutation::Colour,
    ];
}

/// The most changes tried before `mutate` returns nothing.
const ATTEMPTS: usize = 64;

/// A program with one change, and the kind of the change; `None` if no change was found.
/// `examples` are the pairs of the program's task, if any: a colour is replaced only by an
/// expression that computes the same colour from them.
#[must_use]
pub fn mutate(
    program: &Program,
    examples: &[(Grid, Grid)],
    rng: &mut Rng,
) -> Option<(Program, Mutation)> {
    let before = infer(program);
    if program.calls.is_empty() || !before.warnings.is_empty() {
        return None;
    }
    for _ in 0..ATTEMPTS {
        let kind = *rng.pick(&Mutation::ALL)?;
        let changed = match kind {
            Mutation::Constant => constant(program, rng),
            Mutation::Primitive => primitive(program, &before, rng),
            Mutation::Variable => variable(program, &before, rng),
            Mutation::Colour => colour(program, examples, rng),
        };
        let Some(changed) = changed else {
            continue;
        };
        let changed = tidied(&changed);
        if is_sound(program, &before, &changed) {
            return Some((changed, kind));
        }
    }
    None
}

/// Whether a change kept the program well typed, kept its result type and changed it.
fn is_sound(program: &Program, before: &Inference, changed: &Program) -> bool {
    let after = infer(changed);
    let result = |found: &Inference, of: &Program| found.types.get(of.result as usize).cloned();
    after.warnings.is_empty()
        && after.doubts <= before.doubts
        && result(&after, changed) == result(before, program)
        && *changed != tidied(program)
}

/// The primitives of a program's dialect.
fn prims_of(program: &Program) -> impl Iterator<Item = Prim> {
    let typed = Prim::TYPED.iter().filter(|_| program.reading.is_typed());
    let prims = Prim::ALL.iter().chain(typed).copied();
    prims.filter(|prim| *prim != Prim::Nothing)
}

/// A random argument: the number of its line, and its position there.
fn place(program: &Program, rng: &mut Rng) -> (usize, usize) {
    let line = rng.below(program.calls.len());
    (line, rng.below(program.calls[line].arguments.len()))
}

fn constant(program: &Program, rng: &mut Rng) -> Option<Program> {
    let (line, at) = place(program, rng);
    let CallArgument::Constant(name, _) = &program.calls[line].arguments[at] else {
        return None;
    };
    let mut changed = program.clone();
    changed.calls[line].arguments[at] = another(name, program.reading, rng)?;
    Some(changed)
}

fn argument_type(operand: &CallArgument, types: &[Type]) -> Type {
    match operand {
        CallArgument::Input(Input::Grid | Input::Candidate) => Type::Grid,
        CallArgument::Input(Input::Examples) => Type::tuple(Type::both(Type::Grid, Type::Grid)),
        CallArgument::Call(call) => types[*call as usize].clone(),
        CallArgument::Constant(_, Constant::Bool(_)) => Type::Bool,
        CallArgument::Constant(_, Constant::Int(_)) => Type::Int,
        CallArgument::Constant(_, Constant::Pair(..)) => Type::Pair,
        CallArgument::Prim(_) => Type::Any,
    }
}

fn primitive(program: &Program, before: &Inference, rng: &mut Rng) -> Option<Program> {
    let line = rng.below(program.calls.len());
    let call = &program.calls[line];
    let mut changed = program.clone();
    // A primitive passed as a function: the new one has the same signature and family.
    if rng.one_in(3) {
        let at = rng.below(call.arguments.len());
        let CallArgument::Prim(prim) = call.arguments[at] else {
            return None;
        };
        let alike = |other: &Prim| {
            *other != prim
                && other.signature() == prim.signature()
                && other.family() == prim.family()
        };
        let others: Vec<Prim> = prims_of(program).filter(alike).collect();
        changed.calls[line].arguments[at] = CallArgument::Prim(*rng.pick(&others)?);
        return Some(changed);
    }
    // A primitive that is called: the new one takes the same types and has the same result.
    let Callee::Prim(prim) = call.callee else {
        return None;
    };
    let values: Vec<Type> = call
        .arguments
        .iter()
        .map(|argument| argument_type(argument, &before.types))
        .collect();
    let result = &before.types[line];
    let alike = |other: &Prim| {
        *other != prim
            && all_fit(*other, &values)
            && result_of(*other, &values, program.reading) == *result
    };
    if !is_known(result) {
        return None;
    }
    let others: Vec<Prim> = prims_of(program).filter(alike).collect();
    changed.calls[line].callee = Callee::Prim(*rng.pick(&others)?);
    Some(changed)
}

fn variable(program: &Program, before: &Inference, rng: &mut Rng) -> Option<Program> {
    let (line, at) = place(program, rng);
    let old = &program.calls[line].arguments[at];
    if !matches!(old, CallArgument::Call(_) | CallArgument::Input(_)) {
        return None;
    }
    let wanted = argument_type(old, &before.types);
    if !is_known(&wanted) {
        return None;
    }
    let inputs: &[Input] = match program.form {
        Form::Input => &[Input::Grid],
        Form::Examples => &[Input::Grid, Input::Examples],
    };
    let others: Vec<CallArgument> = inputs
        .iter()
        .map(|input| CallArgument::Input(*input))
        .chain((0..line as u32).map(CallArgument::Call))
        .filter(|other| other != old && argument_type(other, &before.types) == wanted)
        .collect();
    let mut changed = program.clone();
    changed.calls[line].arguments[at] = rng.pick(&others)?.clone();
    Some(changed)
}

/// The positions of a primitive's colour arguments.
fn colour_places(prim: Prim) -> &'static [usize] {
    match prim.view().map_or(prim, |view| view.base) {
        Prim::Recolor | Prim::Canvas => &[0],
        Prim::Fill | Prim::Underfill | Prim::Ofcolor | Prim::Colorfilter | Prim::Colorcount => &[1],
        Prim::Replace | Prim::Switch => &[1, 2],
        Prim::Cellwise => &[2],
        _ => &[],
    }
}

fn colour(program: &Program, examples: &[(Grid, Grid)], rng: &mut Rng) -> Option<Program> {
    let mut places = Vec::new();
    for (line, call) in program.calls.iter().enumerate() {
        let Callee::Prim(prim) = call.callee else {
            continue;
        };
        for at in colour_places(prim) {
            if let CallArgument::Constant(_, Constant::Int(value @ 0..=9)) = call.arguments[*at] {
                places.push((line, *at, value));
            }
        }
    }
    let (line, at, value) = *rng.pick(&places)?;
    let expression = examples::colour(value, examples, rng)?;
    let by = expression.calls.len();
    let mut changed = with_lines_before(program, &expression.calls);
    changed.form = Form::Examples;
    changed.calls[line + by].arguments[at] = CallArgument::Call(expression.result);
    Some(changed)
}
