//! JSON of task files: a tree whose grids are bytes.
//!
//! Texts that `serde_json::Value` rejects are rejected here with the same message and
//! position, because the same parser reads them. Invariant: every list of equally long,
//! non-empty lists of whole numbers from 0 to 9 is a [`Json::Grid`], so no other variant
//! is a valid grid.

mod scanner;

use crate::limits::JSON_VALUE_BYTES;
use heddle_runtime::memory::admit_host;
use heddle_runtime::units::Bytes;
use scanner::Scanner;
use serde::de::IgnoredAny;
use serde_json::{Error, Value};
use std::borrow::Cow;
use std::{fmt, mem};

/// A text that is not read.
#[derive(Debug)]
pub(super) enum JsonError {
    NotJson(Error),
    /// It has more values than may be read.
    TooLarge,
    /// The host has no memory for them.
    Memory(Box<heddle_runtime::Error>),
}

impl From<Error> for JsonError {
    fn from(error: Error) -> Self {
        JsonError::NotJson(error)
    }
}

/// Checks the memory of what is about to be read.
fn admit(bytes: u64) -> Result<(), JsonError> {
    admit_host("the tasks of a file", Bytes(bytes))
        .map_err(|error| JsonError::Memory(Box::new(error)))
}

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json<'a> {
    /// Rows of `width` cells each, one after the other.
    Grid {
        width: usize,
        cells: Vec<i8>,
    },
    /// Any other list.
    List(Vec<Json<'a>>),
    Object(Keys<'a>),
    /// Text, a number, `true`, `false` or `null`.
    Scalar(Value),
}

/// The values of an object, ascending by key; of equal keys the last counts. A sorted
/// list, because nearly all objects have two keys and a node of a map is larger than
/// their grids.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Keys<'a>(Vec<(Cow<'a, str>, Json<'a>)>);

impl<'a> Keys<'a> {
    fn new(mut keys: Vec<(Cow<'a, str>, Json<'a>)>) -> Self {
        if !keys.is_sorted_by(|(a, _), (b, _)| a < b) {
            keys.sort_by(|(a, _), (b, _)| a.cmp(b));
            keys.dedup_by(|later, kept| {
                let equal = later.0 == kept.0;
                if equal {
                    mem::swap(&mut later.1, &mut kept.1);
                }
                equal
            });
        }
        Keys(keys)
    }

    pub(super) fn get(&self, key: &str) -> Option<&Json<'a>> {
        let at = self.0.binary_search_by(|(other, _)| (**other).cmp(key));
        at.ok().map(|at| &self.0[at].1)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Takes a value out and leaves `null` for it.
    pub(super) fn take(&mut self, key: &str) -> Option<Json<'a>> {
        let (_, value) = self.0.iter_mut().find(|(other, _)| other == key)?;
        Some(mem::replace(value, Json::Scalar(Value::Null)))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Json<'a>)> {
        self.0.iter().map(|(key, value)| (&**key, value))
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Json<'a>> {
        self.0.iter().map(|(_, value)| value)
    }

    pub(super) fn into_values(self) -> impl Iterator<Item = Json<'a>> {
        self.0.into_iter().map(|(_, value)| value)
    }
}

impl<'a> IntoIterator for Keys<'a> {
    type Item = (Cow<'a, str>, Json<'a>);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> Json<'a> {
    /// Reads a text that holds one value and nothing else, and at most `most` values that are
    /// no cells of grids. Returns their number too; long texts are counted by their bytes.
    pub(super) fn parse(text: &'a [u8], most: u64) -> Result<(Json<'a>, u64), JsonError> {
        // The cells of grids, each of which takes two bytes of the text.
        admit(text.len() as u64)?;
        let mut scanner = Scanner::new(text, most);
        if let Some(json) = scanner.read() {
            return Ok((json, scanner.values()));
        }
        if let Some(error) = scanner.refused() {
            return Err(JsonError::Memory(error));
        }
        if scanner.is_full() {
            return Err(JsonError::TooLarge);
        }
        // No text has more values than these.
        let marks = text
            .iter()
            .filter(|byte| matches!(byte, b',' | b'[' | b'{'));
        let values = marks.count() as u64 + 1;
        if values > most {
            // Reading without keeping values tells whether it is JSON at all.
            serde_json::from_slice::<IgnoredAny>(text)?;
            return Err(JsonError::TooLarge);
        }
        admit(values.saturating_mul(JSON_VALUE_BYTES))?;
        Ok((serde_json::from_slice::<Value>(text)?.into(), values))
    }

