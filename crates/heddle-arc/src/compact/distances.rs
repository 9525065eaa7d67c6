//! Distances from one patch to many single locations, computed together.
//!
//! A column of `manhattan` calls mostly computes the distances of all cells of a grid from one
//! patch. Two sweeps over their common box give all of them.

use crate::value::{Mask, Value, Window};

/// An upper bound of the distance of two locations in a box.
const FAR: u16 = 1 << 12;

/// The maximum number of a box's cells for each location. Larger boxes are not swept.
const MAX_CELLS_EACH: usize = 4;

/// The distances of the cells of a box from the patch of the last call. A column comes in chunks,
/// and the next chunk mostly has the same patch.
#[derive(Debug, Default)]
pub(crate) struct DistanceMap {
    cells: Vec<u16>,
    of: Option<(Mask, Window)>,
}

impl DistanceMap {
    /// Drops the patch if any of its rows is at or after `rows`.
    pub(crate) fn forget_from(&mut self, rows: usize) {
        if let Some((mask, _)) = self.of
            && mask.rows as usize + usize::from(mask.height) > rows
        {
            self.of = None;
        }
    }

    /// Writes the distance from `mask` to each of the patches and returns `true`, if all are single
    /// locations and near enough.
    pub(super) fn all(
        &mut self,
        rows: &[u128],
        mask: Mask,
        patches: &[Value],
        results: &mut [Value],
    ) -> bool {
        let is_one = |mask: Mask| mask.height == 1 && mask.width == 1;
        let single = |patch: &Value| patch.mask().filter(|one| is_one(*one));
        let ones = || patches.iter().filter_map(single);
        if ones().count() < patches.len() {
            return false;
        }
        if is_one(mask) {
            let (i, j) = (mask.top(), mask.left());
            for (one, result) in ones().zip(results) {
                let apart = one.top().abs_diff(i) + one.left().abs_diff(j);
                *result = Value::Int(apart.cast_signed());
            }
            return true;
        }
        let known = self.of.filter(|(of, _)| *of == mask);
        let around = known.map_or(Window::of(mask), |(_, window)| window);
        let joined = |window: Window, one| window.joined(Window::of(one));
        let Some(window) = ones().try_fold(around, joined) else {
            return false;
        };
        if self.of != Some((mask, window)) {
            if window.height() * window.width() > MAX_CELLS_EACH * patches.len() {
                return false;
            }
            self.sweep(rows, mask, window);
        }
        for (one, result) in ones().zip(results) {
            let row = (one.top() - window.top) as usize * window.width();
            let place = row + (one.left() - window.left) as usize;
            *result = Value::Int(i64::from(self.cells[place]));
        }
        true
    }

    /// Computes the distances of the cells of a box from a patch.
    fn sweep(&mut self, rows: &[u128], mask: Mask, window: Window) {
        let (height, width) = (window.height(), window.width());
        let cells = &mut self.cells;
        cells.clear();
        cells.resize(height * width, FAR);
        let words = &rows[mask.rows as usize..][..usize::from(mask.height)];
        let first = (mask.top() - window.top) as usize;
        for (row, word) in cells.chunks_exact_mut(width).skip(first).zip(words) {
            mark(row, word << (mask.left() - window.left));
        }
        for row in 1..height {
            let (above, below) = cells.split_at_mut(row * width);
            expand_by_one(&mut below[..width], &above[(row - 1) * width..]);
        }
        for row in (1..height).rev() {
            let (above, below) = cells.split_at_mut(row * width);
            expand_by_one(&mut above[(row - 1) * width..], &below[..width]);
        }
        for row in cells.chunks_exact_mut(width) {
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
        self.of = Some((mask, window));
    }
}

/// Writes zeros where a word has set bits.
fn mark(row: &mut [u16], mut bits: u128) {
    while bits != 0 {
        row[bits.trailing_zeros() as usize] = 0;
        bits &= bits - 1;
    }
}

/// Limits each cell's distance to one more than that of the cell in the neighbouring row.
fn expand_by_one(row: &mut [u16], beside: &[u16]) {
    for (cell, near) in row.iter_mut().zip(beside) {
        *cell = (*cell).min(near + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::super::query::manhattan;
    use super::*;
    use crate::meter::Budget;
    use crate::rng::Rng;
    use crate::value::Space;

    #[test]
    fn distances_equal_single_calls() {
        let mut rng = Rng::new(7);
        let mut distances = DistanceMap::default();
        for round in 0..300 {
            let mut space = Space::new(Budget::default());
            distances.forget_from(0);
            let mut set = |space: &mut Space, count: usize| {
                let base = space.stack.len();
                let place = |_| Value::Pair(rng.below(12) as i32 - 3, rng.below(25) as i32 - 2);
                space.stack.extend((0..count).map(place));
                space.set_from(base).unwrap()
            };
            let patches = [1 + round % 7, 7, 7].map(|count| set(&mut space, count));
            // The same patch twice, with others before, between and after.
            for patch in [0, 1, 1, 2, 1].map(|number| patches[number]) {
                let ones: Vec<Value> = (0..100).map(|_| set(&mut space, 1)).collect();
                let mut found = vec![Value::None; ones.len()];
                let mask = patch.mask().unwrap();
                assert!(distances.all(&space.rows, mask, &ones, &mut found));
                for (one, found) in ones.iter().zip(found) {
                    let alone = manhattan(&mut space, patch, *one).unwrap();
                    assert!(space.equal(alone, found), "{alone:?} {found:?}");
                }
            }
        }
    }

    #[test]
    fn freed_rows_leave_the_distance_map() {
        let mut space = Space::new(Budget::default());
        let mark = space.mark();
        for second in [Value::Pair(0, 9), Value::Pair(9, 0)] {
            let mut set = |places: &[Value]| {
                let base = space.stack.len();
                space.stack.extend(places);
                space.set_from(base).unwrap()
            };
            let corner = [Value::Pair(0, 0), Value::Pair(9, 9)];
            let patch = set(&[corner[0], second, corner[1]]);
            let ones = [0, 9].map(|j| set(&[Value::Pair(0, j)]));
            let many: Vec<Value> = ones.into_iter().cycle().take(200).collect();
            let mut found = vec![Value::None; many.len()];
            let mut distances = std::mem::take(&mut space.distances);
            let mask = patch.mask().unwrap();
            assert!(distances.all(&space.rows, mask, &many, &mut found));
            space.distances = distances;
            let alone = manhattan(&mut space, patch, ones[1]).unwrap();
            assert!(space.equal(alone, found[1]), "{alone:?} {:?}", found[1]);
            space.cut(mark);
        }
    }

    #[test]
    fn large_and_distant_patches_are_not_handled() {
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
            assert!(!DistanceMap::default().all(&space.rows, mask, &others, found));
        }
    }
}
