//! Call tables: the file beside a merged file that repeats its calls.
//!
//! New files have `N: HintValue(hint=…, value=('callee', 'arg', …))`, old ones a text
//! `'callee, arg, …'` or `'callee(arg, …)'`. Hints are skipped.

use super::number_of;
use crate::program::SourceError;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

/// The calls of a merged file, by the number N of the line `tN`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallTable {
    /// The callee and the arguments, separated by `, `.
    calls: HashMap<u32, Box<str>>,
}

impl FromIterator<(u32, Box<str>)> for CallTable {
    fn from_iter<I: IntoIterator<Item = (u32, Box<str>)>>(calls: I) -> Self {
        CallTable {
            calls: calls.into_iter().collect(),
        }
    }
}

impl CallTable {
    /// The number of calls.
    #[must_use]
    pub fn len(&self) -> usize {
        self.calls.len()
    }

    /// Whether it has no calls.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// The callee and the arguments of a line.
    #[must_use]
    pub fn call(&self, number: u32) -> Option<impl Iterator<Item = &str>> {
        Some(self.calls.get(&number)?.split(", "))
    }

    pub(super) fn insert(&mut self, number: u32, call: Box<str>) {
        self.calls.insert(number, call);
    }

    /// The lines that a line uses directly.
    pub(super) fn needs(&self, number: u32) -> impl Iterator<Item = u32> {
        let names = self.call(number).into_iter().flatten();
        names.filter_map(number_of)
    }

    /// Reads a call table. Its first error ends the reading.
    pub fn read(text: &str, file: &str) -> Result<CallTable, SourceError> {
        let mut reader = TableReader { text, at: 0, file };
        reader.table()
    }

    /// Writes a call table in the new form.
    #[must_use]
    pub fn write(&self) -> String {
        let mut numbers: Vec<&u32> = self.calls.keys().collect();
        numbers.sort_unstable();
        let mut text = String::from(
            "from collections import namedtuple\n\
             HintValue = namedtuple('HintValue', ['hint', 'value'])\nt_call = {",
        );
        for (place, number) in numbers.into_iter().enumerate() {
            let separator = if place > 0 { ", " } else { "" };
            let names = self.calls[number].replace(", ", "', '");
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "{separator}{number}: HintValue(hint=None, value=('{names}'))"
            );
        }
        text + "}\n"
    }
}

/// A piece of Python text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece<'a> {
    Word(&'a str),
    Text(&'a str),
    Mark(char),
    End,
}

struct TableReader<'a> {
    text: &'a str,
    at: usize,
    file: &'a str,
}

impl<'a> TableReader<'a> {
    /// Takes the next piece; blanks and comments are skipped.
    fn next(&mut self) -> Piece<'a> {
        loop {
            let rest = &self.text[self.at..];
            let rest = rest.trim_start();
            self.at = self.text.len() - rest.len();
            let Some(letter) = rest.chars().next() else {
                return Piece::End;
            };
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let length = match letter {
                '#' => rest.find('\n').unwrap_or(rest.len()),
                '\'' | '"' => rest[1..].find(letter).map_or(rest.len(), |end| end + 2),
                c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                c => c.len_utf8(),
            };
            self.at += length;
            return match letter {
                '#' => continue,
                // A text without an end has no closing quote to leave out.
                '\'' | '"' => Piece::Text(rest[1..length].trim_end_matches(letter)),
                c if is_word(c) => Piece::Word(&rest[..length]),
                c => Piece::Mark(c),
            };
        }
    }

    fn peek(&mut self) -> Piece<'a> {
        let at = self.at;
        let piece = self.next();
        self.at = at;
        piece
    }

    fn error(&self, problem: impl Into<String>) -> SourceError {
        let before = &self.text[..self.at];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        SourceError {
            file: Arc::from(self.file),
            line: before.matches('\n').count() as u32 + 1,
            column: before[line_start..].chars().count() as u32 + 1,
            program: None,
            problem: problem.into(),
            hint: "a call table is t_call = {1: HintValue(hint=…, value=('callee', 'arg')), …} or \
                   {1: 'callee, arg', …}"
                .to_owned(),
        }
    }

    fn mark(&mut self, mark: char) -> Result<(), SourceError> {
        if self.peek() != Piece::Mark(mark) {
            return Err(self.error(format!("`{mark}` is missing here")));
        }
        self.next();
        Ok(())
    }

    fn table(&mut self) -> Result<CallTable, SourceError> {
        loop {
            match self.next() {
                Piece::Word("t_call") => break,
                Piece::End => return Err(self.error("there is no t_call")),
                _ => {}
            }
        }
        self.mark('=')?;
        self.mark('{')?;
        let mut table = CallTable::default();
        while self.peek() != Piece::Mark('}') {
            let number = match self.peek() {
                Piece::Word(word) => word.parse().ok(),
                _ => None,
            };
            let number: u32 = number.ok_or_else(|| self.error("no line number begins here"))?;
            self.next();
            self.mark(':')?;
            let call = match self.next() {
                Piece::Text(text) => old_form(text),
                Piece::Word("HintValue") => self.hint_value()?,
                _ => return Err(self.error("no call begins here")),
            };
            if table.calls.insert(number, call.into()).is_some() {
                return Err(self.error(format!("line {number} is here twice")));
            }
            if self.peek() != Piece::Mark('}') {
                self.mark(',')?;
            }
        }
        Ok(table)
    }

    /// Reads `(hint=…, value=('callee', 'arg', …))`.
    fn hint_value(&mut self) -> Result<String, SourceError> {
        self.mark('(')?;
        let mut depth = 1;
        while depth > 0 {
            match self.next() {
                Piece::Mark('(' | '[' | '{') => depth += 1,
                Piece::Mark(')' | ']' | '}') => depth -= 1,
                Piece::Word("value") if depth == 1 => {
                    self.mark('=')?;
                    self.mark('(')?;
                    let mut call = String::new();
                    while let Piece::Text(name) = self.peek() {
                        self.next();
                        let separator = if call.is_empty() { "" } else { ", " };
                        call.extend([separator, name]);
                        if self.peek() == Piece::Mark(',') {
                            self.next();
                        }
                    }
                    self.mark(')')?;
                    self.mark(')')?;
                    return Ok(call);
                }
                Piece::End => break,
                _ => {}
            }
        }
        Err(self.error("a HintValue without its value"))
    }
}

/// The names of `callee, arg, …` or `callee(arg, …)`.
fn old_form(text: &str) -> String {
    let names = text.split(['(', ')', ',']).map(str::trim);
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    names.join(", ")
}
