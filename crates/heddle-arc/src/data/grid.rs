//! Grids and pairs out of JSON, every cell looked at.

use super::{DataError, LARGEST_SIDE, Place, Problem, Role, Side, Task};
use crate::engine::Grid;
use serde_json::{Map, Value as Json};
use std::sync::Arc;

/// Where a reader is, for messages.
#[derive(Clone)]
pub(super) struct Reader<'a> {
    pub file: &'a str,
    pub task: Arc<str>,
}

impl Reader<'_> {
    fn error(&self, place: Place, problem: Problem) -> DataError {
        DataError::Task {
            file: self.file.to_owned(),
            task: Arc::clone(&self.task),
            place,
            problem,
        }
    }

    /// A task; outputs its test pairs lack are taken from `solutions`.
    pub(super) fn task(
        &self,
        json: &Map<String, Json>,
        solutions: Option<&[Json]>,
    ) -> Result<Task, DataError> {
        let train = self.pairs(json.get("train"), Role::Train, None)?;
        let test = self.pairs(json.get("test"), Role::Test, solutions)?;
        Ok(Task {
            id: Arc::clone(&self.task),
            train,
            test,
        })
    }

    fn pairs(
        &self,
        json: Option<&Json>,
        role: Role,
        solutions: Option<&[Json]>,
    ) -> Result<Vec<(Grid, Grid)>, DataError> {
        let pairs = json
            .and_then(Json::as_array)
            .filter(|pairs| !pairs.is_empty());
        let Some(pairs) = pairs else {
            let role = match role {
                Role::Train => "train",
                Role::Test => "test",
            };
            return Err(self.error(Place::default(), Problem::NoPairs(role)));
        };
        let mut found = Vec::with_capacity(pairs.len());
        for (at, pair) in pairs.iter().enumerate() {
            let place = |side| Place {
                pair: Some((role, at + 1)),
                side,
                row: None,
            };
            let input = pair
                .get("input")
                .ok_or_else(|| self.error(place(None), Problem::NoInput))?;
            let output = pair
                .get("output")
                .or_else(|| solutions.and_then(|solutions| solutions.get(at)))
                .filter(|output| !output.is_null())
                .ok_or_else(|| self.error(place(None), Problem::NoOutput))?;
            found.push((
                self.grid(input, place(Some(Side::Input)))?,
                self.grid(output, place(Some(Side::Output)))?,
            ));
        }
        Ok(found)
    }

    fn grid(&self, json: &Json, place: Place) -> Result<Grid, DataError> {
        let not_a_grid = |json: &Json, row| {
            let found = brief(json);
            self.error(Place { row, ..place }, Problem::NotAGrid { found })
        };
        let rows = json.as_array().ok_or_else(|| not_a_grid(json, None))?;
        let first = rows.first().and_then(Json::as_array);
        let width = first.map_or(0, Vec::len);
        if first.is_some() && width == 0 || rows.is_empty() {
            return Err(self.error(place, Problem::Empty));
        }
        if rows.len() > LARGEST_SIDE || width > LARGEST_SIDE {
            let height = rows.len();
            return Err(self.error(place, Problem::Large { height, width }));
        }
        let mut lines: Vec<Vec<i8>> = Vec::with_capacity(rows.len());
        for (at, row) in rows.iter().enumerate() {
            let here = Some(at + 1);
            let wrong = |problem| self.error(Place { row: here, ..place }, problem);
            let cells = row.as_array().ok_or_else(|| not_a_grid(row, here))?;
            if cells.len() != width {
                return Err(wrong(Problem::Ragged {
                    expected: width,
                    found: cells.len(),
                }));
            }
            let mut line = Vec::with_capacity(width);
            for (column, cell) in cells.iter().enumerate() {
                match cell.as_u64() {
                    Some(colour @ 0..=9) => line.push(colour as i8),
                    _ => {
                        return Err(wrong(Problem::Colour {
                            column: column + 1,
                            found: brief(cell),
                        }));
                    }
                }
            }
            lines.push(line);
        }
        Grid::new(&lines).map_err(|_| self.error(place, Problem::Empty))
    }
}

/// A value in few words.
pub(super) fn brief(json: &Json) -> String {
    match json {
        Json::Array(items) => format!("a list of {}", items.len()),
        Json::Object(keys) => format!("an object of {} keys", keys.len()),
        Json::String(text) => {
            let short: String = text.chars().take(20).collect();
            format!("the text {short:?}")
        }
        other => other.to_string(),
    }
}
