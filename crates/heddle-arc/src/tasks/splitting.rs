//! Tasks about splitting and joining grids.

use super::Recipe;
use super::picture::{Rows, any_noise, beside, colours, noise, upside_down};
use crate::dice::Dice;
use crate::prim::Family;

pub(super) const RECIPES: &[Recipe] = &[
    Recipe {
        name: "where_the_halves_agree",
        family: Family::Splitting,
        make: where_the_halves_agree,
    },
    Recipe {
        name: "first_of_three",
        family: Family::Splitting,
        make: first_of_three,
    },
    Recipe {
        name: "mirror_below",
        family: Family::Splitting,
        make: mirror_below,
    },
    Recipe {
        name: "halves_change_places",
        family: Family::Splitting,
        make: halves_change_places,
    },
];

fn where_the_halves_agree(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let palette = colours(dice, 2);
    let upper = any_noise(dice, 2, 7, &palette);
    let lower = noise(dice, upper.len(), upper[0].len(), &palette);
    let agreed = |(a, b): (&i8, &i8)| if a == b { *a } else { 0 };
    let output = upper
        .iter()
        .zip(&lower)
        .map(|(a, b)| a.iter().zip(b).map(agreed).collect())
        .collect();
    let input = upper.into_iter().chain(lower).collect();
    (input, output)
}

fn first_of_three(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let palette = colours(dice, 4);
    let output = any_noise(dice, 2, 6, &palette);
    let (height, width) = (output.len(), 2 * output[0].len());
    let input = beside(&output, &noise(dice, height, width, &palette));
    (input, output)
}

fn mirror_below(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let palette = colours(dice, 4);
    let input = any_noise(dice, 2, 8, &palette);
    let output = input.iter().cloned().chain(upside_down(&input)).collect();
    (input, output)
}

fn halves_change_places(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let palette = colours(dice, 3);
    let left = any_noise(dice, 2, 7, &palette);
    let (height, width) = (left.len(), left[0].len());
    let right = noise(dice, height, width, &palette);
    let line = vec![vec![0; 1]; height];
    let input = beside(&beside(&left, &line), &right);
    (input, beside(&right, &left))
}
