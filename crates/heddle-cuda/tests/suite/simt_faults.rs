//! Injected faults happen exactly when they were requested.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_cuda::kernels::trial;
use heddle_cuda::simt::{Faults, SimtDevice, SimtOptions, SimulatedBus};
use heddle_runtime::device::Argument::{Buffer, U32, U64};
use heddle_runtime::device::{Accelerator, Device, DeviceId, Kernel, Launch};
use heddle_runtime::units::{Bytes, Nanos};
use heddle_runtime::{Array, DType, Description, Error, Kind, WorkUnit};
use heddle_testing::kernel_launch as gpu;
use heddle_testing::kernel_launch::{ABSENT, gpu, kernel_named, run, up};

static TRIAL: Kind = Kind::new("trial", WorkUnit::Items);

fn with(faults: Faults) -> SimtDevice {
    let options = SimtOptions::default().with(|it| it.faults = faults);
    SimtDevice::new(3, options)
}

#[test]
fn the_chosen_allocation_fails() {
    let gpu = with(Faults::default().with(|it| it.allocation = Some(2)));
    let free = gpu.free_memory();
    let kept = gpu.allocate(Bytes(10)).unwrap();
    let error = gpu.allocate(Bytes(10)).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
    drop(kept);
    drop(gpu.allocate(Bytes(10)).unwrap());
    assert_eq!(gpu.free_memory(), free);
}

#[test]
fn the_chosen_launch_fails_and_runs_nothing() {
    let gpu = with(Faults::default().with(|it| it.launch = Some(2)));
    let out = up(&gpu, &[0_u32]);
    let launch = || run(&gpu, "trial_active_lanes", 1, 1, &[Buffer(&*out)]);
    launch().unwrap();
    let error = launch().unwrap_err();
    assert_eq!(
        error.to_string(),
        "simt:3: the launch of trial_active_lanes failed"
    );
    launch().unwrap();
    assert_eq!(gpu::down::<u32>(&out), [2]);
}

#[test]
fn a_lost_device_fails_every_call() {
    let gpu = with(Faults::default().with(|it| it.lost_after = Some(3)));
    let buffer = gpu.allocate(Bytes(4)).unwrap();
    buffer.upload(&[1; 4]).unwrap();
    gpu.synchronize().unwrap();
    let lost = |outcome: Result<(), Error>| {
        assert!(matches!(
            outcome,
            Err(Error::DeviceLost { device, .. }) if device == DeviceId::simt(3)
        ));
    };
    lost(buffer.download(&mut [0; 4]).map(drop));
    lost(buffer.upload(&[0; 4]).map(drop));
    lost(gpu.synchronize());
    lost(gpu.allocate(Bytes(1)).map(drop));
    lost(run(&gpu, "trial_active_lanes", 1, 1, &[Buffer(&*buffer)]));
    lost(
        gpu.execute(
            &Description::new(&TRIAL, DType::U8, 1),
            std::time::Instant::now(),
            &mut |_| panic!("a body must not run on a lost device"),
        )
        .map(drop),
    );
}

#[test]
fn a_device_can_be_lost_at_any_moment() {
    let gpu = gpu();
    gpu.synchronize().unwrap();
    gpu.mark_lost();
    assert!(matches!(gpu.synchronize(), Err(Error::DeviceLost { .. })));
}

