//! The grids that programs return for a task, for drawing.

use heddle::Runtime;
use heddle::arc::assess::{Assessment, Status, TaskResult};
use heddle::arc::data::Task;
use heddle::arc::engine::{Example, Grid, Tile};
use heddle::arc::operations::{EvaluationSettings, evaluate_all};
use heddle::arc::plan::Plan;
use heddle::arc::program::Program;

use super::{best, pair_name, reason, status_name};
use crate::cli::Failure;

/// The colours of ARC in RGB.
pub(super) const COLOURS: [(u8, u8, u8); 10] = [
    (0x00, 0x00, 0x00),
    (0x00, 0x74, 0xd9),
    (0xff, 0x41, 0x36),
    (0x2e, 0xcc, 0x40),
    (0xff, 0xdc, 0x00),
    (0xaa, 0xaa, 0xaa),
    (0xf0, 0x12, 0xbe),
    (0xff, 0x85, 0x1b),
    (0x7f, 0xdb, 0xff),
    (0x87, 0x0c, 0x25),
];

/// The value that a program returned.
pub(super) enum ReturnedValue {
    /// Rows of colours.
    Grid(Vec<Vec<i8>>),
    /// Another value, or the reason why there is none, as text.
    Words(String),
}

/// A pair of a task with the returned value.
pub(super) struct PairDrawing {
    pub(super) name: String,
    pub(super) input: Vec<Vec<i8>>,
    pub(super) expected: Vec<Vec<i8>>,
    pub(super) returned: ReturnedValue,
    pub(super) right: bool,
}

/// A task with the values that its best program returned.
pub(in crate::cli::arc) struct TaskDrawing {
    pub(super) task: String,
    pub(super) program: String,
    /// The program.
    pub(super) text: String,
    pub(super) status: &'static str,
    pub(super) reason: Option<String>,
    pub(super) pairs: Vec<PairDrawing>,
}

/// Runs the best program of each wanted task again and keeps its grids.
pub(in crate::cli::arc) fn draw(
    runtime: &Runtime,
    programs: &[Program],
    tasks: &[&Task],
    assessment: &Assessment,
    settings: &EvaluationSettings<'_>,
    wanted: impl Fn(&TaskResult) -> bool,
) -> Result<Vec<TaskDrawing>, Failure> {
    let mut drawn = Vec::new();
    let chosen = assessment
        .results
        .iter()
        .filter(|result| wanted(result))
        .filter_map(|result| Some((tasks[result.task], best(result)?)));
    for (task, attempt) in chosen {
        let program = &programs[attempt.program];
        let plan = Plan::new(std::slice::from_ref(program));
        let examples: Vec<Example<'_>> = task.examples().collect();
        let tile = Tile {
            plan: &plan,
            examples: &examples,
        };
        let expected: Vec<&Grid> = task.pairs().map(|(_, output)| output).collect();
        let rows = evaluate_all(runtime, &[tile], settings, |part, _, evaluation| {
            let returned = match evaluation.grid() {
                Some((_, width, cells)) => {
                    ReturnedValue::Grid(cells.chunks(width).map(<[i8]>::to_vec).collect())
                }
                None => ReturnedValue::Words(match evaluation.to_plain() {
                    Ok(value) => value.to_string(),
                    Err(why) => why.to_string(),
                }),
            };
            (returned, evaluation.is(expected[part.example]))
        })?;
        let pairs = rows
            .into_iter()
            .filter_map(|(part, row)| Some((part, row?.into_iter().next()?)))
            .map(|(part, (returned, right))| PairDrawing {
                name: pair_name(part.example, task),
                input: rows_of(examples[part.example].input),
                expected: rows_of(expected[part.example]),
                returned,
                right,
            });
        drawn.push(TaskDrawing {
            task: task.id.to_string(),
            program: program.name.to_string(),
            text: program.to_string(),
            status: status_name(attempt.status()),
            reason: (attempt.status() != Status::Solved)
                .then(|| reason(attempt, task))
                .flatten(),
            pairs: pairs.collect(),
        });
    }
    Ok(drawn)
}

fn rows_of(grid: &Grid) -> Vec<Vec<i8>> {
    grid.rows().map(<[i8]>::to_vec).collect()
}
