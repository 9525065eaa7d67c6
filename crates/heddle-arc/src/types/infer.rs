//! Types of the lines of a program, and the lines that always fail.

use super::call::{CallInference, arity, may_fit};
use super::{FunctionType, Type};
use crate::constant::Constant;
use crate::prim::Prim;
use crate::program::{CallArgument, Callee, Input, Program, SourceError};
use std::rc::Rc;
use std::sync::Arc;

/// The types and warnings known before a program runs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Inference {
    /// The type of each line.
    pub types: Vec<Type>,
    /// Lines that fail whenever they run.
    pub warnings: Vec<SourceError>,
    /// The number of lines whose arguments are not of the types that the callee takes. The typed
    /// dialect has a result for some of these.
    pub doubts: usize,
}

/// Infers the types of a program's lines.
#[must_use]
pub fn infer(program: &Program) -> Inference {
    let mut types: Vec<Type> = Vec::with_capacity(program.calls.len());
    let mut warnings = Vec::new();
    let mut doubts = 0;
    for (call, line) in program.calls.iter().zip(&program.line_numbers) {
        let arguments: Vec<Type> = call
            .arguments
            .iter()
            .map(|argument| operand(argument, &types))
            .collect();
        let mut caller = CallInference::new(program.reading);
        let (result, doubt) = match call.callee {
            // Broken programs of a soft reading have any number of arguments.
            Callee::Prim(prim) if prim.arity() != arguments.len() => (Type::Any, None),
            Callee::Prim(prim) => (
                caller.primitive(prim, &arguments),
                argument_error(prim, &arguments),
            ),
            Callee::Input(_) | Callee::Constant(_) => (Type::Any, None),
            Callee::Call(callee) => {
                let function = &types[callee as usize];
                (
                    caller.call(function, &arguments),
                    arity_error(function, arguments.len()),
                )
            }
        };
        doubts += usize::from(doubt.is_some());
        // The typed dialect has a result for much that the classic language refuses.
        if let Some((problem, hint)) = doubt
            && !program.reading.is_typed()
        {
            warnings.push(SourceError {
                file: Arc::clone(&program.file),
                line: *line,
                column: 1,
                program: Some(Arc::clone(&program.name)),
                problem,
                hint,
            });
        }
        types.push(result);
    }
    Inference {
        types,
        warnings,
        doubts,
    }
}

pub(crate) fn operand(operand: &CallArgument, types: &[Type]) -> Type {
    match operand {
        CallArgument::Input(Input::Grid | Input::Candidate) => Type::Grid,
        CallArgument::Input(Input::Examples) => {
            Type::tuple(Type::Both(Rc::new(Type::Grid), Rc::new(Type::Grid)))
        }
        CallArgument::Call(call) => types[*call as usize].clone(),
        CallArgument::Constant(_, Constant::Bool(_)) => Type::Bool,
        CallArgument::Constant(_, Constant::Int(_)) => Type::Int,
        CallArgument::Constant(_, Constant::Pair(..)) => Type::Pair,
        CallArgument::Prim(prim) => Type::Function(Rc::new(FunctionType::Prim(*prim))),
    }
}

/// The first argument that cannot be right.
fn argument_error(prim: Prim, arguments: &[Type]) -> Option<(String, String)> {
    let parameters = prim.parameters();
    let (place, _) = arguments
        .iter()
        .enumerate()
        .find(|(place, argument)| !may_fit(prim, parameters[*place], argument))?;
    Some((
        format!(
            "{prim} fails: argument {} is {}, not {}",
            place + 1,
            arguments[place],
            parameters[place]
        ),
        format!("{prim} takes {}", prim.signature()),
    ))
}

fn arity_error(function: &Type, given: usize) -> Option<(String, String)> {
    if !function.is_function() && *function != Type::Any {
        return Some((
            format!("a value of type {function} is called"),
            "call a primitive, or a variable that holds a function".to_owned(),
        ));
    }
    match arity(function) {
        Some(takes) if takes != given => Some((
            format!("a function of arity {takes} is called with {given} arguments"),
            format!("pass {takes}"),
        )),
        _ => None,
    }
}