#[test]
fn executions_report_kernels_and_transfers() {
    let options = SimtOptions::default().with(|it| {
        it.transfers = SimulatedBus::default().with(|it| {
            it.latency = Nanos(1_000_000);
            it.ns_per_byte = 100.0;
        });
    });
    let gpu = SimtDevice::new(0, options);
    let array = Array::from_slice(&[1_u32; 1000]);
    let start = std::time::Instant::now();
    let timing = gpu
        .execute(
            &Description::new(&TRIAL, DType::U32, 1),
            std::time::Instant::now(),
            &mut |context| {
                let buffer = context.resident(&array, &gpu)?;
                gpu.launch(&Launch::new(
                    Kernel::named(&trial::KERNELS, "trial_barriers"),
                    1,
                    64,
                    &[Buffer(&**buffer), U32(50)],
                ))
            },
        )
        .unwrap();
    let real = Nanos::from(start.elapsed());
    // One transfer of 4000 bytes: 1 ms of latency and 0.4 ms on the bus.
    let simulated = Nanos(1_400_000);
    assert_eq!(
        (timing.moved.up, timing.moved.down),
        (Bytes(4000), Bytes(0))
    );
    assert!(timing.moved.up_time >= simulated);
    assert!(timing.total >= timing.moved.up_time && timing.total <= real + simulated);
    let device = timing.device.unwrap();
    assert!(device > Nanos(0) && device <= timing.busy());
}

#[test]
fn a_kernel_failure_ends_the_execution() {
    let gpu = gpu();
    let out = up(&gpu, &[0_u32; 64]);
    let error = gpu
        .execute(
            &Description::new(&TRIAL, DType::U32, 1),
            std::time::Instant::now(),
            &mut |_| {
                gpu.launch(&Launch::new(
                    Kernel::named(&trial::KERNELS, "trial_divergent_barrier"),
                    1,
                    64,
                    &[Buffer(&*out)],
                ))
            },
        )
        .unwrap_err();
    assert!(error.to_string().contains("deadlock"), "{error}");
}

#[test]
fn launches_that_do_not_fit_their_kernel_are_refused() {
    let gpu = gpu();
    let other = SimtDevice::new(1, SimtOptions::default());
    let out = up(&gpu, &[0_u32; 64]);
    let away = up(&other, &[0_u32; 64]);
    // Its memory has a lock of its own, so the number alone does not tell devices apart.
    let same_number = SimtDevice::new(0, SimtOptions::default());
    let namesake = up(&same_number, &[0_u32; 64]);
    let mine = [Buffer(&*out), U32(1)];
    let refusal = |kernel, grid, block, shared, arguments: &[_]| {
        gpu.launch(&Launch {
            kernel,
            grid,
            block,
            shared,
            arguments,
        })
        .unwrap_err()
        .to_string()
    };
    let one = [1; 3];
    let cases = [
        (
            refusal(&ABSENT, one, one, 0, &mine),
            "kernel absent is not compiled for the host",
        ),
        (
            refusal(kernel_named("trial_barriers"), one, one, 0, &mine[..1]),
            "takes 2 arguments, but got 1",
        ),
        (
            refusal(
                kernel_named("trial_barriers"),
                one,
                one,
                0,
                &[Buffer(&*out), U64(1)],
            ),
            "argument 1 of trial_barriers must be U32, but is U64",
        ),
        (
            refusal(
                kernel_named("trial_barriers"),
                one,
                one,
                0,
                &[Buffer(&*away), U32(1)],
            ),
            "argument 0 of trial_barriers lives on simt:1",
        ),
        (
            refusal(
                kernel_named("trial_barriers"),
                one,
                one,
                0,
                &[Buffer(&*namesake), U32(1)],
            ),
            "argument 0 of trial_barriers lives on another simt:0",
        ),
        (
            refusal(kernel_named("trial_barriers"), [0, 1, 1], one, 0, &mine),
            "a grid of [0, 1, 1]",
        ),
        (
            refusal(kernel_named("trial_barriers"), one, [32, 33, 1], 0, &mine),
            "1 to 1024 threads",
        ),
        (
            refusal(kernel_named("xor_u8"), one, [257, 1, 1], 0, &mine),
            "1 to 256 threads",
        ),
        (
            refusal(kernel_named("trial_barriers"), one, one, 49153, &mine),
            "49153 bytes of dynamic shared memory",
        ),
    ];
    for (found, expected) in cases {
        assert!(found.contains(expected), "{found}");
    }
}
