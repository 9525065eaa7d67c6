//! Every operation submitted to a queue gets one result, whatever its devices do.
//!
//! `HEDDLE_HAMMER_SECONDS` sets how long the threads submit; 1 by default, 4 when thorough.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use heddle_cuda::simt::{Faults, SimtDevice};
use heddle_runtime::batch::{Queue, QueueSettings};
use heddle_runtime::config::Config;
use heddle_runtime::device::DeviceId;
use heddle_runtime::memory::ManualClock;
use heddle_runtime::ops::{Add, Binary, MatMul, Xor};
use heddle_runtime::{Array, Error, Runtime};
use heddle_testing::several_gpus::{bytes, forced, matrix, runtime, small, xored};

fn cpu() -> Runtime {
    Runtime::builder().without_model_cache().build().unwrap()
}

fn xor(len: usize, salt: usize) -> (Xor<u8>, Vec<u8>) {
    let (data, key) = (bytes(len, salt), bytes(5, salt + 1));
    let operation = Xor::new(&Array::from_slice(&data), &Array::from_slice(&key)).unwrap();
    (operation, xored(&data, &key))
}

/// A queue that launches only when a batch is full: its clock stands still.
fn queue_that_waits_for_full_batches(
    runtime: &Runtime,
    max_batch: usize,
    capacity: usize,
) -> Queue {
    let settings = QueueSettings::default().with(|it| {
        it.max_batch = max_batch;
        it.max_delay = Duration::from_secs(1);
        it.capacity = capacity;
        it.clock = Arc::new(ManualClock::default());
    });
    Queue::new(runtime, settings).unwrap()
}

#[test]
fn a_full_batch_is_launched_without_waiting() {
    let runtime = cpu();
    let queue = queue_that_waits_for_full_batches(&runtime, 8, 100);
    let results: Vec<_> = (0..8)
        .map(|item| {
            let (operation, expected) = xor(100, item);
            (queue.submit(operation).unwrap(), expected)
        })
        .collect();
    for (pending, expected) in results {
        assert_eq!(pending.wait().unwrap().as_slice().unwrap(), expected);
    }
    let statistics = runtime.batch_statistics();
    assert_eq!((statistics.batches(), statistics.items()), (1, 8));
}

#[test]
fn a_lone_item_is_launched_after_the_delay() {
    let settings = QueueSettings::default().with(|it| it.max_delay = Duration::from_millis(1));
    let queue = Queue::new(&cpu(), settings).unwrap();
    let (operation, expected) = xor(100, 1);
    let result = queue.submit(operation).unwrap();
    let result = result.wait_for(Duration::from_secs(10)).unwrap().unwrap();
    assert_eq!(result.as_slice().unwrap(), expected);
}

#[test]
fn a_full_queue_pushes_back() {
    let runtime = cpu();
    let queue = queue_that_waits_for_full_batches(&runtime, 4, 4);
    // The worker takes a full queue at once; while it is busy the queue fills again.
    let (large, _) = xor(8 << 20, 1);
    let mut held = Vec::new();
    let refused = loop {
        match queue.try_submit(large.clone()) {
            Ok(pending) => held.push(pending),
            Err(error) => break error,
        }
    };
    assert!(matches!(refused, Error::QueueFull { capacity: 4 }));
    assert!(refused.hint().is_some());
    // A caller that waits gets in.
    held.push(queue.submit(xor(10, 2).0).unwrap());
    // Closing runs the operations in the queue, a full batch or not.
    queue.close();
    assert!(held.into_iter().all(|pending| pending.wait().is_ok()));
}

