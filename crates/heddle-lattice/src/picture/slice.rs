//! The sites a picture shows and their positions.

use super::Picture;
use crate::error::Error;
use crate::lattice::{Lattice, Site};

/// The largest number of sites drawn.
pub const MAX_CELLS: u64 = 1 << 16;

/// The sites of a slice, row by row.
pub(super) struct LatticeSlice {
    pub(super) rows: u64,
    pub(super) columns: u64,
    /// The axis from top to bottom; `None` on a line.
    pub(super) down: Option<usize>,
    pub(super) right: usize,
    fixed: Vec<u64>,
}

impl LatticeSlice {
    pub(super) fn new(picture: &Picture<'_>) -> Result<Self, Error> {
        let lattice = picture.lattice;
        let dimensions = lattice.dimensions();
        let (down, right) = match picture.axes {
            None if dimensions == 1 => (None, 0),
            None => (Some(dimensions - 2), dimensions - 1),
            Some((down, right)) => (Some(down), right),
        };
        if let Some(down) = down
            && (down == right || down >= dimensions || right >= dimensions)
        {
            return Err(Error::BadSlice {
                dimensions,
                first: down,
                second: right,
            });
        }
        let size = |axis: usize| lattice.strided_axes()[axis].axis.size();
        let slice = Self {
            rows: down.map_or(1, size),
            columns: size(right),
            down,
            right,
            fixed: picture.fixed.clone(),
        };
        slice.check(picture)?;
        Ok(slice)
    }

    fn check(&self, picture: &Picture<'_>) -> Result<(), Error> {
        let lattice = picture.lattice;
        let mut corner = self.fixed.clone();
        for axis in self.down.into_iter().chain([self.right]) {
            if let Some(coordinate) = corner.get_mut(axis) {
                *coordinate = 0;
            }
        }
        lattice.site(&corner)?;
        for &vertex in picture.path {
            lattice.check(vertex)?;
        }
        if self.rows.saturating_mul(self.columns) > MAX_CELLS {
            return Err(Error::PictureTooLarge {
                rows: self.rows,
                columns: self.columns,
                most: MAX_CELLS,
            });
        }
        match picture.values {
            Some((_, values)) if values.len() as u64 != lattice.sites() => {
                Err(Error::WrongValues {
                    needed: lattice.sites(),
                    found: values.len(),
                })
            }
            _ => Ok(()),
        }
    }

    /// The site drawn at this position.
    pub(super) fn site(&self, lattice: &Lattice, row: u64, column: u64) -> Site {
        lattice
            .strided_axes()
            .iter()
            .enumerate()
            .map(|(axis, strided_axis)| {
                let coordinate = if axis == self.right {
                    column
                } else if Some(axis) == self.down {
                    row
                } else {
                    self.fixed[axis]
                };
                coordinate * strided_axis.stride
            })
            .sum()
    }

    /// The position of a site, if the slice contains it.
    pub(super) fn place(&self, lattice: &Lattice, site: Site) -> Option<(u64, u64)> {
        let mut place = (0, 0);
        for (axis, strided_axis) in lattice.strided_axes().iter().enumerate() {
            let coordinate = strided_axis.coordinate(site);
            if axis == self.right {
                place.1 = coordinate;
            } else if Some(axis) == self.down {
                place.0 = coordinate;
            } else if coordinate != self.fixed[axis] {
                return None;
            }
        }
        Some(place)
    }

    /// The fixed coordinates as text.
    pub(super) fn cut(&self) -> String {
        let cuts: Vec<String> = self
            .fixed
            .iter()
            .enumerate()
            .filter(|&(axis, _)| axis != self.right && Some(axis) != self.down)
            .map(|(axis, coordinate)| format!("axis {axis} at {coordinate}"))
            .collect();
        cuts.join(", ")
    }
}
