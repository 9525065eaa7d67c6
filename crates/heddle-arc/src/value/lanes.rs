//! Operations on cells and masks, sixteen columns at a time.
//!
//! A row is given by the index of its first cell. Cells beyond the set bits are read but never
//! changed.

use super::cells16::{load, same, store};
use super::space::Bits;
use super::{count_narrow, full_bits};

/// Calls `visit` with a column and the sixteen bits from there on, for all set bits, until it
/// returns `false`. The first of the sixteen bits is always set.
#[inline]
fn for_each_16(word: Bits, mut visit: impl FnMut(usize, u16) -> bool) {
    for (half, first) in [(word as u64, 0), ((word >> 64) as u64, 64)] {
        let mut left = half;
        let mut column = first;
        while left != 0 {
            let skip = left.trailing_zeros();
            left >>= skip;
            column += skip as usize;
            if !visit(column, left as u16) {
                return;
            }
            left >>= 16;
            column += 16;
        }
    }
}

/// Returns the bits of a word that `keep` returns for each group; see [`for_each_16`].
#[inline]
fn kept_of(word: Bits, mut keep: impl FnMut(usize) -> u16) -> Bits {
    let mut of_half = |half: u64, first: usize| {
        let (mut left, mut column, mut kept) = (half, 0, 0);
        while left != 0 {
            let skip = left.trailing_zeros();
            left >>= skip;
            column += skip;
            // Bits beyond the half are shifted out; they do not belong to this group.
            kept |= u64::from(keep(first + column as usize)) << column;
            left >>= 16;
            column += 16;
        }
        kept
    };
    let low = of_half(word as u64, 0);
    let high = of_half((word >> 64) as u64, 64);
    word & (Bits::from(high) << 64 | Bits::from(low))
}

/// Returns a word for a row of at most 64 columns, computed sixteen bits at a time.
#[inline]
fn narrow(width: usize, bits: impl Fn(usize) -> u16) -> u64 {
    let mut word = 0;
    for column in (0..width).step_by(16) {
        word |= u64::from(bits(column)) << column;
    }
    word & full_bits(width) as u64
}

/// Calls `visit` with each set column in ascending order.
#[inline]
pub(crate) fn each_bit(word: Bits, mut visit: impl FnMut(usize)) {
    let mut low = word as u64;
    while low != 0 {
        visit(low.trailing_zeros() as usize);
        low &= low - 1;
    }
    let mut high = (word >> 64) as u64;
    while high != 0 {
        visit(64 + high.trailing_zeros() as usize);
        high &= high - 1;
    }
}

/// Returns one word for each of the colours 0 to 15 of at most 64 cells, or `None` if there are
/// other colours.
pub(crate) fn planes(cells: &[i8]) -> Option<[u64; 16]> {
    let mut planes = [0; 16];
    let mut bit = 1_u64;
    for cell in cells {
        *planes.get_mut(usize::from(cell.cast_unsigned()))? |= bit;
        bit <<= 1;
    }
    Some(planes)
}

/// Copies the cells under a word from one row to another.
pub(crate) fn copy_under(word: Bits, cells: &mut [i8], from: usize, to: usize) {
    for_each_16(word, |column, bits| {
        let new = load(cells, from + column);
        store(cells, to + column, bits, new);
        true
    });
}

/// Sets the cells of a row under a word to one colour.
pub(crate) fn fill_under(word: Bits, cells: &mut [i8], to: usize, colour: i8) {
    for_each_16(word, |column, bits| {
        store(cells, to + column, bits, [colour; 16]);
        true
    });
}

/// Returns the columns of a word whose cells have a colour.
pub(crate) fn of_colour(word: Bits, cells: &[i8], at: usize, colour: i8) -> Bits {
    kept_of(word, |column| same(load(cells, at + column), [colour; 16]))
}

/// Returns the number of cells under a word that have a colour.
pub(crate) fn count_of_colour(word: Bits, cells: &[i8], at: usize, colour: i8) -> u32 {
    let mut count = 0;
    for_each_16(word, |column, bits| {
        count += (bits & same(load(cells, at + column), [colour; 16])).count_ones();
        true
    });
    count
}

/// Returns how many of `count` cells have a colour.
pub(crate) fn count_in(cells: &[i8], at: usize, count: usize, colour: i8) -> usize {
    let equal = (0..count).step_by(16).map(|index| {
        let inside = full_bits((count - index).min(16)) as u16;
        u64::from(same(load(cells, at + index), [colour; 16]) & inside)
    });
    count_narrow(equal, 16) as usize
}

/// Returns the columns of a word whose cells are the same in two rows.
pub(crate) fn alike(word: Bits, cells: &[i8], a: usize, b: usize) -> Bits {
    kept_of(word, |column| {
        same(load(cells, a + column), load(cells, b + column))
    })
}

