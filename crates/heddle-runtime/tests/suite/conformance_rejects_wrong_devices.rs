//! The conformance suite passes a correct device, and fails a device with wrong results, without a
//! launch or without the operation.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use heddle_runtime::array::HostBuffer;
use heddle_runtime::conformance::{Case, ConformanceReport, Depth, Suite};
use heddle_runtime::cpu::CpuDevice;
use heddle_runtime::device::{Device, DeviceId, DeviceProperties, ExecutionContext, Timing};
use heddle_runtime::units::Bytes;
use heddle_runtime::{
    Agreement, Array, DType, Description, Error, Kind, Operation, Runtime, WorkUnit,
};
use heddle_testing::host_memory_gpu::{HostMemoryGpu, INCREMENT, Increment};

const GPU: DeviceId = DeviceId::cuda(0);

fn runtime_with(remote: &Arc<HostMemoryGpu>) -> Runtime {
    heddle_testing::runtime_with(remote.clone())
}

/// A suite of increments of sizes around a block.
fn increments() -> Suite {
    [0, 1, 255, 256, 257]
        .into_iter()
        .fold(Suite::empty(5), |suite, length| {
            suite.with(Case::new(
                &INCREMENT,
                DType::U8,
                format!("{length} bytes"),
                move |trial| {
                    let data = trial.random::<u8>(0, &[length])?;
                    Ok(trial.check(|runner| {
                        Ok(Increment {
                            data: runner.place(0, &data)?,
                        })
                    }))
                },
            ))
        })
}

fn run(suite: &Suite, runtime: &Runtime, device: DeviceId) -> ConformanceReport {
    suite.run(runtime, device, &mut |_| ()).unwrap()
}

#[test]
fn the_cpu_agrees_with_one_thread_of_itself() {
    let runtime = Runtime::builder().without_model_cache().build().unwrap();
    let suite = Suite::of_arrays(Depth::Quick, 11);
    let mut seen = 0;
    let report = suite
        .run(&runtime, DeviceId::CPU, &mut |progress| {
            assert_eq!(progress.done, seen);
            seen += 1;
        })
        .unwrap();
    assert!(report.is_pass(), "{:#?}", report.differences);
    // The CPU has no second place for operands, so each case runs once.
    assert_eq!(
        (report.passed as usize, seen),
        (suite.cases().len(), suite.cases().len())
    );
    assert_eq!((report.seed, report.device_time), (11, None));
}

#[test]
fn a_correct_device_passes_with_its_device_time_as_proof() {
    let report = run(
        &increments(),
        &runtime_with(&HostMemoryGpu::new(0, Bytes(1 << 20))),
        GPU,
    );
    assert!(report.is_pass(), "{:#?}", report.differences);
    // With operands on the host and on the device.
    assert_eq!(report.passed, 10);
    assert!(report.device_time.is_some());
}

#[test]
fn a_wrong_device_fails_and_the_other_cases_still_run() {
    let remote = HostMemoryGpu::new(0, Bytes(1 << 20));
    remote.faulty.store(true, Ordering::Relaxed);
    let report = run(&increments(), &runtime_with(&remote), GPU);
    assert!(!report.is_pass());
    // Cases without bytes cannot differ.
    assert_eq!((report.passed, report.failed), (2, 8));
    assert_eq!(report.kinds[0].failed, 8);
    let first = &report.differences[0];
    assert_eq!(first.case, "1 bytes, operands on the host");
    assert!(first.difference.starts_with("element 0 is"), "{first:?}");
}

#[test]
fn an_element_left_unwritten_holds_the_pattern() {
    let remote = HostMemoryGpu::new(0, Bytes(1 << 20));
    remote.short.store(true, Ordering::Relaxed);
    let report = run(&increments(), &runtime_with(&remote), GPU);
    assert_eq!((report.passed, report.failed), (2, 8));
    let first = &report.differences[0].difference;
    assert!(first.ends_with("and 127"), "{first}");
}

/// A device with the id of a GPU that runs everything on the CPU and invents a device time.
#[derive(Debug)]
struct CpuPosingAsGpu(CpuDevice, DeviceProperties);

impl Device for CpuPosingAsGpu {
    fn id(&self) -> DeviceId {
        GPU
    }

    fn properties(&self) -> &DeviceProperties {
        &self.1
    }

    fn free_memory(&self) -> Bytes {
        self.1.memory
    }

    fn execute(
        &self,
        description: &Description,
        start: Instant,
        body: &mut dyn FnMut(&ExecutionContext<'_>) -> Result<(), Error>,
    ) -> Result<Timing, Error> {
        let timing = self.0.execute(description, start, body)?;
        Ok(timing.on_device(timing.total))
    }
}

#[test]
fn a_gpu_that_runs_on_the_cpu_fails_for_having_launched_nothing() {
    let cpu = CpuDevice::new(Some(1));
    let properties = cpu.properties().clone();
    let runtime = heddle_testing::runtime_with(Arc::new(CpuPosingAsGpu(cpu, properties)));
    let report = run(&increments(), &runtime, GPU);
    // Without bytes nothing has to be launched.
    assert_eq!((report.passed, report.failed), (1, 4), "{report:?}");
    assert_eq!(report.differences[0].difference, "nothing was launched");
}

static LEAVES_FIRST_UNWRITTEN: Kind = Kind::new("leaves-first-unwritten", WorkUnit::Bytes);

/// Leaves its first element unwritten, on every device.
struct LeavesFirstUnwritten(Array<u8>);

impl Operation for LeavesFirstUnwritten {
    type Output = Array<u8>;

