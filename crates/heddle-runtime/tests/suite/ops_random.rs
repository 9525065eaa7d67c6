//! Random arrays follow the documented mapping on any number of threads.
#![allow(clippy::unwrap_used)] // A test outside its `#[test]` function is a test still.

use heddle_runtime::Array;
use heddle_runtime::ops::{Random, RandomElement, philox4x32_10};
use heddle_testing::cpu_ops::{AWKWARD, device, poison, run};
use proptest::prelude::*;

fn random<T: RandomElement>(threads: usize, seed: u64, len: usize) -> Vec<T> {
    poison::<T>(len);
    let array: Array<T> = run(&device(threads), &mut Random::new(seed, &[len]).unwrap()).unwrap();
    array.to_vec().unwrap()
}

fn words(seed: u64, block: usize) -> [u32; 4] {
    let block = block as u64;
    philox4x32_10(
        [block as u32, (block >> 32) as u32, 0, 0],
        [seed as u32, (seed >> 32) as u32],
    )
}

fn check(threads: usize, seed: u64, len: usize) {
    let bytes = |i: usize| words(seed, i / 16)[i % 16 / 4].to_le_bytes()[i % 4];
    let whole = |i: usize| words(seed, i / 4)[i % 4];
    let double = |i: usize| {
        let drawn = words(seed, i / 2);
        let (low, high) = (drawn[2 * (i % 2)], drawn[2 * (i % 2) + 1]);
        ((u64::from(high) << 32 | u64::from(low)) >> 11) as f64 * 2_f64.powi(-53)
    };
    assert!(
        random::<u8>(threads, seed, len)
            .into_iter()
            .eq((0..len).map(bytes))
    );
    assert!(
        random::<u32>(threads, seed, len)
            .into_iter()
            .eq((0..len).map(whole))
    );
    let signed = (0..len).map(|i| whole(i).cast_signed());
    assert!(random::<i32>(threads, seed, len).into_iter().eq(signed));
    let singles = (0..len).map(|i| (whole(i) >> 8) as f32 * 2_f32.powi(-24));
    assert!(random::<f32>(threads, seed, len).into_iter().eq(singles));
    assert!(
        random::<f64>(threads, seed, len)
            .into_iter()
            .eq((0..len).map(double))
    );
}

proptest! {
    #![proptest_config(heddle_testing::depth::cases(24))]
    #[test]
    fn elements_follow_the_mapping(seed in any::<u64>(), len in 0_usize..600) {
        check(1, seed, len);
    }
}

#[test]
fn the_mapping_holds_at_awkward_lengths() {
    for len in AWKWARD {
        check(2, 0x1234_5678_9abc_def0, len);
    }
}

#[test]
fn elements_do_not_depend_on_the_thread_count() {
    let len = 700_007;
    for threads in [2, 3, 8] {
        assert_eq!(random::<u8>(threads, 5, len), random::<u8>(1, 5, len));
        assert_eq!(random::<f32>(threads, 5, len), random::<f32>(1, 5, len));
        assert_eq!(random::<f64>(threads, 5, len), random::<f64>(1, 5, len));
    }
}

#[test]
fn floats_fill_the_half_open_unit_interval_evenly() {
    let values = random::<f64>(2, 99, 100_000);
    assert!(values.iter().all(|x| (0.0..1.0).contains(x)));
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    // Five standard errors of the mean of this many elements.
    assert!((mean - 0.5).abs() < 5.0 * 0.2887 / 316.0);
    let mut tenths = [0_u32; 10];
    for x in &values {
        tenths[(x * 10.0) as usize] += 1;
    }
    assert!(
        tenths.iter().all(|&count| (9500..10_500).contains(&count)),
        "{tenths:?}"
    );
}

#[test]
fn different_seeds_give_different_elements() {
    assert_ne!(random::<u32>(1, 1, 100), random::<u32>(1, 2, 100));
    assert_ne!(random::<u32>(1, 1, 100), random::<u32>(1, 1 << 32, 100));
}
