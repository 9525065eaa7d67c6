//! Every thread reaches a barrier, or the kernel ends in an error that names the barrier.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on has failed"
)]

use heddle_runtime::device::Accelerator;
use heddle_runtime::device::Argument::{Buffer, U32};
use heddle_testing::kernel_launch::{down, gpu, gpu_with, run, run_shared, unwritten_buffer, up};

#[test]
fn values_rotate_through_shared_memory() {
    for (workers, blocks, threads, rounds) in [
        (1, 1, 1, 5),
        (1, 2, 33, 7),
        (1, 3, 1024, 40),
        (2, 64, 1024, 9),
    ] {
        let gpu = gpu_with(workers);
        let out = unwritten_buffer::<u32>(&gpu, (blocks * threads) as usize);
        run(
            &gpu,
            "trial_rotate",
            blocks,
            threads,
            &[Buffer(&*out), U32(rounds)],
        )
        .unwrap();
        for (index, found) in down::<u32>(&out).into_iter().enumerate() {
            let (block, thread) = (index as u32 / threads, index as u32 % threads);
            assert_eq!(found, block * 10000 + (thread + rounds) % threads);
        }
    }
}

#[test]
fn dynamic_shared_memory_is_each_blocks_own() {
    for workers in [1, 2] {
        let gpu = gpu_with(workers);
        let values: Vec<u32> = (0..40 * 512).collect();
        let out = up(&gpu, &values);
        run_shared(&gpu, "trial_reverse", 40, 512, 512 * 4, &[Buffer(&*out)]).unwrap();
        let expected: Vec<u32> = values
            .chunks(512)
            .flat_map(|block| block.iter().rev().copied())
            .collect();
        assert_eq!(down::<u32>(&out), expected);
    }
}

#[test]
fn barriers_that_vote_count_all_threads() {
    let gpu = gpu();
    for limit in [0, 1, 99, 100, 200] {
        let out = unwritten_buffer::<u32>(&gpu, 300);
        run(
            &gpu,
            "trial_block_votes",
            1,
            100,
            &[Buffer(&*out), U32(limit)],
        )
        .unwrap();
        let below = limit.min(100);
        let expected = [below, u32::from(below == 100), u32::from(below > 0)];
        assert!(down::<u32>(&out).chunks(3).all(|row| row == expected));
    }
}

#[test]
fn exited_threads_count_as_arrived() {
    let gpu = gpu();
    let out = unwritten_buffer::<u32>(&gpu, 128);
    run(&gpu, "trial_early_exit", 1, 128, &[Buffer(&*out), U32(70)]).unwrap();
    let found = down::<u32>(&out);
    assert!(found[..70].iter().all(|&count| count == 70));
    assert!(
        found[70..]
            .iter()
            .all(|&unwritten| unwritten == 0xA5A5_A5A5)
    );
}

/// The error of a launch that must fail; the device still works afterwards.
fn refused(kernel: &'static str, threads: u32) -> String {
    let gpu = gpu();
    let out = up(&gpu, &[0_u32; 1024]);
    let error = run(&gpu, kernel, 2, threads, &[Buffer(&*out)])
        .unwrap_err()
        .to_string();
    gpu.synchronize().expect("reported once");
    let votes = unwritten_buffer::<u32>(&gpu, 300);
    run(
        &gpu,
        "trial_block_votes",
        1,
        100,
        &[Buffer(&*votes), U32(3)],
    )
    .expect("the next kernel is not affected");
    error
}

#[test]
fn a_divergent_barrier_is_a_deadlock() {
    let error = refused("trial_divergent_barrier", 64);
    assert!(
        error.contains("deadlock in kernel trial_divergent_barrier, block (0, 0, 0)")
            && error.contains("32 threads from thread 0 on wait at __syncthreads (line")
            && error.contains("32 threads from thread 32 on wait at __syncthreads (line"),
        "{error}"
    );
}

#[test]
fn a_missing_lane_is_a_deadlock() {
    let error = refused("trial_missing_lane", 32);
    assert!(
        error.contains("deadlock in kernel trial_missing_lane")
            && error.contains("thread 7 waits at __syncthreads")
            && error.contains("31 threads from thread 0 on wait in a vote"),
        "{error}"
    );
}

#[test]
fn a_lane_outside_its_own_mask_is_refused() {
    let error = refused("trial_foreign_mask", 2);
    assert!(
        error.contains("thread (1, 0, 0): lane 1 calls a vote")
            && error.contains("mask 0x00000001, which does not name it"),
        "{error}"
    );
}

#[test]
fn a_thread_that_spins_for_ever_is_stopped() {
    let error = refused("trial_spin", 3);
    assert!(
        error.contains("kernel trial_spin") && error.contains("spins"),
        "{error}"
    );
}

#[test]
fn a_thread_that_spins_lets_the_others_run() {
    let gpu = gpu();
    let flag = up(&gpu, &[0_u32]);
    run(&gpu, "trial_handover", 1, 96, &[Buffer(&*flag)]).unwrap();
    assert_eq!(down::<u32>(&flag), [2]);
}

#[test]
fn too_much_shared_memory_is_refused() {
    let gpu = gpu();
    let out = unwritten_buffer::<u32>(&gpu, 32);
    // The kernel declares 128 bytes; a block has 49,152 in all.
    let run = |dynamic| {
        run_shared(
            &gpu,
            "trial_unwritten_shared",
            1,
            32,
            dynamic,
            &[Buffer(&*out)],
        )
    };
    run(49_024).unwrap();
    let error = run(49_040).unwrap_err().to_string();
    assert!(error.contains("128 more bytes requested"), "{error}");
}

#[test]
fn shared_memory_starts_unwritten_in_every_block() {
    let gpu = gpu_with(1);
    let out = unwritten_buffer::<u32>(&gpu, 96);
    run(&gpu, "trial_unwritten_shared", 3, 32, &[Buffer(&*out)]).unwrap();
    assert!(down::<u32>(&out).iter().all(|&word| word == 0xA5A5_A5A5));
}
