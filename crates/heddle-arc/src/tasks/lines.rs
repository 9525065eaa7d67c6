//! Tasks for segments, rays and frames.

use super::TaskGenerator;
use super::drawing::{GridRows, Rect, any_blank, blank, fill, inside, outline};
use crate::prim::PrimFamily;
use crate::rng::Rng;

pub(super) const GENERATORS: &[TaskGenerator] = &[
    TaskGenerator {
        name: "join_the_dots",
        family: PrimFamily::Lines,
        generate: join_the_dots,
    },
    TaskGenerator {
        name: "cross_through_it",
        family: PrimFamily::Lines,
        generate: cross_through_it,
    },
    TaskGenerator {
        name: "frame_around_it",
        family: PrimFamily::Lines,
        generate: frame_around_it,
    },
    TaskGenerator {
        name: "ray_to_the_corner",
        family: PrimFamily::Lines,
        generate: ray_to_the_corner,
    },
];

fn join_the_dots(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let mut input = blank(11, 11);
    let (i, j) = (rng.below(4), rng.below(4));
    let length = rng.between(2, 6);
    let (down, right) = [(1, 0), (0, 1), (1, 1)][rng.below(3)];
    let mut output = input.clone();
    for step in 0..=length {
        output[i + step * down][j + step * right] = 8;
    }
    input[i][j] = 8;
    input[i + length * down][j + length * right] = 8;
    (input, output)
}

fn cross_through_it(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let mut input = any_blank(rng, 5, 13);
    let (i, j) = (rng.below(input.len()), rng.below(input[0].len()));
    input[i][j] = 7;
    let mut output = input.clone();
    output[i].fill(7);
    for row in &mut output {
        row[j] = 7;
    }
    (input, output)
}

fn frame_around_it(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let mut input = blank(11, 11);
    let rect = Rect {
        top: rng.between(1, 5),
        left: rng.between(1, 5),
        height: rng.between(1, 4),
        width: rng.between(1, 4),
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

fn ray_to_the_corner(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let mut input = any_blank(rng, 6, 12);
    let (i, j) = (rng.below(4), rng.below(4));
    input[i][j] = 9;
    let mut output = input.clone();
    for step in 0..30 {
        if let Some(cell) = inside(&mut output, (i + step) as i64, (j + step) as i64) {
            *cell = 3;
        }
    }
    (input, output)
}
