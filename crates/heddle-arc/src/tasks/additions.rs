//! Tasks about what the language has beyond the 160.

use super::Recipe;
use super::picture::{
    Rows, any_blank, any_noise, blank, colours, cut, dots, fill, rects, transposed, upside_down,
};
use crate::dice::Dice;
use crate::prim::Family;

pub(super) const RECIPES: &[Recipe] = &[
    Recipe {
        name: "colours_in_a_row",
        family: Family::Additions,
        make: colours_in_a_row,
    },
    Recipe {
        name: "second_row_twice",
        family: Family::Additions,
        make: second_row_twice,
    },
    Recipe {
        name: "turned_by_number",
        family: Family::Additions,
        make: turned_by_number,
    },
    Recipe {
        name: "colour_of_the_examples",
        family: Family::Additions,
        make: colour_of_the_examples,
    },
    Recipe {
        name: "the_highest_colour",
        family: Family::Additions,
        make: the_highest_colour,
    },
];

fn colours_in_a_row(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let palette = colours(dice, 4);
    let input = any_noise(dice, 2, 6, &palette);
    let mut present: Vec<i8> = input.iter().flatten().copied().collect();
    present.sort_unstable();
    present.dedup();
    (input, vec![present])
}

fn second_row_twice(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let palette = colours(dice, 4);
    let input = any_noise(dice, 3, 8, &palette);
    let output = vec![input[1].clone(), input[1].clone()];
    (input, output)
}

fn turned_by_number(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let palette = colours(dice, 4);
    let input = any_noise(dice, 2, 9, &palette);
    let output = upside_down(&transposed(&input));
    (input, output)
}

fn colour_of_the_examples(dice: &mut Dice, theme: u64) -> (Rows, Rows) {
    let colour = Dice::new(theme).between(2, 9) as i8;
    let mut input = any_blank(dice, 6, 11);
    let mut output = input.clone();
    for (i, j) in dots(dice, &input, 4) {
        input[i][j] = 1;
        output[i][j] = colour;
    }
    (input, output)
}

fn the_highest_colour(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let mut input = blank(12, 12);
    let palette = colours(dice, 4);
    let found = rects(dice, &input, 4, (1, 4));
    for (rect, colour) in found.iter().zip(&palette) {
        fill(&mut input, *rect, *colour);
    }
    let highest = found
        .iter()
        .zip(&palette)
        .max_by_key(|(_, colour)| **colour);
    let output = highest.map_or_else(|| input.clone(), |(rect, _)| cut(&input, *rect));
    (input, output)
}
