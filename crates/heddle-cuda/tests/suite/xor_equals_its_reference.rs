//! `xor_u8` is `data[i] ^ key[(phase + i) % key_len]`, however it is launched.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heddle_cuda::simt::SimtDevice;
use heddle_runtime::device::Argument::{Buffer, U64};
use heddle_testing::kernel_launch::{down, gpu, run, up};
use proptest::prelude::*;

struct Case {
    len: usize,
    key_len: usize,
    phase: u64,
    data_start: usize,
    out_start: usize,
    blocks: u32,
    threads: u32,
}

impl Case {
    const fn plain(len: usize, key_len: usize) -> Self {
        Self {
            len,
            key_len,
            phase: 0,
            data_start: 0,
            out_start: 0,
            blocks: 4,
            threads: 256,
        }
    }

    fn check(&self, gpu: &SimtDevice) {
        let byte = |index: usize, salt: usize| (index * 167 + index / 251 + salt) as u8;
        let data: Vec<u8> = (0..self.data_start + self.len)
            .map(|i| byte(i, 3))
            .collect();
        let key: Vec<u8> = (0..self.key_len).map(|i| byte(i, 91)).collect();
        let untouched = vec![0x77_u8; self.out_start + self.len];
        let (data_up, key_up, out) = (up(gpu, &data), up(gpu, &key), up(gpu, &untouched));
        run(
            gpu,
            "xor_u8",
            self.blocks,
            self.threads,
            &[
                Buffer(&*data_up),
                U64(self.data_start as u64),
                Buffer(&*key_up),
                U64(self.key_len as u64),
                U64(self.phase),
                Buffer(&*out),
                U64(self.out_start as u64),
                U64(self.len as u64),
            ],
        )
        .unwrap();
        let mut expected = untouched;
        for i in 0..self.len {
            let at = (self.phase as usize + i) % self.key_len;
            expected[self.out_start + i] = data[self.data_start + i] ^ key[at];
        }
        assert!(
            down::<u8>(&out) == expected,
            "len {} key {}",
            self.len,
            self.key_len
        );
    }
}

#[test]
fn at_every_size_around_a_line_a_block_and_a_grid() {
    let gpu = gpu();
    for len in [
        0, 1, 2, 7, 13, 15, 16, 17, 31, 32, 33, 251, 255, 256, 257, 4095, 4096, 4097, 16_383,
        16_384, 16_385, 65_537,
    ] {
        for key_len in [1, 2, 3, 8, 16, 17, 64, len.max(1)] {
            Case::plain(len, key_len).check(&gpu);
        }
    }
}

proptest! {
    #![proptest_config(heddle_testing::depth::cases(300))]
    #[test]
    fn at_any_offset_phase_and_launch(
        len in 0_usize..700, key_len in 1_usize..80, phase in 0_u64..1000,
        data_start in 0_usize..40, out_start in 0_usize..40,
        blocks in 1_u32..5, threads in 1_u32..=256,
    ) {
        Case { len, key_len, phase, data_start, out_start, blocks, threads }.check(&gpu());
    }
}
