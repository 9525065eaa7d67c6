//! Arrays as text: nested by axis, aligned, and short for any number of elements.

use std::fmt::{self, Write};

use super::Array;
use crate::dtype::Element;

/// The most elements shown; of a larger array only the ends of each axis are.
const MOST: usize = 1000;
/// The numbers of elements to show at either end of an axis, the first that fits.
const EDGES: [usize; 3] = [3, 2, 1];
/// The column at which a row is broken.
const COLUMNS: usize = 79;
/// The most axes shown as nested brackets, as many as `NumPy` supports.
const AXES: usize = 64;

/// Formats like `NumPy`: rows in brackets, one bracket per axis, columns aligned. Of more than a
/// thousand elements the ends of each axis are shown and `...` replaces the rest. A precision
/// (`{:.3}`) applies to each element.
///
/// Elements that are only on a device are downloaded first, which is counted as a transfer;
/// [`Debug`](fmt::Debug) shows type, shape and residency and moves nothing. Of an array that cannot be
/// read, the error is shown.
impl<T: Element> fmt::Display for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let elements = match self.as_slice() {
            Ok(elements) => elements,
            Err(error) => return write!(f, "<{error}>"),
        };
        let extents = self.shape().extents();
        if extents.len() > AXES {
            return fmt::Debug::fmt(self, f);
        }
        if elements.is_empty() {
            return f.write_str("[]");
        }
        let mut text = Text {
            ends: Ends::of(extents),
            precision: f.precision(),
            width: 0,
            row: String::new(),
        };
        text.measure(elements, extents);
        text.write(f, elements, extents, 0)
    }
}

/// The part of each axis that is shown.
#[derive(Clone, Copy)]
enum Ends {
    All,
    /// This number of elements at either end.
    Both(usize),
    /// The first element of each axis, for arrays with so many axes that even one element at either
    /// end would be too many.
    First,
}

impl Ends {
    fn of(extents: &[usize]) -> Self {
        [Self::All]
            .into_iter()
            .chain(EDGES.map(Self::Both))
            .find(|ends| {
                let shown = extents.iter().map(|&extent| ends.shown(extent));
                shown.fold(1_usize, usize::saturating_mul) <= MOST
            })
            .unwrap_or(Self::First)
    }

    fn shown(self, extent: usize) -> usize {
        match self {
            Self::All => extent,
            Self::Both(edge) => extent.min(2 * edge),
            Self::First => extent.min(1),
        }
    }

    /// The positions of an axis that are shown, with `None` for the omitted ones.
    fn positions(self, extent: usize) -> impl Iterator<Item = Option<usize>> {
        let shown = self.shown(extent);
        let head = if shown < extent {
            shown.div_ceil(2)
        } else {
            shown
        };
        let tail = extent - (shown - head)..extent;
        let gap = (shown < extent).then_some(None);
        (0..head).map(Some).chain(gap).chain(tail.map(Some))
    }
}

struct Text {
    ends: Ends,
    precision: Option<usize>,
    /// The characters of the longest element shown.
    width: usize,
    /// The text of one element or one row, reused.
    row: String,
}

impl Text {
    fn measure<T: Element>(&mut self, block: &[T], extents: &[usize]) {
        let Some((&extent, inner)) = extents.split_first() else {
            self.width = self.width.max(self.element(block[0]).len());
            return;
        };
        let step = block.len() / extent;
        for position in self.ends.positions(extent).flatten() {
            self.measure(&block[position * step..][..step], inner);
        }
    }

    fn element<T: Element>(&mut self, value: T) -> &str {
        self.row.clear();
        // Writing to a string does not fail. `Debug` of a float uses an exponent where that is
        // shorter.
        let _ = match self.precision {
            Some(precision) => write!(self.row, "{value:.precision$?}"),
            None => write!(self.row, "{value:?}"),
        };
        &self.row
    }

