//! Tasks about numbers.

use super::Recipe;
use super::picture::{Rect, Rows, any_blank, colours, cut, dots, fill};
use crate::dice::Dice;
use crate::prim::Family;

pub(super) const RECIPES: &[Recipe] = &[
    Recipe {
        name: "bar_twice_the_dots",
        family: Family::Arithmetic,
        make: bar_twice_the_dots,
    },
    Recipe {
        name: "step_past_itself",
        family: Family::Arithmetic,
        make: step_past_itself,
    },
    Recipe {
        name: "even_or_odd",
        family: Family::Arithmetic,
        make: even_or_odd,
    },
    Recipe {
        name: "upper_half_and_one",
        family: Family::Arithmetic,
        make: upper_half_and_one,
    },
];

fn bar_twice_the_dots(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let mut input = any_blank(dice, 6, 11);
    let colour = colours(dice, 1)[0];
    let count = dice.between(1, 7);
    let found = dots(dice, &input, count);
    for (i, j) in &found {
        input[*i][*j] = colour;
    }
    (input, vec![vec![colour; 2 * found.len()]])
}

fn step_past_itself(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let mut input = any_blank(dice, 9, 14);
    let colour = colours(dice, 1)[0];
    let (height, width) = (dice.between(1, 3), dice.between(1, 3));
    let from = Rect {
        top: dice.below(3),
        left: dice.below(3),
        height,
        width,
    };
    let mut output = input.clone();
    fill(&mut input, from, colour);
    let to = Rect {
        top: from.top + height + 1,
        left: from.left + width + 1,
        ..from
    };
    fill(&mut output, to, colour);
    (input, output)
}

fn even_or_odd(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let mut input = any_blank(dice, 5, 9);
    let count = dice.between(1, 6);
    let found = dots(dice, &input, count);
    for (i, j) in &found {
        input[*i][*j] = 1;
    }
    let colour = if found.len().is_multiple_of(2) { 2 } else { 3 };
    let output = vec![vec![colour; input[0].len()]; input.len()];
    (input, output)
}

fn upper_half_and_one(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let palette = colours(dice, 3);
    let input = super::picture::any_noise(dice, 3, 10, &palette);
    let rect = Rect {
        top: 0,
        left: 0,
        height: (input.len() / 2 + 1).min(input.len()),
        width: input[0].len(),
    };
    let output = cut(&input, rect);
    (input, output)
}
