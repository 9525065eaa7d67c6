//! The names that the typed dialect writes a program with.

use crate::prim::Prim;
use crate::program::{CallArgument, Callee, Input, Program, SourceError};
use crate::types::{Type, infer, operand};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A name in a call: a variable of the program by its call, or what it is in every program.
pub(crate) enum CallName {
    Call(u32),
    Grid,
    Other(Arc<str>),
}

/// The names of every call of a program, the callee first.
pub(crate) fn named_calls(program: &Program) -> Result<Vec<Vec<CallName>>, SourceError> {
    let types = infer(program).types;
    let mut calls = Vec::with_capacity(program.calls.len());
    for (call, line) in program.calls.iter().zip(&program.line_numbers) {
        let mut names = Vec::with_capacity(call.arguments.len() + 1);
        names.push(match call.callee {
            Callee::Prim(prim) => typed_name(prim, judged(prim, &call.arguments, &types)),
            Callee::Call(call) => Ok(CallName::Call(call)),
            Callee::Input(input) => Ok(name_of(&CallArgument::Input(input))),
            Callee::Constant(value) => Ok(CallName::Other(crate::constant::spelling(value))),
        });
        names.extend(call.arguments.iter().map(|argument| match argument {
            CallArgument::Prim(prim) => typed_name(*prim, None),
            other => Ok(name_of(other)),
        }));
        let names: Result<Vec<CallName>, Prim> = names.into_iter().collect();
        calls.push(names.map_err(|prim| SourceError {
            file: Arc::clone(&program.file),
            line: *line,
            column: 1,
            program: Some(Arc::clone(&program.name)),
            problem: format!("the typed dialect has no `{prim}` for every value"),
            hint: format!(
                "write {} or {}",
                prim.typed_name(true),
                prim.typed_name(false)
            ),
        })?);
    }
    Ok(calls)
}

fn name_of(argument: &CallArgument) -> CallName {
    match argument {
        CallArgument::Call(call) => CallName::Call(*call),
        CallArgument::Input(Input::Grid) => CallName::Grid,
        CallArgument::Input(input) => CallName::Other(input.name().into()),
        CallArgument::Constant(name, _) => CallName::Other(Arc::clone(name)),
        CallArgument::Prim(prim) => CallName::Other(prim.name().into()),
    }
}

/// The name in the dialect, which for some primitives depends on the type of their argument.
fn typed_name(prim: Prim, of_grid: Option<bool>) -> Result<CallName, Prim> {
    let [grid, other] = [true, false].map(|of_grid| prim.typed_name(of_grid));
    match of_grid {
        _ if grid == other => Ok(CallName::Other(grid.into())),
        Some(of_grid) => Ok(CallName::Other(prim.typed_name(of_grid).into())),
        None => Err(prim),
    }
}

/// Whether the patch or grid that a primitive takes is a grid, or for primitives that take no
/// grid whether it has locations only; `None` if that is not known.
fn judged(prim: Prim, arguments: &[CallArgument], types: &[Type]) -> Option<bool> {
    let takes_patch = matches!(prim, Prim::Recolor | Prim::Hline | Prim::Vline);
    let argument = arguments.get(usize::from(prim == Prim::Recolor))?;
    let found = operand(argument, types);
    match found {
        Type::Grid => Some(!takes_patch),
        Type::Indices => Some(takes_patch),
        Type::Object => Some(false),
        _ => None,
    }
}

/// The calls of a classic program that can have another result in the typed dialect
/// (`docs/dialects.md` lists them), by the name of the primitive.
pub(super) fn calls_that_differ(program: &Program) -> BTreeMap<&'static str, usize> {
    let mut found = BTreeMap::new();
    if program.reading.is_typed() {
        return found;
    }
    let types = infer(program).types;
    for call in &program.calls {
        let passed = call.arguments.iter().filter_map(|argument| match argument {
            CallArgument::Prim(prim) => Some((*prim, Type::Any)),
            _ => None,
        });
        let called = match call.callee {
            Callee::Prim(prim) => Some((prim, operand(&call.arguments[0], &types))),
            _ => None,
        };
        let calls = passed
            .chain(called)
            .filter(|(prim, of)| can_differ(*prim, of));
        for (prim, _) in calls {
            *found.entry(prim.name()).or_default() += 1;
        }
    }
    found
}

/// Whether a call whose first argument is of a type can have two results, one for each dialect.
fn can_differ(prim: Prim, argument: &Type) -> bool {
    match prim {
        Prim::Crop | Prim::Subgrid | Prim::Hsplit | Prim::Vsplit | Prim::Index => true,
        // Parts of a cell.
        Prim::First | Prim::Last | Prim::Second | Prim::GetNthT | Prim::GetNthF => {
            matches!(argument, Type::Any | Type::Cell)
        }
        // The order of cells.
        Prim::Maximum | Prim::Minimum => {
            *argument == Type::Object || argument.element() == Type::Any
        }
        Prim::Center | Prim::Gravitate | Prim::Position => {
            !matches!(argument, Type::Object | Type::Indices)
        }
        _ => false,
    }
}
