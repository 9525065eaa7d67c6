//! Refused calls, which leave nothing behind.

use std::panic::{AssertUnwindSafe, catch_unwind};

use heddle_cuda::cuda::{CudaDevice, CudaOptions};
use heddle_cuda::kernels::trial;
use heddle_runtime::Error;
use heddle_runtime::device::Argument::{self, Buffer, F32, U32, U64};
use heddle_runtime::device::{Accelerator, Kernel, Launch};

use super::xor::{Resident, is_xor, launch, noise, unwritten_buffer, whole};
use heddle_testing::kernel_launch::ABSENT;
use heddle_testing::nvidia::{execute, open, with_gpu};

fn start(
    gpu: &CudaDevice,
    kernel: &'static Kernel,
    threads: u32,
    arguments: &[Argument<'_>],
) -> Result<(), Error> {
    gpu.launch(&Launch::new(kernel, 1, threads, arguments))
}

/// The error's message; checks that the device still works.
fn refusal(gpu: &CudaDevice, outcome: Result<(), Error>) -> String {
    let Err(error @ Error::Device { .. }) = outcome else {
        panic!("{outcome:?}");
    };
    let (left, right) = (noise(3000, 1), noise(3000, 2));
    let timing = execute(gpu, || {
        assert!(is_xor(&left, &right, &whole(gpu, &left, &right)?));
        Ok(())
    });
    assert!(timing.unwrap().device.unwrap().0 > 0);
    error.to_string()
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_kernel_without_images_is_named() {
    with_gpu(|gpu| {
        let message = refusal(&gpu, start(&gpu, &ABSENT, 1, &[]));
        assert!(message.starts_with("cuda:0: kernel absent has no PTX for compute capability"));
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn arguments_that_do_not_fit_are_refused() {
    with_gpu(|gpu| {
        let out = unwritten_buffer(&gpu, 4).unwrap();
        let wrong: [&[Argument<'_>]; 5] = [
            &[],
            &[U32(1)],
            &[Buffer(out.as_ref())],
            &[Buffer(out.as_ref()), U64(1)],
            &[Buffer(out.as_ref()), U32(1), F32(1.0)],
        ];
        for arguments in wrong {
            let message = refusal(
                &gpu,
                start(
                    &gpu,
                    Kernel::named(&trial::KERNELS, "trial_barriers"),
                    1,
                    arguments,
                ),
            );
            assert!(message.contains("kernel trial_barriers: "), "{message}");
            let executed = execute(&gpu, || {
                start(
                    &gpu,
                    Kernel::named(&trial::KERNELS, "trial_barriers"),
                    1,
                    arguments,
                )
            });
            assert_eq!(refusal(&gpu, executed.map(drop)), message);
        }
    });
}

/// Outside executions, as the first launch that a lease times, and later.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_block_of_too_many_threads_is_refused() {
    with_gpu(|gpu| {
        let out = unwritten_buffer(&gpu, 4).unwrap();
        let too_many = || {
            start(
                &gpu,
                Kernel::named(&trial::KERNELS, "trial_nothing"),
                4096,
                &[Buffer(out.as_ref())],
            )
        };
        let first = execute(&gpu, too_many).map(drop);
        println!("{}", refusal(&gpu, first));
        println!("{}", refusal(&gpu, execute(&gpu, too_many).map(drop)));
        println!("{}", refusal(&gpu, too_many()));
        // Launches queued before and after a refused one run and are timed.
        let (left, right) = (noise(40_000, 1), noise(40_000, 2));
        let resident = Resident::new(&gpu, &left, &right).unwrap();
        for _ in 0..10 {
            execute(&gpu, || {
                resident.launch(&gpu)?;
                assert!(too_many().is_err());
                resident.launch(&gpu)?;
                assert!(too_many().is_err());
                Ok(())
            })
            .unwrap();
        }
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_buffer_of_another_device_is_refused() {
    with_gpu(|gpu| {
        // The same GPU, opened a second time.
        let other = open(&CudaOptions::default());
        let (ours, theirs) = (
            unwritten_buffer(&gpu, 100).unwrap(),
            unwritten_buffer(&other, 100).unwrap(),
        );
        let (ours, theirs) = (ours.as_ref(), theirs.as_ref());
        let message = refusal(&gpu, launch(&gpu, ours, theirs, ours, 100));
        assert!(
            message.contains("not allocated by this device"),
            "{message}"
        );
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn the_error_of_a_body_is_returned_and_its_queued_work_has_run() {
    with_gpu(|gpu| {
        let (left, right) = (noise(1 << 20, 1), noise(1 << 20, 2));
        let resident = Resident::new(&gpu, &left, &right).unwrap();
        let outcome = execute(&gpu, || {
            resident.launch(&gpu)?;
            start(&gpu, &ABSENT, 1, &[])
        });
        assert!(refusal(&gpu, outcome.map(drop)).contains("nope"));
        let mut output = vec![0; left.len()];
        resident.output.download(&mut output).unwrap();
        assert!(is_xor(&left, &right, &output));
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_body_that_panics_leaves_the_device_usable() {
    with_gpu(|gpu| {
        let (left, right) = (noise(1 << 20, 1), noise(1 << 20, 2));
        let resident = Resident::new(&gpu, &left, &right).unwrap();
        for nested in [false, true] {
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                execute(&gpu, || {
                    resident.launch(&gpu)?;
                    assert!(nested, "on purpose");
                    execute(&gpu, || {
                        resident.launch(&gpu)?;
                        panic!("on purpose");
                    })
                    .map(drop)
                })
            }));
            assert!(outcome.is_err());
            refusal(&gpu, start(&gpu, &ABSENT, 1, &[]));
        }
    });
}
