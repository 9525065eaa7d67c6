//! Tasks for primitives that rotate, crop and scale.

use super::TaskGenerator;
use super::drawing::{
    GridRows, Rect, any_noise, beside, colours, cut, mirrored, transposed, upside_down,
};
use crate::prim::PrimFamily;
use crate::rng::Rng;

pub(super) const GENERATORS: &[TaskGenerator] = &[
    TaskGenerator {
        name: "mirror_to_the_right",
        family: PrimFamily::Geometry,
        generate: mirror_to_the_right,
    },
    TaskGenerator {
        name: "quarter_turn",
        family: PrimFamily::Geometry,
        generate: quarter_turn,
    },
    TaskGenerator {
        name: "twice_as_large",
        family: PrimFamily::Geometry,
        generate: twice_as_large,
    },
    TaskGenerator {
        name: "two_colours_change_places",
        family: PrimFamily::Geometry,
        generate: two_colours_change_places,
    },
    TaskGenerator {
        name: "without_the_edge",
        family: PrimFamily::Geometry,
        generate: without_the_edge,
    },
];

fn mirror_to_the_right(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let palette = colours(rng, 4);
    let input = any_noise(rng, 2, 8, &palette);
    let output = beside(&input, &mirrored(&input));
    (input, output)
}

fn quarter_turn(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let palette = colours(rng, 4);
    let input = any_noise(rng, 2, 9, &palette);
    let output = transposed(&upside_down(&input));
    (input, output)
}

fn twice_as_large(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let palette = colours(rng, 4);
    let input = any_noise(rng, 2, 7, &palette);
    let twice = |row: &Vec<i8>| row.iter().flat_map(|cell| [*cell; 2]).collect::<Vec<i8>>();
    let output = input
        .iter()
        .flat_map(|row| [twice(row), twice(row)])
        .collect();
    (input, output)
}

fn two_colours_change_places(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let input = any_noise(rng, 3, 9, &[1, 2, 5, 8]);
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

fn without_the_edge(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let palette = colours(rng, 4);
    let input = any_noise(rng, 4, 9, &palette);
    let middle = Rect {
        top: 1,
        left: 1,
        height: input.len() - 2,
        width: input[0].len() - 2,
    };
    let output = cut(&input, middle);
    (input, output)
}
