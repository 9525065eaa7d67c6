//! Tasks for primitives that query grids and patches.

use super::TaskGenerator;
use super::drawing::{GridRows, any_noise, blank, colours, cut, fill, noise, rects, transposed};
use crate::prim::PrimFamily;
use crate::rng::Rng;

pub(super) const GENERATORS: &[TaskGenerator] = &[
    TaskGenerator {
        name: "those_at_the_border",
        family: PrimFamily::Queries,
        generate: those_at_the_border,
    },
    TaskGenerator {
        name: "as_large_as_yellow",
        family: PrimFamily::Queries,
        generate: as_large_as_yellow,
    },
    TaskGenerator {
        name: "the_rare_colour",
        family: PrimFamily::Queries,
        generate: the_rare_colour,
    },
    TaskGenerator {
        name: "lie_down",
        family: PrimFamily::Queries,
        generate: lie_down,
    },
];

fn those_at_the_border(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let mut input = blank(12, 12);
    let found = rects(rng, &input, 5, (1, 4));
    let mut output = input.clone();
    for rect in found {
        fill(&mut input, rect, 1);
        let colour = if rect.touches_border(&input) { 2 } else { 1 };
        fill(&mut output, rect, colour);
    }
    (input, output)
}

fn as_large_as_yellow(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let palette = [0, 1, 3];
    let mut input = noise(rng, 12, 12, &palette);
    let rect = rects(rng, &input, 1, (1, 6))[0];
    fill(&mut input, rect, 4);
    (input, vec![vec![4; rect.width]; rect.height])
}

fn the_rare_colour(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let palette = colours(rng, 3);
    // The other two colours have half of the 100 cells each, so the third is the rarest.
    let half = blank(10, 5);
    let mut input: GridRows = half
        .iter()
        .map(|row| [vec![palette[0]; row.len()], vec![palette[1]; row.len()]].concat())
        .collect();
    let rect = rects(rng, &input, 1, (1, 4))[0];
    fill(&mut input, rect, palette[2]);
    let output = cut(&input, rect);
    (input, output)
}

fn lie_down(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let palette = colours(rng, 4);
    let input = any_noise(rng, 2, 8, &palette);
    let output = if input.len() > input[0].len() {
        transposed(&input)
    } else {
        input.clone()
    };
    (input, output)
}
