//! Tasks for higher-order primitives.

use super::TaskGenerator;
use super::drawing::{
    GridRows, beside, blank, colours, fill, mirrored, noise, outline, rects, upside_down,
};
use crate::prim::PrimFamily;
use crate::rng::Rng;

pub(super) const GENERATORS: &[TaskGenerator] = &[
    TaskGenerator {
        name: "fill_the_frames",
        family: PrimFamily::HigherOrder,
        generate: fill_the_frames,
    },
    TaskGenerator {
        name: "mark_those_of_four",
        family: PrimFamily::HigherOrder,
        generate: mark_those_of_four,
    },
    TaskGenerator {
        name: "squares_stay",
        family: PrimFamily::HigherOrder,
        generate: squares_stay,
    },
    TaskGenerator {
        name: "beside_its_half_turn",
        family: PrimFamily::HigherOrder,
        generate: beside_its_half_turn,
    },
];

fn fill_the_frames(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let mut input = blank(13, 13);
    let colour = rng.between(5, 9) as i8;
    let found = rects(rng, &input, 3, (3, 5));
    let mut output = input.clone();
    for rect in found {
        outline(&mut input, rect, colour);
        fill(&mut output, rect, 4);
        outline(&mut output, rect, colour);
    }
    (input, output)
}

fn mark_those_of_four(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let mut input = blank(12, 12);
    let found = rects(rng, &input, 5, (1, 4));
    let mut output = input.clone();
    for rect in found {
        fill(&mut input, rect, 1);
        fill(&mut output, rect, if rect.area() == 4 { 8 } else { 1 });
    }
    (input, output)
}

fn squares_stay(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let mut input = blank(14, 14);
    let palette = colours(rng, 5);
    let found = rects(rng, &input, 5, (1, 3));
    let mut output = input.clone();
    for (rect, colour) in found.into_iter().zip(palette) {
        fill(&mut input, rect, colour);
        if rect.height == rect.width {
            fill(&mut output, rect, colour);
        }
    }
    (input, output)
}

fn beside_its_half_turn(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let palette = colours(rng, 3);
    let (height, width) = (rng.between(2, 7), rng.between(2, 7));
    let input = noise(rng, height, width, &palette);
    let output = beside(&input, &mirrored(&upside_down(&input)));
    (input, output)
}
