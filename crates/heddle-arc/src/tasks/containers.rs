//! Tasks about tuples and sets.

use super::Recipe;
use super::picture::{Rows, any_blank, beside, blank, colours, cut, fill, noise, rects};
use crate::dice::Dice;
use crate::prim::Family;

pub(super) const RECIPES: &[Recipe] = &[
    Recipe {
        name: "no_row_twice",
        family: Family::Containers,
        make: no_row_twice,
    },
    Recipe {
        name: "rows_in_order",
        family: Family::Containers,
        make: rows_in_order,
    },
    Recipe {
        name: "largest_alone",
        family: Family::Containers,
        make: largest_alone,
    },
    Recipe {
        name: "in_both_halves",
        family: Family::Containers,
        make: in_both_halves,
    },
];

fn no_row_twice(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let palette = colours(dice, 4);
    let width = dice.between(2, 7);
    let kinds = noise(dice, 3, width, &palette);
    let height = dice.between(5, 9);
    let input: Rows = (0..height).map(|_| kinds[dice.below(3)].clone()).collect();
    let mut output = Rows::new();
    for row in &input {
        if !output.contains(row) {
            output.push(row.clone());
        }
    }
    (input, output)
}

fn rows_in_order(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let palette = colours(dice, 5);
    let (height, width) = (dice.between(3, 8), dice.between(2, 8));
    let input = noise(dice, height, width, &palette);
    let mut output = input.clone();
    output.sort();
    (input, output)
}

fn largest_alone(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let mut input = blank(14, 14);
    let palette = colours(dice, 4);
    let found = rects(dice, &input, 4, (1, 4));
    for (rect, colour) in found.iter().zip(&palette) {
        fill(&mut input, *rect, *colour);
    }
    // Of equally large ones the canonically smallest is first: lower colour.
    let largest = found
        .iter()
        .zip(&palette)
        .max_by_key(|(rect, colour)| (rect.area(), -**colour));
    let output = largest.map_or_else(|| input.clone(), |(rect, _)| cut(&input, *rect));
    (input, output)
}

fn in_both_halves(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let shape = any_blank(dice, 3, 6);
    let (height, width) = (shape.len(), shape[0].len());
    let left = noise(dice, height, width, &[0, 1]);
    let right = noise(dice, height, width, &[0, 1]);
    let mut output = shape;
    for i in 0..height {
        for j in 0..width {
            if left[i][j] == 1 && right[i][j] == 1 {
                output[i][j] = 5;
            }
        }
    }
    (beside(&left, &right), output)
}
