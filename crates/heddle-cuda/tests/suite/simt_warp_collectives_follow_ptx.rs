//! Lanes of a warp shuffle, vote and leave as on a GPU.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_runtime::device::Argument::{Buffer, I32, U32};
use heddle_testing::kernel_launch as gpu;
use heddle_testing::kernel_launch::{down, gpu, run, unwritten_buffer};

/// PTX `shfl.sync`, implemented from its specification: c holds the clamp in bits 0-4 and
/// the segment mask in bits 8-12.
fn shuffled(mode: usize, context: u32, by: u32, width: u32) -> u32 {
    let clamp = if mode == 1 { 0 } else { 31 };
    let segment = 32 - width;
    let last = (context & segment) | (clamp & !segment & 31);
    let first = context & segment;
    let (source, inside) = match mode {
        0 => {
            let source = first | (by & !segment & 31);
            (source, source <= last)
        }
        1 => (
            context.wrapping_sub(by),
            i64::from(context) - i64::from(by) >= i64::from(last),
        ),
        2 => (context + by, context + by <= last),
        _ => (context ^ by, context ^ by <= last),
    };
    if inside { source } else { context }
}

#[test]
fn shuffles_follow_ptx() {
    let gpu = gpu();
    for width in [1, 2, 4, 8, 16, 32] {
        for by in 0..32 {
            let out = unwritten_buffer::<u32>(&gpu, 64 * 6);
            run(
                &gpu,
                "trial_shuffles",
                1,
                64,
                &[Buffer(&*out), I32(by), I32(width)],
            )
            .unwrap();
            for (thread, row) in down::<u32>(&out).chunks(6).enumerate() {
                let thread = thread as u32;
                let (context, first) = (thread % 32, thread - thread % 32);
                for (mode, &found) in row[..4].iter().enumerate() {
                    let source = first + shuffled(mode, context, by as u32, width as u32);
                    assert_eq!(
                        found,
                        100 + source,
                        "mode {mode} by {by} width {width} {context}"
                    );
                }
                assert_eq!(row[4], 100 + (thread ^ 1));
                assert_eq!(row[5], 100 + first + (context + 1).min(31));
            }
        }
    }
}

#[test]
fn votes_count_the_live_lanes() {
    let gpu = gpu();
    // 40 threads: the second warp has eight lanes.
    for pattern in [0, 1, 0x80, 0xff, 0xffff_ff00, u32::MAX] {
        let out = unwritten_buffer::<u32>(&gpu, 40 * 3);
        run(&gpu, "trial_votes", 1, 40, &[Buffer(&*out), U32(pattern)]).unwrap();
        for (thread, row) in down::<u32>(&out).chunks(3).enumerate() {
            let present = if thread < 32 { u32::MAX } else { 0xff };
            let ballot = pattern & present;
            let expected = [ballot, u32::from(ballot != 0), u32::from(ballot == present)];
            assert_eq!(row, expected, "pattern {pattern:#x} thread {thread}");
        }
    }
}

#[test]
fn groups_of_a_warp_synchronise_apart_and_then_together() {
    let gpu = gpu();
    let out = unwritten_buffer::<u32>(&gpu, 96);
    run(&gpu, "trial_split_warp", 1, 96, &[Buffer(&*out)]).unwrap();
    for (thread, found) in down::<u32>(&out).into_iter().enumerate() {
        let vote = if thread % 2 == 0 {
            0x5555 + 1
        } else {
            0xaaaa_0000
        };
        assert_eq!(found, vote + 32);
    }
}

#[test]
fn lanes_that_exited_are_not_waited_for() {
    let gpu = gpu();
    for leave in [1, 7, 31, 32] {
        let out = unwritten_buffer::<u32>(&gpu, 64);
        run(&gpu, "trial_leavers", 1, 32, &[Buffer(&*out), U32(leave)]).unwrap();
        let rows = down::<u32>(&out);
        for row in rows.chunks(2).take(leave as usize) {
            assert_eq!(row[0], u32::MAX >> (32 - leave));
            // Lane 31 is alive, or the value read from it is poison.
            assert_eq!(row[1], if leave == 32 { 31 } else { 0xA5A5_A5A5 });
        }
        for &unwritten in &rows[leave as usize * 2..] {
            assert_eq!(unwritten, 0xA5A5_A5A5);
        }
    }
}

#[test]
fn active_masks_count_every_thread_once() {
    let gpu = gpu();
    let out = gpu::up(&gpu, &[0_u32]);
    run(&gpu, "trial_active_lanes", 3, 50, &[Buffer(&*out)]).unwrap();
    assert_eq!(down::<u32>(&out), [150]);
}
