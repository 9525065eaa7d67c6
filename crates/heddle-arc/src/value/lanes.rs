//! Cells and masks eight columns at a time.
//!
//! Eight bits of a mask become eight bytes, each all ones or all zeros, and the
//! cells under them are copied or compared as one number. Rows are named by the
//! place of their first column; what lies beyond the bits that are set is read
//! but never written.

use super::space::Bits;

/// The lowest bit of each byte.
const LOWEST: u64 = 0x0101_0101_0101_0101;
/// All bits of each byte but the highest.
const LOWER: u64 = 0x7f7f_7f7f_7f7f_7f7f;
/// The highest bit of each byte.
const HIGHEST: u64 = 0x8080_8080_8080_8080;

/// Eight bits as eight bytes, each all ones or all zeros.
fn bytes_of(bits: u8) -> u64 {
    // Byte `k` keeps bit `k` alone; adding carries it into the highest.
    let apart = u64::from(bits).wrapping_mul(LOWEST) & 0x8040_2010_0804_0201;
    (((apart + LOWER) & HIGHEST) >> 7).wrapping_mul(0xff)
}

/// One bit for each byte that is not zero.
fn bits_of(bytes: u64) -> u8 {
    let flags = (((bytes & LOWER) + LOWER) | bytes) & HIGHEST;
    // Moves bit `8 k` to bit `56 + k`; no two meet.
    ((flags >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// The same cell eight times.
fn eight_of(colour: i8) -> u64 {
    u64::from(colour as u8) * LOWEST
}

/// Eight cells; zeros for those beyond the last.
fn load(cells: &[i8], at: usize) -> u64 {
    let rest = &cells[at..];
    if let Some(eight) = rest.first_chunk::<8>() {
        return u64::from_le_bytes(eight.map(|cell| cell as u8));
    }
    let bytes = rest.iter().rev();
    bytes.fold(0, |all, cell| all << 8 | u64::from(*cell as u8))
}

/// Writes those of eight cells that have a bit.
fn store(cells: &mut [i8], at: usize, bits: u8, new: u64) {
    let all = if bits == u8::MAX {
        new
    } else {
        let bytes = bytes_of(bits);
        (load(cells, at) & !bytes) | (new & bytes)
    };
    let all = all.to_le_bytes();
    let rest = &mut cells[at..];
    if let Some(eight) = rest.first_chunk_mut::<8>() {
        *eight = all.map(|cell| cell as i8);
    } else {
        for (cell, new) in rest.iter_mut().zip(all) {
            *cell = new as i8;
        }
    }
}

/// Calls `visit` with a column and the eight bits from there on, wherever there
/// are any, until it answers no.
#[inline]
fn each_eight(word: Bits, mut visit: impl FnMut(usize, u8) -> bool) {
    for (half, first) in [(word as u64, 0), ((word >> 64) as u64, 64)] {
        let mut left = half;
        let mut column = first;
        while left != 0 {
            let skip = left.trailing_zeros() & !7;
            left >>= skip;
            column += skip as usize;
            if !visit(column, left as u8) {
                return;
            }
            left &= !0xff;
        }
    }
}

/// Calls `visit` with each column that is set, ascending.
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

/// Two halves as one word.
fn joined([low, high]: [u64; 2]) -> Bits {
    Bits::from(high) << 64 | Bits::from(low)
}

/// One word for each of the colours 0 to 15 of at most 64 cells; `None` if they
/// have others.
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
    each_eight(word, |column, bits| {
        let new = load(cells, from + column);
        store(cells, to + column, bits, new);
        true
    });
}

/// Gives the cells of a row that lie under a word one colour.
pub(crate) fn fill_under(word: Bits, cells: &mut [i8], to: usize, colour: i8) {
    let new = eight_of(colour);
    each_eight(word, |column, bits| {
        store(cells, to + column, bits, new);
        true
    });
}

/// Those columns of a word whose cells have a colour.
pub(crate) fn of_colour(word: Bits, cells: &[i8], at: usize, colour: i8) -> Bits {
    let wanted = eight_of(colour);
    let mut other = [0_u64; 2];
    each_eight(word, |column, _| {
        let bits = bits_of(load(cells, at + column) ^ wanted);
        other[column / 64] |= u64::from(bits) << (column % 64);
        true
    });
    word & !joined(other)
}

/// Those columns of a word whose cells are the same in two rows.
pub(crate) fn alike(word: Bits, cells: &[i8], a: usize, b: usize) -> Bits {
    let mut other = [0_u64; 2];
    each_eight(word, |column, _| {
        let bits = bits_of(load(cells, a + column) ^ load(cells, b + column));
        other[column / 64] |= u64::from(bits) << (column % 64);
        true
    });
    word & !joined(other)
}

/// Whether all cells under a word have one colour.
pub(crate) fn all_of_colour(word: Bits, cells: &[i8], at: usize, colour: i8) -> bool {
    let wanted = eight_of(colour);
    let mut all = true;
    each_eight(word, |column, bits| {
        all = (load(cells, at + column) ^ wanted) & bytes_of(bits) == 0;
        all
    });
    all
}

/// The columns of at most 128 cells that have a colour.
pub(crate) fn colour_bits(cells: &[i8], colour: i8) -> Bits {
    let mut word = 0;
    for (chunk, cells) in cells.chunks(32).enumerate() {
        // The compiler makes vectors of this; eight at a time is slower.
        let mut bits = 0_u32;
        for (bit, cell) in cells.iter().enumerate() {
            bits |= u32::from(*cell == colour) << bit;
        }
        word |= Bits::from(bits) << (32 * chunk);
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Cells, a word, and where two rows of its width begin.
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
        fn eight_at_a_time_is_one_at_a_time((cells, word, a, b) in rows(), colour in -2_i8..3) {
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
            let bits = colour_bits(row, colour);
            for (column, cell) in row.iter().enumerate() {
                prop_assert_eq!(held(bits, column), *cell == colour);
            }
            prop_assert_eq!(bits.checked_shr(row.len() as u32).unwrap_or(0), 0);
        }
    }
}
