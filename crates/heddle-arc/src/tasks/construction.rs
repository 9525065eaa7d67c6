//! Tasks about objects and patches.

use super::Recipe;
use super::picture::{Rect, Rows, any_blank, blank, colours, dots, fill, rects};
use crate::dice::Dice;
use crate::prim::Family;

pub(super) const RECIPES: &[Recipe] = &[
    Recipe {
        name: "box_of_dots",
        family: Family::Construction,
        make: box_of_dots,
    },
    Recipe {
        name: "into_the_corner",
        family: Family::Construction,
        make: into_the_corner,
    },
    Recipe {
        name: "square_of_colours",
        family: Family::Construction,
        make: square_of_colours,
    },
    Recipe {
        name: "only_yellow",
        family: Family::Construction,
        make: only_yellow,
    },
];

/// The box around cells.
fn bounds(cells: &[(usize, usize)]) -> Rect {
    let rows = || cells.iter().map(|cell| cell.0);
    let columns = || cells.iter().map(|cell| cell.1);
    let top = rows().min().unwrap_or(0);
    let left = columns().min().unwrap_or(0);
    Rect {
        top,
        left,
        height: rows().max().unwrap_or(0) + 1 - top,
        width: columns().max().unwrap_or(0) + 1 - left,
    }
}

fn box_of_dots(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let mut input = any_blank(dice, 7, 12);
    let found = dots(dice, &input, 4);
    for (i, j) in &found {
        input[*i][*j] = 3;
    }
    let mut output = input.clone();
    fill(&mut output, bounds(&found), 1);
    for (i, j) in found {
        output[i][j] = 3;
    }
    (input, output)
}

fn into_the_corner(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let mut input = any_blank(dice, 6, 11);
    let found = dots(dice, &input, 5);
    let corner = bounds(&found);
    let mut output = input.clone();
    for (i, j) in found {
        input[i][j] = 6;
        output[i - corner.top][j - corner.left] = 6;
    }
    (input, output)
}

fn square_of_colours(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let mut input = blank(13, 13);
    let count = dice.between(1, 5);
    let palette = colours(dice, count);
    let found = rects(dice, &input, count, (1, 3));
    let side = found.len();
    for (rect, colour) in found.into_iter().zip(palette) {
        fill(&mut input, rect, colour);
    }
    (input, vec![vec![1; side]; side])
}

fn only_yellow(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let mut input = blank(13, 13);
    let found = rects(dice, &input, 6, (1, 3));
    let mut output = input.clone();
    for (number, rect) in found.into_iter().enumerate() {
        let colour = [4, 1, 7][number % 3];
        fill(&mut input, rect, colour);
        if colour == 4 {
            fill(&mut output, rect, colour);
        }
    }
    (input, output)
}