/// Whether all cells under a word have one colour.
pub(crate) fn all_of_colour(word: Bits, cells: &[i8], at: usize, colour: i8) -> bool {
    let mut all = true;
    for_each_16(word, |column, bits| {
        all = bits & !same(load(cells, at + column), [colour; 16]) == 0;
        all
    });
    all
}

/// Returns the columns of a row of at most 128 cells that have a colour.
pub(crate) fn colour_bits(cells: &[i8], at: usize, width: usize, colour: i8) -> Bits {
    let mut word = 0;
    for column in (0..width).step_by(16) {
        let equal = same(load(cells, at + column), [colour; 16]);
        word |= Bits::from(equal) << column;
    }
    word & full_bits(width)
}

/// Returns the columns of a row of at most 64 cells that have a colour.
#[inline]
pub(crate) fn narrow_colour_bits(cells: &[i8], at: usize, width: usize, colour: i8) -> u64 {
    narrow(width, |column| same(load(cells, at + column), [colour; 16]))
}

/// Returns the columns of a row of at most 64 cells whose cell equals the next one.
#[inline]
pub(crate) fn narrow_repeats(cells: &[i8], at: usize, width: usize) -> u64 {
    narrow(width - 1, |column| {
        let here = at + column;
        same(load(cells, here), load(cells, here + 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Cells, a word, and the indices at which two rows of its width begin.
    fn rows() -> impl Strategy<Value = (Vec<i8>, Bits, usize, usize)> {
        (1_usize..=128, 0_usize..12, 0_usize..12).prop_flat_map(|(width, before, after)| {
            let length = before + 2 * width + after;
            let colour = prop_oneof![Just(0_i8), Just(1), Just(-1), Just(-128), any::<i8>()];
            (
                proptest::collection::vec(colour, length),
                any::<Bits>().prop_map(move |word| word >> (128 - width)),
                Just(before),
                Just(before + width),
            )
        })
    }

    fn held(word: Bits, column: usize) -> bool {
        word >> column & 1 == 1
    }

    proptest! {
        #[test]
        fn blocks_of_16_equal_single_cells((cells, word, a, b) in rows(), colour in -2_i8..3) {
            let columns: Vec<usize> = (0..128).filter(|column| held(word, *column)).collect();
            let mut visited = Vec::new();
            each_bit(word, |column| visited.push(column));
            prop_assert_eq!(&visited, &columns);
            let mut one_by_one = cells.clone();
            let mut filled_one_by_one = cells.clone();
            for column in &columns {
                one_by_one[b + column] = cells[a + column];
                filled_one_by_one[b + column] = colour;
            }
            let mut copied = cells.clone();
            copy_under(word, &mut copied, a, b);
            prop_assert_eq!(copied, one_by_one);
            let mut filled = cells.clone();
            fill_under(word, &mut filled, b, colour);
            prop_assert_eq!(filled, filled_one_by_one);
            let of = of_colour(word, &cells, a, colour);
            let same = alike(word, &cells, a, b);
            for column in 0..128 {
                let inside = held(word, column);
                prop_assert_eq!(held(of, column), inside && cells[a + column] == colour);
                prop_assert_eq!(
                    held(same, column),
                    inside && cells[a + column] == cells[b + column]
                );
            }
            prop_assert_eq!(all_of_colour(word, &cells, a, colour), of == word);
            prop_assert_eq!(count_of_colour(word, &cells, a, colour), of.count_ones());
            for (from, to) in [(0, cells.len()), (0, a), (a, b)] {
                let one_by_one = cells[from..to].iter().filter(|cell| **cell == colour).count();
                prop_assert_eq!(count_in(&cells, from, to - from, colour), one_by_one);
            }
            let row = &cells[a..b];
            let narrow = &row[..row.len().min(64)];
            match planes(narrow) {
                Some(planes) => {
                    for (column, cell) in narrow.iter().enumerate() {
                        for (colour, plane) in (0_i8..).zip(planes) {
                            prop_assert_eq!(plane >> column & 1 == 1, *cell == colour);
                        }
                    }
                }
                None => prop_assert!(narrow.iter().any(|cell| !(0..16).contains(cell))),
            }
            let of_narrow = narrow_colour_bits(&cells, a, narrow.len(), colour);
            let repeats = narrow_repeats(&cells, a, narrow.len());
            for column in 0..64 {
                let cell = narrow.get(column);
                let next = narrow.get(column + 1);
                prop_assert_eq!(of_narrow >> column & 1 == 1, cell == Some(&colour));
                prop_assert_eq!(repeats >> column & 1 == 1, next.is_some() && cell == next);
            }
            let bits = colour_bits(&cells, a, b - a, colour);
            for (column, cell) in row.iter().enumerate() {
                prop_assert_eq!(held(bits, column), *cell == colour);
            }
            prop_assert_eq!(bits.checked_shr(row.len() as u32).unwrap_or(0), 0);
        }
    }
}
