//! Maps from host memory to host memory, chunk by chunk.

use std::panic::{AssertUnwindSafe, catch_unwind};

use heddle_cuda::cuda::CudaDevice;
use heddle_runtime::Error;
use heddle_runtime::device::{Accelerator, ChunkedMap, ChunkedMapInput, Device};
use heddle_runtime::units::Bytes;

use super::xor::{LARGE, down, is_xor, launch, launch_with_key, noise, pipelined, up};
use heddle_testing::nvidia::{execute, with_gpu};

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn chunks_of_any_size_give_the_whole() {
    with_gpu(|gpu| {
        for (len, chunk) in [
            (0, 0),
            (1 << 20, 0),
            ((5 << 20) + 1, 0),
            ((5 << 20) + 1, 77_777),
            ((5 << 20) + 1, 6 << 20),
            (LARGE + 3, 0),
            (LARGE, 256 << 10),
            (LARGE, 512 << 10),
            (LARGE, 1 << 20),
            (LARGE, 2 << 20),
        ] {
            let (left, right) = (noise(len, 3), noise(len, 4));
            execute(&gpu, || {
                let output = pipelined(&gpu, &left, &right, chunk)?;
                let name = format!("{len} bytes by {chunk}");
                assert!(is_xor(&left, &right, &output), "{name}");
                Ok(())
            })
            .unwrap();
        }
    });
}

