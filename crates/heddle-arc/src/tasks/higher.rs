//! Tasks about functions of functions.

use super::Recipe;
use super::picture::{
    Rows, beside, blank, colours, fill, mirrored, noise, outline, rects, upside_down,
};
use crate::dice::Dice;
use crate::prim::Family;

pub(super) const RECIPES: &[Recipe] = &[
    Recipe {
        name: "fill_the_frames",
        family: Family::HigherOrder,
        make: fill_the_frames,
    },
    Recipe {
        name: "mark_those_of_four",
        family: Family::HigherOrder,
        make: mark_those_of_four,
    },
    Recipe {
        name: "squares_stay",
        family: Family::HigherOrder,
        make: squares_stay,
    },
    Recipe {
        name: "beside_its_half_turn",
        family: Family::HigherOrder,
        make: beside_its_half_turn,
    },
];

fn fill_the_frames(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let mut input = blank(13, 13);
    let colour = dice.between(5, 9) as i8;
    let found = rects(dice, &input, 3, (3, 5));
    let mut output = input.clone();
    for rect in found {
        outline(&mut input, rect, colour);
        fill(&mut output, rect, 4);
        outline(&mut output, rect, colour);
    }
    (input, output)
}

fn mark_those_of_four(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let mut input = blank(12, 12);
    let found = rects(dice, &input, 5, (1, 4));
    let mut output = input.clone();
    for rect in found {
        fill(&mut input, rect, 1);
        fill(&mut output, rect, if rect.area() == 4 { 8 } else { 1 });
    }
    (input, output)
}

fn squares_stay(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let mut input = blank(14, 14);
    let palette = colours(dice, 5);
    let found = rects(dice, &input, 5, (1, 3));
    let mut output = input.clone();
    for (rect, colour) in found.into_iter().zip(palette) {
        fill(&mut input, rect, colour);
        if rect.height == rect.width {
            fill(&mut output, rect, colour);
        }
    }
    (input, output)
}

fn beside_its_half_turn(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let palette = colours(dice, 3);
    let (height, width) = (dice.between(2, 7), dice.between(2, 7));
    let input = noise(dice, height, width, &palette);
    let output = beside(&input, &mirrored(&upside_down(&input)));
    (input, output)
}
