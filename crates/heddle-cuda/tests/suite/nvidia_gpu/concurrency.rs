//! Many threads at once.

use std::thread;
use std::time::{Duration, Instant};

use heddle_cuda::cuda::CudaDevice;
use heddle_cuda::kernels::trial;
use heddle_runtime::device::Argument::{Buffer, U32};
use heddle_runtime::device::{Accelerator, Kernel, Launch};

use super::xor::{Resident, down, is_xor, noise, pipelined, unwritten_buffer, whole};
use heddle_testing::nvidia::{execute, with_gpu};

const THREADS: usize = 8;

fn together(threads: usize, run: impl Fn(usize) + Sync) {
    thread::scope(|scope| {
        for index in 0..threads {
            let run = &run;
            scope.spawn(move || run(index));
        }
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn eight_threads_with_small_operands_get_their_own_results() {
    with_gpu(|gpu| xors(&gpu, 1024, 1000));
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn eight_threads_with_large_operands_get_their_own_results() {
    with_gpu(|gpu| xors(&gpu, 5_000_001, 10));
}

fn xors(gpu: &CudaDevice, len: usize, rounds: usize) {
    together(THREADS, |index| {
        let (left, right) = (noise(len, index as u64), noise(len, index as u64 + 50));
        for round in 0..rounds {
            execute(gpu, || {
                let output = match round % 2 {
                    0 => whole(gpu, &left, &right)?,
                    _ => pipelined(gpu, &left, &right, 0)?,
                };
                let name = format!("thread {index}, round {round}");
                assert!(is_xor(&left, &right, &output), "{name}");
                Ok(())
            })
            .unwrap();
        }
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn threads_without_executions_get_their_own_results() {
    with_gpu(|gpu| {
        together(THREADS, |index| {
            for (len, rounds) in [(1024, 200), (300_001, 20)] {
                let (left, right) = (noise(len, index as u64), noise(len, index as u64 + 50));
                for round in 0..rounds {
                    let output = whole(&gpu, &left, &right).unwrap();
                    let name = format!("thread {index}, round {round}");
                    assert!(is_xor(&left, &right, &output), "{name}");
                }
            }
        });
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn executions_within_executions_get_their_own_results() {
    with_gpu(|gpu| {
        together(THREADS, |index| {
            for round in 0..50 {
                let seed = (1000 * index + round) as u64;
                let (left, right) = (noise(10_000, seed), noise(10_000, seed + 500));
                execute(&gpu, || {
                    let outer = Resident::new(&gpu, &left, &right)?;
                    outer.launch(&gpu)?;
                    execute(&gpu, || {
                        let inner = whole(&gpu, &right, &left)?;
                        execute(&gpu, || {
                            let innermost = pipelined(&gpu, &inner, &left, 0)?;
                            assert!(innermost == right, "round {round}, innermost");
                            Ok(())
                        })?;
                        assert!(is_xor(&left, &right, &inner), "round {round}, inner");
                        Ok(())
                    })?;
                    assert!(
                        is_xor(&left, &right, &down(&outer.output)?),
                        "round {round}, outer"
                    );
                    Ok(())
                })
                .unwrap();
            }
        });
    });
}

/// More threads than a device has leases: the last ones wait for theirs.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn seventy_threads_take_turns() {
    with_gpu(|gpu| {
        together(70, |index| {
            let (left, right) = (noise(2000, index as u64), noise(2000, index as u64 + 99));
            for _ in 0..20 {
                execute(&gpu, || {
                    assert!(is_xor(&left, &right, &whole(&gpu, &left, &right)?));
                    Ok(())
                })
                .unwrap();
            }
        });
    });
}

/// Kernels that fill a single multiprocessor each.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn kernels_of_different_threads_overlap() {
    with_gpu(|gpu| {
        let run = |_| {
            let out = unwritten_buffer(&gpu, 4).unwrap();
            execute(&gpu, || {
                gpu.launch(&Launch::new(
                    Kernel::named(&trial::KERNELS, "trial_barriers"),
                    1,
                    256,
                    &[Buffer(out.as_ref()), U32(1 << 20)],
                ))
            })
            .unwrap();
            assert_eq!(down(&out).unwrap(), (1_u32 << 20).to_le_bytes());
        };
        let fastest = |threads: usize| {
            let times = (0..5).map(|_| {
                let start = Instant::now();
                together(threads, run);
                start.elapsed()
            });
            times.min().unwrap_or(Duration::MAX)
        };
        // The first run creates the streams.
        together(THREADS, run);
        let (one, all) = (fastest(1), fastest(THREADS));
        assert!(
            all < one * THREADS as u32 / 2,
            "one takes {one:?}, {THREADS} take {all:?}"
        );
    });
}
