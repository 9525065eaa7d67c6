//! Random words are Philox4x32-10 of seed and index, however they are launched and however many
//! there are.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_cuda::simt::SimtDevice;
use heddle_runtime::device::Argument::{Buffer, U64};
use heddle_runtime::ops::{Random, RandomElement, philox4x32_10};
use heddle_testing::agreement::CpuGpuPair;
use heddle_testing::kernel_launch::{down, gpu, run, unwritten_buffer};

fn word(seed: u64, index: u64) -> u32 {
    let block = index / 4;
    let counter = [block as u32, (block >> 32) as u32, 0, 0];
    philox4x32_10(counter, [seed as u32, (seed >> 32) as u32])[(index % 4) as usize]
}

fn words(gpu: &SimtDevice, len: usize, seed: u64, blocks: u32, threads: u32) -> Vec<u32> {
    let out = unwritten_buffer::<u32>(gpu, len);
    let arguments = [Buffer(&*out), U64(len as u64), U64(seed)];
    run(gpu, "random_u32", blocks, threads, &arguments).unwrap();
    down(&out)
}

#[test]
fn known_results_of_random123() {
    // kat_vectors of Random123 1.14: philox4x32 10.
    assert_eq!(
        words(&gpu(), 4, 0, 1, 1),
        [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]
    );
}

#[test]
fn every_size_and_launch() {
    let gpu = gpu();
    let seed = 0x1234_5678_9abc_def0;
    for len in [0, 1, 3, 4, 5, 127, 1021, 1535, 1536, 1537, 5000] {
        let expected: Vec<u32> = (0..len as u64).map(|i| word(seed, i)).collect();
        for (blocks, threads) in [(1, 1), (3, 128), (5, 256)] {
            assert_eq!(words(&gpu, len, seed, blocks, threads), expected, "{len}");
        }
    }
}

#[test]
fn floats_are_the_upper_bits() {
    let gpu = gpu();
    let len = 10_007;
    let out = unwritten_buffer::<f32>(&gpu, len);
    let arguments = [Buffer(&*out), U64(len as u64), U64(9)];
    run(&gpu, "random_f32", 5, 256, &arguments).unwrap();
    for (i, found) in down::<f32>(&out).into_iter().enumerate() {
        let expected = (word(9, i as u64) >> 8) as f32 / 16_777_216.0;
        assert_eq!(found.to_bits(), expected.to_bits());
        assert!((0.0..1.0).contains(&found));
    }
}

#[test]
fn more_than_one_stride_of_the_largest_grid_equals_the_cpu() {
    fn check<T: RandomElement>() {
        let pair = CpuGpuPair::new();
        let len = 4096 * 256 * (16 / size_of::<T>()) + 5;
        pair.agree(Random::<T>::new(9, &[len]).unwrap(), "many");
        pair.agree(Random::<T>::new(3, &[4, 5, 6]).unwrap(), "cube");
    }
    check::<u8>();
    check::<i32>();
    check::<u32>();
    check::<f32>();
    check::<f64>();
}
