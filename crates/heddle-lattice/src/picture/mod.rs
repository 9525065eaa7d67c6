//! Pictures of a two-dimensional slice: blocked sites, a path, and a value per site
//! as colour.
//!
//! The slice shows two axes and fixes the coordinates on all others. The SVG is
//! self-contained; the HTML is the same drawing in a page that loads nothing. Both
//! follow the reader's light or dark setting.

mod colour;
mod legend;
mod slice;
mod svg;

use slice::LatticeSlice;
pub use slice::MAX_CELLS;

use crate::admission::admit;
use crate::error::Error;
use crate::lattice::{Lattice, Site};

/// A picture of a slice. A one-dimensional lattice is drawn as one row.
#[derive(Clone, Debug)]
pub struct Picture<'a> {
    lattice: &'a Lattice,
    axes: Option<(usize, usize)>,
    fixed: Vec<u64>,
    path: &'a [Site],
    values: Option<(&'a str, &'a [f64])>,
    title: Option<String>,
}

impl<'a> Picture<'a> {
    /// Shows the last two axes, at coordinate 0 of all others.
    ///
    /// ```
    /// use heddle_lattice::{Lattice, Picture};
    ///
    /// let lattice = Lattice::cubic(2, 8)?.with_blocked([9, 10, 18])?;
    /// let path = lattice.shortest_path(0, 63)?;
    /// let svg = Picture::new(&lattice).path(&path.vertices).svg()?;
    /// assert!(svg.starts_with("<svg"));
    /// # Ok::<(), heddle_lattice::Error>(())
    /// ```
    #[must_use]
    pub fn new(lattice: &'a Lattice) -> Self {
        Self {
            lattice,
            axes: None,
            fixed: vec![0; lattice.dimensions()],
            path: &[],
            values: None,
            title: None,
        }
    }

    /// Shows `down` from top to bottom and `right` from left to right.
    #[must_use]
    pub fn axes(mut self, down: usize, right: usize) -> Self {
        self.axes = Some((down, right));
        self
    }

    /// Fixes the slice at these coordinates, one per axis; those of the two axes
    /// shown are ignored.
    #[must_use]
    pub fn at(mut self, coordinates: &[u64]) -> Self {
        self.fixed = coordinates.to_vec();
        self
    }

    /// Draws the part of a path that lies in the slice.
    #[must_use]
    pub fn path(mut self, vertices: &'a [Site]) -> Self {
        self.path = vertices;
        self
    }

    /// Colours sites by these values, one per site of the whole lattice. A value
    /// that is not finite has no colour.
    #[must_use]
    pub fn values(mut self, label: &'a str, values: &'a [f64]) -> Self {
        self.values = Some((label, values));
        self
    }

    /// Sets a heading; the default is the lattice's shape.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Fails as drawing would: for axes, coordinates or vertices that do not exist, too many sites,
    /// or a wrong number of values.
    pub fn check(&self) -> Result<(), Error> {
        LatticeSlice::new(self).map(|_| ())
    }

    /// The picture as SVG.
    pub fn svg(&self) -> Result<String, Error> {
        let slice = LatticeSlice::new(self)?;
        // A place and two numbers as text for each vertex.
        admit("a picture", self.path.len() as u64, 64)?;
        Ok(svg::draw(self, &slice))
    }

    /// The picture as an HTML page.
    pub fn html(&self) -> Result<String, Error> {
        let title = svg::escape(&self.direction());
        Ok(format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
             <style>:root{{color-scheme:light dark}}body{{margin:0;display:grid;\
             place-items:center;min-height:100vh;background:light-dark(#ffffff,#14171c)}}\
             svg{{max-width:96vw;max-height:96vh;height:auto}}</style>\n</head>\n<body>\n{}\n\
             </body>\n</html>\n",
            self.svg()?
        ))
    }

    fn direction(&self) -> String {
        self.title.clone().unwrap_or_else(|| {
            let sizes: Vec<String> = self
                .lattice
                .axes()
                .map(|axis| axis.size().to_string())
                .collect();
            format!("Lattice {}", sizes.join(" \u{d7} "))
        })
    }
}
