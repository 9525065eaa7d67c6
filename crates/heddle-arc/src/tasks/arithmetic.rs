//! Tasks for arithmetic primitives.

use super::TaskGenerator;
use super::drawing::{GridRows, Rect, any_blank, colours, cut, dots, fill};
use crate::prim::PrimFamily;
use crate::rng::Rng;

pub(super) const GENERATORS: &[TaskGenerator] = &[
    TaskGenerator {
        name: "bar_twice_the_dots",
        family: PrimFamily::Arithmetic,
        generate: bar_twice_the_dots,
    },
    TaskGenerator {
        name: "step_past_itself",
        family: PrimFamily::Arithmetic,
        generate: step_past_itself,
    },
    TaskGenerator {
        name: "even_or_odd",
        family: PrimFamily::Arithmetic,
        generate: even_or_odd,
    },
    TaskGenerator {
        name: "upper_half_and_one",
        family: PrimFamily::Arithmetic,
        generate: upper_half_and_one,
    },
];

fn bar_twice_the_dots(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let mut input = any_blank(rng, 6, 11);
    let colour = colours(rng, 1)[0];
    let count = rng.between(1, 7);
    let found = dots(rng, &input, count);
    for (i, j) in &found {
        input[*i][*j] = colour;
    }
    (input, vec![vec![colour; 2 * found.len()]])
}

fn step_past_itself(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let mut input = any_blank(rng, 9, 14);
    let colour = colours(rng, 1)[0];
    let (height, width) = (rng.between(1, 3), rng.between(1, 3));
    let from = Rect {
        top: rng.below(3),
        left: rng.below(3),
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

fn even_or_odd(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let mut input = any_blank(rng, 5, 9);
    let count = rng.between(1, 6);
    let found = dots(rng, &input, count);
    for (i, j) in &found {
        input[*i][*j] = 1;
    }
    let colour = if found.len().is_multiple_of(2) { 2 } else { 3 };
    let output = vec![vec![colour; input[0].len()]; input.len()];
    (input, output)
}

fn upper_half_and_one(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let palette = colours(rng, 3);
    let input = super::drawing::any_noise(rng, 3, 10, &palette);
    let rect = Rect {
        top: 0,
        left: 0,
        height: (input.len() / 2 + 1).min(input.len()),
        width: input[0].len(),
    };
    let output = cut(&input, rect);
    (input, output)
}
