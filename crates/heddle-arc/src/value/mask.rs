//! Construction of masks, and set operations on locations.

use super::space::Bits;
use super::{MASK_COLUMNS, MASK_ROWS, Mask, Space, Value, lanes};
use crate::fault::Fault;

/// A rectangle that a mask can be written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub top: i64,
    pub left: i64,
    pub bottom: i64,
    pub right: i64,
}

impl Window {
    /// Returns the rectangle, if every mask inside it has a compact form.
    pub(crate) fn fit(top: i64, left: i64, bottom: i64, right: i64) -> Option<Window> {
        let far = |at: i64| i16::try_from(at).is_err();
        if far(top) || far(left) || far(bottom) || far(right) {
            return None;
        }
        if bottom - top >= MASK_ROWS || right - left >= MASK_COLUMNS {
            return None;
        }
        Some(Window {
            top,
            left,
            bottom,
            right,
        })
    }

    /// Returns the rectangle of inclusive bounds, if every mask inside it has a compact form.
    pub(crate) fn bounded((top, left, bottom, right): (i32, i32, i32, i32)) -> Option<Window> {
        Window::fit(top.into(), left.into(), bottom.into(), right.into())
    }

    pub(crate) fn of(mask: Mask) -> Window {
        Window {
            top: mask.top(),
            left: mask.left(),
            bottom: mask.bottom(),
            right: mask.right(),
        }
    }

    /// Returns the set of locations in rows whose bounding box is exactly this window.
    pub(crate) fn tight(self, rows: usize) -> Value {
        Value::Mask(self.mask_at(rows))
    }

    /// Returns the mask of rows whose bounding box is exactly this window.
    pub(crate) fn mask_at(self, rows: usize) -> Mask {
        Mask {
            rows: rows as u32,
            i: self.top as i16,
            j: self.left as i16,
            height: self.height() as u8,
            width: self.width() as u8,
        }
    }

    pub(crate) fn joined(self, other: Window) -> Option<Window> {
        Window::fit(
            self.top.min(other.top),
            self.left.min(other.left),
            self.bottom.max(other.bottom),
            self.right.max(other.right),
        )
    }

    pub(crate) fn height(self) -> usize {
        (self.bottom - self.top + 1) as usize
    }

    pub(crate) fn width(self) -> usize {
        (self.right - self.left + 1) as usize
    }
}

/// Shifts the columns of a word by `by`, left where negative.
pub(crate) fn moved_bits(word: Bits, by: i64) -> Bits {
    match by {
        0..=127 => word << by,
        -127..=-1 => word >> -by,
        _ => 0,
    }
}

/// Returns a word with the lowest `width` bits set.
pub(crate) fn full_bits(width: usize) -> Bits {
    if width >= 128 {
        Bits::MAX
    } else {
        (1 << width) - 1
    }
}

impl Space {
    /// Appends zeroed rows for a window.
    pub(crate) fn new_window(&mut self, window: Window) -> Result<usize, Fault> {
        self.new_rows(window.height())
    }

    /// Shrinks the window of newly written rows, the last in `rows`, to its bounding box. Returns
    /// `None` if the rows are empty.
    pub(crate) fn finish(&mut self, at: usize, window: Window) -> Option<Mask> {
        let words = &self.rows[at..];
        let all = words.iter().fold(0, |all, word| all | word);
        if all == 0 {
            self.rows.truncate(at);
            return None;
        }
        let first = words.iter().position(|word| *word != 0)?;
        let last = words.iter().rposition(|word| *word != 0)?;
        let left = all.trailing_zeros();
        let height = last - first + 1;
        if first > 0 {
            self.rows.copy_within(at + first..=at + last, at);
        }
        self.rows.truncate(at + height);
        if left > 0 {
            let words = self.rows[at..].iter_mut();
            if u64::try_from(all).is_ok() {
                words.for_each(|word| *word = Bits::from(*word as u64 >> left));
            } else {
                words.for_each(|word| *word >>= left);
            }
        }
        Some(Mask {
            rows: at as u32,
            i: (window.top + first as i64) as i16,
            j: (window.left + i64::from(left)) as i16,
            height: height as u8,
            width: (all.ilog2() - left + 1) as u8,
        })
    }

