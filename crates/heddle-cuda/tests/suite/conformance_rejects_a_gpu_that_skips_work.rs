//! The conformance suite on the emulated GPU: passed when kernels run, failed when they are
//! not run, leave an element out or compute one wrong.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use heddle_cuda::simt::{SimtDevice, SimtOptions};
use heddle_runtime::conformance::{Case, ConformanceReport, Depth, Suite};
use heddle_runtime::device::{
    Accelerator, Argument, Device, DeviceBuffer, DeviceId, DeviceProperties, ExecutionContext,
    ExecutionTarget, Launch, Timing,
};
use heddle_runtime::units::{Bytes, Nanos};
use heddle_runtime::{DType, Description, Error, Runtime};
use heddle_testing::xor_with_key::{XOR_WITH_KEY, XorWithKey};

const GPU: DeviceId = DeviceId::simt(0);

/// An error in a kernel's output. The output is the last buffer among the arguments of
/// every kernel used here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flaw {
    /// The kernel is never run.
    NotRun,
    /// The last eight bytes, the last element of any type, are never written.
    LastElementMissing,
    /// One bit of the first byte is wrong.
    OneBit,
}

/// An emulated GPU that reports every launch as done, with a flaw.
#[derive(Debug)]
struct FlawedGpu(SimtDevice, Flaw);

impl Device for FlawedGpu {
    fn id(&self) -> DeviceId {
        self.0.id()
    }

    fn properties(&self) -> &DeviceProperties {
        self.0.properties()
    }

    fn free_memory(&self) -> Bytes {
        self.0.free_memory()
    }

    fn execute(
        &self,
        description: &Description,
        start: Instant,
        body: &mut dyn FnMut(&ExecutionContext<'_>) -> Result<(), Error>,
    ) -> Result<Timing, Error> {
        let mut timing = self.0.execute(description, start, &mut |_| {
            body(&ExecutionContext::new(
                GPU,
                ExecutionTarget::Accelerator(self),
            ))
        })?;
        timing.device = Some(Nanos(1000));
        Ok(timing)
    }

    fn accelerator(&self) -> Option<&dyn Accelerator> {
        Some(self)
    }
}

impl Accelerator for FlawedGpu {
    fn allocate(&self, bytes: Bytes) -> Result<DeviceBuffer, Error> {
        self.0.allocate(bytes)
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<(), Error> {
        let written = launch
            .arguments
            .iter()
            .rev()
            .find_map(|argument| match argument {
                Argument::Buffer(buffer) => Some(*buffer),
                _ => None,
            });
        let (Some(written), true) = (written, self.1 != Flaw::NotRun) else {
            return Ok(());
        };
        let read = || {
            let mut bytes = vec![0; written.bytes().0 as usize];
            written.download(&mut bytes).map(|_| bytes)
        };
        let before = read()?;
        self.0.launch(launch)?;
        let mut after = read()?;
        if self.1 == Flaw::OneBit {
            after[0] ^= 1;
        } else {
            let start = after.len().saturating_sub(8);
            after[start..].copy_from_slice(&before[start..]);
        }
        written.upload(&after).map(drop)
    }

    fn synchronize(&self) -> Result<(), Error> {
        self.0.synchronize()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn report(device: Arc<dyn Device>) -> ConformanceReport {
    let runtime = Runtime::builder()
        .device(device)
        .without_model_cache()
        .build()
        .unwrap();
    let suite = [1, 255, 256, 257, 4097]
        .into_iter()
        .fold(Suite::empty(9), |suite, length| {
            suite.with(Case::new(
                &XOR_WITH_KEY,
                DType::U8,
                format!("{length} bytes"),
                move |trial| {
                    let data = trial.random::<u8>(0, &[length])?;
                    Ok(trial.check(|side| {
                        Ok(XorWithKey {
                            data: side.place(0, &data)?,
                        })
                    }))
                },
            ))
        });
    suite.run(&runtime, GPU, &mut |_| ()).unwrap()
}

fn emulated() -> SimtDevice {
    SimtDevice::new(0, SimtOptions::default()).unwrap()
}

#[test]
fn kernels_that_run_pass_with_their_own_time() {
    let report = report(Arc::new(emulated()));
    assert!(report.is_pass(), "{:#?}", report.differences);
    assert!(report.device_time.is_some_and(|time| time > Nanos(0)));
}

#[test]
fn kernels_that_are_not_run_fail() {
    let report = report(Arc::new(FlawedGpu(emulated(), Flaw::NotRun)));
    assert_eq!((report.passed, report.failed), (0, 10), "{report:#?}");
}

/// Real operations, every element type, every size up to some thousand elements: the cases
/// that pass have no elements, or both sides refuse them.
#[test]
fn an_element_that_is_left_out_or_wrong_fails_every_case_that_has_one() {
    for flaw in [Flaw::LastElementMissing, Flaw::OneBit] {
        let runtime = Runtime::builder()
            .device(Arc::new(FlawedGpu(emulated(), flaw)))
            .without_model_cache()
            .build()
            .unwrap();
        for (operation, forms_of_nothing) in [("scale", 1), ("xor", 2), ("random", 1)] {
            let suite = Suite::of_arrays(Depth::Quick, 3).only(operation);
            let types: std::collections::BTreeSet<_> =
                suite.cases().iter().map(Case::dtype).collect();
            let report = suite.run(&runtime, GPU, &mut |_| ()).unwrap();
            let places = if operation == "random" { 1 } else { 2 };
            // Without elements, and with an empty key, nothing is written.
            let nothing = (types.len() * forms_of_nothing * places) as u64;
            assert!(
                report.passed <= nothing + u64::from(operation == "xor") * nothing,
                "{flaw:?} {operation}: {report:#?}"
            );
            assert!(report.failed > 10 * nothing, "{flaw:?} {operation}");
        }
    }
}
