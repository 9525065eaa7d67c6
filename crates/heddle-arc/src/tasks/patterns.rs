//! Tasks about repetition and occurrence.

use super::Recipe;
use super::picture::{Rect, Rows, any_noise, beside, colours, cut, noise, transposed};
use crate::dice::Dice;
use crate::prim::Family;

pub(super) const RECIPES: &[Recipe] = &[
    Recipe {
        name: "where_the_corner_occurs",
        family: Family::Patterns,
        make: where_the_corner_occurs,
    },
    Recipe {
        name: "squeezed",
        family: Family::Patterns,
        make: squeezed,
    },
    Recipe {
        name: "one_period_across",
        family: Family::Patterns,
        make: one_period_across,
    },
    Recipe {
        name: "one_period_down",
        family: Family::Patterns,
        make: one_period_down,
    },
];

fn where_the_corner_occurs(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let input = any_noise(dice, 5, 11, &[1, 2]);
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

fn squeezed(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let palette = colours(dice, 3);
    let mut input = any_noise(dice, 6, 11, &palette);
    // Two different cells in each other line keep something from vanishing.
    let (height, width) = (input.len(), input[0].len());
    let row = dice.below(height);
    input[row].fill(palette[0]);
    let column = dice.below(width);
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

/// The least distance at which a grid repeats to the right; its width if none.
fn period(rows: &Rows) -> usize {
    let width = rows[0].len();
    let repeats = |p: &usize| {
        rows.iter()
            .all(|row| (*p..width).all(|j| row[j] == row[j - p]))
    };
    (1..width).find(repeats).unwrap_or(width)
}

fn repeated(dice: &mut Dice) -> Rows {
    let palette = colours(dice, 3);
    let (height, width) = (dice.between(2, 7), dice.between(2, 4));
    let tile = noise(dice, height, width, &palette);
    let twice = beside(&tile, &tile);
    beside(&twice, &tile)
}

fn one_period_across(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let input = repeated(dice);
    let rect = Rect {
        top: 0,
        left: 0,
        height: input.len(),
        width: period(&input),
    };
    let output = cut(&input, rect);
    (input, output)
}

fn one_period_down(dice: &mut Dice, theme: u64) -> (Rows, Rows) {
    let (input, output) = one_period_across(dice, theme);
    (transposed(&input), transposed(&output))
}
