//! A short notation for golden vectors.
//!
//! The JSON of a vector is mostly brackets. The short notation is one line of the form
//! `primitive args.. -> result`, with `!` for an error. `; args..` before the arrow gives
//! the arguments of a function that a builder returns, `~ result` at the end the result in a
//! soft reading.
//!
//! | value | short |
//! |---|---|
//! | None, true, false, 12 | `N` `T` `F` `12` |
//! | tuple, set | `(1 2 3)` `{1 2 3}` |
//! | grid of colours 0..9 | `[012/345]` |
//! | primitive, callable | `size` `<compose size first>` |

use super::{GoldenVector, primitive};
use crate::plain::{Plain, Special};
use std::fmt::Write;

/// The deepest nesting of a value in this notation.
const MAX_DEPTH: usize = 64;

/// Writes a vector as one line.
#[must_use]
pub fn write(vector: &GoldenVector) -> String {
    let mut line = vector.name.to_owned();
    for arg in &vector.args {
        line.push(' ');
        value(&mut line, arg);
    }
    if let Some(apply) = &vector.apply {
        line.push_str(" ;");
        for arg in apply {
            line.push(' ');
            value(&mut line, arg);
        }
    }
    line.push_str(" -> ");
    match &vector.expected {
        Some(result) => value(&mut line, result),
        None => line.push('!'),
    }
    if let Some(soft) = &vector.soft {
        line.push_str(" ~ ");
        value(&mut line, soft);
    }
    line
}

/// Writes a value.
#[must_use]
pub fn show(plain: &Plain) -> String {
    let mut line = String::new();
    value(&mut line, plain);
    line
}

fn value(line: &mut String, plain: &Plain) {
    let list = |line: &mut String, items: &mut dyn Iterator<Item = &Plain>, close: char| {
        for (at, item) in items.enumerate() {
            if at > 0 {
                line.push(' ');
            }
            value(line, item);
        }
        line.push(close);
    };
    match plain {
        Plain::None => line.push('N'),
        Plain::Bool(true) => line.push('T'),
        Plain::Bool(false) => line.push('F'),
        // Writing to a string cannot fail.
        Plain::Int(number) => {
            let _ = write!(line, "{number}");
        }
        Plain::Special(special) => line.push_str(special.name()),
        Plain::Tuple(items) => {
            if let Some(grid) = digits(items) {
                line.push_str(&grid);
            } else {
                line.push('(');
                list(line, &mut items.iter(), ')');
            }
        }
        Plain::Set(items) => {
            line.push('{');
            list(line, &mut items.iter(), '}');
        }
        Plain::Prim(prim) => line.push_str(prim.name()),
        Plain::Built(prim, parts) => {
            let _ = write!(line, "<{prim} ");
            list(line, &mut parts.iter(), '>');
        }
    }
}

/// The digits of a grid of colours 0..9.
fn digits(rows: &[Plain]) -> Option<String> {
    let mut text = String::from("[");
    for (at, row) in rows.iter().enumerate() {
        let Plain::Tuple(cells) = row else {
            return None;
        };
        if cells.is_empty() {
            return None;
        }
        if at > 0 {
            text.push('/');
        }
        for cell in cells {
            match cell {
                Plain::Int(colour @ 0..=9) => text.push(char::from(b'0' + *colour as u8)),
                _ => return None,
            }
        }
    }
    text.push(']');
    (!rows.is_empty()).then_some(text)
}

/// Reads a line written by [`write()`].
pub fn read(line: &str, location: String) -> Result<GoldenVector, String> {
    let mut reader = NotationReader {
        rest: line,
        depth: 0,
    };
    let name = reader.word();
    let (name, prim) = primitive(name)?;
    let mut args = Vec::new();
    let mut apply: Option<Vec<Plain>> = None;
    loop {
        reader.skip_blanks();
        if let Some(rest) = reader.rest.strip_prefix("->") {
            reader.rest = rest;
            break;
        }
        if let Some(rest) = reader.rest.strip_prefix(';') {
            reader.rest = rest;
            apply = Some(Vec::new());
            continue;
        }
        let argument = reader.value()?;
        apply.as_mut().unwrap_or(&mut args).push(argument);
    }
    reader.skip_blanks();
    let mut result = || match reader.rest.strip_prefix('!') {
        Some(rest) => {
            reader.rest = rest;
            Ok(None)
        }
        None => reader.value().map(Some),
    };
    let expected = result()?;
    reader.skip_blanks();
    let soft = match reader.rest.strip_prefix('~') {
        Some(rest) => {
            reader.rest = rest;
            Some(reader.value()?)
        }
        None => None,
    };
    Ok(GoldenVector {
        location,
        name,
        prim,
        args,
        apply,
        expected,
        soft,
    })
}

struct NotationReader<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> NotationReader<'a> {
    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches(' ');
    }

    fn word(&mut self) -> &'a str {
        let end = self
            .rest
            .find(|letter: char| !(letter.is_ascii_alphanumeric() || "_-".contains(letter)))
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn value(&mut self) -> Result<Plain, String> {
        self.skip_blanks();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("values nested too deeply".to_owned());
        }
        let read = match self.rest.chars().next() {
            Some('(') => self.list(')').map(Plain::Tuple),
            Some('{') => self
                .list('}')
                .map(|items| Plain::Set(items.into_iter().collect())),
            Some('<') => {
                self.rest = &self.rest[1..];
                let name = self.word();
                let (_, prim) = primitive(name)?;
                self.items('>').map(|parts| Plain::Built(prim, parts))
            }
            Some('[') => self.grid(),
            _ => self.atom(),
        };
        self.depth -= 1;
        read
    }

    fn list(&mut self, close: char) -> Result<Vec<Plain>, String> {
        self.rest = &self.rest[1..];
        self.items(close)
    }

    fn items(&mut self, close: char) -> Result<Vec<Plain>, String> {
        let mut items = Vec::new();
        loop {
            self.skip_blanks();
            if let Some(rest) = self.rest.strip_prefix(close) {
                self.rest = rest;
                return Ok(items);
            }
            items.push(self.value()?);
        }
    }

    fn grid(&mut self) -> Result<Plain, String> {
        let (inside, rest) = self.rest[1..]
            .split_once(']')
            .ok_or("a grid without its closing bracket")?;
        self.rest = rest;
        let row = |row: &str| {
            let cells: Option<Vec<Plain>> = row
                .chars()
                .map(|digit| digit.to_digit(10).map(|d| Plain::Int(i64::from(d))))
                .collect();
            cells.map(Plain::Tuple)
        };
        let rows: Option<Vec<Plain>> = inside.split('/').map(row).collect();
        rows.map(Plain::Tuple)
            .ok_or_else(|| format!("a grid of digits was expected: [{inside}]"))
    }

    fn atom(&mut self) -> Result<Plain, String> {
        let word = self.word();
        match word {
            "N" => Ok(Plain::None),
            "T" => Ok(Plain::Bool(true)),
            "F" => Ok(Plain::Bool(false)),
            _ => match (word.parse(), Special::named(word), primitive(word)) {
                (Ok(number), ..) => Ok(Plain::Int(number)),
                (_, Some(special), _) => Ok(Plain::Special(special)),
                (.., Ok((_, prim))) => Ok(Plain::Prim(prim)),
                _ => Err(format!("no value begins here: {word}{}", self.rest)),
            },
        }
    }
}
