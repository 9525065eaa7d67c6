//! Tasks about segments, rays and frames.

use super::Recipe;
use super::picture::{Rect, Rows, any_blank, blank, fill, inside, outline};
use crate::dice::Dice;
use crate::prim::Family;

pub(super) const RECIPES: &[Recipe] = &[
    Recipe {
        name: "join_the_dots",
        family: Family::Lines,
        make: join_the_dots,
    },
    Recipe {
        name: "cross_through_it",
        family: Family::Lines,
        make: cross_through_it,
    },
    Recipe {
        name: "frame_around_it",
        family: Family::Lines,
        make: frame_around_it,
    },
    Recipe {
        name: "ray_to_the_corner",
        family: Family::Lines,
        make: ray_to_the_corner,
    },
];

fn join_the_dots(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let mut input = blank(11, 11);
    let (i, j) = (dice.below(4), dice.below(4));
    let length = dice.between(2, 6);
    let (down, right) = [(1, 0), (0, 1), (1, 1)][dice.below(3)];
    let mut output = input.clone();
    for step in 0..=length {
        output[i + step * down][j + step * right] = 8;
    }
    input[i][j] = 8;
    input[i + length * down][j + length * right] = 8;
    (input, output)
}

fn cross_through_it(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let mut input = any_blank(dice, 5, 13);
    let (i, j) = (dice.below(input.len()), dice.below(input[0].len()));
    input[i][j] = 7;
    let mut output = input.clone();
    output[i].fill(7);
    for row in &mut output {
        row[j] = 7;
    }
    (input, output)
}

fn frame_around_it(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let mut input = blank(11, 11);
    let rect = Rect {
        top: dice.between(1, 5),
        left: dice.between(1, 5),
        height: dice.between(1, 4),
        width: dice.between(1, 4),
    };
    let mut output = input.clone();
    fill(&mut input, rect, 5);
    let around = Rect {
        top: rect.top - 1,
        left: rect.left - 1,
        height: rect.height + 2,
        width: rect.width + 2,
    };
    outline(&mut output, around, 1);
    fill(&mut output, rect, 5);
    (input, output)
}

fn ray_to_the_corner(dice: &mut Dice, _theme: u64) -> (Rows, Rows) {
    let mut input = any_blank(dice, 6, 12);
    let (i, j) = (dice.below(4), dice.below(4));
    input[i][j] = 9;
    let mut output = input.clone();
    for step in 0..30 {
        if let Some(cell) = inside(&mut output, (i + step) as i64, (j + step) as i64) {
            *cell = 3;
        }
    }
    (input, output)
}
