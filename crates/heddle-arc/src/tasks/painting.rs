//! Tasks for primitives that write into grids.

use super::TaskGenerator;
use super::drawing::{GridRows, any_blank, any_noise, blank, dots, fill, inside, rects};
use crate::prim::PrimFamily;
use crate::rng::Rng;

pub(super) const GENERATORS: &[TaskGenerator] = &[
    TaskGenerator {
        name: "shadows",
        family: PrimFamily::Painting,
        generate: shadows,
    },
    TaskGenerator {
        name: "green_is_erased",
        family: PrimFamily::Painting,
        generate: green_is_erased,
    },
    TaskGenerator {
        name: "red_again_two_further",
        family: PrimFamily::Painting,
        generate: red_again_two_further,
    },
    TaskGenerator {
        name: "falls_by_one",
        family: PrimFamily::Painting,
        generate: falls_by_one,
    },
];

fn shadows(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let mut input = any_blank(rng, 6, 11);
    let found = dots(rng, &input, 5);
    for (i, j) in &found {
        input[*i][*j] = 2;
    }
    let mut output = input.clone();
    for (i, j) in found {
        if let Some(cell) = inside(&mut output, i as i64 + 1, j as i64 + 1) {
            *cell = 5;
        }
    }
    (input, output)
}

fn green_is_erased(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let mut input = blank(11, 11);
    let found = rects(rng, &input, 6, (1, 3));
    let mut output = input.clone();
    for (number, rect) in found.into_iter().enumerate() {
        let colour = [3, 6, 9][number % 3];
        fill(&mut input, rect, colour);
        if colour != 3 {
            fill(&mut output, rect, colour);
        }
    }
    (input, output)
}

fn red_again_two_further(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let input = any_noise(rng, 4, 9, &[0, 0, 0, 1, 2]);
    let mut output = input.clone();
    for (i, row) in input.iter().enumerate() {
        for j in (2..row.len()).filter(|j| row[j - 2] == 2) {
            output[i][j] = 2;
        }
    }
    (input, output)
}

fn falls_by_one(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let mut input = blank(9, 9);
    let colour = rng.between(1, 9) as i8;
    let rect = rects(rng, &input, 1, (1, 4))[0];
    fill(&mut input, rect, colour);
    let mut output = blank(9, 9);
    for (i, row) in input.iter().enumerate().take(8) {
        output[i + 1].clone_from(row);
    }
    (input, output)
}
