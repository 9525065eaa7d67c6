//! Writing programs as one merged file.
//!
//! A call that an earlier line makes is bound to that line. The generator of such files binds
//! it to the newest line instead, which rewires programs; files written here keep them.

use super::CallTable;
use crate::prim::Prim;
use crate::program::{CallArgument, Callee, Program, SourceError};
use crate::types::{Type, infer};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

/// The first lines of a merged file.
const HEADER: &str = "from dsl import *\nfrom constants import *\nfrom safe_dsl import \
    _get_safe_default\n\ndef batt(task_id, S, I, C, log_path):\n    s = []\n    o = []\n";

/// What the generator of such files excepts.
const EXCEPT: &str = "except (TypeError, AttributeError, ValueError, IndexError, KeyError)";

/// A merged file and its call table.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct BattText {
    /// The file.
    pub text: String,
    /// Its call table.
    pub calls: CallTable,
    /// The programs that could not be written, and why.
    pub errors: Vec<SourceError>,
}

/// Writes programs as a merged file. Those whose names begin with `differ` judge the input and
/// the answer of every other program.
#[must_use]
pub fn write(programs: &[Program]) -> BattText {
    let mut writer = BattWriter {
        written: BattText {
            text: HEADER.to_owned(),
            ..BattText::default()
        },
        numbers: HashMap::new(),
    };
    let mut differs = Vec::new();
    let mut solvers = Vec::new();
    for program in programs {
        match named_calls(program) {
            Err(error) => writer.written.errors.push(error),
            Ok(calls) if program.name.starts_with("differ") => differs.push((program, calls)),
            Ok(calls) => solvers.push((program, calls)),
        }
    }
    writer.judge(&differs, "None", "I");
    for (program, calls) in &solvers {
        let last = writer.program(program, calls, "I");
        let solver = program.task();
        writer.line(&format!(
            "    o.append(({last}, False, '{solver}', t{last}))\n"
        ));
        writer.judge(&differs, solver, &format!("t{last}"));
    }
    writer.line("    return o, s\n");
    writer.written
}

/// A name in a call: a variable of the program by its call, or what it is in every program.
enum CallName {
    Call(u32),
    Grid,
    Other(Arc<str>),
}

struct BattWriter {
    written: BattText,
    /// The line of every call written.
    numbers: HashMap<String, u32>,
}

impl BattWriter {
    fn line(&mut self, line: &str) {
        self.written.text.push_str(line);
    }

    /// Applies differs to a grid.
    fn judge(&mut self, differs: &[(&Program, Vec<Vec<CallName>>)], solver: &str, grid: &str) {
        for (program, calls) in differs {
            let last = self.program(program, calls, grid);
            let differ = &program.name;
            self.line(&format!(
                "    s.append(({last}, '{solver}', '{differ}', t{last}))\n"
            ));
        }
    }

    /// Writes a program applied to a grid; returns the line of its result.
    fn program(&mut self, program: &Program, calls: &[Vec<CallName>], grid: &str) -> u32 {
        let mut numbers: Vec<u32> = Vec::with_capacity(calls.len());
        for call in calls {
            let names: Vec<String> = call
                .iter()
                .map(|name| match name {
                    CallName::Call(call) => format!("t{}", numbers[*call as usize]),
                    CallName::Grid => grid.to_owned(),
                    CallName::Other(name) => name.to_string(),
                })
                .collect();
            let key = names.join(", ");
            let next = self.numbers.len() as u32 + 1;
            let number = *self.numbers.entry(key.clone()).or_insert(next);
            if number == next {
                let arguments = names[1..].join(", ");
                let callee = &names[0];
                // Writing to a string cannot fail.
                let _ = write!(
                    self.written.text,
                    "    try:\n        t{number} = {callee}({arguments})\n    {EXCEPT}:\n        \
                     t{number} = _get_safe_default({callee})\n"
                );
                self.written.calls.insert(number, key.into());
            }
            numbers.push(number);
        }
        numbers[program.result as usize]
    }
}

/// The names of every call of a program, the callee first.
fn named_calls(program: &Program) -> Result<Vec<Vec<CallName>>, SourceError> {
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
        CallArgument::Input(crate::program::Input::Grid) => CallName::Grid,
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
    let found = crate::types::operand(argument, types);
    match found {
        Type::Grid => Some(!takes_patch),
        Type::Indices => Some(takes_patch),
        Type::Object => Some(false),
        _ => None,
    }
}
