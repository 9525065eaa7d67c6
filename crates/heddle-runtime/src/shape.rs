//! The extents of an array, in row-major order.
//!
//! A shape is checked when it is created: its element count fits in the address range of
//! memory, so no later multiplication can overflow.

use std::fmt;

use smallvec::SmallVec;

use crate::error::Error;

/// The extents of an array, outermost axis first. A shape with no axes is a scalar.
#[derive(PartialEq, Eq, Hash)]
pub struct Shape {
    extents: SmallVec<[usize; 4]>,
    elements: usize,
}

impl Shape {
    /// Creates a shape with these extents.
    ///
    /// Fails when the element count does not fit in `isize`, the most that an allocation may
    /// hold.
    pub fn new(extents: &[usize]) -> Result<Self, Error> {
        let elements = extents
            .iter()
            .try_fold(1_usize, |product, &extent| product.checked_mul(extent))
            // A zero extent makes the array empty, however large the others are.
            .or_else(|| extents.contains(&0).then_some(0))
            .filter(|&count| isize::try_from(count).is_ok())
            .ok_or_else(|| Error::ShapeTooLarge {
                extents: extents.to_vec(),
            })?;
        Ok(Self {
            extents: SmallVec::from_slice(extents),
            elements,
        })
    }

    /// Creates a shape with one axis. The length of a slice always fits.
    #[must_use]
    pub fn flat(length: usize) -> Self {
        Self {
            extents: SmallVec::from_slice(&[length]),
            elements: length,
        }
    }

    /// The extents, outermost first.
    #[must_use]
    pub fn extents(&self) -> &[usize] {
        &self.extents
    }

    /// The number of axes.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.extents.len()
    }

    /// The number of elements.
    #[must_use]
    pub fn elements(&self) -> usize {
        self.elements
    }
}

impl Clone for Shape {
    // Three shapes are cloned for every tiny operation. The extents are copied as a slice,
    // which is cheaper than cloning them one by one.
    #[inline]
    fn clone(&self) -> Self {
        Self {
            extents: SmallVec::from_slice(&self.extents),
            elements: self.elements,
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.extents.is_empty() {
            return f.write_str("scalar");
        }
        for (axis, extent) in self.extents.iter().enumerate() {
            if axis > 0 {
                f.write_str("x")?;
            }
            write!(f, "{extent}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shape({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_elements_and_refuses_overflow() {
        assert_eq!(Shape::new(&[2, 3, 4]).unwrap().elements(), 24);
        assert_eq!(Shape::new(&[]).unwrap().elements(), 1);
        assert_eq!(Shape::new(&[usize::MAX, 0, 7]).unwrap().elements(), 0);
        assert!(Shape::new(&[usize::MAX, 2]).is_err());
        assert!(Shape::new(&[usize::MAX]).is_err());
    }

    #[test]
    fn reads_like_a_shape() {
        assert_eq!(
            Shape::new(&[10, 256, 256]).unwrap().to_string(),
            "10x256x256"
        );
        assert_eq!(Shape::new(&[]).unwrap().to_string(), "scalar");
    }
}
