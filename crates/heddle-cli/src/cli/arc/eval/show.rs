//! Draws grids on a terminal, side by side.

use std::io;

use anstyle::{AnsiColor, RgbColor, Style};

use super::draw::{COLOURS, PairDrawing, ReturnedValue, TaskDrawing};
use crate::cli::escape::Mark;
use crate::cli::output::{FAINT, HEADING, Output};

/// Columns between two grids.
const GAP: usize = 3;

pub(super) fn print(drawn: &[TaskDrawing], output: &mut Output) -> io::Result<()> {
    for task in drawn {
        output.heading(format_args!(
            "{} by {}: {}",
            task.task, task.program, task.status
        ))?;
        for pair in &task.pairs {
            print_pair(pair, output)?;
        }
    }
    Ok(())
}

fn print_pair(pair: &PairDrawing, output: &mut Output) -> io::Result<()> {
    let mark = if pair.right { "right" } else { "not right" };
    output.line(format_args!("{HEADING}{}{HEADING:#}: {mark}", pair.name))?;
    let mut panels: Vec<(&str, &[Vec<i8>])> =
        vec![("input", &pair.input), ("expected", &pair.expected)];
    match &pair.returned {
        ReturnedValue::Grid(rows) => panels.push(("output", rows)),
        ReturnedValue::Words(words) => output.line(format_args!("output: {}", shortened(words)))?,
    }
    // Two columns for each cell make it about square.
    let widths: Vec<usize> = panels
        .iter()
        .map(|(title, rows)| title.len().max(2 * rows.first().map_or(0, Vec::len)))
        .collect();
    let titles: Vec<String> = panels
        .iter()
        .zip(&widths)
        .map(|((title, _), width)| format!("{title:<width$}{:GAP$}", ""))
        .collect();
    output.line(format_args!(
        "{FAINT}{}{FAINT:#}",
        titles.concat().trim_end()
    ))?;
    let height = panels.iter().map(|(_, rows)| rows.len()).max().unwrap_or(0);
    for at in 0..height {
        let mut line = String::new();
        for (panel, ((_, rows), width)) in panels.iter().zip(&widths).enumerate() {
            let row = rows.get(at).map_or(&[][..], Vec::as_slice);
            for cell in row {
                line.push_str(&cell_text(*cell));
            }
            if panel + 1 < panels.len() {
                line.push_str(&" ".repeat(width - 2 * row.len() + GAP));
            }
        }
        output.line(line.trim_end())?;
    }
    output.line("")
}

/// Returns a cell in its colour with its number, for terminals without colours.
fn cell_text(cell: i8) -> String {
    let Some((red, green, blue)) = usize::try_from(cell).ok().and_then(|at| COLOURS.get(at)) else {
        return format!("{cell:>2}");
    };
    let bright = u32::from(*red) * 3 + u32::from(*green) * 6 + u32::from(*blue) > 1200;
    let text = if bright {
        AnsiColor::Black
    } else {
        AnsiColor::BrightWhite
    };
    let style = Mark(
        Style::new()
            .bg_color(Some(RgbColor(*red, *green, *blue).into()))
            .fg_color(Some(text.into())),
    );
    format!("{style}{cell} {style:#}")
}

fn shortened(words: &str) -> String {
    const MAX_TEXT: usize = 200;
    if words.chars().count() <= MAX_TEXT {
        return words.to_owned();
    }
    let start: String = words.chars().take(MAX_TEXT).collect();
    format!("{start}…")
}
