//! Tasks about turning, cutting and scaling.

use super::Recipe;
use super::picture::{
    Rect, Rows, any_noise, beside, colours, cut, mirrored, transposed, upside_down,
};
use crate::dice::Dice;
use crate::prim::Family;

pub(super) const RECIPES: &[Recipe] = &[
    Recipe {
        name: "mirror_to_the_right",
        family: Family::Geometry,
        make: mirror_to_the_right,
    },
    Recipe {
        name: "quarter_turn",
        family: Family::Geometry,
        make: quarter_turn,
    },
    Recipe {
        name: "twice_as_large",
        family: Family::Geometry,
        make: twice_as_large,
    },
    Recipe {
        name: "two_colours_change_places",
        family: Family::Geometry,
        make: two_colours_change_places,
    },
    Recipe {
        name: "without_the_edge",
        family: Family::Geometry,
        make: without_the_edge,
    },
];

fn mirror_to_the_right(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let palette = colours(dice, 4);
    let input = any_noise(dice, 2, 8, &palette);
    let output = beside(&input, &mirrored(&input));
    (input, output)
}

fn quarter_turn(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let palette = colours(dice, 4);
    let input = any_noise(dice, 2, 9, &palette);
    let output = transposed(&upside_down(&input));
    (input, output)
}

fn twice_as_large(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let palette = colours(dice, 4);
    let input = any_noise(dice, 2, 7, &palette);
    let twice = |row: &Vec<i8>| row.iter().flat_map(|cell| [*cell; 2]).collect::<Vec<i8>>();
    let output = input
        .iter()
        .flat_map(|row| [twice(row), twice(row)])
        .collect();
    (input, output)
}

fn two_colours_change_places(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let input = any_noise(dice, 3, 9, &[1, 2, 5, 8]);
    let other = |cell: &i8| match cell {
        1 => 2,
        2 => 1,
        same => *same,
    };
    let output = input
        .iter()
        .map(|row| row.iter().map(other).collect())
        .collect();
    (input, output)
}

fn without_the_edge(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let palette = colours(dice, 4);
    let input = any_noise(dice, 4, 9, &palette);
    let middle = Rect {
        top: 1,
        left: 1,
        height: input.len() - 2,
        width: input[0].len() - 2,
    };
    let output = cut(&input, middle);
    (input, output)
}
