//! Tasks for primitives that split and join grids.

use super::TaskGenerator;
use super::drawing::{GridRows, any_noise, beside, colours, noise, upside_down};
use crate::prim::PrimFamily;
use crate::rng::Rng;

pub(super) const GENERATORS: &[TaskGenerator] = &[
    TaskGenerator {
        name: "where_the_halves_agree",
        family: PrimFamily::Splitting,
        generate: where_the_halves_agree,
    },
    TaskGenerator {
        name: "first_of_three",
        family: PrimFamily::Splitting,
        generate: first_of_three,
    },
    TaskGenerator {
        name: "mirror_below",
        family: PrimFamily::Splitting,
        generate: mirror_below,
    },
    TaskGenerator {
        name: "halves_change_places",
        family: PrimFamily::Splitting,
        generate: halves_change_places,
    },
];

fn where_the_halves_agree(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let palette = colours(rng, 2);
    let upper = any_noise(rng, 2, 7, &palette);
    let lower = noise(rng, upper.len(), upper[0].len(), &palette);
    let agreed = |(a, b): (&i8, &i8)| if a == b { *a } else { 0 };
    let output = upper
        .iter()
        .zip(&lower)
        .map(|(a, b)| a.iter().zip(b).map(agreed).collect())
        .collect();
    let input = upper.into_iter().chain(lower).collect();
    (input, output)
}

fn first_of_three(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let palette = colours(rng, 4);
    let output = any_noise(rng, 2, 6, &palette);
    let (height, width) = (output.len(), 2 * output[0].len());
    let input = beside(&output, &noise(rng, height, width, &palette));
    (input, output)
}

fn mirror_below(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let palette = colours(rng, 4);
    let input = any_noise(rng, 2, 8, &palette);
    let output = input.iter().cloned().chain(upside_down(&input)).collect();
    (input, output)
}

fn halves_change_places(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let palette = colours(rng, 3);
    let left = any_noise(rng, 2, 7, &palette);
    let (height, width) = (left.len(), left[0].len());
    let right = noise(rng, height, width, &palette);
    let line = vec![vec![0; 1]; height];
    let input = beside(&beside(&left, &line), &right);
    (input, beside(&right, &left))
}
