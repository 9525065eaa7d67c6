//! An HTML page of drawn grids that works offline.

use std::path::Path;

use heddle::profile::write_whole;
use serde_json::{Value, json};

use super::draw::{ReturnedValue, TaskDrawing};
use crate::cli::Failure;

/// The page without its data; its script draws the grids.
const PAGE: &str = include_str!("page.html");

/// The text of the page that the data replaces.
const DATA_MARKER: &str = "\"HEDDLE-DATA\"";

/// Writes a page of tasks under a title and a line of text.
pub(in crate::cli::arc) fn write(
    file: &Path,
    title: &str,
    summary: &str,
    drawn: &[TaskDrawing],
) -> Result<(), Failure> {
    let count = |status: &str| drawn.iter().filter(|task| task.status == status).count();
    let figures = json!({
        "title": title,
        "summary": summary,
        "solved": count("solved"),
        "wrong": count("wrong"),
        "undefined": count("undefined"),
        "tasks": drawn.iter().map(task).collect::<Vec<Value>>(),
    });
    // An unescaped `</script>` in a name would end the script.
    let figures = figures.to_string().replace('<', "\\u003c");
    let (before, after) = PAGE.split_once(DATA_MARKER).unwrap_or((PAGE, ""));
    write_whole(file, |to| {
        [before, &figures, after]
            .iter()
            .try_for_each(|part| to.write_all(part.as_bytes()))
    })?;
    Ok(())
}

fn task(drawn: &TaskDrawing) -> Value {
    let pairs: Vec<Value> = drawn
        .pairs
        .iter()
        .map(|pair| {
            let returned = match &pair.returned {
                ReturnedValue::Grid(rows) => grid(rows),
                ReturnedValue::Words(words) => json!({ "words": words }),
            };
            json!({
                "name": pair.name,
                "right": pair.right,
                "input": grid(&pair.input),
                "expected": grid(&pair.expected),
                "output": returned,
            })
        })
        .collect();
    json!({
        "task": drawn.task,
        "program": drawn.program,
        "text": drawn.text,
        "status": drawn.status,
        "reason": drawn.reason,
        "pairs": pairs,
    })
}

/// Returns rows as text, a character for each cell and `?` for values that are no colour:
/// a tenth of the size of nested lists.
fn grid(rows: &[Vec<i8>]) -> Value {
    let letter = |cell: &i8| match u32::try_from(*cell) {
        Ok(digit @ 0..=9) => char::from_digit(digit, 10).unwrap_or('?'),
        _ => '?',
    };
    let rows: Vec<String> = rows
        .iter()
        .map(|row| row.iter().map(letter).collect())
        .collect();
    Value::from(rows.join("/"))
}
