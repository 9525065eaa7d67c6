//! Several threads submit small operations one by one; a queue runs them in batches,
//! each batch as one launch on the device with the lowest predicted time.
//!
//! `cargo run --release -p heddle --example batch_queue`

use std::thread;
use std::time::Duration;

use heddle::batch::{Queue, QueueSettings};
use heddle::ops::Xor;
use heddle::{Array, Error};

const THREADS: u8 = 8;
const MESSAGES: u8 = 250;

/// Submits every message, then waits for the results in order. Runs on each thread.
fn submit_all(queue: &Queue, thread: u8, key: &Array<u8>) -> Result<(), Error> {
    let messages: Vec<Array<u8>> = (0..MESSAGES)
        .map(|number| Array::from_slice(&[thread, number]))
        .collect();
    // `submit` returns at once with a `Pending`, or waits while the queue is full.
    let pending = messages
        .iter()
        .map(|message| queue.submit(Xor::new(message, key)?))
        .collect::<Result<Vec<_>, Error>>()?;
    for (number, result) in (0..MESSAGES).zip(pending) {
        // An operation that fails does not fail the others of its batch. A `Pending` is
        // also a future.
        assert_eq!(result.wait()?.as_slice()?, [thread ^ 1, number ^ 2]);
    }
    Ok(())
}

// `pub(crate)` so that a test can call it; a program of your own writes `fn main`.
pub(crate) fn main() -> Result<(), Error> {
    let runtime = heddle::open()?;
    // A batch runs when it has 128 operations, or when its oldest has waited 5 ms. A
    // longer wait makes larger batches and later results.
    let settings = QueueSettings::default().with(|it| {
        it.max_batch = 128;
        it.max_delay = Duration::from_millis(5);
    });
    let queue = Queue::new(&runtime, settings)?;
    let key = Array::from_slice(&[1, 2]);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (queue, key) = (&queue, &key);
                scope.spawn(move || submit_all(queue, thread, key))
            })
            .collect();
        threads
            .into_iter()
            .try_for_each(|thread| match thread.join() {
                Ok(done) => done,
                Err(panic) => std::panic::resume_unwind(panic),
            })
    })?;
    // Runs the remaining operations and stops the queue's thread.
    queue.close();

    let statistics = runtime.batch_statistics();
    println!("{statistics}");
    assert_eq!(statistics.items(), u64::from(THREADS) * u64::from(MESSAGES));
    assert!(statistics.batches() < statistics.items());
    Ok(())
}
