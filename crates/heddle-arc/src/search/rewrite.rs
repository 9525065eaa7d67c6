//! Rewriting programs after a change.

use crate::program::{Call, CallArgument, Callee, Program};

fn moved(callee: Callee, numbers: &[Option<u32>]) -> Option<Callee> {
    Some(match callee {
        Callee::Call(call) => Callee::Call(numbers[call as usize]?),
        other => other,
    })
}

fn moved_operand(operand: &CallArgument, numbers: &[Option<u32>]) -> Option<CallArgument> {
    Some(match operand {
        CallArgument::Call(call) => CallArgument::Call(numbers[*call as usize]?),
        other => other.clone(),
    })
}

/// The program without unused lines, with variables `x1`, `x2`… and `O` for the last line.
pub(super) fn tidied(program: &Program) -> Program {
    let count = program.calls.len();
    let mut needed = vec![false; count];
    if let Some(result) = needed.get_mut(program.result as usize) {
        *result = true;
    }
    for at in (0..count).rev().filter(|at| *at <= program.result as usize) {
        if !needed[at] {
            continue;
        }
        let call = &program.calls[at];
        if let Callee::Call(callee) = call.callee {
            needed[callee as usize] = true;
        }
        for argument in &call.arguments {
            if let CallArgument::Call(argument) = argument {
                needed[*argument as usize] = true;
            }
        }
    }
    let mut numbers: Vec<Option<u32>> = vec![None; count];
    let mut tidy = Program {
        calls: Vec::new(),
        line_numbers: Vec::new(),
        ..program.clone()
    };
    for (at, call) in program
        .calls
        .iter()
        .enumerate()
        .filter(|(at, _)| needed[*at])
    {
        let number = tidy.calls.len() as u32;
        let variable = if at == program.result as usize {
            "O".into()
        } else {
            format!("x{}", number + 1).into()
        };
        let arguments = call.arguments.iter().map(|a| moved_operand(a, &numbers));
        // A needed line refers only to earlier lines, which are needed too.
        let (Some(callee), Some(arguments)) = (
            moved(call.callee, &numbers),
            arguments.collect::<Option<Vec<CallArgument>>>(),
        ) else {
            continue;
        };
        numbers[at] = Some(number);
        tidy.calls.push(Call {
            variable,
            callee,
            arguments,
        });
        tidy.line_numbers.push(number + 2);
    }
    tidy.result = tidy.calls.len().saturating_sub(1) as u32;
    tidy
}

/// A program with lines of another before its own. Those lines may refer only to inputs
/// and to each other.
pub(super) fn with_lines_before(program: &Program, lines: &[Call]) -> Program {
    let by = lines.len() as u32;
    let numbers: Vec<Option<u32>> = (0..program.calls.len() as u32)
        .map(|number| Some(number + by))
        .collect();
    let mut longer = program.clone();
    longer.calls = lines.to_vec();
    for call in &program.calls {
        let arguments = call.arguments.iter().map(|a| moved_operand(a, &numbers));
        longer.calls.push(Call {
            variable: call.variable.clone(),
            callee: moved(call.callee, &numbers).unwrap_or(call.callee),
            arguments: arguments.flatten().collect(),
        });
    }
    longer.line_numbers = (0..longer.calls.len() as u32)
        .map(|line| line + 2)
        .collect();
    longer.result = program.result + by;
    longer
}