/// Sizes around the limit up to which a map is computed in host memory, with uploads queued
/// before and with requested chunk sizes.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn small_maps_leave_the_uploads_around_them_alone() {
    with_gpu(|gpu| {
        for round in 0..40 {
            for (len, chunk) in [
                (1, 0),
                (17, 17),
                (1024, 0),
                (1000, 77),
                (21_000, 0),
                (21_900, 0),
                (65_536, 0),
            ] {
                let (left, right) = (noise(len, round), noise(len, round + 50));
                execute(&gpu, || {
                    let kept = up(&gpu, &left)?;
                    let first = pipelined(&gpu, &left, &right, chunk)?;
                    let second = pipelined(&gpu, &first, &right, chunk)?;
                    assert!(down(&kept)? == left, "{len} bytes were overwritten");
                    assert!(is_xor(&left, &right, &first), "{len} bytes");
                    assert!(second == left, "{len} bytes, back again");
                    Ok(())
                })
                .unwrap();
                // Outside an execution the map uses transfers.
                let open = pipelined(&gpu, &left, &right, chunk).unwrap();
                assert!(is_xor(&left, &right, &open), "{len} bytes, open");
            }
        }
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn every_chunk_sees_all_of_a_key() {
    with_gpu(|gpu| {
        for (len, chunk, key_len) in [
            (1000, 0, 17),
            (1000, 100, 300_000),
            ((5 << 20) + 1, 0, 1009),
            ((5 << 20) + 1, 333_333, 300_001),
        ] {
            let (data, key) = (noise(len, 5), noise(key_len, 6));
            let expected: Vec<_> = data
                .iter()
                .zip(key.iter().cycle())
                .map(|(byte, key)| byte ^ key)
                .collect();
            execute(&gpu, || {
                assert!(
                    xored_with_key(&gpu, &data, &key, chunk)? == expected,
                    "{len} bytes"
                );
                Ok(())
            })
            .unwrap();
            let open = xored_with_key(&gpu, &data, &key, chunk).unwrap();
            assert!(open == expected, "{len} bytes, open");
        }
    });
}

/// Budgets that hold one chunk, two or many, of any size.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_map_within_a_small_budget_is_whole() {
    with_gpu(|gpu| {
        let len = (9 << 20) + 1;
        let (data, key) = (noise(len, 11), noise(len, 12));
        for memory_budget in [1, 1000, 100_000, 2 << 20, 20 << 20, u64::MAX] {
            // A launch for every byte proves no more than for some of them.
            let len = if memory_budget < 100_000 { 5001 } else { len };
            let inputs = [&data, &key].map(|bytes| ChunkedMapInput::new(&bytes[..len], 1));
            let mut output = vec![0xAA; len];
            let mut largest = 0;
            execute(&gpu, || {
                let work =
                    ChunkedMap::new(&inputs, output.as_mut_slice(), 1).within(Bytes(memory_budget));
                gpu.chunked_map(work, &mut |chunk| {
                    largest = largest.max(chunk.elements as u64);
                    let [left, right] = *chunk.inputs else {
                        panic!("two operands went in");
                    };
                    launch(&gpu, left, right, chunk.output, chunk.elements)
                })
                .map(drop)
            })
            .unwrap();
            assert!(
                is_xor(&data[..len], &key[..len], &output),
                "{memory_budget} bytes"
            );
            // A small map is computed in host memory, whatever the budget.
            let is_direct = len < 10_000;
            assert!(
                is_direct || 3 * largest <= memory_budget.max(3),
                "{largest} in {memory_budget}"
            );
        }
    });
}

/// `data ^ key` chunk by chunk, the key repeating.
fn xored_with_key(
    gpu: &CudaDevice,
    data: &[u8],
    key: &[u8],
    chunk: usize,
) -> Result<Vec<u8>, Error> {
    let mut output = vec![0xAA; data.len()];
    let inputs = [ChunkedMapInput::new(key, 0), ChunkedMapInput::new(data, 1)];
    let work = ChunkedMap::new(&inputs, output.as_mut_slice(), 1).in_chunks_of(chunk);
    gpu.chunked_map(work, &mut |chunk| {
        let key_len = key.len() as u64;
        let place = (key_len, chunk.first_element % key_len);
        let [key, data] = *chunk.inputs else {
            panic!("a key and data went in");
        };
        launch_with_key(gpu, data, key, place, chunk.output, chunk.elements)
    })?;
    Ok(output)
}

/// Runs a map whose launch fails at chunk `at`.
fn failing(gpu: &CudaDevice, len: usize, at: usize) -> Result<(), Error> {
    let (data, mut output) = (vec![0; len], vec![0; len]);
    let inputs = [ChunkedMapInput::new(&data[..], 1)];
    let work = ChunkedMap::new(&inputs, output.as_mut_slice(), 1);
    let mut chunks = 0;
    let outcome = gpu.chunked_map(work, &mut |chunk| {
        if chunks == at {
            return Err(Error::device(gpu.id(), "no launch"));
        }
        chunks += 1;
        let input = chunk.inputs[0];
        launch(gpu, input, input, chunk.output, chunk.elements)
    });
    outcome.map(drop)
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_failed_launch_is_reported_and_leaks_nothing() {
    with_gpu(|gpu| {
        let (left, right) = (noise((5 << 20) + 1, 7), noise((5 << 20) + 1, 8));
        // Far more often than there are bytes in a slab, and slots.
        for (len, at, times) in [(64, 0, 20_000), (20 << 20, 0, 20), (20 << 20, 3, 20)] {
            execute(&gpu, || {
                for _ in 0..times {
                    let error = failing(&gpu, len, at).unwrap_err();
                    assert!(error.to_string().contains("no launch"), "{error}");
                }
                for len in [1000, left.len()] {
                    let (left, right) = (&left[..len], &right[..len]);
                    let output = pipelined(&gpu, left, right, 0)?;
                    assert!(is_xor(left, right, &output), "{len} bytes");
                }
                Ok(())
            })
            .unwrap();
        }
    });
}

/// A panic in a launch reaches the caller; the slots come back, and the buffers of the chunks
/// under way are not reused before the device has finished with them.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_panicking_launch_loses_no_slot() {
    with_gpu(|gpu| {
        let data = vec![0; 20 << 20];
        let inputs = [ChunkedMapInput {
            bytes: data[..].into(),
            unit: 1,
        }];
        let (left, right) = (noise(5 << 20, 7), noise(5 << 20, 8));
        // More often than there are slots.
        for _ in 0..40 {
            let mut output = vec![0; data.len()];
            let mut chunks = 0;
            let panicking = AssertUnwindSafe(|| {
                execute(&gpu, || {
                    let work = ChunkedMap {
                        inputs: &inputs,
                        output: output.as_mut_slice().into(),
                        output_unit: 1,
                        chunk_elements: 0,
                        memory_budget: Bytes(u64::MAX),
                    };
                    gpu.chunked_map(work, &mut |chunk| {
                        assert!(chunks < 3, "no launch");
                        chunks += 1;
                        let input = chunk.inputs[0];
                        launch(&gpu, input, input, chunk.output, chunk.elements)
                    })
                    .map(drop)
                })
            });
            let payload = catch_unwind(panicking).unwrap_err();
            assert_eq!(payload.downcast_ref::<&str>(), Some(&"no launch"));
            execute(&gpu, || {
                assert!(is_xor(&left, &right, &pipelined(&gpu, &left, &right, 0)?));
                Ok(())
            })
            .unwrap();
        }
    });
}

/// The launch of a small map waits for the stream and uploads something else: the operands of
/// the map stay where they are.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_launch_may_wait_and_upload() {
    with_gpu(|gpu| {
        let (left, right) = (noise(5000, 1), noise(5000, 2));
        let mut output = vec![0; left.len()];
        execute(&gpu, || {
            let other = up(&gpu, &noise(60_000, 3))?;
            let inputs = [&left, &right].map(|operand| ChunkedMapInput {
                bytes: operand[..].into(),
                unit: 1,
            });
            let work = ChunkedMap {
                inputs: &inputs,
                output: output.as_mut_slice().into(),
                output_unit: 1,
                chunk_elements: 0,
                memory_budget: Bytes(u64::MAX),
            };
            gpu.chunked_map(work, &mut |chunk| {
                gpu.synchronize()?;
                other.upload(&vec![0xFF; 60_000])?;
                let [left, right] = *chunk.inputs else {
                    panic!("two operands went in");
                };
                launch(&gpu, left, right, chunk.output, chunk.elements)
            })
            .map(drop)
        })
        .unwrap();
        assert!(is_xor(&left, &right, &output));
    });
}
