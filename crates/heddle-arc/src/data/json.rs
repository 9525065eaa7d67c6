//! JSON as task files hold it: a tree whose grids are bytes.
//!
//! Texts that `serde_json::Value` refuses are refused here with the same words at the
//! same place, because the same parser reads them. The one thing to know: every list
//! of equally long, non-empty lists of whole numbers from 0 to 9 is a [`Json::Grid`],
//! so whatever is given as a grid in another form is wrong.

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Error, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    /// Rows of `width` cells each, one after the other.
    Grid { width: usize, cells: Vec<i8> },
    /// Any other list.
    List(Vec<Json>),
    /// Of equal keys the last counts.
    Object(BTreeMap<String, Json>),
    /// Text, a number, `true`, `false` or `null`.
    Scalar(Value),
}

impl Json {
    /// Reads a text that holds one value and nothing else.
    pub(super) fn parse(text: &[u8]) -> Result<Json, Error> {
        let mut cells = Vec::new();
        let mut deserializer = serde_json::Deserializer::from_slice(text);
        let found = Seed(&mut cells).deserialize(&mut deserializer)?;
        deserializer.end()?;
        Ok(found.into_json(&mut cells))
    }

    /// The value of a key, if it is an object that has it.
    pub(super) fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(keys) => keys.get(key),
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
    pub(super) fn items(&self) -> Option<Cow<'_, [Json]>> {
        match self {
            Json::List(items) => Some(items.into()),
            Json::Grid { width, cells } => {
                Some(cells.chunks(*width).map(row).collect::<Vec<_>>().into())
            }
            _ => None,
        }
    }
}

/// In few words.
impl fmt::Display for Json {
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

fn number(cell: i8) -> Json {
    Json::Scalar(cell.into())
}

fn row(cells: &[i8]) -> Json {
    Json::List(cells.iter().copied().map(number).collect())
}

/// A value that was read. Cells lie in one buffer until it is known what they belong
/// to: allocating every row took most of the time. Small, because there is one for every
/// cell.
enum Found {
    Digit(i8),
    /// A list of one digit or more: the cells from here to the end of the buffer.
    Row(usize),
    Json(Box<Json>),
}

impl Found {
    fn into_json(self, cells: &mut Vec<i8>) -> Json {
        match self {
            Found::Digit(digit) => number(digit),
            Found::Row(start) => {
                let list = row(&cells[start..]);
                cells.truncate(start);
                list
            }
            Found::Json(json) => *json,
        }
    }
}

/// Reads a value and puts cells into the buffer.
struct Seed<'a>(&'a mut Vec<i8>);

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Found;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Found, D::Error> {
        deserializer.deserialize_any(self)
    }
}

fn found(json: Json) -> Found {
    Found::Json(Box::new(json))
}

fn scalar(value: impl Into<Value>) -> Found {
    found(Json::Scalar(value.into()))
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    #[inline]
    fn visit_u64<E>(self, number: u64) -> Result<Found, E> {
        match number {
            0..=9 => Ok(Found::Digit(number as i8)),
            _ => Ok(scalar(number)),
        }
    }

    fn visit_i64<E>(self, number: i64) -> Result<Found, E> {
        Ok(scalar(number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Found, E> {
        Ok(scalar(number))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Found, E> {
        Ok(scalar(value))
    }

    fn visit_unit<E>(self) -> Result<Found, E> {
        Ok(scalar(Value::Null))
    }

    fn visit_str<E>(self, text: &str) -> Result<Found, E> {
        Ok(scalar(text))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Found, A::Error> {
        let mut keys = BTreeMap::new();
        while let Some(key) = map.next_key::<String>()? {
            let value = map.next_value_seed(Seed(self.0))?;
            keys.insert(key, value.into_json(self.0));
        }
        Ok(found(Json::Object(keys)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Found, A::Error> {
        let cells = self.0;
        let start = cells.len();
        let mut next = loop {
            match seq.next_element_seed(Seed(cells))? {
                Some(Found::Digit(digit)) => cells.push(digit),
                None if cells.len() > start => return Ok(Found::Row(start)),
                next => break next,
            }
        };
        // What came before something else: digits, or rows of as many each.
        let mut items: Vec<Json> = Vec::new();
        if let Some(Found::Row(first)) = next
            && first == start
        {
            let width = cells.len() - first;
            loop {
                let end = cells.len();
                next = seq.next_element_seed(Seed(cells))?;
                match next {
                    Some(Found::Row(at)) if cells.len() - at == width => {}
                    None => {
                        let cells = cells.split_off(start);
                        return Ok(found(Json::Grid { width, cells }));
                    }
                    _ => {
                        items.extend(cells[start..end].chunks(width).map(row));
                        break;
                    }
                }
            }
        } else {
            let end = match next {
                Some(Found::Row(first)) => first,
                _ => cells.len(),
            };
            items.extend(cells[start..end].iter().copied().map(number));
        }
        while let Some(item) = next {
            items.push(item.into_json(cells));
            next = seq.next_element_seed(Seed(cells))?;
        }
        cells.truncate(start);
        Ok(found(Json::List(items)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::fmt::Write;

    /// The same with grids as lists of lists.
    fn expanded(json: &Json) -> Value {
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
                let keys = keys.iter().map(|(key, json)| (key.clone(), expanded(json)));
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
        match (Json::parse(text), expected) {
            (Ok(found), Ok(expected)) => {
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
            ("", false),
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
