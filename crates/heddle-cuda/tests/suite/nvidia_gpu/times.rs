//! Device times are those of kernels and of nothing else.

use std::time::Instant;

use heddle_cuda::cuda::CudaDevice;
use heddle_runtime::device::Accelerator;

use super::xor::{LARGE, Resident, down, noise, up};
use heddle_testing::nvidia::{device_ns, execute, with_gpu};

/// The median of nine device times, after a first that may have to load kernels.
fn median_ns(mut device_ns: impl FnMut() -> u64) -> u64 {
    device_ns();
    let mut times: Vec<_> = (0..9).map(|_| device_ns()).collect();
    times.sort_unstable();
    times[times.len() / 2]
}

/// Operands large enough that their kernel dominates the measurement.
fn large(gpu: &CudaDevice) -> Resident {
    let bytes = noise(LARGE, 1);
    Resident::new(gpu, &bytes, &bytes).unwrap()
}

fn assert_about(found: u64, expected: u64) {
    let ratio = found as f64 / expected as f64;
    assert!((0.6..1.6).contains(&ratio), "{found} against {expected} ns");
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn an_execution_without_a_kernel_has_no_device_time() {
    with_gpu(|gpu| {
        assert_eq!(device_ns(&gpu, || Ok(())), 0);
        let bytes = noise(5 << 20, 1);
        assert_eq!(device_ns(&gpu, || down(&up(&gpu, &bytes)?).map(drop)), 0);
        // Not even after kernels have been timed, nor with a kernel launched outside of it.
        let resident = Resident::new(&gpu, &bytes, &bytes).unwrap();
        assert!(device_ns(&gpu, || resident.launch(&gpu)) > 0);
        resident.launch(&gpu).unwrap();
        assert_eq!(device_ns(&gpu, || Ok(())), 0);
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_kernels_time_is_positive_and_within_the_total() {
    with_gpu(|gpu| {
        for len in [1 << 10, 1 << 20, 16 << 20] {
            let bytes = noise(len, 2);
            let resident = Resident::new(&gpu, &bytes, &bytes).unwrap();
            for _ in 0..200 {
                let timing = execute(&gpu, || resident.launch(&gpu)).unwrap();
                let device = timing.device.unwrap();
                assert!(device.0 > 0 && device <= timing.total, "{timing:?}");
            }
        }
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn times_of_two_kernels_add_up() {
    with_gpu(|gpu| {
        let resident = large(&gpu);
        let one = median_ns(|| device_ns(&gpu, || resident.launch(&gpu)));
        let two = median_ns(|| {
            device_ns(&gpu, || {
                resident.launch(&gpu)?;
                resident.launch(&gpu)
            })
        });
        let with_a_transfer_between = median_ns(|| {
            device_ns(&gpu, || {
                resident.launch(&gpu)?;
                down(&up(&gpu, &noise(300_000, 2))?)?;
                resident.launch(&gpu)
            })
        });
        assert_about(two, 2 * one);
        assert_about(with_a_transfer_between, 2 * one);
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn the_devices_clock_agrees_with_the_hosts() {
    with_gpu(|gpu| {
        let resident = large(&gpu);
        let launches = 8;
        let mut host_ns = u64::MAX;
        let device_ns = median_ns(|| {
            device_ns(&gpu, || {
                let start = Instant::now();
                for _ in 0..launches {
                    resident.launch(&gpu)?;
                }
                gpu.synchronize()?;
                host_ns = host_ns.min(start.elapsed().as_nanos() as u64);
                Ok(())
            })
        });
        assert!(
            host_ns < 2 * device_ns && device_ns < 2 * host_ns,
            "device {device_ns} ns, host {host_ns} ns"
        );
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn transfers_do_not_count_as_device_time() {
    with_gpu(|gpu| {
        let bytes = noise(64 << 20, 3);
        let small = Resident::new(&gpu, &[1; 1000], &[2; 1000]).unwrap();
        let kernel_alone = median_ns(|| device_ns(&gpu, || small.launch(&gpu)));
        let between_transfers = median_ns(|| {
            device_ns(&gpu, || {
                let buffer = up(&gpu, &bytes)?;
                small.launch(&gpu)?;
                down(&buffer).map(drop)
            })
        });
        // Each transfer takes the bus more than a millisecond.
        assert!(
            between_transfers < kernel_alone + 500_000,
            "{between_transfers} ns against {kernel_alone} ns"
        );
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn an_execution_within_another_has_a_time_of_its_own() {
    with_gpu(|gpu| {
        let resident = large(&gpu);
        let one = median_ns(|| device_ns(&gpu, || resident.launch(&gpu)));
        let two = || {
            device_ns(&gpu, || {
                resident.launch(&gpu)?;
                resident.launch(&gpu)
            })
        };
        let outer = median_ns(|| {
            device_ns(&gpu, || {
                resident.launch(&gpu)?;
                two();
                resident.launch(&gpu)?;
                resident.launch(&gpu)
            })
        });
        assert_about(outer, 3 * one);
        let inner = median_ns(|| {
            let mut inner = 0;
            let around = device_ns(&gpu, || {
                inner = two();
                Ok(())
            });
            assert_eq!(around, 0);
            inner
        });
        assert_about(inner, 2 * one);
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn an_execution_that_failed_leaves_no_time_behind() {
    with_gpu(|gpu| {
        let resident = large(&gpu);
        let one = median_ns(|| device_ns(&gpu, || resident.launch(&gpu)));
        let after_a_failure = median_ns(|| {
            let failed = execute(&gpu, || {
                resident.launch(&gpu)?;
                resident.launch(&gpu)?;
                resident.output.upload(&[]).map(drop)
            });
            assert!(failed.is_err());
            assert_eq!(device_ns(&gpu, || Ok(())), 0);
            device_ns(&gpu, || resident.launch(&gpu))
        });
        assert_about(after_a_failure, one);
    });
}
