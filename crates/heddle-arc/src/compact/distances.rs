//! Distances from one patch to many single locations, all at once.
//!
//! A column of `manhattan` calls mostly asks how far every cell of a grid is
//! from the same patch. Two sweeps over the box of both answer all of them.

use crate::value::{MASK_COLUMNS, Mask, Value};

/// More than any two locations in a box are apart.
const FAR: u16 = 1 << 12;

/// Boxes of more cells than this for each location are not swept.
const MOST_CELLS_EACH: usize = 4;

/// Writes the distance from `mask` to each of the patches, if all are single
/// locations near enough; otherwise nothing. `room` is memory to work in.
pub(super) fn all(
    rows: &[u128],
    mask: Mask,
    patches: &[Value],
    room: &mut Vec<u16>,
    results: &mut [Value],
) -> bool {
    let (mut top, mut bottom) = (mask.top(), mask.bottom());
    let (mut left, mut right) = (mask.left(), mask.right());
    for patch in patches {
        let Some(one) = patch.mask() else {
            return false;
        };
        if one.height != 1 || one.width != 1 {
            return false;
        }
        (top, bottom) = (top.min(one.top()), bottom.max(one.top()));
        (left, right) = (left.min(one.left()), right.max(one.left()));
    }
    let (height, width) = ((bottom - top + 1) as usize, (right - left + 1) as usize);
    if right - left >= MASK_COLUMNS || height * width > MOST_CELLS_EACH * patches.len() {
        return false;
    }
    room.clear();
    room.resize(height * width, FAR);
    let words = &rows[mask.rows as usize..][..usize::from(mask.height)];
    let first = (mask.top() - top) as usize;
    for (row, word) in room.chunks_exact_mut(width).skip(first).zip(words) {
        mark(row, word << (mask.left() - left));
    }
    for row in 1..height {
        let (above, below) = room.split_at_mut(row * width);
        one_farther(&mut below[..width], &above[(row - 1) * width..]);
    }
    for row in (1..height).rev() {
        let (above, below) = room.split_at_mut(row * width);
        one_farther(&mut above[(row - 1) * width..], &below[..width]);
    }
    for row in room.chunks_exact_mut(width) {
        let mut near = FAR;
        for cell in &mut *row {
            near = (near + 1).min(*cell);
            *cell = near;
        }
        for cell in row.iter_mut().rev() {
            near = (near + 1).min(*cell);
            *cell = near;
        }
    }
    for (patch, result) in patches.iter().zip(results) {
        if let Some(one) = patch.mask() {
            let place = (one.top() - top) as usize * width + (one.left() - left) as usize;
            *result = Value::Int(i64::from(room[place]));
        }
    }
    true
}

/// Writes zeros where a word has bits.
fn mark(row: &mut [u16], mut bits: u128) {
    while bits != 0 {
        row[bits.trailing_zeros() as usize] = 0;
        bits &= bits - 1;
    }
}

/// No cell is more than one farther than the one beside it.
fn one_farther(row: &mut [u16], beside: &[u16]) {
    for (cell, near) in row.iter_mut().zip(beside) {
        *cell = (*cell).min(near + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::super::query::manhattan;
    use super::*;
    use crate::dice::Dice;
    use crate::meter::Budget;
    use crate::value::Space;

    #[test]
    fn each_is_the_distance_of_one_call() {
        let mut dice = Dice::new(7);
        for _ in 0..300 {
            let mut space = Space::new(Budget::default());
            let mut set = |space: &mut Space, count: usize| {
                let base = space.stack.len();
                let place = |_| Value::Pair(dice.below(12) as i32 - 3, dice.below(25) as i32 - 2);
                space.stack.extend((0..count).map(place));
                space.set_from(base).unwrap()
            };
            let patch = set(&mut space, 7);
            let ones: Vec<Value> = (0..100).map(|_| set(&mut space, 1)).collect();
            let mut found = vec![Value::None; ones.len()];
            let mask = patch.mask().unwrap();
            let mut room = Vec::new();
            assert!(all(&space.rows, mask, &ones, &mut room, &mut found));
            for (one, found) in ones.iter().zip(found) {
                let alone = manhattan(&mut space, patch, *one).unwrap();
                assert!(space.equal(alone, found), "{alone:?} {found:?}");
            }
        }
    }

    #[test]
    fn patches_of_several_cells_and_far_ones_are_left_alone() {
        let mut space = Space::new(Budget::default());
        let mut set = |places: &[Value]| {
            let base = space.stack.len();
            space.stack.extend(places);
            space.set_from(base).unwrap()
        };
        let patch = set(&[Value::Pair(0, 0), Value::Pair(2, 1)]);
        let near = set(&[Value::Pair(1, 1)]);
        let far = set(&[Value::Pair(0, 200)]);
        let mask = patch.mask().unwrap();
        for others in [[near, patch], [near, far]] {
            let found = &mut [Value::None; 2];
            assert!(!all(&space.rows, mask, &others, &mut Vec::new(), found));
        }
    }
}
