//! Kernels write the memory they should, and stray accesses are reported.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_cuda::kernels::trial;
use heddle_cuda::simt::{SimtDevice, SimtOptions};
use heddle_runtime::device::Argument::{Buffer, F32, F64, I32, U32, U64};
use heddle_runtime::device::{Accelerator, Kernel, Launch};
use heddle_runtime::units::Bytes;
use heddle_testing::kernel_launch::{down, gpu, gpu_with, run, unwritten_buffer, up};

#[test]
fn fresh_memory_is_poison() {
    let gpu = gpu();
    assert!(
        down::<u8>(&unwritten_buffer::<u8>(&gpu, 1000))
            .iter()
            .all(|&byte| byte == 0xA5)
    );
    assert!(down::<u8>(&unwritten_buffer::<u8>(&gpu, 0)).is_empty());
}

#[test]
fn a_stray_write_names_the_kernel_and_the_buffer() {
    let gpu = gpu();
    for (at, damage) in [
        (100, "past the end of a buffer of 100 bytes, at byte 100"),
        (355, "past the end of a buffer of 100 bytes, at byte 355"),
        (-1, "before the start of a buffer of 100 bytes, at byte -1"),
        (
            -256,
            "before the start of a buffer of 100 bytes, at byte -256",
        ),
    ] {
        let buffer = unwritten_buffer::<u8>(&gpu, 100);
        let error = run(
            &gpu,
            "trial_stray_write",
            1,
            1,
            &[Buffer(&*buffer), I32(at)],
        )
        .unwrap_err()
        .to_string();
        assert_eq!(
            error,
            format!("simt:0: kernel trial_stray_write wrote {damage}")
        );
        gpu.synchronize().expect("reported once");
    }
    let buffer = unwritten_buffer::<u8>(&gpu, 100);
    for inside in [0, 99] {
        run(
            &gpu,
            "trial_stray_write",
            1,
            1,
            &[Buffer(&*buffer), I32(inside)],
        )
        .unwrap();
    }
}

#[test]
fn a_stray_write_is_reported_by_the_next_call() {
    let gpu = gpu();
    let buffer = unwritten_buffer::<u8>(&gpu, 10);
    let stray = [Buffer(&*buffer), I32(10)];
    let launch = Launch::new(
        Kernel::named(&trial::KERNELS, "trial_stray_write"),
        1,
        1,
        &stray,
    );
    gpu.launch(&launch)
        .expect("as on a GPU, not the launch itself");
    assert!(buffer.download(&mut [0; 10]).is_err());
    buffer.download(&mut [0; 10]).expect("reported once");
    gpu.launch(&launch).unwrap();
    drop(buffer);
    assert!(gpu.synchronize().is_err());
}

#[test]
fn without_memcheck_nothing_is_checked() {
    let options = SimtOptions::default().with(|it| it.memcheck = false);
    let gpu = SimtDevice::new(0, options);
    let buffer = unwritten_buffer::<u8>(&gpu, 10);
    run(
        &gpu,
        "trial_stray_write",
        1,
        1,
        &[Buffer(&*buffer), I32(10)],
    )
    .unwrap();
}

#[test]
fn wide_accesses_must_be_aligned() {
    let gpu = gpu();
    let buffer = unwritten_buffer::<u8>(&gpu, 64);
    run(&gpu, "trial_wide_write", 1, 1, &[Buffer(&*buffer), U32(16)]).unwrap();
    let error = run(&gpu, "trial_wide_write", 1, 1, &[Buffer(&*buffer), U32(4)])
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("misaligned access (memory.cu line "),
        "{error}"
    );
}

#[test]
fn indices_stay_inside_arrays_of_known_size() {
    let gpu = gpu();
    let out = unwritten_buffer::<u32>(&gpu, 1);
    run(&gpu, "trial_local_index", 1, 1, &[Buffer(&*out), U32(3)]).unwrap();
    assert_eq!(down::<u32>(&out), [6]);
    let error = run(&gpu, "trial_local_index", 1, 1, &[Buffer(&*out), U32(4)])
        .unwrap_err()
        .to_string();
    assert!(error.contains("index outside an array"), "{error}");
}

#[test]
fn division_by_zero_and_wide_shifts_are_reported() {
    let gpu = gpu();
    let out = unwritten_buffer::<u32>(&gpu, 2);
    let error = |by| {
        run(
            &gpu,
            "trial_divide_and_shift",
            1,
            1,
            &[Buffer(&*out), U32(by)],
        )
        .unwrap_err()
        .to_string()
    };
    assert!(error(0).contains("division by zero"));
    assert!(error(32).contains("shift by the width"));
}

