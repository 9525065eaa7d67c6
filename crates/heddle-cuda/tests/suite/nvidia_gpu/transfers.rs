//! Transfers to the device and back.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use heddle_cuda::cuda::{CudaDevice, CudaOptions};
use heddle_runtime::Error;

use super::xor::{Resident, down, is_xor, noise, pipelined, unwritten_buffer, up};
use heddle_testing::nvidia::{execute, with_gpu, with_gpu_of};

/// Sizes around every limit at which the transfer method changes.
pub(crate) const SIZES: [usize; 15] = [
    0,
    1,
    3,
    1000,
    1024,
    65_536,
    65_537,
    262_144,
    262_145,
    1 << 20,
    (1 << 20) + 1,
    (4 << 20) + 1,
    38_797_317,
    (128 << 20) - 1,
    (256 << 20) + 3,
];

fn assert_round_trip(gpu: &CudaDevice, len: usize, seed: u64) -> Result<(), Error> {
    let sent = noise(len, seed);
    let received = down(&up(gpu, &sent)?)?;
    assert!(sent == received, "{len} bytes came back changed");
    Ok(())
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn bytes_survive_a_round_trip() {
    with_gpu(|gpu| {
        for (seed, len) in SIZES.into_iter().enumerate() {
            assert_round_trip(&gpu, len, seed as u64).unwrap();
        }
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn bytes_survive_a_round_trip_within_an_execution() {
    with_gpu(|gpu| {
        for (seed, len) in SIZES.into_iter().enumerate() {
            execute(&gpu, || assert_round_trip(&gpu, len, seed as u64 + 100)).unwrap();
        }
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn copying_threads_and_slots_change_no_byte() {
    for (copy_threads, slot_bytes) in [(1, 4096), (2, 1 << 20), (3, 77_777), (16, 16 << 20)] {
        let options = CudaOptions::default().with(|it| {
            it.copy_threads = Some(copy_threads);
            it.slot_bytes = Some(slot_bytes);
        });
        with_gpu_of(&options, |gpu| {
            let len = (5 << 20) + 1;
            assert_round_trip(&gpu, len, 7).unwrap();
            let (left, right) = (noise(len, 8), noise(len, 9));
            let output = pipelined(&gpu, &left, &right, 0).unwrap();
            assert!(is_xor(&left, &right, &output), "{options:?}");
        });
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_transfer_of_the_wrong_length_is_refused() {
    with_gpu(|gpu| {
        let buffer = unwritten_buffer(&gpu, 100).unwrap();
        for len in [0, 99, 101] {
            let mut bytes = vec![0; len];
            let refused = [buffer.upload(&bytes), buffer.download(&mut bytes)];
            for outcome in refused {
                assert!(matches!(outcome, Err(Error::BadParameter { .. })), "{len}");
            }
        }
    });
}

/// An upload that is still queued is seen by another stream.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn an_upload_here_is_read_by_another_thread() {
    with_gpu(|gpu| {
        for round in 0..200 {
            let sent = noise(60_000, round);
            let buffer = unwritten_buffer(&gpu, sent.len()).unwrap();
            execute(&gpu, || {
                buffer.upload(&sent)?;
                let received = thread::scope(|scope| {
                    let reader = scope.spawn(|| {
                        let mut received = Vec::new();
                        execute(&gpu, || {
                            received = down(&buffer)?;
                            Ok(())
                        })?;
                        Ok::<_, Error>(received)
                    });
                    reader.join().unwrap()
                })?;
                assert!(sent == received, "round {round} read old bytes");
                Ok(())
            })
            .unwrap();
        }
    });
}

/// Memory that is dropped while a kernel still needs it is not given to another thread,
/// however fast that thread allocates the same size.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn operands_may_be_dropped_before_they_are_read() {
    const LEN: usize = 40_000;
    with_gpu(|gpu| {
        let (left, right, junk) = (noise(LEN, 1), noise(LEN, 2), noise(LEN, 3));
        let is_done = AtomicBool::new(false);
        let wrong = thread::scope(|scope| {
            let churn = scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    execute(&gpu, || up(&gpu, &junk).map(drop)).unwrap();
                }
            });
            let wrong = (0..500).find(|_| {
                let mut received = Vec::new();
                execute(&gpu, || {
                    let operands = Resident::new(&gpu, &left, &right)?;
                    operands.launch(&gpu)?;
                    let output = operands.into_output();
                    thread::yield_now();
                    received = down(&output)?;
                    Ok(())
                })
                .unwrap();
                !is_xor(&left, &right, &received)
            });
            is_done.store(true, Ordering::Relaxed);
            churn.join().unwrap();
            wrong
        });
        assert_eq!(wrong, None, "a round read another thread's bytes");
    });
}
