//! `xor_ragged_u8` applies to every item its own key, wherever a range of the whole starts
//! and however it is launched.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_cuda::simt::SimtDevice;
use heddle_runtime::device::Argument::{Buffer, U64};
use heddle_testing::kernel_launch::{down, gpu, run, up};
use proptest::prelude::*;

/// Checks items of these lengths with keys of these lengths, computed from byte `first` on.
fn check(gpu: &SimtDevice, items: &[(usize, usize)], first: usize, blocks: u32, threads: u32) {
    let byte = |index: usize, salt: usize| (index * 167 + index / 251 + salt) as u8;
    let (mut data, mut keys, mut table, mut expected) = (vec![], vec![], vec![], vec![]);
    for (item, &(len, key_len)) in items.iter().enumerate() {
        table.extend([data.len() as u64, keys.len() as u64, key_len as u64]);
        let key: Vec<u8> = (0..key_len).map(|at| byte(at, item + 91)).collect();
        for at in 0..len.next_multiple_of(16) {
            data.push(byte(at, item));
            expected.push(byte(at, item) ^ key[at % key_len]);
        }
        keys.extend(key);
    }
    let first = first.min(data.len());
    let (from, rest) = (&data[first..], &expected[first..]);
    if from.is_empty() {
        return;
    }
    let (data_up, table_up, keys_up) = (up(gpu, from), up(gpu, &table), up(gpu, &keys));
    let out = up(gpu, &vec![0x77_u8; from.len()]);
    run(
        gpu,
        "xor_ragged_u8",
        blocks,
        threads,
        &[
            Buffer(&*data_up),
            Buffer(&*table_up),
            U64(items.len() as u64),
            Buffer(&*keys_up),
            Buffer(&*out),
            U64(first as u64),
            U64(from.len() as u64),
        ],
    )
    .unwrap();
    assert_eq!(down::<u8>(&out), rest, "{items:?} from {first}");
}

#[test]
fn a_range_may_start_within_an_item_and_off_a_line() {
    let gpu = gpu();
    let items = [(100, 7), (1, 1), (0, 3), (64, 64), (200, 33), (16, 900)];
    for first in [0, 1, 15, 16, 112, 113, 128, 300] {
        check(&gpu, &items, first, 3, 64);
    }
}

proptest! {
    #![proptest_config(heddle_testing::depth::cases(64))]

    #[test]
    fn any_items(
        items in prop::collection::vec((0_usize..400, 1_usize..70), 1..30),
        first in 0_usize..64,
        blocks in 1_u32..5,
        threads in 1_u32..257,
    ) {
        check(&gpu(), &items, first, blocks, threads);
    }
}
