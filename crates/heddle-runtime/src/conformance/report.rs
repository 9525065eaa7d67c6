//! The result of a suite on a device.

use serde::Serialize;

use super::case::{Case, CaseResult, Placement};
use super::sizes::Depth;
use crate::device::DeviceId;
use crate::dtype::DType;
use crate::units::Nanos;

/// Differences kept per operation. The first few show what is wrong; a thousand more would hide
/// them.
const KEPT_PER_OPERATION: usize = 3;

/// The result of a suite on one device.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ConformanceReport {
    /// The device.
    pub device: DeviceId,
    /// The seed of the operands; the same seed draws the same operands.
    pub seed: u64,
    /// The depth of the suite; `None` for one of selected cases.
    pub depth: Option<Depth>,
    /// Cases that agreed.
    pub passed: u64,
    /// Cases that did not.
    pub failed: u64,
    /// Cases of operations that were expected to be missing on the device.
    pub absent: u64,
    /// Time by the device's own clock; `None` if it timed no case.
    pub device_time: Option<Nanos>,
    /// The result per operation, in the suite's order.
    pub kinds: Vec<OperationConformance>,
    /// The first differences of each operation.
    pub differences: Vec<Difference>,
}

/// The result for one operation, all element types together.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct OperationConformance {
    /// The operation.
    pub operation: &'static str,
    /// Element types tested.
    pub dtypes: Vec<DType>,
    /// Cases run.
    pub cases: u64,
    /// Cases that failed.
    pub failed: u64,
    /// Cases of an operation that was expected to be missing.
    pub absent: u64,
    /// Time by the device's own clock; `None` if it timed no case.
    pub device_time: Option<Nanos>,
}

/// One case that failed.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// The operation.
    pub operation: &'static str,
    /// The element type.
    pub dtype: DType,
    /// The size and form.
    pub case: String,
    /// The difference between the reference and the device.
    pub difference: String,
}

impl ConformanceReport {
    pub(super) fn new(device: DeviceId, seed: u64, depth: Option<Depth>) -> Self {
        Self {
            device,
            seed,
            depth,
            passed: 0,
            failed: 0,
            absent: 0,
            device_time: None,
            kinds: Vec::new(),
            differences: Vec::new(),
        }
    }

    /// Whether no case failed, and at least one passed.
    #[must_use]
    pub fn is_pass(&self) -> bool {
        self.failed == 0 && self.passed > 0
    }

    pub(super) fn add(
        &mut self,
        case: &Case,
        placement: Placement,
        finding: CaseResult,
        may_be_absent: bool,
    ) {
        let device = self.device;
        let kind = self.kind(case);
        kind.cases += 1;
        let difference = match finding {
            CaseResult::Agrees(time) => {
                add_time(&mut kind.device_time, time);
                add_time(&mut self.device_time, time);
                self.passed += 1;
                return;
            }
            CaseResult::Absent if may_be_absent => {
                kind.absent += 1;
                self.absent += 1;
                return;
            }
            CaseResult::Absent => format!("not implemented on {device}"),
            CaseResult::Differs(difference) => difference,
        };
        kind.failed += 1;
        if kind.failed <= KEPT_PER_OPERATION as u64 {
            self.differences.push(Difference {
                operation: case.operation,
                dtype: case.dtype,
                case: format!("{}, {placement}", case.what),
                difference,
            });
        }
        self.failed += 1;
    }

    fn kind(&mut self, case: &Case) -> &mut OperationConformance {
        let position = self
            .kinds
            .iter()
            .position(|kind| kind.operation == case.operation)
            .unwrap_or_else(|| {
                self.kinds.push(OperationConformance {
                    operation: case.operation,
                    ..OperationConformance::default()
                });
                self.kinds.len() - 1
            });
        let kind = &mut self.kinds[position];
        if !kind.dtypes.contains(&case.dtype) {
            kind.dtypes.push(case.dtype);
        }
        kind
    }
}

fn add_time(total: &mut Option<Nanos>, time: Option<Nanos>) {
    if let Some(time) = time {
        *total = Some(total.unwrap_or_default() + time);
    }
}
