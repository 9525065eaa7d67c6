//! Grids and pairs from JSON, with every cell checked.

use super::json::{Json, Keys};
use super::{DataError, MAX_GRID_SIDE, PairSide, Problem, Role, Task, TaskLocation};
use crate::engine::Grid;
use std::sync::Arc;

/// A reader of one task; it knows the file and task for messages.
#[derive(Clone)]
pub(super) struct GridReader<'a> {
    pub file: &'a str,
    pub task: Arc<str>,
}

impl GridReader<'_> {
    fn error(&self, location: TaskLocation, problem: Problem) -> DataError {
        DataError::Task {
            file: self.file.to_owned(),
            task: Arc::clone(&self.task),
            location,
            problem,
        }
    }

    /// A task; outputs its test pairs lack are taken from `solutions`.
    pub(super) fn task(
        &self,
        mut json: Keys<'_>,
        solutions: Option<&[Json<'_>]>,
    ) -> Result<Task, DataError> {
        let train = self.pairs(json.take("train"), Role::Train, None)?;
        let test = self.pairs(json.take("test"), Role::Test, solutions)?;
        Ok(Task {
            id: Arc::clone(&self.task),
            train,
            test,
        })
    }

    fn pairs(
        &self,
        json: Option<Json<'_>>,
        role: Role,
        solutions: Option<&[Json<'_>]>,
    ) -> Result<Vec<(Grid, Grid)>, DataError> {
        let pairs = json
            .and_then(Json::into_items)
            .filter(|pairs| !pairs.is_empty());
        let Some(pairs) = pairs else {
            let role = match role {
                Role::Train => "train",
                Role::Test => "test",
            };
            return Err(self.error(TaskLocation::default(), Problem::NoPairs(role)));
        };
        let mut found = Vec::with_capacity(pairs.len());
        for (at, mut pair) in pairs.into_iter().enumerate() {
            let location = |side| TaskLocation {
                pair: Some((role, at + 1)),
                side,
                row: None,
            };
            let input = pair
                .take("input")
                .ok_or_else(|| self.error(location(None), Problem::NoInput))?;
            let solution = || solutions.and_then(|solutions| solutions.get(at)).cloned();
            let output = pair
                .take("output")
                .or_else(solution)
                .filter(|output| !output.is_null())
                .ok_or_else(|| self.error(location(None), Problem::NoOutput))?;
            found.push((
                self.grid(input, location(Some(PairSide::Input)))?,
                self.grid(output, location(Some(PairSide::Output)))?,
            ));
        }
        Ok(found)
    }

    fn grid(&self, json: Json<'_>, location: TaskLocation) -> Result<Grid, DataError> {
        match json {
            Json::Grid { width, cells }
                if width <= MAX_GRID_SIDE && cells.len() / width <= MAX_GRID_SIDE =>
            {
                return Ok(Grid::of_cells(width, cells));
            }
            _ => {}
        }
        let (row, problem) = grid_problem(&json);
        Err(self.error(TaskLocation { row, ..location }, problem))
    }
}

/// The problem of a value that is not an ARC grid, and its row.
fn grid_problem(json: &Json<'_>) -> (Option<usize>, Problem) {
    let not_a_grid = |json: &Json<'_>| Problem::NotAGrid {
        found: json.to_string(),
    };
    let Some(rows) = json.items() else {
        return (None, not_a_grid(json));
    };
    let first = rows.first().and_then(Json::items);
    let width = first.as_ref().map_or(0, |first| first.len());
    if first.is_some() && width == 0 || rows.is_empty() {
        return (None, Problem::Empty);
    }
    let height = rows.len();
    if height > MAX_GRID_SIDE || width > MAX_GRID_SIDE {
        return (None, Problem::Large { height, width });
    }
    let of_row = |row: &Json<'_>| {
        let Some(cells) = row.items() else {
            return Some(not_a_grid(row));
        };
        if cells.len() != width {
            return Some(Problem::Ragged {
                expected: width,
                found: cells.len(),
            });
        }
        let is_colour = |cell: &Json<'_>| matches!(cell, Json::Scalar(cell) if cell.as_u64().is_some_and(|colour| colour <= 9));
        let column = cells.iter().position(|cell| !is_colour(cell))?;
        Some(Problem::Colour {
            column: column + 1,
            found: cells[column].to_string(),
        })
    };
    let mut rows = rows.iter().zip(1..);
    let of_rows = rows.find_map(|(row, number)| Some((Some(number), of_row(row)?)));
    // Rows without a problem are a `Json::Grid`, handled before.
    of_rows.unwrap_or((None, Problem::Empty))
}
