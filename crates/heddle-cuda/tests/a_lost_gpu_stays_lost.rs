//! A lost NVIDIA GPU is reported at once and for good, and no result is lost.
//!
//! A target of its own with a single test: once a kernel has written to an invalid address,
//! the driver refuses every call of that process.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_testing::nvidia;
use std::sync::Arc;

use heddle_cuda::cuda::{CudaDevice, CudaOptions};
use heddle_cuda::kernels::trial;
use heddle_runtime::config::Config;
use heddle_runtime::device::Argument::{Buffer, I32};
use heddle_runtime::device::{
    Accelerator, ChunkedMap, ChunkedMapInput, Device, DeviceBuffer, DeviceId, Kernel, Launch,
};
use heddle_runtime::route::Reason;
use heddle_runtime::runtime::FallbackCause;
use heddle_runtime::units::Bytes;
use heddle_runtime::{Error, Runtime};
use heddle_testing::nvidia::execute;
use heddle_testing::xor_with_key::{XorWithKey, xored_with_key};

const GPU: DeviceId = DeviceId::cuda(0);

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_wild_write_loses_the_nvidia_gpu_and_no_result() {
    let gpu = nvidia::open(&CudaOptions::default());
    let runtime = heddle_testing::runtime(
        Config::default().with(|it| it.device = Some(GPU)),
        gpu.clone(),
    );
    let data: Vec<u8> = (0..5000_u32).map(|index| (index * 7) as u8).collect();
    let before = runtime.run_traced(XorWithKey::of(&data), None).unwrap();
    assert_eq!(before.decision.device, GPU);
    assert_eq!(before.output.as_slice().unwrap(), xored_with_key(&data));
    let unread = runtime.run(XorWithKey::of(&data)).unwrap();

    let buffer = gpu.allocate(Bytes(1000)).unwrap();
    buffer.upload(&[1; 1000]).unwrap();
    let lost = execute(&gpu, || write_out_of_bounds(&gpu)).map(drop);
    println!("{}", assert_lost(lost));
    assert_everything_is_refused(&gpu, &buffer);

    assert_the_cpu_takes_over(&runtime, &data);
    // Computed, left on the device, and lost with it.
    let error = unread.as_slice().unwrap_err();
    assert!(matches!(error, Error::ArrayLost { .. }), "{error}");
    // The result that was read before has a copy on the host.
    assert_eq!(before.output.as_slice().unwrap(), xored_with_key(&data));

    drop((runtime, before, unread, buffer));
    assert_eq!(Arc::strong_count(&gpu), 1);
    drop(gpu);
    println!("{:?}", CudaDevice::drop_failures());
}

/// A buffer of no bytes is at address 0, where no GPU has memory.
fn write_out_of_bounds(gpu: &CudaDevice) -> Result<(), Error> {
    let empty = gpu.allocate(Bytes(0))?;
    gpu.launch(&Launch::new(
        Kernel::named(&trial::KERNELS, "trial_stray_write"),
        1,
        1,
        &[Buffer(empty.as_ref()), I32(64)],
    ))
}

/// The message of a loss; anything else fails the test.
fn assert_lost(outcome: Result<(), Error>) -> String {
    match outcome {
        Err(error @ Error::DeviceLost { device: GPU, .. }) => error.to_string(),
        other => panic!("not reported as lost: {other:?}"),
    }
}

fn assert_everything_is_refused(gpu: &CudaDevice, buffer: &DeviceBuffer) {
    let inputs = [ChunkedMapInput::new(&[0; 100][..], 1)];
    let large = vec![0; 2 << 20];
    for _ in 0..3 {
        assert_eq!(gpu.free_memory(), Bytes(0));
        let mut result = [0; 100];
        let chunked_map = ChunkedMap::new(&inputs, result.as_mut_slice(), 1);
        let messages = [
            gpu.allocate(Bytes(1000)).map(drop),
            gpu.allocate(Bytes(123_457)).map(drop),
            buffer.upload(&[2; 1000]).map(drop),
            buffer.download(&mut [0; 1000]).map(drop),
            write_out_of_bounds(gpu),
            gpu.synchronize(),
            gpu.trim(),
            gpu.chunked_map(chunked_map, &mut |_| Ok(())).map(drop),
            execute(gpu, || Ok(())).map(drop),
            execute(gpu, || panic!("a lost device runs no body")).map(drop),
        ]
        .map(assert_lost);
        // Every call reports the same fault.
        assert!(
            messages.iter().all(|message| *message == messages[0]),
            "{messages:?}"
        );
        // A thread that never used the device before is refused, too.
        std::thread::scope(|scope| {
            let other = scope.spawn(|| gpu.allocate(Bytes(large.len() as u64)).map(drop));
            assert_lost(other.join().unwrap());
        });
    }
}

/// The runtime does not know of the loss: it sends one more operation to the GPU, and then
/// no more.
fn assert_the_cpu_takes_over(runtime: &Runtime, data: &[u8]) {
    assert!(runtime.router().lost().is_empty());
    for round in 0..3 {
        let outcome = runtime.run_traced(XorWithKey::of(data), None).unwrap();
        assert_eq!(outcome.output.as_slice().unwrap(), xored_with_key(data));
        assert_eq!(outcome.decision.device, DeviceId::CPU);
        let fell_back = outcome.decision.reason == Reason::FellBack { from: GPU };
        assert_eq!(fell_back, round == 0, "{:?}", outcome.decision.reason);
        assert_eq!(runtime.router().lost(), [GPU]);
    }
    let report = runtime.report();
    assert_eq!((report.failures, report.fallbacks.len()), (0, 1));
    let fallback = &report.fallbacks[0];
    assert_eq!((fallback.from, fallback.to), (GPU, DeviceId::CPU));
    assert_eq!((fallback.cause, fallback.count), (FallbackCause::Lost, 1));
    assert!(
        report
            .devices
            .iter()
            .all(|reading| reading.lost == (reading.device == GPU))
    );
    let named = runtime.run_on(GPU, XorWithKey::of(data)).unwrap_err();
    assert!(named.to_string().contains("lost"), "{named}");
}