#[test]
fn kinds_and_callers_mix() {
    for runtime in [cpu(), forced(small())] {
        let queue = Queue::new(&runtime, QueueSettings::default()).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let queue = &queue;
                scope.spawn(move || {
                    let caller = queue.caller();
                    for item in 0..20 {
                        let (operation, expected) = xor(64, thread * 100 + item);
                        let (lhs, rhs) = (matrix(4, 4, item), matrix(4, 4, thread));
                        let sum = Binary::new(Add, &lhs, &rhs).unwrap();
                        let secret = queue.submit(operation).unwrap();
                        let product = caller.submit(MatMul::new(&lhs, &rhs).unwrap()).unwrap();
                        let sum = caller.submit(sum).unwrap().wait().unwrap();
                        assert_eq!(secret.wait().unwrap().as_slice().unwrap(), expected);
                        assert_eq!(product.wait().unwrap().len(), 16);
                        let left = lhs.as_slice().unwrap()[0] + rhs.as_slice().unwrap()[0];
                        assert_eq!(sum.as_slice().unwrap()[0].to_bits(), left.to_bits());
                    }
                });
            }
        });
    }
}

/// A queue whose batches are all sent to one emulated GPU.
fn queue_on(faults: Faults) -> (Queue, Runtime, Arc<SimtDevice>) {
    let config = Config::default().with(|it| it.device = Some(DeviceId::simt(0)));
    let (runtime, mut gpus) = runtime(config, vec![small().with(|it| it.faults = faults)]);
    let settings = QueueSettings::default().with(|it| {
        it.max_batch = 256;
        it.capacity = 512;
    });
    let queue = Queue::new(&runtime, settings).unwrap();
    (queue, runtime, gpus.remove(0))
}

#[test]
fn sixty_four_threads_with_a_slow_and_a_failing_gpu() {
    let seconds = std::env::var("HEDDLE_HAMMER_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or_else(|| heddle_testing::depth::pick(1, 4));
    let slow = queue_on(Faults::default().with(|it| it.stall = Duration::from_millis(5)));
    // Every third launch fails, every seventh request for memory is refused, and in the end
    // the device is lost.
    let failing = queue_on(Faults::default().with(|it| {
        it.launch_every = Some(3);
        it.refusal_every = Some(7);
        it.lost_after = Some(1_000 * seconds);
    }));
    let devices = [&slow, &failing];
    let free = devices.map(|(_, _, gpu)| gpu.free());
    let stop = AtomicBool::new(false);
    let (submitted, answered) = (AtomicU64::new(0), AtomicU64::new(0));
    let (first, second) = std::thread::scope(|scope| {
        for thread in 0..64 {
            let (stop, submitted, answered) = (&stop, &submitted, &answered);
            scope.spawn(move || {
                let mut item = thread;
                while !stop.load(Ordering::Relaxed) {
                    let burst: Vec<_> = (0..=item % 7)
                        .map(|_| {
                            item += 64;
                            let (operation, expected) = xor(item % 200, item);
                            let (queue, ..) = devices[item / 64 % 2];
                            submitted.fetch_add(1, Ordering::Relaxed);
                            (queue.submit(operation).unwrap(), expected)
                        })
                        .collect();
                    for (pending, expected) in burst {
                        let result = pending.wait_for(Duration::from_mins(1)).unwrap();
                        assert_eq!(result.unwrap().as_slice().unwrap(), expected);
                        answered.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        std::thread::sleep(Duration::from_secs(seconds) / 2);
        let first = answered.load(Ordering::Relaxed);
        std::thread::sleep(Duration::from_secs(seconds) / 2);
        let second = answered.load(Ordering::Relaxed) - first;
        stop.store(true, Ordering::Relaxed);
        (first, second)
    });
    // By then the failing GPU is lost, and the CPU has long taken over.
    assert!(second > first / 2, "{second} after {first}");
    let (submitted, answered) = (submitted.into_inner(), answered.into_inner());
    assert_eq!(submitted, answered);
    assert!(answered > 1_000, "{answered}");
    println!("{answered} results in {seconds} s, {first} of them in the first half");
    for ((queue, runtime, gpu), free) in [slow, failing].into_iter().zip(free) {
        queue.close();
        println!("{}", runtime.batch_statistics());
        println!("fallbacks: {:?}", runtime.report().fallbacks);
        assert_eq!(gpu.free(), free);
    }
}

/// The free memory of a device.
trait FreeBytes {
    fn free(&self) -> u64;
}

impl FreeBytes for heddle_cuda::simt::SimtDevice {
    fn free(&self) -> u64 {
        heddle_runtime::device::Device::free_memory(self).0
    }
}