#[test]
fn atomics_lose_nothing_across_workers() {
    for workers in [1, 4] {
        let gpu = gpu_with(workers);
        let ints = up(&gpu, &[0_i32, 5, -5]);
        let words = up(&gpu, &[0_u32, 0, u32::MAX, 0, u32::MAX, 0, 0]);
        let longs = up(&gpu, &[0_u64, 0]);
        let (floats, doubles) = (up(&gpu, &[0.0_f32]), up(&gpu, &[0.0_f64]));
        let n = 100 * 256_u32;
        run(
            &gpu,
            "trial_atomics",
            100,
            256,
            &[
                Buffer(&*ints),
                Buffer(&*words),
                Buffer(&*longs),
                Buffer(&*floats),
                Buffer(&*doubles),
            ],
        )
        .unwrap();
        let n_signed = n.cast_signed();
        assert_eq!(down::<i32>(&ints), [n_signed, 1 - n_signed, n_signed - 1]);
        let sum = (0..n).fold(0, u32::wrapping_add);
        assert_eq!(down::<u32>(&words), [sum, u32::MAX, 0, n - 1, 0, 2 * n, 9]);
        assert_eq!(
            down::<u64>(&longs),
            [u64::from(n) << 32, u64::from(n - 1) << 20]
        );
        assert_eq!(down::<f32>(&floats), [n as f32]);
        assert_eq!(down::<f64>(&doubles), [f64::from(n) / 2.0]);
    }
}

#[test]
fn every_thread_of_a_grid_runs_once() {
    for workers in [1, 3] {
        let gpu = gpu_with(workers);
        for (grid, block) in [
            ([1, 1, 1], [1, 1, 1]),
            ([3, 5, 2], [4, 3, 2]),
            ([7, 1, 9], [33, 7, 3]),
        ] {
            let threads: u32 = grid.iter().chain(&block).product();
            let out = up(&gpu, &vec![0_u32; threads as usize]);
            gpu.launch(&Launch {
                kernel: Kernel::named(&trial::KERNELS, "trial_coordinates"),
                grid,
                block,
                shared: 0,
                arguments: &[Buffer(&*out)],
            })
            .unwrap();
            assert!(down::<u32>(&out).iter().all(|&runs| runs == 1));
        }
    }
}

#[test]
fn intrinsics_return_the_defined_values() {
    let gpu = gpu();
    for word in [0, 1, 0x8000_0000, 0x00f0_1200, u32::MAX] {
        let out = unwritten_buffer::<u32>(&gpu, 8);
        run(&gpu, "trial_bits", 1, 1, &[Buffer(&*out), U32(word)]).unwrap();
        let first_set = if word == 0 {
            0
        } else {
            word.trailing_zeros() + 1
        };
        let high = (u64::from(word) * 0xD251_1F53) >> 32;
        assert_eq!(
            down::<u32>(&out),
            [
                word.count_ones(),
                word.leading_zeros(),
                first_set,
                word.reverse_bits(),
                high as u32,
                word.wrapping_add(77),
                word,
                word.count_ones(),
            ]
        );
    }
}

#[test]
fn arguments_arrive_as_given() {
    let gpu = gpu();
    let out = unwritten_buffer::<f64>(&gpu, 5);
    run(
        &gpu,
        "trial_arguments",
        1,
        1,
        &[
            Buffer(&*out),
            U32(u32::MAX),
            I32(-7),
            U64(1 << 40),
            F32(0.25),
            F64(-1e300),
        ],
    )
    .unwrap();
    assert_eq!(
        down::<f64>(&out),
        [
            f64::from(u32::MAX),
            -7.0,
            (1_u64 << 40) as f64,
            0.25,
            -1e300
        ]
    );
}

#[test]
fn memory_is_counted_and_returned() {
    let options = SimtOptions::default().with(|it| it.memory = Bytes(1000));
    let gpu = SimtDevice::new(0, options);
    let first = gpu.allocate(Bytes(600)).unwrap();
    let line = line!() - 1;
    let error = gpu.allocate(Bytes(500)).unwrap_err().to_string();
    assert_eq!(
        error,
        format!(
            "an allocation needs 500 B on simt:0, where 400 B of 1000 B is free \
             (0 B reserved by running operations, 400 B left by the driver); \
             held: 600 B in 1 block by unknown at {}:{line}",
            file!()
        )
    );
    assert!(gpu.allocate(Bytes(1 << 50)).is_err());
    assert!(gpu.allocate(Bytes(u64::MAX)).is_err());
    drop(first);
    gpu.allocate(Bytes(1000)).unwrap();
}