    /// The value of a key, if it is an object that has it.
    pub(super) fn get(&self, key: &str) -> Option<&Json<'a>> {
        match self {
            Json::Object(keys) => keys.get(key),
            _ => None,
        }
    }

    /// Takes a key's value out, see [`Keys::take`].
    pub(super) fn take(&mut self, key: &str) -> Option<Json<'a>> {
        match self {
            Json::Object(keys) => keys.take(key),
            _ => None,
        }
    }

    pub(super) fn is_list(&self) -> bool {
        matches!(self, Json::Grid { .. } | Json::List(_))
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self, Json::Scalar(Value::Null))
    }

    /// The elements of a list.
    pub(super) fn into_items(self) -> Option<Vec<Json<'a>>> {
        match self {
            Json::List(items) => Some(items),
            other => other.items().map(Cow::into_owned),
        }
    }

    /// The elements of a list.
    pub(super) fn items(&self) -> Option<Cow<'_, [Json<'a>]>> {
        match self {
            Json::List(items) => Some(items.into()),
            Json::Grid { width, cells } => {
                Some(cells.chunks(*width).map(row).collect::<Vec<_>>().into())
            }
            _ => None,
        }
    }
}

/// The same value, for texts that [`Scanner`] leaves to `serde_json`.
impl From<Value> for Json<'_> {
    fn from(value: Value) -> Self {
        match value {
            Value::Array(items) => {
                let width = items.first().and_then(Value::as_array).map_or(0, Vec::len);
                let is_row = |item: &Value| item.as_array().is_some_and(|row| row.len() == width);
                if width > 0
                    && items.iter().all(is_row)
                    && let Some(cells) = items
                        .iter()
                        .filter_map(Value::as_array)
                        .flatten()
                        .map(digit)
                        .collect()
                {
                    return Json::Grid { width, cells };
                }
                Json::List(items.into_iter().map(Json::from).collect())
            }
            Value::Object(keys) => {
                let keys = keys
                    .into_iter()
                    .map(|(key, value)| (key.into(), value.into()));
                Json::Object(Keys::new(keys.collect()))
            }
            scalar => Json::Scalar(scalar),
        }
    }
}

fn digit(value: &Value) -> Option<i8> {
    value
        .as_u64()
        .filter(|number| *number < 10)
        .map(|number| number as i8)
}

fn row<'a>(cells: &[i8]) -> Json<'a> {
    Json::List(
        cells
            .iter()
            .map(|cell| Json::Scalar((*cell).into()))
            .collect(),
    )
}

