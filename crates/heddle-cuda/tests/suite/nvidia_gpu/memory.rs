//! Device memory: refused, kept, returned, and outliving its device.

use heddle_cuda::cuda::{CudaDevice, CudaOptions};
use heddle_runtime::Error;
use heddle_runtime::device::{Accelerator, Device, DeviceId};
use heddle_runtime::units::Bytes;

use super::xor::{Resident, down, is_xor, noise, unwritten_buffer, up};
use heddle_testing::nvidia::{execute, open, with_gpu};

/// The memory that the driver itself may take or return during a test.
const SLACK: u64 = 64 << 20;

/// A size that is large for the GPU, and no more than a device keeps.
fn large(gpu: &CudaDevice) -> Bytes {
    Bytes((512 << 20).min(gpu.properties().memory.0 / 8))
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn an_allocation_beyond_the_memory_is_refused() {
    with_gpu(|gpu| {
        let total = gpu.properties().memory;
        for wanted in [Bytes(total.0 * 2), Bytes(total.0 + 1), Bytes(1 << 50)] {
            let Err(Error::OutOfMemory { shortage, .. }) = gpu.allocate(wanted) else {
                panic!("{wanted} was not refused for want of memory");
            };
            assert_eq!(shortage.device, DeviceId::cuda(0));
            assert!(shortage.asked >= wanted, "{shortage}");
            assert_eq!(shortage.capacity, total);
        }
        let sent = noise(100_000, 1);
        assert!(down(&up(&gpu, &sent).unwrap()).unwrap() == sent);
    });
}

/// A second device on the same GPU observes the driver's free memory, without the memory
/// that the first one keeps.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn trimming_returns_memory_to_the_driver() {
    with_gpu(|gpu| {
        let watcher = open(&CudaOptions::default());
        let bytes = large(&gpu);
        let before = watcher.free_memory().0;
        let buffer = gpu.allocate(bytes).unwrap();
        let taken = watcher.free_memory().0;
        assert!(taken + bytes.0 <= before + SLACK, "{before} to {taken}");
        drop(buffer);
        let kept = watcher.free_memory().0;
        assert!(kept <= taken + SLACK, "it was not kept: {taken} to {kept}");
        // Its own device counts kept memory as free.
        let counted = gpu.free_memory().0;
        assert!(counted + SLACK >= kept + bytes.0, "{kept} and {counted}");
        gpu.trim().unwrap();
        let trimmed = watcher.free_memory().0;
        assert!(trimmed + SLACK >= kept + bytes.0, "{kept} to {trimmed}");
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn pooled_memory_is_returned_for_a_request() {
    with_gpu(|gpu| {
        drop(gpu.allocate(large(&gpu)).unwrap());
        // Of another size, so that the driver is called, and larger than the driver's free
        // memory.
        let wanted = Bytes(gpu.free_memory().0 - large(&gpu).0 / 2);
        let buffer = gpu.allocate(wanted).unwrap();
        assert_eq!(buffer.bytes(), wanted);
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn buffers_outlive_their_device() {
    with_gpu(|gpu| {
        for len in [0, 1000, 70_000, 300_001, 5 << 20] {
            let gpu = open(&CudaOptions::default());
            let sent = noise(len, 1);
            let (first, second) = (
                up(&gpu, &sent).unwrap(),
                unwritten_buffer(&gpu, len).unwrap(),
            );
            drop(gpu);
            second.upload(&sent).unwrap();
            assert!(down(&first).unwrap() == sent, "{len} bytes");
            assert!(down(&second).unwrap() == sent, "{len} bytes");
        }
        drop(gpu);
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_device_may_be_dropped_with_work_queued() {
    with_gpu(|gpu| {
        let (left, right) = (noise(64 << 20, 1), noise(64 << 20, 2));
        let resident = Resident::new(&gpu, &left, &right).unwrap();
        // One timed launch, so that there are stamps to clean up, then launches outside any
        // execution, which are not waited for.
        execute(&gpu, || resident.launch(&gpu)).unwrap();
        for _ in 0..20 {
            resident.launch(&gpu).unwrap();
        }
        drop(gpu);
        let output = resident.into_output();
        assert!(is_xor(&left, &right, &down(&output).unwrap()));

        let gpu = open(&CudaOptions::default());
        let resident = Resident::new(&gpu, &left, &right).unwrap();
        for _ in 0..20 {
            resident.launch(&gpu).unwrap();
        }
        drop((gpu, resident));
    });
}
