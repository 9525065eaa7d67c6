//! Tasks about writing into grids.

use super::Recipe;
use super::picture::{Rows, any_blank, any_noise, blank, dots, fill, inside, rects};
use crate::dice::Dice;
use crate::prim::Family;

pub(super) const RECIPES: &[Recipe] = &[
    Recipe {
        name: "shadows",
        family: Family::Painting,
        make: shadows,
    },
    Recipe {
        name: "green_is_erased",
        family: Family::Painting,
        make: green_is_erased,
    },
    Recipe {
        name: "red_again_two_further",
        family: Family::Painting,
        make: red_again_two_further,
    },
    Recipe {
        name: "falls_by_one",
        family: Family::Painting,
        make: falls_by_one,
    },
];

fn shadows(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let mut input = any_blank(dice, 6, 11);
    let found = dots(dice, &input, 5);
    for (i, j) in &found {
        input[*i][*j] = 2;
    }
    let mut output = input.clone();
    for (i, j) in found {
        if let Some(cell) = inside(&mut output, i as i64 + 1, j as i64 + 1) {
            *cell = 5;
        }
    }
    (input, output)
}

fn green_is_erased(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let mut input = blank(11, 11);
    let found = rects(dice, &input, 6, (1, 3));
    let mut output = input.clone();
    for (number, rect) in found.into_iter().enumerate() {
        let colour = [3, 6, 9][number % 3];
        fill(&mut input, rect, colour);
        if colour != 3 {
            fill(&mut output, rect, colour);
        }
    }
    (input, output)
}

fn red_again_two_further(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let input = any_noise(dice, 4, 9, &[0, 0, 0, 1, 2]);
    let mut output = input.clone();
    for (i, row) in input.iter().enumerate() {
        for j in (2..row.len()).filter(|j| row[j - 2] == 2) {
            output[i][j] = 2;
        }
    }
    (input, output)
}

fn falls_by_one(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let mut input = blank(9, 9);
    let colour = dice.between(1, 9) as i8;
    let rect = rects(dice, &input, 1, (1, 4))[0];
    fill(&mut input, rect, colour);
    let mut output = blank(9, 9);
    for (i, row) in input.iter().enumerate().take(8) {
        output[i + 1].clone_from(row);
    }
    (input, output)
}