/// In few words.
impl fmt::Display for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Grid { width, cells } => write!(f, "a list of {}", cells.len() / width),
            Json::List(items) => write!(f, "a list of {}", items.len()),
            Json::Object(keys) => write!(f, "an object of {} keys", keys.len()),
            Json::Scalar(Value::String(text)) => {
                let short: String = text.chars().take(20).collect();
                write!(f, "the text {short:?}")
            }
            Json::Scalar(other) => write!(f, "{other}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::fmt::Write;

    /// The same with grids as lists of lists.
    fn expanded(json: &Json<'_>) -> Value {
        match json {
            Json::Grid { width, cells } => {
                assert!(*width > 0 && !cells.is_empty() && cells.len() % width == 0);
                cells.chunks(*width).map(Value::from).collect()
            }
            Json::List(items) => {
                let rows: Vec<Value> = items.iter().map(expanded).collect();
                assert!(!is_grid(&rows), "{rows:?}");
                rows.into()
            }
            Json::Object(keys) => {
                let keys = keys
                    .iter()
                    .map(|(key, json)| (key.to_owned(), expanded(json)));
                keys.collect()
            }
            Json::Scalar(value) => value.clone(),
        }
    }

    fn is_grid(rows: &[Value]) -> bool {
        let width = rows.first().and_then(Value::as_array).map_or(0, Vec::len);
        let is_row = |row: &Value| {
            let row = row.as_array();
            row.is_some_and(|row| {
                let is_digit = |cell: &Value| cell.as_u64().is_some_and(|cell| cell < 10);
                row.len() == width && row.iter().all(is_digit)
            })
        };
        width > 0 && rows.iter().all(is_row)
    }

    fn agrees(text: &[u8]) -> bool {
        let expected = serde_json::from_slice::<Value>(text);
        let parsed = Json::parse(text, u64::MAX).map_err(|error| match error {
            JsonError::NotJson(error) => error,
            JsonError::TooLarge => panic!("there is no limit"),
            JsonError::Memory(error) => panic!("{error}"),
        });
        match (parsed, expected) {
            (Ok((found, values)), Ok(expected)) => {
                assert!(values > 0);
                assert!(Json::parse(text, values - 1).is_err());
                assert_eq!(
                    expanded(&found),
                    expected,
                    "{}",
                    String::from_utf8_lossy(text)
                );
                true
            }
            (Err(found), Err(expected)) => {
                assert_eq!(found.to_string(), expected.to_string());
                assert_eq!(found.line(), expected.line());
                assert_eq!(found.column(), expected.column());
                false
            }
            (found, expected) => panic!(
                "{found:?} where {expected:?} was expected of {}",
                String::from_utf8_lossy(text)
            ),
        }
    }

    #[test]
    fn odd_texts_are_read_as_by_serde_json() {
        let deep = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        let (shallow, deep) = (deep(127), deep(129));
        let deep_grid = format!("{}[[1,2],[3,4]]{}", "[".repeat(110), "]".repeat(110));
        for (text, is_read) in [
            ("[[1,2],[3,4]]", true),
            ("[1,2,[3]]", true),
            ("[1,[2],3]", true),
            ("[[1,2],[3],[4,5]]", true),
            ("[[1,2],3,[4,5]]", true),
            ("[[1,2],[],[4,5]]", true),
            ("[[1,2],[3,10]]", true),
            ("[[1,2],[3,-0]]", true),
            ("[[1,2],[3,1e0]]", true),
            ("[[[1]],[[2]]]", true),
            ("[[[1],[2]],[3]]", true),
            ("[[],[]]", true),
            ("[[1,2],{\"a\":[[3]],\"a\":4}]", true),
            ("[[1,2],[3,\"x\"],[5,null]]", true),
            ("[1,[2,[3,[4]]],[[5]]]", true),
            ("7", true),
            (" [[0]]\n", true),
            (shallow.as_str(), true),
            (deep.as_str(), false),
            (deep_grid.as_str(), true),
            ("[[1 ,2 ]\t,\r\n[ 3, 4]]", true),
            ("[[1.5,2]]", true),
            (
                "{\"b\":1,\"a\\u0062\":[[1]],\"b\":[2],\"\":{},\"b\":3}",
                true,
            ),
            ("{\"b\":1,\"a\":[],\"b\":[[2]]}", true),
            ("", false),
            ("\u{feff}[[1]]", false),
            ("[[1]]\0", false),
            ("{\"a\nb\":1}", false),
            ("{\"a\" [1]}", false),
            ("{\"a\":1,}", false),
            ("{\"a\\", false),
            ("[\"a\\\"]", false),
            ("[[1,2],[3,4],]", false),
            ("[[1,2,]]", false),
            ("[[1,2]] 3", false),
            ("[nulls]", false),
            ("[[1,2],[3,4]", false),
            ("[[1,2],[3,4]]]", false),
            ("[[1,2],\n[3,04]]", false),
            ("[[1,2],\n[3,]]", false),
            ("[[1,2]\n[3]]", false),
            ("{1:2}", false),
            ("[1e999]", false),
            ("[[1],[\"\\ud800\"]]", false),
        ] {
            assert_eq!(agrees(text.as_bytes()), is_read, "{text}");
        }
        assert!(!agrees(b"[\"\xff\"]"));
    }

    /// A text of nested values, now and then with a mistake.
    fn write(rng: &mut Rng, depth: usize, text: &mut String) {
        let kinds = if depth == 0 { 3 } else { 8 };
        match rng.below(kinds) {
            0 => {
                text.push_str(["10", "-1", "2.5", "1e3", "00", "1e400"][rng.below(6)]);
            }
            1 => {
                text.push_str(["null", "true", "\"a\"", "\"\\u00e9\"", "nul", "\""][rng.below(6)]);
            }
            2 => text.push_str(&rng.below(10).to_string()),
            3 => {
                text.push('{');
                for at in 0..rng.below(4) {
                    text.push_str(if at > 0 { "," } else { "" });
                    text.push_str(["\"train\":", "\"a\": ", "\"b\"\n:"][rng.below(3)]);
                    write(rng, depth - 1, text);
                }
                text.push('}');
            }
            4 => {
                text.push('[');
                for at in 0..rng.below(4) {
                    text.push_str(if at > 0 { ", " } else { "" });
                    write(rng, depth - 1, text);
                }
                text.push(']');
            }
            _ => {
                let width = 1 + rng.below(3);
                text.push('[');
                for at in 0..=rng.below(4) {
                    text.push_str(if at > 0 { ",\n" } else { "" });
                    let odd = rng.below(12) == 0;
                    let cells = (0..width + usize::from(odd)).map(|_| rng.below(10).to_string());
                    let _ = write!(text, "[{}]", cells.collect::<Vec<_>>().join(", "));
                    if rng.below(20) == 0 {
                        text.push(',');
                        write(rng, depth - 1, text);
                    }
                }
                text.push(']');
            }
        }
    }

    #[test]
    fn any_text_is_read_as_by_serde_json() {
        let mut read = 0;
        for case in 0..20_000 {
            let mut rng = Rng::of(7, case);
            let mut text = String::new();
            write(&mut rng, 4, &mut text);
            let mut bytes = text.into_bytes();
            match rng.below(6) {
                0 => bytes.truncate(rng.below(bytes.len() + 1)),
                1 => {
                    let at = rng.below(bytes.len());
                    bytes[at] = b"[]{},:\"0 \xffx"[rng.below(11)];
                }
                _ => {}
            }
            read += usize::from(agrees(&bytes));
        }
        assert!((2_000..18_000).contains(&read), "{read} were read");
    }
}
