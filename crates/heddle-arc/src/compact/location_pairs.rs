//! Functions of two locations over all pairs of two sets.
//!
//! `prapply` makes as many calls as the product of both sizes. For the two functions that programs
//! use most, the set of all results is computed without calls.

use crate::fault::Fault;
use crate::value::{Mask, Space, Value, Window, full_bits};

/// Returns the sums of every location of `a` with every one of `b`: one set shifted by all
/// locations of the other. Returns `None` where they fit no mask.
pub(super) fn sums(space: &mut Space, a: Mask, b: Mask) -> Result<Option<Value>, Fault> {
    let window = Window::fit(
        a.top() + b.top(),
        a.left() + b.left(),
        a.bottom() + b.bottom(),
        a.right() + b.right(),
    );
    let Some(window) = window else {
        return Ok(None);
    };
    let (few, many) = if space.count(a) <= space.count(b) {
        (a, b)
    } else {
        (b, a)
    };
    space
        .meter
        .work(space.count(few) as u64 * u64::from(many.height))?;
    let at = space.new_window(window)?;
    let (old, new) = space.rows.split_at_mut(at);
    let word_of = |mask: Mask| &old[mask.rows as usize..][..usize::from(mask.height)];
    for (row, word) in word_of(few).iter().enumerate() {
        let mut bits = *word;
        while bits != 0 {
            let by = bits.trailing_zeros();
            bits &= bits - 1;
            for (sum, word) in new[row..].iter_mut().zip(word_of(many)) {
                *sum |= word << by;
            }
        }
    }
    // The corners of both boxes add up to those of the window.
    Ok(Some(window.tight(at)))
}

/// Words for every straight segment inside a box: a segment is a range of one of four patterns.
struct SegmentMasks {
    /// Word `n` has its lowest `n + 1` bits set.
    across: usize,
    /// Every word has only bit 0.
    down: usize,
    /// Word `n` has only bit `n`.
    falling: usize,
    /// The last word has only bit 0, the one before only bit 1.
    rising: usize,
    /// The number of words of each diagonal.
    diagonal: usize,
}

impl SegmentMasks {
    fn new(space: &mut Space, mask: Mask) -> Result<SegmentMasks, Fault> {
        let (height, width) = (usize::from(mask.height), usize::from(mask.width));
        let diagonal = height.min(width);
        let across = space.new_rows(width + height + 2 * diagonal)?;
        let patterns = SegmentMasks {
            across,
            down: across + width,
            falling: across + width + height,
            rising: across + width + height + diagonal,
            diagonal,
        };
        for n in 0..width {
            space.rows[patterns.across + n] = full_bits(n + 1);
        }
        space.rows[patterns.down..patterns.falling].fill(1);
        for n in 0..diagonal {
            space.rows[patterns.falling + n] = 1 << n;
            space.rows[patterns.rising + diagonal - 1 - n] = 1 << n;
        }
        Ok(patterns)
    }
}

/// Returns the segments between all pairs of locations of a set. They are found in canonical order:
/// by first location, then direction, then length.
pub(super) fn segments(space: &mut Space, mask: Mask) -> Result<Option<Value>, Fault> {
    let count = space.count(mask);
    let (height, width) = (usize::from(mask.height), usize::from(mask.width));
    space.meter.work((count * (2 + height)) as u64)?;
    let patterns = SegmentMasks::new(space, mask)?;
    let base = space.stack.len();
    let words = mask.rows as usize;
    let mut aligned = 0;
    for row in 0..height {
        let mut bits = space.rows[words + row];
        while bits != 0 {
            let bit = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let start = space.stack.len();
            let mut add = |rows: usize, left: usize, height: usize, width: usize| {
                space.stack.push(Value::Mask(Mask {
                    rows: rows as u32,
                    i: mask.i + row as i16,
                    j: mask.j + left as i16,
                    height: height as u8,
                    width: width as u8,
                }));
            };
            add(patterns.across, bit, 1, 1);
            let mut right = bits;
            while right != 0 {
                let end = right.trailing_zeros() as usize;
                right &= right - 1;
                add(patterns.across + end - bit, bit, 1, end - bit + 1);
            }
            let below = &space.rows[words + row + 1..words + height];
            for (by, word) in (1..=bit).zip(below) {
                if word >> (bit - by) & 1 == 1 {
                    let rows = patterns.rising + patterns.diagonal - 1 - by;
                    add(rows, bit - by, by + 1, by + 1);
                }
            }
            for (by, word) in (1..).zip(below) {
                if word >> bit & 1 == 1 {
                    add(patterns.down, bit, by + 1, 1);
                }
            }
            for (by, word) in (1..width - bit).zip(below) {
                if word >> (bit + by) & 1 == 1 {
                    add(patterns.falling, bit, by + 1, by + 1);
                }
            }
            // Each segment belongs to two pairs, that of a single location to one.
            aligned += 2 * (space.stack.len() - start) - 1;
            space.meter.work((space.stack.len() - start) as u64)?;
        }
    }
    if aligned < count * count {
        // Some pair is not aligned. Its segment is the empty set, which is first in order.
        space.stack.insert(base, Value::EMPTY_SET);
    }
    space.sorted_set(base).map(Some)
}

#[cfg(test)]
mod tests {
    use crate::evaluators::{CompactEvaluator, PlainEvaluator};
    use crate::golden::Evaluator;
    use crate::plain::Plain;
    use crate::prim::Prim;
    use heddle_testing::Random;

    /// Locations in a box, about one in `thin`.
    fn scattered(seed: u64, height: i64, width: i64, thin: u64) -> Plain {
        let mut random = Random::seeded(seed);
        let mut chosen = Vec::new();
        for i in 0..height {
            for j in 0..width {
                if random.below(thin) == 0 {
                    chosen.push(Plain::pair(i - 3, j - 4));
                }
            }
        }
        Plain::Set(chosen.into_iter().collect())
    }

    #[test]
    fn pair_functions_equal_single_calls() {
        let oversized_boxes = [(1, 1), (1, 9), (9, 1), (7, 7), (12, 5), (5, 30), (3, 100)];
        for (number, (height, width)) in oversized_boxes.into_iter().enumerate() {
            for thin in [1, 2, 7] {
                let a = scattered(number as u64 + 1, height, width, thin);
                let b = scattered(number as u64 + 99, width.min(9), height, thin);
                for (prim, other) in [(Prim::Connect, &a), (Prim::Add, &a), (Prim::Add, &b)] {
                    let args = [Plain::Prim(prim), a.clone(), other.clone()];
                    let plain = PlainEvaluator::default().evaluate(Prim::Prapply, &args, None);
                    let compact = CompactEvaluator::default().evaluate(Prim::Prapply, &args, None);
                    if plain.is_ok() {
                        assert!(compact == plain, "{prim} {height} x {width}, one in {thin}");
                    }
                }
            }
        }
    }
}
