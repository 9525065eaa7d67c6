//! Reading a merged file.

use super::{Batt, BattLine, Entry, EntryList, number_of};
use crate::limits::MAX_PROGRAM_ERRORS;
use crate::prim::Prim;
use crate::program::{
    Call, CallArgument, Callee, Form, Input, MAX_ARGUMENTS, NameScope, ResolveError, SourceError,
    Token, TokenKind, code_lines, column, shape, tokens,
};
use crate::reading::{Cells, Reading};
use std::collections::HashSet;

/// The most lines of a merged file. That of 32 programs has some thousands.
const MAX_LINES: usize = 1 << 17;

/// A merged file, and what could not be read of it.
#[derive(Clone, Debug, Default)]
pub struct LoadedBatt {
    /// The file, without the lines that could not be read and those that use them.
    pub batt: Batt,
    /// The errors; what follows error [`MAX_PROGRAM_ERRORS`] is not read.
    pub errors: Vec<SourceError>,
}

/// What a line has to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Line,
    /// The line of a `try` block.
    Guarded,
    Except,
    /// `tN = _get_safe_default(callee)`.
    Default,
}

/// Reads a merged file. `file` is its name in messages.
#[must_use]
pub fn read(text: &str, file: &str, cells: Cells) -> LoadedBatt {
    let mut reader = BattReader {
        loaded: LoadedBatt::default(),
        scope: NameScope::new(Form::Examples, Reading::Guarded(cells)),
        lost: HashSet::new(),
        expected: Expected::Line,
    };
    reader.loaded.batt.file = file.into();
    reader.loaded.batt.cells = cells;
    for (number, text) in code_lines(text) {
        let line = tokens(text);
        if line.is_empty() {
            continue;
        }
        let read = if reader.loaded.batt.lines.len() >= MAX_LINES {
            Err((
                1,
                wrong(
                    "the file has too many lines",
                    "merge fewer programs into one file",
                ),
            ))
        } else {
            reader.line(&line, number)
        };
        let is_full = reader.loaded.batt.lines.len() >= MAX_LINES;
        if let Err((column, (problem, hint))) = read {
            reader.loaded.errors.push(SourceError {
                file: file.into(),
                line: number,
                column,
                program: None,
                problem,
                hint,
            });
            if is_full || reader.loaded.errors.len() >= MAX_PROGRAM_ERRORS {
                break;
            }
        }
    }
    reader.loaded
}

struct BattReader {
    loaded: LoadedBatt,
    scope: NameScope,
    /// Variables whose lines could not be read.
    lost: HashSet<Box<str>>,
    expected: Expected,
}

type LineResult = Result<(), (u32, ResolveError)>;

fn wrong(problem: impl Into<String>, hint: &str) -> ResolveError {
    (problem.into(), hint.to_owned())
}

