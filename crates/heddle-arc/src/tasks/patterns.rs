//! Tasks for primitives that find repetitions and occurrences.

use super::TaskGenerator;
use super::drawing::{GridRows, Rect, any_noise, beside, colours, cut, noise, transposed};
use crate::prim::PrimFamily;
use crate::rng::Rng;

pub(super) const GENERATORS: &[TaskGenerator] = &[
    TaskGenerator {
        name: "where_the_corner_occurs",
        family: PrimFamily::Patterns,
        generate: where_the_corner_occurs,
    },
    TaskGenerator {
        name: "squeezed",
        family: PrimFamily::Patterns,
        generate: squeezed,
    },
    TaskGenerator {
        name: "one_period_across",
        family: PrimFamily::Patterns,
        generate: one_period_across,
    },
    TaskGenerator {
        name: "one_period_down",
        family: PrimFamily::Patterns,
        generate: one_period_down,
    },
];

fn where_the_corner_occurs(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let input = any_noise(rng, 5, 11, &[1, 2]);
    let corner = |i: usize, j: usize| {
        let rect = Rect {
            top: i,
            left: j,
            height: 2,
            width: 2,
        };
        cut(&input, rect)
    };
    let wanted = corner(0, 0);
    let mut output = input.clone();
    let last = (input.len() - 1, input[0].len() - 1);
    for (i, row) in output.iter_mut().enumerate().take(last.0) {
        for (j, cell) in row.iter_mut().enumerate().take(last.1) {
            if corner(i, j) == wanted {
                *cell = 9;
            }
        }
    }
    (input, output)
}

fn squeezed(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let palette = colours(rng, 3);
    let mut input = any_noise(rng, 6, 11, &palette);
    // One row and one column get a single colour, so that there is something to remove.
    let (height, width) = (input.len(), input[0].len());
    let row = rng.below(height);
    input[row].fill(palette[0]);
    let column = rng.below(width);
    for line in &mut input {
        line[column] = palette[0];
    }
    let is_plain = |line: &Vec<i8>| line.iter().all(|cell| *cell == line[0]);
    let columns = transposed(&input);
    let output = input
        .iter()
        .filter(|line| !is_plain(line))
        .map(|line| {
            let kept = line
                .iter()
                .zip(&columns)
                .filter(|(_, column)| !is_plain(column));
            kept.map(|(cell, _)| *cell).collect()
        })
        .collect();
    (input, output)
}

/// The smallest horizontal period of a grid; its width if it does not repeat.
fn period(rows: &GridRows) -> usize {
    let width = rows[0].len();
    let repeats = |p: &usize| {
        rows.iter()
            .all(|row| (*p..width).all(|j| row[j] == row[j - p]))
    };
    (1..width).find(repeats).unwrap_or(width)
}

fn repeated(rng: &mut Rng) -> GridRows {
    let palette = colours(rng, 3);
    let (height, width) = (rng.between(2, 7), rng.between(2, 4));
    let tile = noise(rng, height, width, &palette);
    let twice = beside(&tile, &tile);
    beside(&twice, &tile)
}

fn one_period_across(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let input = repeated(rng);
    let rect = Rect {
        top: 0,
        left: 0,
        height: input.len(),
        width: period(&input),
    };
    let output = cut(&input, rect);
    (input, output)
}

fn one_period_down(rng: &mut Rng, theme: u64) -> (GridRows, GridRows) {
    let (input, output) = one_period_across(rng, theme);
    (transposed(&input), transposed(&output))
}