    /// Returns the set of locations written into a window.
    pub(crate) fn finish_mask(&mut self, at: usize, window: Window) -> Value {
        self.finish(at, window)
            .map_or(Value::EMPTY_SET, Value::Mask)
    }

    /// Returns the cells of one colour written into a window.
    pub(crate) fn finish_object(&mut self, at: usize, window: Window, colour: i8) -> Value {
        self.finish(at, window)
            .map_or(Value::EMPTY_SET, |mask| Value::Object(mask, colour))
    }

    /// Returns the cells written into a window. Their colours are in a box of the same size that is
    /// zero elsewhere. Both must be at the end of their vectors.
    pub(crate) fn finish_cells(&mut self, rows: usize, cells: usize, window: Window) -> Value {
        let Some(mask) = self.finish(rows, window) else {
            self.cells.truncate(cells);
            return Value::EMPTY_SET;
        };
        if let Some(colour) = self.one_colour(mask, cells, window) {
            self.cells.truncate(cells);
            return Value::Object(mask, colour);
        }
        let (height, width) = (usize::from(mask.height), usize::from(mask.width));
        let skip_rows = (mask.top() - window.top) as usize;
        let skip_columns = (mask.left() - window.left) as usize;
        let stride = window.width();
        if height != window.height() || width != stride {
            for row in 0..height {
                let from = cells + (skip_rows + row) * stride + skip_columns;
                self.cells
                    .copy_within(from..from + width, cells + row * width);
            }
            self.cells.truncate(cells + height * width);
        }
        Value::Painted {
            rows: mask.rows,
            cells: cells as u32,
            i: mask.i,
            j: mask.j,
            height: mask.height,
            width: mask.width,
        }
    }

    /// Returns the colour of a mask in a larger box of colours, if it has only one.
    fn one_colour(&self, mask: Mask, cells: usize, window: Window) -> Option<i8> {
        let width = window.width();
        let start = cells
            + (mask.top() - window.top) as usize * width
            + (mask.left() - window.left) as usize;
        let words = self.words(mask);
        let one = self.cells[start + words[0].trailing_zeros() as usize];
        let mut rows = words.iter().enumerate();
        let same = |(row, word): (usize, &Bits)| {
            lanes::all_of_colour(*word, &self.cells, start + row * width, one)
        };
        rows.all(same).then_some(one)
    }

    /// Returns the word of a mask in row `i`, with bit 0 at column `left`.
    pub(crate) fn word_at(&self, mask: Mask, i: i64, left: i64) -> Bits {
        let row = i - mask.top();
        if row < 0 || row >= i64::from(mask.height) {
            return 0;
        }
        moved_bits(
            self.rows[mask.rows as usize + row as usize],
            mask.left() - left,
        )
    }

    /// Appends a copy of a mask's rows.
    pub(crate) fn copied_rows(&mut self, mask: Mask) -> Result<usize, Fault> {
        let at = self.reserve_rows(usize::from(mask.height))?;
        let first = mask.rows as usize;
        let rows = first..first + usize::from(mask.height);
        self.rows.extend_from_within(rows);
        Ok(at)
    }

    /// Whether a mask contains a location.
    pub(crate) fn holds(&self, mask: Mask, i: i64, j: i64) -> bool {
        let bit = j - mask.left();
        (0..i64::from(mask.width)).contains(&bit)
            && self.word_at(mask, i, mask.left()) >> bit & 1 == 1
    }

    /// Returns the full rectangle.
    pub(crate) fn rectangle(&mut self, window: Window) -> Result<Value, Fault> {
        let at = self.new_window(window)?;
        let word = full_bits(window.width());
        self.rows[at..].fill(word);
        Ok(window.tight(at))
    }
}
