//! The conformance suite on the emulated GPU: passed when kernels run, failed when they are
//! not run, leave an element out or compute one wrong.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_cuda::simt::SimtDevice;
use heddle_runtime::conformance::{Case, ConformanceReport, Depth, Suite};
use heddle_runtime::device::{Accelerator, Argument, Device, Launch};
use heddle_runtime::units::Nanos;
use heddle_runtime::{DType, Error};
use heddle_testing::agreement::{CpuGpuPair, GPU};
use heddle_testing::kernel_launch::gpu;
use heddle_testing::wrapped_gpu::WrappedGpu;
use heddle_testing::xor_with_key::{XOR_WITH_KEY, XorWithKey};

/// Never writes the last eight bytes, the last element of any type.
fn last_element_missing(gpu: &SimtDevice, launch: &Launch<'_>) -> Result<(), Error> {
    changed(gpu, launch, |before, after| {
        let start = after.len().saturating_sub(8);
        after[start..].copy_from_slice(&before[start..]);
    })
}

/// Computes one bit of the first byte wrong.
fn one_bit(gpu: &SimtDevice, launch: &Launch<'_>) -> Result<(), Error> {
    changed(gpu, launch, |_, after| after[0] ^= 1)
}

/// Launches a kernel and changes its output, given the output before. The output is the last
/// buffer among the arguments of every kernel used here.
fn changed(
    gpu: &SimtDevice,
    launch: &Launch<'_>,
    change: impl Fn(&[u8], &mut [u8]),
) -> Result<(), Error> {
    let buffers = launch.arguments.iter().rev();
    let mut buffers = buffers.filter_map(|argument| match argument {
        Argument::Buffer(buffer) => Some(*buffer),
        _ => None,
    });
    let Some(written) = buffers.next() else {
        return Ok(());
    };
    let read = || {
        let mut bytes = vec![0; written.bytes().0 as usize];
        written.download(&mut bytes).map(|_| bytes)
    };
    let before = read()?;
    gpu.launch(launch)?;
    let mut after = read()?;
    change(&before, &mut after);
    written.upload(&after).map(drop)
}

fn report(device: impl Device + 'static) -> ConformanceReport {
    let runtime = CpuGpuPair::of(device).runtime;
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

#[test]
fn kernels_that_run_pass_with_their_own_time() {
    let report = report(gpu());
    assert!(report.is_pass(), "{:#?}", report.differences);
    assert!(report.device_time.is_some_and(|time| time > Nanos(0)));
}

#[test]
fn kernels_that_are_not_run_fail() {
    let report = report(WrappedGpu::launching(|_, _| Ok(())));
    assert_eq!((report.passed, report.failed), (0, 10), "{report:#?}");
}

/// Real operations, every element type, every size up to some thousand elements: the cases
/// that pass have no elements, or both sides refuse them.
#[test]
fn an_element_that_is_left_out_or_wrong_fails_every_case_that_has_one() {
    type Flaw = fn(&SimtDevice, &Launch<'_>) -> Result<(), Error>;
    let flaws: [(&str, Flaw); 2] = [("missing", last_element_missing), ("one bit", one_bit)];
    for (flaw, launch) in flaws {
        let runtime = CpuGpuPair::of(WrappedGpu::launching(launch)).runtime;
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
                "{flaw} {operation}: {report:#?}"
            );
            assert!(report.failed > 10 * nothing, "{flaw} {operation}");
        }
    }
}
