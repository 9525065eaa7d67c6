//! One thing to be asked of a device, and what came of asking.

use std::fmt;

use super::Trial;
use crate::dtype::DType;
use crate::error::Error;
use crate::operation::Kind;
use crate::units::Nanos;

/// Where a case's operands lie when the device under test is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// All on the host: the device fetches them, or works through them in chunks.
    Host,
    /// All on the device, and nowhere else.
    Resident,
    /// The first on the device, the second on the host, and so on in turns.
    Mixed,
}

/// What came of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaseResult {
    /// The answers agree; the device's own time for it, where it has a clock.
    Agrees(Option<Nanos>),
    /// They do not, or one came with an error the other did not have.
    Differs(String),
    /// The operation was not written for this device.
    Absent,
}

/// One question with a known way to tell whether two answers are the same.
pub struct Case {
    pub(super) operation: &'static str,
    pub(super) dtype: DType,
    pub(super) what: String,
    pub(super) placements: &'static [Placement],
    pub(super) body: Box<Body>,
}

/// Asks the question. An error is of setting it up, and counts as a difference.
type Body = dyn Fn(&Trial<'_>) -> Result<CaseResult, Error> + Send + Sync;

impl Case {
    /// A case of one kind and element type. `what` tells it from its siblings:
    /// a size, a form, what is special about the operands. It is run with its
    /// operands on the host and again with them on the device. An error of `body`
    /// is one of setting it up; it counts as a difference.
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

    /// With operands in two places at once as well.
    #[must_use]
    pub fn mixed(mut self) -> Self {
        self.placements = &[Placement::Host, Placement::Resident, Placement::Mixed];
        self
    }

    /// Without operands that could lie anywhere else.
    #[must_use]
    pub fn on_host_only(mut self) -> Self {
        self.placements = &[Placement::Host];
        self
    }

    /// With its operands on the device and nowhere else.
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

    /// What tells it from its siblings.
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
