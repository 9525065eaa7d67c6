//! The reference evaluation of an ARC program: line by line, on plain values.

use heddle_arc::engine::{Example, Grid};
use heddle_arc::fault::Fault;
use heddle_arc::meter::{Budget, Meter};
use heddle_arc::plain::{self, Plain};
use heddle_arc::plan::CallGraph;
use heddle_arc::program::{CallArgument, Callee, Input, Program};

/// Returns the result of a program. Dead lines are left out, as in plans.
pub fn plain_evaluation(
    program: &Program,
    example: &Example<'_>,
    budget: Budget,
) -> Result<Plain, Fault> {
    let mut meter = Meter::new(budget);
    let sliced = CallGraph::merge(std::slice::from_ref(program)).slice(0);
    let mut values: Vec<Plain> = Vec::new();
    for call in &sliced.calls {
        let arguments: Vec<Plain> = call
            .arguments
            .iter()
            .map(|argument| match argument {
                CallArgument::Input(input) => plain_input(*input, example),
                CallArgument::Call(call) => values[*call as usize].clone(),
                CallArgument::Constant(_, value) => value.to_plain(),
                CallArgument::Prim(prim) => Plain::Prim(*prim),
            })
            .collect();
        let value = match call.callee {
            Callee::Prim(prim) => plain::call(prim, &arguments, &mut meter),
            Callee::Call(call) => plain::apply(&values[call as usize], &arguments, &mut meter),
            Callee::Input(input) => {
                plain::apply(&plain_input(input, example), &arguments, &mut meter)
            }
            Callee::Constant(value) => plain::apply(&value.to_plain(), &arguments, &mut meter),
        };
        values.push(value?);
    }
    Ok(values[sliced.result as usize].clone())
}

/// Whether a value contains a function, which cannot be copied out of a plan.
pub fn holds_function(value: &Plain) -> bool {
    match value {
        Plain::Prim(_) | Plain::Built(..) => true,
        Plain::Tuple(items) => items.iter().any(holds_function),
        Plain::Set(items) => items.iter().any(holds_function),
        _ => false,
    }
}

fn plain_input(input: Input, example: &Example<'_>) -> Plain {
    match input {
        Input::Grid => plain_grid(example.input),
        Input::Examples => Plain::Tuple(
            example
                .pairs
                .iter()
                .map(|(a, b)| Plain::Tuple(vec![plain_grid(a), plain_grid(b)]))
                .collect(),
        ),
        Input::Candidate => example
            .candidate
            .map_or_else(|| Plain::Tuple(Vec::new()), plain_grid),
    }
}

fn plain_grid(grid: &Grid) -> Plain {
    Plain::grid(
        grid.rows()
            .map(|row| row.iter().map(|cell| i64::from(*cell))),
    )
}
