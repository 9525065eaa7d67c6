//! A list of cases and a seed, run on one device.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::case::{Case, CaseResult, Placement};
use super::cases;
use super::report::ConformanceReport;
use super::sizes::Depth;
use super::trial::Trial;
use crate::cpu::CpuDevice;
use crate::device::DeviceId;
use crate::error::Error;
use crate::operation::Kind;
use crate::runtime::Runtime;

/// The cases to run on a device.
#[derive(Debug)]
pub struct Suite {
    cases: Vec<Case>,
    seed: u64,
    depth: Option<Depth>,
    absent: Vec<&'static str>,
}

/// The progress of a run.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Cases done.
    pub done: usize,
    /// Cases in all.
    pub total: usize,
    /// The case about to run.
    pub case: &'a Case,
}

/// The bits by which the seed is rotated: the low bits of a case's seed are its number.
const CASES_LOG2: u32 = 16;

impl Suite {
    /// Creates the suite of every array operation, for each of its element types.
    #[must_use]
    pub fn of_arrays(depth: Depth, seed: u64) -> Self {
        Self {
            cases: cases::all(depth),
            depth: Some(depth),
            ..Self::empty(seed)
        }
    }

    /// Creates a suite without cases.
    #[must_use]
    pub fn empty(seed: u64) -> Self {
        Self {
            cases: Vec::new(),
            seed,
            depth: None,
            absent: Vec::new(),
        }
    }

    /// Adds a case.
    #[must_use]
    pub fn with(mut self, case: Case) -> Self {
        self.cases.push(case);
        self
    }

    /// Removes the cases of all operations but this one.
    #[must_use]
    pub fn only(mut self, operation: &str) -> Self {
        self.cases.retain(|case| case.operation == operation);
        self
    }

    /// Allows this kind to be missing on a device. Otherwise a missing operation is a failure.
    #[must_use]
    pub fn may_be_absent(mut self, kind: &'static Kind) -> Self {
        self.absent.push(kind.name());
        self
    }

    /// The cases.
    #[must_use]
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// Runs every case on `device`, even after failures. Fails only when there is no such device.
    pub fn run(
        &self,
        runtime: &Runtime,
        device: DeviceId,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<ConformanceReport, Error> {
        let has_memory = runtime.device(device)?.accelerator().is_some();
        let reference = CpuDevice::new(Some(1));
        // A device without its own memory has no second place for operands.
        let placements = |case: &Case| {
            let wanted: &'static [Placement] = if has_memory {
                case.placements
            } else {
                &[Placement::Host]
            };
            wanted.iter().copied()
        };
        let total = self.cases.iter().map(|case| placements(case).count()).sum();
        let mut report = ConformanceReport::new(device, self.seed, self.depth);
        let mut done = 0;
        for (index, case) in self.cases.iter().enumerate() {
            for placement in placements(case) {
                progress(Progress { done, total, case });
                let trial = Trial {
                    runtime,
                    reference: &reference,
                    device,
                    placement,
                    seed: self.seed.rotate_left(CASES_LOG2) ^ index as u64,
                };
                let may_be_absent = self.absent.contains(&case.operation);
                report.add(case, placement, run_case(case, &trial), may_be_absent);
                done += 1;
            }
        }
        Ok(report)
    }
}

/// Runs one case. A panic is a failure of this case only.
fn run_case(case: &Case, trial: &Trial<'_>) -> CaseResult {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        (case.body)(trial)
            .unwrap_or_else(|error| CaseResult::Differs(format!("could not be set up: {error}")))
    }));
    outcome.unwrap_or_else(|panic| {
        let message = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        CaseResult::Differs(format!("panicked: {message}"))
    })
}
