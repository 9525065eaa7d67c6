//! One pass over the bytes of a text.
//!
//! Grids are nearly all of a task file, and [`Scanner::grid`] is their loop. Everything
//! else is read plainly; texts with escapes and numbers are given to `serde_json` one by
//! one. `None` means that the text is not JSON, or nested too deeply for this.

use super::{Json, Keys};
use crate::limits::JSON_VALUE_BYTES;
use heddle_runtime::memory::admit_host;
use heddle_runtime::units::Bytes;
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;

/// How deep lists and objects may be nested; `serde_json` ends at 127.
const MAX_DEPTH: usize = 100;

/// The values whose memory is checked at once.
const ADMITTED_VALUES: u64 = 1 << 15;

pub(super) struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    /// The cells of a grid until their number is known.
    cells: Vec<i8>,
    /// The most values, and those found; grids are one value each.
    most: u64,
    values: u64,
    /// The values whose memory is admitted, and why no more is.
    admitted: u64,
    refused: Option<Box<heddle_runtime::Error>>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a [u8], most: u64) -> Self {
        Scanner {
            text,
            at: 0,
            cells: Vec::new(),
            most,
            values: 0,
            admitted: 0,
            refused: None,
        }
    }

    /// The value of a text that holds one value and nothing else.
    pub(super) fn read(&mut self) -> Option<Json<'a>> {
        let json = self.value(0)?;
        self.skip_blanks();
        (self.at == self.text.len() && !self.is_full()).then_some(json)
    }

    /// The number of values found. A text counts once more for each [`JSON_VALUE_BYTES`].
    pub(super) fn values(&self) -> u64 {
        self.values
    }

    /// Whether there are more values than may be read.
    pub(super) fn is_full(&self) -> bool {
        self.values > self.most
    }

    #[inline]
    fn count(&mut self, values: usize) -> Option<()> {
        self.values += values as u64;
        if self.values > self.admitted {
            self.admit()?;
        }
        (!self.is_full()).then_some(())
    }

    /// Checks the memory of the next values.
    #[cold]
    fn admit(&mut self) -> Option<()> {
        self.admitted = self.values + ADMITTED_VALUES;
        let bytes = Bytes(ADMITTED_VALUES * JSON_VALUE_BYTES);
        self.refused = admit_host("the tasks of a file", bytes).err().map(Box::new);
        self.refused.is_none().then_some(())
    }

    /// Why memory was refused, if it was.
    pub(super) fn refused(&mut self) -> Option<Box<heddle_runtime::Error>> {
        self.refused.take()
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    #[inline]
    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Skips blanks and this byte, if it is next.
    #[inline]
    fn skip(&mut self, byte: u8) -> Option<()> {
        if self.peek() != Some(byte) {
            self.skip_blanks();
        }
        self.peek().filter(|next| *next == byte)?;
        self.at += 1;
        Some(())
    }

    fn value(&mut self, depth: usize) -> Option<Json<'a>> {
        self.skip_blanks();
        self.count(1)?;
        match self.peek()? {
            _ if depth > MAX_DEPTH => None,
            b'[' => {
                let start = self.at;
                if let Some(grid) = self.grid() {
                    return Some(grid);
                }
                self.at = start + 1;
                self.list(depth + 1)
            }
            b'{' => {
                self.at += 1;
                self.object(depth + 1)
            }
            b'"' => Some(Json::Scalar(self.string()?.into())),
            _ => self.scalar(),
        }
    }

    /// A grid; a list of another form is left where it stops to be one.
    #[inline]
    fn grid(&mut self) -> Option<Json<'a>> {
        self.cells.clear();
        self.skip(b'[')?;
        self.skip(b'[')?;
        self.row()?;
        let width = self.cells.len();
        while self.skip(b',').is_some() {
            let start = self.cells.len();
            self.skip(b'[')?;
            self.row()?;
            if self.cells.len() - start != width {
                return None;
            }
        }
        self.skip(b']')?;
        let cells = self.cells.as_slice().into();
        Some(Json::Grid { width, cells })
    }

    /// The cells of a row after its bracket, and the bracket that ends it.
    #[inline]
    fn row(&mut self) -> Option<()> {
        loop {
            let mut cell = self.peek()?;
            if !cell.is_ascii_digit() {
                self.skip_blanks();
                cell = self.peek().filter(u8::is_ascii_digit)?;
            }
            self.cells.push((cell - b'0') as i8);
            self.at += 1;
            let mut end = self.peek()?;
            if end != b',' && end != b']' {
                self.skip_blanks();
                end = self.peek()?;
            }
            self.at += 1;
            match end {
                b',' if self.peek() == Some(b' ') => self.at += 1,
                b',' => {}
                b']' => return Some(()),
                _ => return None,
            }
        }
    }

    /// Any list, after its bracket.
    fn list(&mut self, depth: usize) -> Option<Json<'a>> {
        let mut items = Vec::new();
        if self.skip(b']').is_some() {
            return Some(Json::List(items));
        }
        loop {
            items.push(self.value(depth)?);
            if self.skip(b',').is_none() {
                self.skip(b']')?;
                return Some(Json::List(items));
            }
        }
    }

    /// An object, after its brace.
    fn object(&mut self, depth: usize) -> Option<Json<'a>> {
        if self.skip(b'}').is_some() {
            return Some(Json::Object(Keys::new(Vec::new())));
        }
        // Of a task and of a pair.
        let mut keys = Vec::with_capacity(2);
        loop {
            self.skip_blanks();
            let key = self.string()?;
            self.skip(b':')?;
            keys.push((key, self.value(depth)?));
            if self.skip(b',').is_none() {
                self.skip(b'}')?;
                return Some(Json::Object(Keys::new(keys)));
            }
        }
    }

    /// A text with its quotes.
    fn string(&mut self) -> Option<Cow<'a, str>> {
        let start = self.at;
        self.peek().filter(|quote| *quote == b'"')?;
        self.at += 1;
        let mut is_plain = true;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => {
                    is_plain = false;
                    self.at += 2;
                }
                byte => {
                    is_plain &= byte >= b' ';
                    self.at += 1;
                }
            }
        }
        self.at += 1;
        let text = self.text.get(start..self.at)?;
        self.count(text.len() / JSON_VALUE_BYTES as usize)?;
        if is_plain {
            return str::from_utf8(&text[1..text.len() - 1]).ok().map(Cow::from);
        }
        parsed::<String>(text).map(Cow::from)
    }

    /// A number, `true`, `false` or `null`.
    fn scalar(&mut self) -> Option<Json<'a>> {
        let rest = &self.text[self.at..];
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        let length = rest.iter().take_while(|byte| is_part(byte)).count();
        self.at += length;
        parsed::<Value>(&rest[..length]).map(Json::Scalar)
    }
}

/// One value by the rules of `serde_json`.
fn parsed<'a, T: Deserialize<'a>>(text: &'a [u8]) -> Option<T> {
    serde_json::from_slice(text).ok()
}
