//! A test case of the conformance suite, and its outcome.

use std::fmt;

use super::Trial;
use crate::dtype::DType;
use crate::error::Error;
use crate::operation::Kind;
use crate::units::Nanos;

/// Where the operands of a case are when the device under test runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// All on the host: the device uploads them, or works through them in chunks.
    Host,
    /// All on the device, and nowhere else.
    Resident,
    /// Alternating, the first on the device and the second on the host.
    Mixed,
}

/// The outcome of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaseResult {
    /// The results agree; with the time by the device's own clock, if it has one.
    Agrees(Option<Nanos>),
    /// They do not, or only one of the two failed.
    Differs(String),
    /// The operation is not implemented for this device.
    Absent,
}

/// One test of an operation, with a comparison of its results.
pub struct Case {
    pub(super) operation: &'static str,
    pub(super) dtype: DType,
    pub(super) what: String,
    pub(super) placements: &'static [Placement],
    pub(super) body: Box<Body>,
}

/// Runs the case. An error is one of setting it up, and counts as a difference.
type Body = dyn Fn(&Trial<'_>) -> Result<CaseResult, Error> + Send + Sync;

impl Case {
    /// Creates a case of one kind and element type. `what` distinguishes it from the others: a
    /// size, a form, a property of the operands. It runs with its operands on the host and again
    /// with them on the device. An error of `body` is one of setting the case up; it counts as a
    /// difference.
    pub fn new(
        kind: &'static Kind,
        dtype: DType,
        what: impl Into<String>,
        body: impl Fn(&Trial<'_>) -> Result<CaseResult, Error> + Send + Sync + 'static,
    ) -> Self {
        Self {
            operation: kind.name(),
            dtype,
            what: what.into(),
            placements: &[Placement::Host, Placement::Resident],
            body: Box::new(body),
        }
    }

    /// Runs the case with its operands in two places at once as well.
    #[must_use]
    pub fn mixed(mut self) -> Self {
        self.placements = &[Placement::Host, Placement::Resident, Placement::Mixed];
        self
    }

    /// Runs the case on the host only, for operands that cannot be elsewhere.
    #[must_use]
    pub fn on_host_only(mut self) -> Self {
        self.placements = &[Placement::Host];
        self
    }

    /// Runs the case with its operands only on the device.
    #[must_use]
    pub fn on_device_only(mut self) -> Self {
        self.placements = &[Placement::Resident];
        self
    }

    /// The operation's name.
    #[must_use]
    pub fn operation(&self) -> &'static str {
        self.operation
    }

    /// The element type.
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// What distinguishes it from the other cases of its operation and type.
    #[must_use]
    pub fn what(&self) -> &str {
        &self.what
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Case({} {} {})", self.operation, self.dtype, self.what)
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Host => "operands on the host",
            Self::Resident => "operands on the device",
            Self::Mixed => "operands in both places",
        })
    }
}
