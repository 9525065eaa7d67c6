//! Kernels, their arguments and their grids.

use std::sync::atomic::Ordering;

use heddle_cuda::kernels::trial;
use heddle_runtime::device::Argument::{self, Buffer, F32, F64, I32, U32, U64};
use heddle_runtime::device::{Accelerator, Kernel, Launch};
use heddle_runtime::ops;

use super::transfers::SIZES;
use super::xor::{Resident, down, is_xor, noise, unwritten_buffer, up, whole};
use heddle_testing::nvidia::{execute, with_gpu};

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn one_launch_computes_any_number_of_bytes() {
    with_gpu(|gpu| {
        for len in SIZES {
            let (left, right) = (noise(len, 1), noise(len, 2));
            execute(&gpu, || {
                let output = whole(&gpu, &left, &right)?;
                assert!(is_xor(&left, &right, &output), "{len} bytes");
                Ok(())
            })
            .unwrap();
        }
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_launch_needs_no_execution() {
    with_gpu(|gpu| {
        for len in SIZES.into_iter().filter(|len| *len < 8 << 20) {
            let (left, right) = (noise(len, 3), noise(len, 4));
            let output = whole(&gpu, &left, &right).unwrap();
            assert!(is_xor(&left, &right, &output), "{len} bytes");
        }
    });
}

/// One graph times every launch of a lease: each queued launch keeps its own kernel and
/// arguments.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn launches_queued_together_keep_their_own_arguments() {
    with_gpu(|gpu| {
        let count = 500;
        let all: Vec<_> = (0..count)
            .map(|seed| {
                let len = 1000 + 37 * seed as usize;
                let (left, right) = (noise(len, seed), noise(len, seed + 1000));
                let resident = Resident::new(&gpu, &left, &right).unwrap();
                (left, right, resident)
            })
            .collect();
        let words = unwritten_buffer(&gpu, 4 * count as usize).unwrap();
        for _ in 0..3 {
            execute(&gpu, || {
                words.upload(&vec![0; 4 * count as usize])?;
                for (_, _, resident) in &all {
                    resident.launch(&gpu)?;
                    // Another kernel with other arguments and another grid.
                    gpu.launch(&Launch::new(
                        Kernel::named(&trial::KERNELS, "trial_coordinates"),
                        count as u32,
                        1,
                        &[Buffer(words.as_ref())],
                    ))?;
                }
                Ok(())
            })
            .unwrap();
            for (left, right, resident) in &all {
                let output = down(&resident.output).unwrap();
                assert!(is_xor(left, right, &output), "{} bytes", left.len());
                resident.output.upload(&vec![0; left.len()]).unwrap();
            }
            let runs = down(&words).unwrap();
            assert_eq!(runs, (count as u32).to_le_bytes().repeat(count as usize));
        }
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn arguments_of_every_type_arrive_as_given() {
    with_gpu(|gpu| {
        let out = unwritten_buffer(&gpu, 40).unwrap();
        let launch = || {
            gpu.launch(&Launch::new(
                Kernel::named(&trial::KERNELS, "trial_arguments"),
                1,
                1,
                &[
                    Buffer(out.as_ref()),
                    U32(u32::MAX),
                    I32(-7),
                    U64(1 << 40),
                    F32(0.25),
                    F64(-1e300),
                ],
            ))
        };
        let expected = [f64::from(u32::MAX), -7.0, 2_f64.powi(40), 0.25, -1e300];
        let expected: Vec<u8> = expected.iter().flat_map(|x| x.to_le_bytes()).collect();
        launch().unwrap();
        assert_eq!(down(&out).unwrap(), expected);
        out.upload(&[0; 40]).unwrap();
        execute(&gpu, launch).unwrap();
        assert_eq!(down(&out).unwrap(), expected);
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn every_thread_of_a_grid_runs_once() {
    with_gpu(|gpu| {
        for (grid, block) in [
            ([1, 1, 1], [1, 1, 1]),
            ([3, 5, 2], [4, 3, 2]),
            ([7, 1, 9], [33, 7, 3]),
            ([0, 1, 1], [1, 1, 1]),
        ] {
            let threads: u32 = grid.iter().chain(&block).product();
            let out = up(&gpu, &vec![0; 4 * threads as usize]).unwrap();
            execute(&gpu, || {
                gpu.launch(&Launch {
                    kernel: Kernel::named(&trial::KERNELS, "trial_coordinates"),
                    grid,
                    block,
                    shared: 0,
                    arguments: &[Buffer(out.as_ref())],
                })
            })
            .unwrap();
            let runs = down(&out).unwrap();
            assert_eq!(runs, 1_u32.to_le_bytes().repeat(threads as usize));
        }
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_kernel_may_use_more_shared_memory_than_the_default() {
    with_gpu(|gpu| {
        // A P100 has no more than that.
        let shared = if gpu.compute_capability() < (7, 0) {
            48 << 10
        } else {
            64 << 10
        };
        let numbers = |order: &mut dyn Iterator<Item = u32>| -> Vec<u8> {
            order.flat_map(u32::to_le_bytes).collect()
        };
        let out = up(&gpu, &numbers(&mut (0..1024))).unwrap();
        execute(&gpu, || {
            gpu.launch(&Launch {
                kernel: Kernel::named(&trial::KERNELS, "trial_reverse"),
                grid: [1; 3],
                block: [1024, 1, 1],
                shared,
                arguments: &[Buffer(out.as_ref())],
            })
        })
        .unwrap();
        assert_eq!(down(&out).unwrap(), numbers(&mut (0..1024).rev()));
    });
}

/// Results dropped while their kernel runs are not given to the next one before it has ended.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn dropped_results_are_not_reused_while_a_kernel_writes_them() {
    const WORDS: usize = 1 << 20;
    with_gpu(|gpu| {
        execute(&gpu, || {
            let results = gpu.mapped_results(WORDS)?.unwrap();
            // One thread writes all of them, which takes many milliseconds.
            gpu.launch(&Launch {
                kernel: Kernel::named(&ops::KERNELS, "random_u32"),
                grid: [1; 3],
                block: [1; 3],
                shared: 0,
                arguments: &[
                    Argument::MappedResults(&*results),
                    U64(2 * WORDS as u64),
                    U64(7),
                ],
            })?;
            drop(results);
            let others = gpu.mapped_results(WORDS)?.unwrap();
            gpu.synchronize()?;
            let written = others.words().iter();
            let written = written.filter(|word| word.load(Ordering::Acquire) != 0);
            assert_eq!(written.count(), 0, "words that no kernel was given");
            Ok(())
        })
        .unwrap();
    });
}