/// A line that is not as it has to be, from its token `at` on.
fn unexpected(line: &[Token<'_>], at: usize, hint: &str) -> (u32, ResolveError) {
    let problem = match line.get(at) {
        Some(token) => format!("`{}` was not expected here", token.text),
        None => "the line ends too early".to_owned(),
    };
    (column(line.get(at), line), wrong(problem, hint))
}

/// Checks the tokens of a line from `at` on; `_` stands for any.
fn check(line: &[Token<'_>], at: usize, wanted: &[&str], hint: &str) -> LineResult {
    let is_other = |(place, wanted): (usize, &&str)| {
        let found = line.get(at + place);
        found.is_none_or(|found| *wanted != "_" && found.text != *wanted)
    };
    let longer = line.len() > at + wanted.len();
    let first = wanted.iter().enumerate().position(is_other);
    match first.or(longer.then_some(wanted.len())) {
        Some(place) => Err(unexpected(line, at + place, hint)),
        None => Ok(()),
    }
}

impl BattReader {
    fn line(&mut self, line: &[Token<'_>], number: u32) -> LineResult {
        let text = |at: usize| line.get(at).map_or("", |token| token.text);
        let expected = self.expected;
        self.expected = Expected::Line;
        match (expected, text(0)) {
            (Expected::Except, "except") => {
                self.expected = Expected::Default;
                Ok(())
            }
            (Expected::Except, _) => {
                let hint =
                    "a try block has one line and its except has tN = _get_safe_default(callee)";
                Err(unexpected(line, 0, hint))
            }
            (Expected::Default, _) => self.default(line),
            (Expected::Guarded, _) => {
                self.expected = Expected::Except;
                self.call(line, number, true)
            }
            (_, "from" | "import" | "return") => Ok(()),
            (_, "def") => {
                let hint = "a merged file has one function: def batt(task_id, S, I, C, log_path):";
                match text(1) {
                    "batt" => Ok(()),
                    _ => Err(unexpected(line, 1, hint)),
                }
            }
            (_, "try") => {
                self.expected = Expected::Guarded;
                check(line, 1, &[":"], "a try block begins with try:")
            }
            (_, "s" | "o") if text(1) == "=" => {
                check(line, 2, &["[", "]"], "write s = [] and o = []")
            }
            (_, "s" | "o") if text(1) == "." => self.entry(line),
            _ if text(1) == "," => self.samples(line, number),
            _ => self.call(line, number, false),
        }
    }

    fn call(&mut self, line: &[Token<'_>], number: u32, guarded: bool) -> LineResult {
        let read = self.read_call(line, number, guarded);
        if read.is_err() && self.scope.variable(line[0].text).is_none() {
            self.lost.insert(line[0].text.into());
        }
        read
    }

    fn read_call(&mut self, line: &[Token<'_>], number: u32, guarded: bool) -> LineResult {
        let (callee, names) = shape(line)?;
        if names.len() > MAX_ARGUMENTS {
            let hint = format!("a function takes at most {MAX_ARGUMENTS}");
            let problem = format!("`{}` called with {} arguments", callee.text, names.len());
            return Err((callee.column, (problem, hint)));
        }
        for name in std::iter::once(&callee).chain(&names) {
            self.refuse_lost(name)?;
        }
        let at = |token: &Token<'_>| {
            let column = token.column;
            move |error: ResolveError| (column, error)
        };
        let function = self.scope.callee(callee.text).map_err(at(callee))?;
        let mut arguments = Vec::with_capacity(names.len());
        for name in &names {
            arguments.push(self.scope.operand(name.text).map_err(at(name))?);
        }
        let names = names.iter().map(|name| name.text);
        self.assign(
            &line[0],
            function,
            arguments,
            callee.text,
            names,
            (number, guarded),
        )
    }

    fn assign<'a>(
        &mut self,
        variable: &Token<'_>,
        callee: Callee,
        arguments: Vec<CallArgument>,
        name: &'a str,
        names: impl Iterator<Item = &'a str>,
        (line, guarded): (u32, bool),
    ) -> LineResult {
        let found = number_of(variable.text);
        let number = found.ok_or_else(|| {
            let problem = format!("`{}` is no line of a merged file", variable.text);
            (variable.column, wrong(problem, "they are called t1, t2, …"))
        })?;
        let lines = &mut self.loaded.batt.lines;
        let assigned = self.scope.assign(variable.text, lines.len() as u32);
        let variable = assigned.map_err(|error| (variable.column, error))?;
        lines.push(BattLine {
            number,
            names: std::iter::once(name)
                .chain(names)
                .collect::<Vec<_>>()
                .join(", ")
                .into(),
            call: Call {
                variable,
                callee,
                arguments,
            },
            guarded,
            line,
        });
        Ok(())
    }

    /// Refuses a variable whose line was not read. Its error is enough for a reader, so this one
    /// costs no search for similar names.
    fn refuse_lost(&self, name: &Token<'_>) -> LineResult {
        if !self.lost.contains(name.text) {
            return Ok(());
        }
        let problem = format!("the line of `{}` was not read", name.text);
        Err((name.column, wrong(problem, "correct that line first")))
    }

    /// Reads `tN = _get_safe_default(callee)` after the line of a `try` block.
    fn default(&mut self, line: &[Token<'_>]) -> LineResult {
        let hint =
            "an except clause has tN = _get_safe_default(callee) with N and callee of its try";
        check(
            line,
            0,
            &["_", "=", "_get_safe_default", "(", "_", ")"],
            hint,
        )?;
        if self.lost.contains(line[0].text) {
            return Ok(());
        }
        let last = self.loaded.batt.lines.last();
        let is_of = |last: &BattLine| {
            let callee = last.names.split(", ").next();
            [Some(&*last.call.variable), callee] == [Some(line[0].text), Some(line[4].text)]
        };
        if last.is_some_and(is_of) {
            Ok(())
        } else {
            Err(unexpected(line, 4, hint))
        }
    }

    /// Reads `ta, tb, tc, td = batch_process_samples_gpu(S)`: the inputs, the outputs and the
    /// colours of each.
    fn samples(&mut self, line: &[Token<'_>], number: u32) -> LineResult {
        let hint = "write ta, tb, tc, td = batch_process_samples_gpu(S)";
        let wanted = "_ , _ , _ , _ = batch_process_samples_gpu ( S )";
        check(line, 0, &wanted.split(' ').collect::<Vec<_>>(), hint)?;
        let first = self.loaded.batt.lines.len() as u32;
        for place in 0..4 {
            let variable = &line[2 * place];
            let from = line[2 * (place % 2)].text;
            let part = if place == 0 {
                Prim::First
            } else {
                Prim::Second
            };
            let (callee, function, argument, name) = match place {
                0 | 1 => (Prim::Apply, part, CallArgument::Input(Input::Examples), "S"),
                _ => (
                    Prim::Mapply,
                    Prim::PG,
                    CallArgument::Call(first + place as u32 - 2),
                    from,
                ),
            };
            let names = [function.name(), name].into_iter();
            let arguments = vec![CallArgument::Prim(function), argument];
            let callee_name = callee.name();
            let callee = Callee::Prim(callee);
            self.assign(
                variable,
                callee,
                arguments,
                callee_name,
                names,
                (number, false),
            )?;
        }
        Ok(())
    }

    /// Reads `s.append((N, 'ID', 'DIFFER', tN))` or `o.append((N, FLAG, 'ID', tN))`.
    fn entry(&mut self, line: &[Token<'_>]) -> LineResult {
        let answers = line[0].text == "o";
        let hint = if answers {
            "write o.append((N, False, 'ID', tN))"
        } else {
            "write s.append((N, 'ID', 'DIFFER', tN))"
        };
        let wanted = "_ . append ( ( _ , _ , _ , _ ) )";
        check(line, 0, &wanted.split(' ').collect::<Vec<_>>(), hint)?;
        let number = line[5].text.parse();
        let number = number.map_err(|_| unexpected(line, 5, hint))?;
        let text = |at: usize| {
            let quoted = (line[at].kind == TokenKind::Text).then_some(line[at].text);
            let inside = quoted.and_then(|text| text.get(1..text.len().max(2) - 1));
            inside.ok_or_else(|| unexpected(line, at, hint))
        };
        let list = if answers {
            EntryList::Answer {
                mutated: match line[7].text {
                    "True" => true,
                    "False" => false,
                    _ => return Err(unexpected(line, 7, hint)),
                },
                solver: text(9)?.into(),
            }
        } else {
            EntryList::Difference {
                solver: text(7)?.into(),
                differ: text(9)?.into(),
            }
        };
        self.refuse_lost(&line[11])?;
        let value = self.scope.variable(line[11].text);
        let value = value.ok_or_else(|| unexpected(line, 11, hint))?;
        self.loaded.batt.entries.push(Entry {
            number,
            value,
            list,
        });
        Ok(())
    }
}
