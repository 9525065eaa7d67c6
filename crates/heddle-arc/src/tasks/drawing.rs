//! Functions that generators use to draw grids.

use crate::rng::Rng;

/// Rows of colours.
pub(super) type GridRows = Vec<Vec<i8>>;

/// A rectangle of cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rect {
    pub top: usize,
    pub left: usize,
    pub height: usize,
    pub width: usize,
}

impl Rect {
    pub(super) fn area(self) -> usize {
        self.height * self.width
    }

    /// Whether there is at least one cell between the two, also at the corners.
    fn is_apart(self, other: Rect) -> bool {
        self.top > other.top + other.height
            || other.top > self.top + self.height
            || self.left > other.left + other.width
            || other.left > self.left + self.width
    }

    pub(super) fn touches_border(self, rows: &GridRows) -> bool {
        self.top == 0
            || self.left == 0
            || self.top + self.height == rows.len()
            || self.left + self.width == rows[0].len()
    }
}

/// A grid of background cells.
pub(super) fn blank(height: usize, width: usize) -> GridRows {
    vec![vec![0; width]; height]
}

/// A grid of background cells whose sides have a random length from `least` to `most`.
pub(super) fn any_blank(rng: &mut Rng, least: usize, most: usize) -> GridRows {
    let height = rng.between(least, most);
    blank(height, rng.between(least, most))
}

/// A grid of random cells from a palette.
pub(super) fn noise(rng: &mut Rng, height: usize, width: usize, palette: &[i8]) -> GridRows {
    let mut cell = || palette[rng.below(palette.len())];
    (0..height)
        .map(|_| (0..width).map(|_| cell()).collect())
        .collect()
}

/// A grid of random cells whose sides have a random length from `least` to `most`.
pub(super) fn any_noise(rng: &mut Rng, least: usize, most: usize, palette: &[i8]) -> GridRows {
    let height = rng.between(least, most);
    let width = rng.between(least, most);
    noise(rng, height, width, palette)
}

/// `count` different colours, without the background.
pub(super) fn colours(rng: &mut Rng, count: usize) -> Vec<i8> {
    let mut all: Vec<i8> = (1..=9).collect();
    rng.shuffle(&mut all);
    all.truncate(count);
    all
}

/// At least one and at most `count` rectangles that do not touch.
pub(super) fn rects(
    rng: &mut Rng,
    rows: &GridRows,
    count: usize,
    (least, most): (usize, usize),
) -> Vec<Rect> {
    let (height, width) = (rows.len(), rows[0].len());
    let mut found: Vec<Rect> = Vec::new();
    // A full grid may have no space for all of them; fewer are enough.
    for _ in 0..count * 20 {
        let tall = rng.between(least, most).min(height);
        let wide = rng.between(least, most).min(width);
        let rect = Rect {
            top: rng.below(height - tall + 1),
            left: rng.below(width - wide + 1),
            height: tall,
            width: wide,
        };
        if found.iter().all(|other| rect.is_apart(*other)) {
            found.push(rect);
        }
        if found.len() == count {
            break;
        }
    }
    found
}

pub(super) fn fill(rows: &mut GridRows, rect: Rect, colour: i8) {
    for row in &mut rows[rect.top..rect.top + rect.height] {
        row[rect.left..rect.left + rect.width].fill(colour);
    }
}

/// The outline of a rectangle.
pub(super) fn outline(rows: &mut GridRows, rect: Rect, colour: i8) {
    let inside = cut(rows, rect);
    fill(rows, rect, colour);
    if rect.height > 2 && rect.width > 2 {
        for (row, old) in rows[rect.top + 1..]
            .iter_mut()
            .zip(&inside[1..rect.height - 1])
        {
            let columns = rect.left + 1..rect.left + rect.width - 1;
            row[columns].copy_from_slice(&old[1..rect.width - 1]);
        }
    }
}

/// At least one and at most `count` single cells that do not touch.
pub(super) fn dots(rng: &mut Rng, rows: &GridRows, count: usize) -> Vec<(usize, usize)> {
    let found = rects(rng, rows, count, (1, 1));
    found
        .into_iter()
        .map(|rect| (rect.top, rect.left))
        .collect()
}

/// The part of a grid in a rectangle.
pub(super) fn cut(rows: &GridRows, rect: Rect) -> GridRows {
    rows[rect.top..rect.top + rect.height]
        .iter()
        .map(|row| row[rect.left..rect.left + rect.width].to_vec())
        .collect()
}

/// A cell, if it is inside the grid.
pub(super) fn inside(rows: &mut GridRows, i: i64, j: i64) -> Option<&mut i8> {
    let row = rows.get_mut(usize::try_from(i).ok()?)?;
    row.get_mut(usize::try_from(j).ok()?)
}

/// A grid with its columns as rows.
pub(super) fn transposed(rows: &GridRows) -> GridRows {
    (0..rows[0].len())
        .map(|j| rows.iter().map(|row| row[j]).collect())
        .collect()
}

/// A grid with its rows in reverse order.
pub(super) fn upside_down(rows: &GridRows) -> GridRows {
    rows.iter().rev().cloned().collect()
}

/// A grid with every row reversed.
pub(super) fn mirrored(rows: &GridRows) -> GridRows {
    let reversed = |row: &Vec<i8>| row.iter().rev().copied().collect();
    rows.iter().map(reversed).collect()
}

/// Two grids side by side.
pub(super) fn beside(a: &GridRows, b: &GridRows) -> GridRows {
    a.iter()
        .zip(b)
        .map(|(a, b)| a.iter().chain(b).copied().collect())
        .collect()
}
