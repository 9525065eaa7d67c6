//! Starting worker threads where the system may refuse some.

use std::fs;
use std::hint::black_box;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rayon::{ThreadBuilder, ThreadPool, ThreadPoolBuildError};

use crate::units::Bytes;

/// The address space that is left for results: without memory for results threads are of no use.
const HEADROOM: Bytes = Bytes(64 << 20);

/// The most address space that a thread takes as it begins: 2 MiB of stack, and 128 MiB that
/// glibc reserves for its allocations. The standard library aborts the process where a thread
/// has begun and its last part is refused, so it is looked for beforehand.
const PER_THREAD: Bytes = Bytes(132 << 20);

/// Worker threads, maybe fewer than were asked for.
#[derive(Debug)]
pub struct StartedWorkers {
    /// The threads.
    pub threads: ThreadPool,
    /// Why there are not as many as asked for.
    pub refused: Option<String>,
}

/// Starts `most` threads named `name-0` and so on, or half of them, a quarter and so on where the
/// system refuses. Fails where it refuses a single one.
pub fn start_workers(name: &str, most: usize) -> Result<StartedWorkers, ThreadPoolBuildError> {
    let mut count = most.max(1);
    let mut refused = None;
    if is_address_space_limited() {
        while count > 1 && !threads_fit(count) {
            refused = Some("too little address space is left".to_owned());
            count /= 2;
        }
    }
    loop {
        let begun = Mutex::new(Vec::new());
        let started = rayon::ThreadPoolBuilder::new()
            .num_threads(count)
            .spawn_handler(|worker| {
                let thread = start(name, worker)?;
                let mut begun = begun.lock().unwrap_or_else(PoisonError::into_inner);
                begun.push(thread);
                Ok(())
            })
            .build();
        let error = match started {
            Ok(threads) => return Ok(StartedWorkers { threads, refused }),
            Err(error) => error,
        };
        // The threads before the refused one end, and what they took is free when they have.
        for thread in begun.into_inner().unwrap_or_else(PoisonError::into_inner) {
            let _ = thread.join();
        }
        if count == 1 {
            return Err(error);
        }
        refused = Some(error.to_string());
        count /= 2;
    }
}

fn start(name: &str, worker: ThreadBuilder) -> io::Result<JoinHandle<()>> {
    if worker.index() == 0 && is_address_space_limited() && !threads_fit(1) {
        return Err(io::Error::new(
            io::ErrorKind::OutOfMemory,
            "too little address space is left",
        ));
    }
    thread::Builder::new()
        .name(format!("{name}-{}", worker.index()))
        .spawn(|| worker.run())
}

/// Whether `ulimit -v` or its like bounds this process.
fn is_address_space_limited() -> bool {
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"));
    line.is_some_and(|line| !line.trim_start().starts_with("unlimited"))
}

/// Whether so many threads could begin and leave [`HEADROOM`]. No page is touched.
fn threads_fit(threads: usize) -> bool {
    let bytes = PER_THREAD
        .0
        .saturating_mul(threads as u64)
        .saturating_add(HEADROOM.0);
    let mut reserved: Vec<u8> = Vec::new();
    let is_reserved =
        usize::try_from(bytes).is_ok_and(|bytes| reserved.try_reserve_exact(bytes).is_ok());
    // Otherwise the compiler may leave the allocation out.
    black_box(&mut reserved);
    is_reserved
}
