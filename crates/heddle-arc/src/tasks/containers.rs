//! Tasks for primitives on tuples and sets.

use super::TaskGenerator;
use super::drawing::{GridRows, any_blank, beside, blank, colours, cut, fill, noise, rects};
use crate::prim::PrimFamily;
use crate::rng::Rng;

pub(super) const GENERATORS: &[TaskGenerator] = &[
    TaskGenerator {
        name: "no_row_twice",
        family: PrimFamily::Containers,
        generate: no_row_twice,
    },
    TaskGenerator {
        name: "rows_in_order",
        family: PrimFamily::Containers,
        generate: rows_in_order,
    },
    TaskGenerator {
        name: "largest_alone",
        family: PrimFamily::Containers,
        generate: largest_alone,
    },
    TaskGenerator {
        name: "in_both_halves",
        family: PrimFamily::Containers,
        generate: in_both_halves,
    },
];

fn no_row_twice(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let palette = colours(rng, 4);
    let width = rng.between(2, 7);
    let kinds = noise(rng, 3, width, &palette);
    let height = rng.between(5, 9);
    let input: GridRows = (0..height).map(|_| kinds[rng.below(3)].clone()).collect();
    let mut output = GridRows::new();
    for row in &input {
        if !output.contains(row) {
            output.push(row.clone());
        }
    }
    (input, output)
}

fn rows_in_order(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let palette = colours(rng, 5);
    let (height, width) = (rng.between(3, 8), rng.between(2, 8));
    let input = noise(rng, height, width, &palette);
    let mut output = input.clone();
    output.sort();
    (input, output)
}

fn largest_alone(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let mut input = blank(14, 14);
    let palette = colours(rng, 4);
    let found = rects(rng, &input, 4, (1, 4));
    for (rect, colour) in found.iter().zip(&palette) {
        fill(&mut input, *rect, *colour);
    }
    // Of equally large rectangles, the one with the lowest colour is first in canonical order.
    let largest = found
        .iter()
        .zip(&palette)
        .max_by_key(|(rect, colour)| (rect.area(), -**colour));
    let output = largest.map_or_else(|| input.clone(), |(rect, _)| cut(&input, *rect));
    (input, output)
}

fn in_both_halves(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let shape = any_blank(rng, 3, 6);
    let (height, width) = (shape.len(), shape[0].len());
    let left = noise(rng, height, width, &[0, 1]);
    let right = noise(rng, height, width, &[0, 1]);
    let mut output = shape;
    for i in 0..height {
        for j in 0..width {
            if left[i][j] == 1 && right[i][j] == 1 {
                output[i][j] = 5;
            }
        }
    }
    (beside(&left, &right), output)
}
