//! The default pipeline of a device computes the same as one launch.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::Ordering;

use heddle_runtime::Error;
use heddle_runtime::device::{Accelerator, Argument, ChunkedMap, ChunkedMapInput, Launch};
use heddle_runtime::units::Bytes;
use heddle_testing::host_memory_gpu::{HostMemoryGpu, XOR_KERNEL};
use proptest::prelude::*;

fn fake() -> Arc<HostMemoryGpu> {
    HostMemoryGpu::new(0, Bytes(1 << 20))
}

fn xor(
    device: &HostMemoryGpu,
    values: &[u8],
    key: &[u8],
    chunk: usize,
    memory_budget: Bytes,
) -> (Vec<u8>, usize, Bytes) {
    let mut output = vec![0xAA; values.len()];
    let mut launches = 0;
    let inputs = [
        ChunkedMapInput::new(values, 1),
        ChunkedMapInput::new(key, 0),
    ];
    let work = ChunkedMap::new(&inputs, output.as_mut_slice(), 1)
        .in_chunks_of(chunk)
        .within(memory_budget);
    let moved = device
        .chunked_map(work, &mut |chunk| {
            launches += 1;
            device.launch(&Launch::new(
                &XOR_KERNEL,
                1,
                1,
                &[
                    Argument::Buffer(chunk.inputs[0]),
                    Argument::Buffer(chunk.inputs[1]),
                    Argument::Buffer(chunk.output),
                    Argument::U64(chunk.first_element),
                    Argument::U32(chunk.elements as u32),
                ],
            ))
        })
        .unwrap();
    (output, launches, moved.bytes())
}

proptest! {
    #![proptest_config(heddle_testing::depth::cases(256))]

    #[test]
    fn chunks_of_any_size_give_the_same_result(
        values in proptest::collection::vec(any::<u8>(), 0..600),
        key in proptest::collection::vec(any::<u8>(), 1..20),
        chunk in 0_usize..700,
    ) {
        let (output, launches, crossed) = xor(&fake(), &values, &key, chunk, Bytes(u64::MAX));
        let expected: Vec<u8> = values
            .iter()
            .zip(key.iter().cycle())
            .map(|(value, key)| value ^ key)
            .collect();
        prop_assert_eq!(output, expected);
        let chunk = if chunk == 0 { values.len().max(1) } else { chunk };
        prop_assert_eq!(launches, values.len().div_ceil(chunk));
        // The key is transferred once, for any number of chunks.
        let whole = if values.is_empty() { 0 } else { 2 * values.len() + key.len() };
        prop_assert_eq!(crossed, Bytes(whole as u64));
    }

    /// One element and the key are allowed beyond the budget.
    #[test]
    fn chunks_keep_to_the_budget_and_fill_it(
        values in proptest::collection::vec(any::<u8>(), 1..600),
        key in proptest::collection::vec(any::<u8>(), 1..20),
        chunk in 0_usize..700,
        memory_budget in 0_u64..1500,
    ) {
        let device = fake();
        let whole = xor(&fake(), &values, &key, chunk, Bytes(u64::MAX));
        let (output, launches, crossed) = xor(&device, &values, &key, chunk, Bytes(memory_budget));
        prop_assert_eq!((output, crossed), (whole.0, whole.2));
        let key = key.len() as u64;
        prop_assert!(device.held.peak.load(Ordering::Relaxed) <= memory_budget.max(key + 2));
        let fits = (memory_budget.saturating_sub(key) / 2).max(1) as usize;
        let chunk = if chunk == 0 { fits } else { chunk.min(fits) };
        prop_assert_eq!(launches, values.len().div_ceil(chunk));
    }
}

#[test]
fn operands_that_do_not_fit_together_are_refused() {
    let device = fake();
    for (values, unit, output_unit) in [(&[0_u8; 7][..], 1, 1), (&[0; 8], 2, 1), (&[0; 8], 1, 0)] {
        let inputs = [ChunkedMapInput::new(values, unit)];
        let mut output = [0; 8];
        let work = ChunkedMap::new(&inputs, output.as_mut_slice(), output_unit);
        let refused = device.chunked_map(work, &mut |_| Ok(()));
        assert!(matches!(refused, Err(Error::BadParameter { .. })));
    }
}

#[test]
fn a_failed_launch_ends_the_map_with_its_error() {
    let mut output = [0; 8];
    let work = ChunkedMap::new(&[], output.as_mut_slice(), 1).in_chunks_of(2);
    let outcome = fake().chunked_map(work, &mut |chunk| {
        if chunk.first_element == 4 {
            Err(Error::EmptyKey)
        } else {
            Ok(())
        }
    });
    assert!(matches!(outcome, Err(Error::EmptyKey)));
}
