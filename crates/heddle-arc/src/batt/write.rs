//! Writing programs as one merged file.
//!
//! A call that an earlier line makes is bound to that line. The generator of such files binds
//! it to the newest line instead, which rewires programs; files written here keep them.

use super::CallTable;
use super::typed_names::{CallName, calls_that_differ, named_calls};
use crate::program::{Program, SourceError};
use std::collections::HashMap;
use std::fmt::Write;

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
    /// The classic programs that were written and have calls whose result can be another in the
    /// typed dialect.
    pub notes: Vec<String>,
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
            Err(error) => {
                writer.written.errors.push(error);
                continue;
            }
            Ok(calls) if program.name.starts_with("differ") => differs.push((program, calls)),
            Ok(calls) => solvers.push((program, calls)),
        }
        let differ = calls_that_differ(program);
        if !differ.is_empty() {
            let names = differ.iter().map(|(name, count)| format!("{name} {count}"));
            writer.written.notes.push(format!(
                "{}: calls that can have another result in the typed dialect: {} ({})",
                program.name,
                differ.values().sum::<usize>(),
                names.collect::<Vec<_>>().join(", ")
            ));
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
