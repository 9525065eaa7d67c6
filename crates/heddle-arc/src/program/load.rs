//! Reading a file of programs.

use super::line::{Token, TokenKind, code_lines, indent, tokens};
use super::resolve::{NameScope, ResolveError};
use super::{Call, Callee, Form, Program, SourceError};
use crate::limits::MAX_PROGRAM_ERRORS;
use crate::reading::Reading;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// The most arguments of a call: `objects` takes four.
pub(crate) const MAX_ARGUMENTS: usize = 4;

/// The most characters of a problem, which quotes the file.
const MAX_PROBLEM: usize = 200;

/// The names of programs that are named after their file.
const UNNAMED: [&str; 2] = ["solve", "differ"];

/// How the folder of a task's programs begins in a store.
const STORED: &str = "solve_";

/// The function of a merged file.
const MERGED: &str = "batt";

/// The contents of a program file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadedPrograms {
    /// The programs without errors, in the order of the file.
    pub programs: Vec<Program>,
    /// The errors, at most one for each program and [`MAX_PROGRAM_ERRORS`] of the file; what
    /// follows the last of these is not read.
    pub errors: Vec<SourceError>,
}

/// Reads programs. `file` is the file's name in messages. It also names a program called
/// just `solve`: the one of `tasks/007bbfb7.py` becomes `solve_007bbfb7`.
#[must_use]
pub fn load(text: &str, file: &str) -> LoadedPrograms {
    load_as(text, file, Reading::Classic)
}

/// Reads programs that are understood in this way. A program called just `solve` or `differ` in
/// `solve_TASK/SCORE/TIME/NAME.py` is named after the task.
#[must_use]
pub fn load_as(text: &str, file: &str, reading: Reading) -> LoadedPrograms {
    let mut reader = ProgramReader {
        reading,
        file: file.into(),
        loaded: LoadedPrograms::default(),
        open: None,
        names: HashMap::new(),
    };
    for (number, line) in code_lines(text) {
        reader.line(line, number);
        if reader.is_full() {
            reader.open = None;
            break;
        }
    }
    reader.close();
    reader.loaded
}

/// A program being read; `broken` once it has an error.
struct OpenProgram {
    program: Program,
    scope: NameScope,
    broken: bool,
    returned: bool,
    line: u32,
}

struct ProgramReader {
    reading: Reading,
    file: Arc<str>,
    loaded: LoadedPrograms,
    open: Option<OpenProgram>,
    /// The line of each program, by name.
    names: HashMap<Arc<str>, u32>,
}

fn failure(problem: impl Into<String>, hint: impl Into<String>) -> ResolveError {
    (problem.into(), hint.into())
}

/// The column of a problem: that of a token, or the end of the line.
pub(crate) fn column(token: Option<&Token<'_>>, line: &[Token<'_>]) -> u32 {
    match token {
        Some(token) => token.column,
        None => line
            .last()
            .map_or(1, |last| last.column + last.text.chars().count() as u32),
    }
}

impl ProgramReader {
    /// Whether no more errors are kept.
    fn is_full(&self) -> bool {
        self.loaded.errors.len() >= MAX_PROGRAM_ERRORS
    }

    fn error(&mut self, line: u32, column: u32, (mut problem, mut hint): ResolveError) {
        if let Some((end, _)) = problem.char_indices().nth(MAX_PROBLEM) {
            problem.truncate(end);
            problem.push('…');
        }
        if self.loaded.errors.len() + 1 == MAX_PROGRAM_ERRORS {
            hint = format!(
                "this is error {MAX_PROGRAM_ERRORS}, the limit of a file; the rest is not read"
            );
        }
        let program = self
            .open
            .as_ref()
            .map(|open| Arc::clone(&open.program.name));
        self.loaded.errors.push(SourceError {
            file: Arc::clone(&self.file),
            line,
            column,
            program,
            problem,
            hint,
        });
        if let Some(open) = &mut self.open {
            open.broken = true;
        }
    }

