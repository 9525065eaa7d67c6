//! The measurement of an operation at any size, for calibration and `explain`.

use crate::array::Residency;
use crate::device::{DeviceId, ExecutionContext};
use crate::dtype::DType;
use crate::error::Error;
use crate::operation::{Description, Kind, Operation};

/// A kind and element type whose operations can be created at any size.
pub trait Probe: Send + Sync {
    /// The kind it measures.
    fn kind(&self) -> &'static Kind;

    /// The element type it measures.
    fn dtype(&self) -> DType;

    /// The unit of a size, as text: "elements", "rows of a square matrix".
    fn size_means(&self) -> &'static str;

    /// The sizes to measure, ascending.
    fn sizes(&self) -> Vec<usize>;

    /// Returns the description of an operation of this size with its operands at
    /// `residency`. Allocates no operands, so any size is possible.
    fn describe(&self, size: usize, residency: Residency) -> Description;

    /// Creates an operation of that size over operands on the host, which can be run
    /// repeatedly.
    fn prepare(&self, size: usize) -> Result<Box<dyn Operation<Output = ()> + Send>, Error>;
}

/// Returns the operation without its result, as [`Probe::prepare`] needs it.
pub fn discard_result<O: Operation + Send + 'static>(
    operation: O,
) -> Box<dyn Operation<Output = ()> + Send> {
    Box::new(DiscardResult(operation))
}

struct DiscardResult<O>(O);

impl<O: Operation> Operation for DiscardResult<O> {
    type Output = ();

    fn describe(&self) -> Description {
        self.0.describe()
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        self.0.runs_on(device)
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<(), Error> {
        self.0.run(context).map(drop)
    }

    fn is_repeatable(&self) -> bool {
        self.0.is_repeatable()
    }
}
