//! Tasks for primitives that construct objects and patches.

use super::TaskGenerator;
use super::drawing::{GridRows, Rect, any_blank, blank, colours, dots, fill, rects};
use crate::prim::PrimFamily;
use crate::rng::Rng;

pub(super) const GENERATORS: &[TaskGenerator] = &[
    TaskGenerator {
        name: "box_of_dots",
        family: PrimFamily::Construction,
        generate: box_of_dots,
    },
    TaskGenerator {
        name: "into_the_corner",
        family: PrimFamily::Construction,
        generate: into_the_corner,
    },
    TaskGenerator {
        name: "square_of_colours",
        family: PrimFamily::Construction,
        generate: square_of_colours,
    },
    TaskGenerator {
        name: "only_yellow",
        family: PrimFamily::Construction,
        generate: only_yellow,
    },
];

/// The bounding box of cells.
fn bounds(cells: &[(usize, usize)]) -> Rect {
    let rows = || cells.iter().map(|cell| cell.0);
    let columns = || cells.iter().map(|cell| cell.1);
    let top = rows().min().unwrap_or(0);
    let left = columns().min().unwrap_or(0);
    Rect {
        top,
        left,
        height: rows().max().unwrap_or(0) + 1 - top,
        width: columns().max().unwrap_or(0) + 1 - left,
    }
}

fn box_of_dots(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let mut input = any_blank(rng, 7, 12);
    let found = dots(rng, &input, 4);
    for (i, j) in &found {
        input[*i][*j] = 3;
    }
    let mut output = input.clone();
    fill(&mut output, bounds(&found), 1);
    for (i, j) in found {
        output[i][j] = 3;
    }
    (input, output)
}

fn into_the_corner(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let mut input = any_blank(rng, 6, 11);
    let found = dots(rng, &input, 5);
    let corner = bounds(&found);
    let mut output = input.clone();
    for (i, j) in found {
        input[i][j] = 6;
        output[i - corner.top][j - corner.left] = 6;
    }
    (input, output)
}

fn square_of_colours(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let mut input = blank(13, 13);
    let count = rng.between(1, 5);
    let palette = colours(rng, count);
    let found = rects(rng, &input, count, (1, 3));
    let side = found.len();
    for (rect, colour) in found.into_iter().zip(palette) {
        fill(&mut input, rect, colour);
    }
    (input, vec![vec![1; side]; side])
}

fn only_yellow(rng: &mut Rng, _theme: u64) -> (GridRows, GridRows) {
    let mut input = blank(13, 13);
    let found = rects(rng, &input, 6, (1, 3));
    let mut output = input.clone();
    for (number, rect) in found.into_iter().enumerate() {
        let colour = [4, 1, 7][number % 3];
        fill(&mut input, rect, colour);
        if colour == 4 {
            fill(&mut output, rect, colour);
        }
    }
    (input, output)
}
