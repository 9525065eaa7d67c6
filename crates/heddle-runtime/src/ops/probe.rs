//! How an operation lets itself be measured at any size, for calibration and `explain`.

use crate::array::Residency;
use crate::dtype::DType;
use crate::error::Error;
use crate::operation::{Description, Kind, Operation};

/// One kind and element type that can be made to any size.
pub trait Probe: Send + Sync {
    /// The kind it measures.
    fn kind(&self) -> &'static Kind;

    /// The element type it measures.
    fn dtype(&self) -> DType;

    /// What a size counts, for people: "elements", "rows of a square matrix".
    fn size_means(&self) -> &'static str;

    /// Sizes worth measuring, ascending.
    fn sizes(&self) -> Vec<usize>;

    /// The description such an operation would have, its operands living at
    /// `residency`. Allocates no operands, so any size may be asked about.
    fn describe(&self, size: usize, residency: Residency) -> Description;

    /// An operation of that size over operands on the host, to be run again and again.
    fn prepare(&self, size: usize) -> Result<Box<dyn Operation<Output = ()> + Send>, Error>;
}
