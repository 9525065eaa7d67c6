//! Tasks about questions to grids and patches.

use super::Recipe;
use super::picture::{Rows, any_noise, blank, colours, cut, fill, noise, rects, transposed};
use crate::dice::Dice;
use crate::prim::Family;

pub(super) const RECIPES: &[Recipe] = &[
    Recipe {
        name: "those_at_the_border",
        family: Family::Queries,
        make: those_at_the_border,
    },
    Recipe {
        name: "as_large_as_yellow",
        family: Family::Queries,
        make: as_large_as_yellow,
    },
    Recipe {
        name: "the_rare_colour",
        family: Family::Queries,
        make: the_rare_colour,
    },
    Recipe {
        name: "lie_down",
        family: Family::Queries,
        make: lie_down,
    },
];

fn those_at_the_border(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let mut input = blank(12, 12);
    let found = rects(dice, &input, 5, (1, 4));
    let mut output = input.clone();
    for rect in found {
        fill(&mut input, rect, 1);
        let colour = if rect.touches_border(&input) { 2 } else { 1 };
        fill(&mut output, rect, colour);
    }
    (input, output)
}

fn as_large_as_yellow(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let palette = [0, 1, 3];
    let mut input = noise(dice, 12, 12, &palette);
    let rect = rects(dice, &input, 1, (1, 6))[0];
    fill(&mut input, rect, 4);
    (input, vec![vec![4; rect.width]; rect.height])
}

fn the_rare_colour(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let palette = colours(dice, 3);
    // Half of 100 cells are of each of the others, less the few of the rare one.
    let half = blank(10, 5);
    let mut input: Rows = half
        .iter()
        .map(|row| [vec![palette[0]; row.len()], vec![palette[1]; row.len()]].concat())
        .collect();
    let rect = rects(dice, &input, 1, (1, 4))[0];
    fill(&mut input, rect, palette[2]);
    let output = cut(&input, rect);
    (input, output)
}

fn lie_down(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let palette = colours(dice, 4);
    let input = any_noise(dice, 2, 8, &palette);
    let output = if input.len() > input[0].len() {
        transposed(&input)
    } else {
        input.clone()
    };
    (input, output)
}
