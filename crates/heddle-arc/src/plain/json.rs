//! Plain values in the notation of the golden vectors (section 9).

use super::{Plain, Special, set_of};
use crate::golden::NOTATION;
use crate::prim::Prim;
use serde_json::Value as Json;

impl Plain {
    /// Reads a value in vector notation. The error names what was found.
    pub(crate) fn from_json(json: &Json) -> Result<Plain, String> {
        match json {
            Json::Null => Ok(Plain::None),
            Json::Bool(value) => Ok(Plain::Bool(*value)),
            Json::Number(number) => number
                .as_i64()
                .map(Plain::Int)
                .ok_or_else(|| format!("not a 64-bit integer: {number}")),
            Json::Object(fields) => {
                let Some((key, content)) = fields.iter().next() else {
                    return Err("an object without a field".to_owned());
                };
                let list = || {
                    content
                        .as_array()
                        .ok_or_else(|| format!("expected a list under \"{key}\""))
                };
                let values = |items: &[Json]| {
                    items
                        .iter()
                        .map(Plain::from_json)
                        .collect::<Result<Vec<_>, _>>()
                };
                match key.as_str() {
                    "t" => Ok(Plain::Tuple(values(list()?)?)),
                    "s" => Ok(set_of(values(list()?)?)),
                    "g" => {
                        let rows: Result<Vec<Plain>, String> = list()?
                            .iter()
                            .map(|row| {
                                let row = row.as_array().ok_or("expected a grid row")?;
                                values(row).map(Plain::Tuple)
                            })
                            .collect();
                        rows.map(Plain::Tuple)
                    }
                    "x" => content
                        .as_str()
                        .and_then(Special::named)
                        .map(Plain::Special)
                        .ok_or_else(|| format!("unknown number {content}")),
                    "f" => primitive(content).map(Plain::Prim),
                    "call" => match list()?.split_first() {
                        Some((builder, parts)) => {
                            Ok(Plain::Built(primitive(builder)?, values(parts)?))
                        }
                        None => Err("a call without a name".to_owned()),
                    },
                    other => Err(format!("unknown notation: \"{other}\"")),
                }
            }
            other => Err(format!("not a value of the language: {other}")),
        }
    }
}

fn primitive(name: &Json) -> Result<Prim, String> {
    name.as_str()
        .and_then(|name| Prim::read(name, NOTATION))
        .ok_or_else(|| format!("unknown primitive {name}"))
}