    fn write<T: Element>(
        &mut self,
        f: &mut fmt::Formatter<'_>,
        block: &[T],
        extents: &[usize],
        depth: usize,
    ) -> fmt::Result {
        let Some((&extent, inner)) = extents.split_first() else {
            let width = self.width;
            return write!(f, "{:>width$}", self.element(block[0]));
        };
        let step = block.len() / extent;
        let indent = depth + 1;
        let mut column = indent;
        f.write_char('[')?;
        for (index, position) in self.ends.positions(extent).enumerate() {
            let length = position.map_or(3, |_| self.width);
            if index > 0 {
                if !inner.is_empty() {
                    // One line break between rows, and an empty line more for each further axis.
                    (0..inner.len()).try_for_each(|_| f.write_char('\n'))?;
                    write!(f, "{:indent$}", "")?;
                } else if column + 1 + length > COLUMNS {
                    write!(f, "\n{:indent$}", "")?;
                    column = indent;
                } else {
                    f.write_char(' ')?;
                    column += 1;
                }
            }
            match position {
                Some(position) => {
                    self.write(f, &block[position * step..][..step], inner, indent)?;
                }
                None => f.write_str("...")?,
            }
            column += length;
        }
        f.write_char(']')
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn counting(extents: &[usize]) -> Array<i32> {
        let len: usize = extents.iter().product();
        let flat: Array<i32> = (0..).take(len).collect();
        flat.reshape(extents).unwrap()
    }

    #[test]
    fn rows_are_nested_and_aligned() {
        assert_eq!(counting(&[3]).to_string(), "[0 1 2]");
        assert_eq!(
            counting(&[2, 6]).to_string(),
            "[[ 0  1  2  3  4  5]\n [ 6  7  8  9 10 11]]"
        );
        assert_eq!(
            counting(&[2, 2, 1]).to_string(),
            "[[[0]\n  [1]]\n\n [[2]\n  [3]]]"
        );
        assert_eq!(counting(&[]).to_string(), "0");
        assert_eq!(counting(&[3, 0, 2]).to_string(), "[]");
        let floats = Array::from([0.25_f32, -1.0, f32::NAN, 1e30]);
        assert_eq!(floats.to_string(), "[0.25 -1.0  NaN 1e30]");
        assert_eq!(
            format!("{:.1}", Array::from([0.25_f32, 10.0])),
            "[ 0.2 10.0]"
        );
    }

    #[test]
    fn the_middle_of_a_long_array_is_left_out() {
        assert_eq!(
            counting(&[5000]).to_string(),
            "[   0    1    2 ... 4997 4998 4999]"
        );
        let matrix = counting(&[1000, 2]).to_string();
        assert!(
            matrix.starts_with("[[   0    1]\n [   2    3]\n [   4    5]\n ...\n"),
            "{matrix}"
        );
        assert!(matrix.ends_with("[1998 1999]]"), "{matrix}");
        let all = counting(&[1000]).to_string();
        assert!(!all.contains("...") && all.lines().all(|line| line.len() <= COLUMNS + 1));
    }

    #[test]
    fn an_array_of_many_axes_stays_short() {
        let cube = counting(&[2; 14]).to_string();
        assert!(cube.len() < 1000, "{cube}");
        let deep = counting(&vec![1; 10_000]).to_string();
        assert!(deep.starts_with("Array<i32>("));
    }

    proptest! {
        #[test]
        fn brackets_balance_and_the_text_is_bounded(
            extents in proptest::collection::vec(0_usize..40, 0..5)
        ) {
            prop_assume!(extents.iter().product::<usize>() < 200_000);
            let array = counting(&extents);
            let text = array.to_string();
            prop_assert!(text.len() < 40_000);
            prop_assert_eq!(text.matches('[').count(), text.matches(']').count());
            let shown: Vec<i32> = text
                .split(|c: char| !c.is_ascii_digit())
                .filter_map(|word| word.parse().ok())
                .collect();
            prop_assert!(shown.len() <= MOST && shown.is_sorted());
            if array.len() <= MOST {
                prop_assert_eq!(shown, array.to_vec().unwrap());
            } else {
                prop_assert_eq!(shown.first(), Some(&0));
                prop_assert_eq!(shown.last(), array.as_slice().unwrap().last());
            }
        }
    }
}
