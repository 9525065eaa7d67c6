//! Parts of row-major matrices on the host, for operations that divide them.

use std::borrow::Cow;
use std::ops::Range;

use crate::dtype::Element;
use crate::error::Error;
use crate::memory::admit_host;
use crate::units::Bytes;

/// Divides `0..len` into ranges of `step`.
pub(super) fn ranges(len: usize, step: usize) -> impl Iterator<Item = Range<usize>> {
    (0..len)
        .step_by(step)
        .map(move |start| start..len.min(start + step))
}

/// Returns a part of a matrix with rows of `width` in dense memory, copied if it is not dense.
pub(super) fn packed<T: Element>(
    matrix: &[T],
    width: usize,
    rows: Range<usize>,
    columns: Range<usize>,
) -> Result<Cow<'_, [T]>, Error> {
    let rows = &matrix[rows.start * width..rows.end * width];
    if columns.len() == width {
        return Ok(Cow::Borrowed(rows));
    }
    admit_host(
        "a part of a matrix",
        Bytes::of::<T>(rows.len() / width * columns.len()),
    )?;
    let rows = rows.chunks(width).map(|row| &row[columns.clone()]);
    Ok(Cow::Owned(rows.collect::<Vec<_>>().concat()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_packed_part_has_the_elements_of_the_part(
            width in 1_usize..9,
            height in 1_usize..9,
            cut in 0_usize..9,
            top in 0_usize..9,
        ) {
            let matrix: Vec<u32> = (0..(width * height) as u32).collect();
            let (rows, columns) = (top.min(height)..height, cut.min(width)..width);
            let part = packed(&matrix, width, rows.clone(), columns.clone()).unwrap();
            let expected: Vec<u32> = rows
                .flat_map(|y| columns.clone().map(move |x| (y * width + x) as u32))
                .collect();
            prop_assert_eq!(part.into_owned(), expected);
        }

        #[test]
        fn ranges_follow_each_other_to_the_end(len in 0_usize..100, step in 1_usize..120) {
            let all: Vec<usize> = ranges(len, step).flatten().collect();
            prop_assert_eq!(all, (0..len).collect::<Vec<_>>());
            prop_assert!(ranges(len, step).all(|range| range.len() <= step));
        }
    }
}
