//! Tasks for the primitives added to the original 160.

use super::TaskGenerator;
use super::drawing::{
    GridRows, any_blank, any_noise, blank, colours, cut, dots, fill, rects, transposed, upside_down,
};
use crate::prim::PrimFamily;
use crate::rng::Rng;

pub(super) const GENERATORS: &[TaskGenerator] = &[
    TaskGenerator {
        name: "colours_in_a_row",
        family: PrimFamily::Additions,
        generate: colours_in_a_row,
    },
    TaskGenerator {
        name: "second_row_twice",
        family: PrimFamily::Additions,
        generate: second_row_twice,
    },
    TaskGenerator {
        name: "turned_by_number",
        family: PrimFamily::Additions,
        generate: turned_by_number,
    },
    TaskGenerator {
        name: "colour_of_the_examples",
        family: PrimFamily::Additions,
        generate: colour_of_the_examples,
    },
    TaskGenerator {
        name: "the_highest_colour",
        family: PrimFamily::Additions,
        generate: the_highest_colour,
    },
];

fn colours_in_a_row(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let palette = colours(rng, 4);
    let input = any_noise(rng, 2, 6, &palette);
    let mut present: Vec<i8> = input.iter().flatten().copied().collect();
    present.sort_unstable();
    present.dedup();
    (input, vec![present])
}

fn second_row_twice(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let palette = colours(rng, 4);
    let input = any_noise(rng, 3, 8, &palette);
    let output = vec![input[1].clone(), input[1].clone()];
    (input, output)
}

fn turned_by_number(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let palette = colours(rng, 4);
    let input = any_noise(rng, 2, 9, &palette);
    let output = upside_down(&transposed(&input));
    (input, output)
}

fn colour_of_the_examples(rng: &mut Rng, theme: u64) -> (GridRows, GridRows) {
    let colour = Rng::new(theme).between(2, 9) as i8;
    let mut input = any_blank(rng, 6, 11);
    let mut output = input.clone();
    for (i, j) in dots(rng, &input, 4) {
        input[i][j] = 1;
        output[i][j] = colour;
    }
    (input, output)
}

fn the_highest_colour(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let mut input = blank(12, 12);
    let palette = colours(rng, 4);
    let found = rects(rng, &input, 4, (1, 4));
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