    fn line(&mut self, text: &str, number: u32) {
        let line = tokens(text);
        let Some(first) = line.first() else {
            return;
        };
        let indented = indent(text) > 0;
        if !indented || first.text == "def" {
            self.close();
            match first.text {
                "def" => self.open(&line, number),
                "import" | "from" => {}
                _ => self.error(
                    number,
                    first.column,
                    failure(
                        format!("`{}` outside a program", first.text),
                        "programs begin with def solve_NAME(I):, or def solve(I): in a file named after its \
                         task; their lines are indented",
                    ),
                ),
            }
            return;
        }
        match &self.open {
            None => self.error(
                number,
                first.column,
                failure(
                    "an indented line outside a program",
                    "programs begin with def solve_NAME(I):",
                ),
            ),
            Some(open) if open.broken => {}
            Some(open) if open.returned => self.error(
                number,
                first.column,
                failure(
                    "a line after return",
                    "return is the last line of a program",
                ),
            ),
            Some(_) => {
                if let Err((column, failure)) = self.statement(&line, number) {
                    self.error(number, column, failure);
                }
            }
        }
    }

    /// Reads `def NAME(I):` or `def NAME(S, I, C):`.
    fn open(&mut self, line: &[Token<'_>], number: u32) {
        let texts: Vec<&str> = line.iter().map(|token| token.text).collect();
        let form = match texts.get(2..) {
            Some(["(", "I", ")", ":"]) => Some(Form::Input),
            Some(["(", "S", ",", "I", ",", "C", ")", ":"]) => Some(Form::Examples),
            _ => None,
        };
        let written = texts.get(1).copied().unwrap_or("");
        let unnamed = UNNAMED.iter().find(|unnamed| **unnamed == written);
        let of_file = unnamed.map(|kind| name_of_file(&self.file, kind));
        let name: Arc<str> = match &of_file {
            Some(Some(name)) => name.as_str().into(),
            _ => written.into(),
        };
        let earlier = self.names.insert(Arc::clone(&name), number);
        self.open = Some(OpenProgram {
            program: Program {
                name: Arc::clone(&name),
                form: form.unwrap_or(Form::Input),
                reading: self.reading,
                calls: Vec::new(),
                result: 0,
                file: Arc::clone(&self.file),
                line_numbers: Vec::new(),
            },
            scope: NameScope::new(form.unwrap_or(Form::Input), self.reading),
            broken: false,
            returned: false,
            line: number,
        });
        if written == MERGED {
            let found = failure(
                "this is a merged file",
                "run it with `heddle arc batt FILE`",
            );
            self.error(number, line[1].column, found);
        } else if form.is_none() || line[1].kind != TokenKind::Name {
            let found = failure(
                "this is not how a program begins",
                "write def solve_NAME(I): or def solve_NAME(S, I, C):",
            );
            self.error(number, column(line.get(2), line), found);
        } else if of_file == Some(None) {
            let found = failure(
                format!(
                    "`{written}` is named after its file, and `{}` is no name",
                    self.file
                ),
                "name the file as its task, such as 007bbfb7.py, or write def solve_NAME(I):",
            );
            self.error(number, line[1].column, found);
        } else if let Some(earlier) = earlier {
            let hint = match of_file {
                None => "give this program a name of its own",
                Some(_) => {
                    "a file holds one program without a name; write def solve_NAME(I): or \
                     give it a file of its own"
                }
            };
            let found = failure(
                format!("`{written}` is already defined on line {earlier}"),
                hint,
            );
            self.error(number, line[1].column, found);
        }
    }

    fn statement(&mut self, line: &[Token<'_>], number: u32) -> Result<(), (u32, ResolveError)> {
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        if line[0].text == "return" {
            let result = match line {
                [_, name] => open.scope.variable(name.text),
                _ => None,
            };
            let Some(result) = result else {
                return Err((
                    column(line.get(1), line),
                    failure(
                        "return needs a variable assigned above",
                        "end the program with return O",
                    ),
                ));
            };
            open.program.result = result;
            open.returned = true;
            return Ok(());
        }
        let (callee, names) = shape(line)?;
        let at = |token: &Token<'_>| {
            let column = token.column;
            move |failure: ResolveError| (column, failure)
        };
        let function = open.scope.callee(callee.text).map_err(at(callee))?;
        let mut arguments = Vec::with_capacity(names.len());
        for name in &names {
            arguments.push(open.scope.operand(name.text).map_err(at(name))?);
        }
        let wrong_count = match function {
            Callee::Prim(prim) if !self.reading.is_soft() => !prim.takes(arguments.len()),
            _ => arguments.len() > MAX_ARGUMENTS,
        };
        if wrong_count {
            let hint = match function {
                Callee::Prim(prim) => {
                    format!("{prim} takes {}: {}", prim.arity(), prim.signature())
                }
                _ => format!("a function takes at most {MAX_ARGUMENTS}"),
            };
            let problem = format!(
                "`{}` called with {} arguments",
                callee.text,
                arguments.len()
            );
            return Err((callee.column, (problem, hint)));
        }
        let place = open.program.calls.len() as u32;
        let variable = open
            .scope
            .assign(line[0].text, place)
            .map_err(at(&line[0]))?;
        open.program.calls.push(Call {
            variable,
            callee: function,
            arguments,
        });
        open.program.line_numbers.push(number);
        Ok(())
    }

    /// Finishes the program being read.
    fn close(&mut self) {
        if let Some(open) = &self.open
            && !open.broken
            && !open.returned
        {
            let line = open
                .program
                .line_numbers
                .last()
                .map_or(open.line, |line| line + 1);
            let found = failure(
                format!("`{}` has no return", open.program.name),
                "end the program with return O",
            );
            self.error(line, 1, found);
        }
        if let Some(open) = self.open.take()
            && !open.broken
        {
            self.loaded.programs.push(open.program);
        }
    }
}

/// The name of a file's only program: `kind`, and the task of its folder or else its stem, if
/// these are valid in a name.
fn name_of_file(file: &str, kind: &str) -> Option<String> {
    let path = Path::new(file);
    let folder = path.ancestors().nth(3).and_then(Path::file_name);
    let task = folder.and_then(|folder| folder.to_str()?.strip_prefix(STORED));
    let stem = path.file_stem()?.to_str()?;
    let name = task.unwrap_or_else(|| stem.strip_prefix(&format!("{kind}_")).unwrap_or(stem));
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then(|| format!("{kind}_{name}"))
}

/// Reads `NAME = CALLEE(NAME, …)`: the callee and its arguments.
pub(crate) fn shape<'a, 't>(
    line: &'t [Token<'a>],
) -> Result<(&'t Token<'a>, Vec<&'t Token<'a>>), (u32, ResolveError)> {
    let wrong = |token: Option<&Token<'a>>| {
        let hint = match token.map(|token| (token.kind, token.text)) {
            Some((TokenKind::Number, _)) => {
                "there are no literals; use a constant such as FIVE or F5"
            }
            Some((TokenKind::Text, _)) => "there are no texts in this language",
            Some((_, "(")) => "calls do not nest; give the inner call a line of its own",
            Some((_, "=")) => "arguments have no names",
            _ => "each line is variable = callee(argument, ...)",
        };
        let problem = match token {
            Some(token) => format!("`{}` was not expected here", token.text),
            None => "the line ends too early".to_owned(),
        };
        (column(token, line), failure(problem, hint))
    };
    let name = |at: usize| match line.get(at) {
        Some(token) if token.kind == TokenKind::Name => Ok(token),
        other => Err(wrong(other)),
    };
    let mark = |at: usize, text: &str| match line.get(at) {
        Some(token) if token.text == text => Ok(()),
        other => Err(wrong(other)),
    };
    name(0)?;
    mark(1, "=")?;
    let callee = name(2)?;
    mark(3, "(")?;
    let mut arguments = Vec::new();
    let mut at = 4;
    loop {
        arguments.push(name(at)?);
        at += 1;
        match line.get(at) {
            Some(token) if token.text == "," => at += 1,
            Some(token) if token.text == ")" => break,
            other => return Err(wrong(other)),
        }
        // Python allows a comma before the closing bracket.
        if line.get(at).is_some_and(|token| token.text == ")") {
            break;
        }
    }
    match line.get(at + 1) {
        None => Ok((callee, arguments)),
        other => Err(wrong(other)),
    }
}