    fn describe(&self) -> Description {
        Description::new(&LEAVES_FIRST_UNWRITTEN, DType::U8, self.0.bytes().0)
            .writes(self.0.bytes())
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<Array<u8>, Error> {
        let from = context.host(&self.0)?;
        let mut to = HostBuffer::<u8>::unspecified(from.len());
        to.as_mut_slice()[1..].copy_from_slice(&from[1..]);
        Ok(Array::from_slice(to.as_slice()))
    }

    fn compare(&self, first: &Array<u8>, second: &Array<u8>) -> Agreement {
        if first.as_slice().unwrap() == second.as_slice().unwrap() {
            Agreement::Same
        } else {
            Agreement::Different("other bytes".to_owned())
        }
    }
}

#[test]
fn an_element_that_both_sides_leave_unwritten_is_a_difference() {
    let runtime = Runtime::builder().without_model_cache().build().unwrap();
    let suite = [5, 100_000]
        .into_iter()
        .fold(Suite::empty(1), |suite, length| {
            suite.with(Case::new(
                &LEAVES_FIRST_UNWRITTEN,
                DType::U8,
                length.to_string(),
                move |trial| {
                    let data = trial.random::<u8>(0, &[length])?;
                    Ok(trial.check(|runner| Ok(LeavesFirstUnwritten(runner.place(0, &data)?))))
                },
            ))
        });
    let report = run(&suite, &runtime, DeviceId::CPU);
    assert_eq!((report.passed, report.failed), (0, 2), "{report:?}");
}

#[test]
fn an_operation_a_device_does_not_have_is_a_failure_unless_expected() {
    let runtime = heddle_testing::runtime_with(HostMemoryGpu::new(1, Bytes(1 << 20)));
    let suite = || {
        Suite::empty(1).with(Case::new(&CPU_ONLY, DType::U8, "once", |trial| {
            Ok(trial.check(|_| Ok(CpuOnly(0))))
        }))
    };
    let report = run(&suite(), &runtime, DeviceId::cuda(1));
    assert_eq!((report.failed, report.is_pass()), (2, false));
    assert_eq!(
        report.differences[0].difference,
        "not implemented on cuda:1"
    );

    let report = run(
        &suite().may_be_absent(&CPU_ONLY),
        &runtime,
        DeviceId::cuda(1),
    );
    assert_eq!((report.failed, report.absent), (0, 2));
    // No case passed, so the suite does not pass.
    assert!(!report.is_pass());
}

static CPU_ONLY: Kind = Kind::new("hosted", WorkUnit::Items);

/// Runs only on the CPU, and returns the number it was created with.
struct CpuOnly(u64);

impl Operation for CpuOnly {
    type Output = u64;

    fn describe(&self) -> Description {
        Description::new(&CPU_ONLY, DType::U8, 1)
    }

    fn run(&mut self, _context: &ExecutionContext<'_>) -> Result<u64, Error> {
        if self.0 == 13 {
            return Err(Error::EmptyKey);
        }
        Ok(self.0)
    }

    fn compare(&self, first: &u64, second: &u64) -> Agreement {
        if first == second {
            Agreement::Same
        } else {
            Agreement::Different(format!("{first} against {second}"))
        }
    }
}

#[test]
fn errors_are_compared_and_panics_end_one_case_only() {
    use std::sync::atomic::AtomicU64;
    // The reference runs first and gets the first number, the device gets the second.
    let pair = |first: u64, second: u64| {
        let runs = AtomicU64::new(0);
        Case::new(
            &CPU_ONLY,
            DType::U8,
            format!("{first} {second}"),
            move |trial| {
                Ok(trial.check(|_| {
                    let turn = runs.fetch_add(1, Ordering::Relaxed);
                    Ok(CpuOnly(if turn == 0 { first } else { second }))
                }))
            },
        )
    };
    let suite = Suite::empty(1)
        .with(Case::new(&CPU_ONLY, DType::U8, "panic", |_| {
            panic!("on purpose")
        }))
        .with(Case::new(&CPU_ONLY, DType::U8, "set-up", |_| {
            Err(Error::EmptyKey)
        }))
        .with(pair(13, 13))
        .with(pair(13, 1))
        .with(pair(1, 1));
    let runtime = Runtime::builder().without_model_cache().build().unwrap();
    let report = run(&suite, &runtime, DeviceId::CPU);
    assert_eq!((report.passed, report.failed), (2, 3));
    let said: Vec<&str> = report
        .differences
        .iter()
        .map(|row| row.difference.as_str())
        .collect();
    assert_eq!(said[0], "panicked: on purpose");
    assert!(said[1].starts_with("could not be set up"), "{said:?}");
    assert!(said[2].ends_with("against a result"), "{said:?}");
}

#[test]
fn a_gpu_without_a_clock_proves_nothing() {
    let remote = HostMemoryGpu::new(0, Bytes(1 << 20));
    remote.reports_no_device_time.store(true, Ordering::Relaxed);
    let report = run(&increments(), &runtime_with(&remote), GPU);
    assert_eq!((report.passed, report.failed), (2, 8));
    assert_eq!(report.differences[0].difference, "no device-side time");
}

#[test]
fn the_array_suite_fails_on_a_gpu_that_has_no_kernels() {
    let runtime = runtime_with(&HostMemoryGpu::new(0, Bytes(1 << 30)));
    let suite = Suite::of_arrays(Depth::Quick, 3).only("xor");
    let report = run(&suite, &runtime, GPU);
    assert!(!report.is_pass());
    assert!(report.failed > report.passed, "{report:?}");
}

#[test]
fn a_suite_on_a_missing_device_is_an_error() {
    let runtime = Runtime::builder().without_model_cache().build().unwrap();
    assert!(Suite::empty(1).run(&runtime, GPU, &mut |_| ()).is_err());
}
