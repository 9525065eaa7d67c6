//! The `memory` suite: the cost of a block of the first GPU's memory from the pool and from
//! the driver.
//!
//! Each round allocates [`BLOCKS`] blocks and frees them; pool and driver alternate. After
//! the first round the pool holds all blocks, as in any repeating workload.

use std::time::Instant;

use heddle::memory::{AcceleratorMemory, Storage, StreamSet};
use heddle::units::Bytes;
use heddle::{Error, Runtime};

use super::BenchRow;
use super::sample::TimeDistribution;
use crate::cli::{Failure, first_gpu};

const SIZES: [usize; 3] = [4 << 10, 1 << 20, 64 << 20];
/// Blocks allocated at once, and the rounds of pool and driver.
const BLOCKS: usize = 16;
const POOL_ROUNDS: usize = 200;
const DRIVER_ROUNDS: usize = 12;

/// Nanoseconds for one block: allocation and release.
#[derive(Default)]
struct Times {
    allocate: Vec<f64>,
    free: Vec<f64>,
}

impl Times {
    fn round<T>(
        &mut self,
        mut allocate: impl FnMut() -> Result<T, Failure>,
        mut free: impl FnMut(T),
    ) -> Result<(), Failure> {
        let mut blocks = Vec::with_capacity(BLOCKS);
        let start = Instant::now();
        for _ in 0..BLOCKS {
            blocks.push(allocate()?);
        }
        let each = |start: Instant| start.elapsed().as_nanos() as f64 / BLOCKS as f64;
        self.allocate.push(each(start));
        let start = Instant::now();
        for block in blocks {
            free(block);
        }
        self.free.push(each(start));
        Ok(())
    }
}

pub(super) fn rows(runtime: &Runtime, cases: &[String]) -> Result<Vec<BenchRow>, Failure> {
    let (gpu, memory) = first_gpu(runtime, "time")?;
    let mut rows = Vec::new();
    // The driver allocates as many blocks while the pool keeps its own.
    let most = memory.reading().limit.capacity.0 / (2 * BLOCKS as u64);
    for size in SIZES.into_iter().filter(|&size| size as u64 <= most) {
        let is_wanted = |case: &String| *case == size.to_string() || case.starts_with("allocate");
        if !cases.is_empty() && !cases.iter().any(is_wanted) {
            continue;
        }
        let [pool, driver] = times(memory, Bytes(size as u64))?;
        for (name, times) in [
            ("allocate-pool", pool.allocate),
            ("allocate-driver", driver.allocate),
            ("free-pool", pool.free),
            ("free-driver", driver.free),
        ] {
            rows.push(BenchRow::new(
                name,
                size,
                gpu.id().to_string(),
                TimeDistribution::from_times(times, BLOCKS as u32),
            ));
        }
    }
    Ok(rows)
}

/// Times the pool and the driver.
fn times(memory: &AcceleratorMemory, size: Bytes) -> Result<[Times; 2], Failure> {
    let mut pool = Times::default();
    let mut driver = Times::default();
    // This fills the pool.
    from_pool(&mut Times::default(), memory, size)?;
    for round in 0..POOL_ROUNDS {
        from_pool(&mut pool, memory, size)?;
        if round % (POOL_ROUNDS / DRIVER_ROUNDS) == 0 {
            let base_storage = memory.base_storage();
            driver.round(
                || {
                    base_storage
                        .allocate(size, None)
                        .map_err(|refusal| refused(memory, size, &refusal))
                },
                |block| base_storage.free(block, StreamSet::NONE),
            )?;
        }
    }
    Ok([pool, driver])
}

fn from_pool(times: &mut Times, memory: &AcceleratorMemory, size: Bytes) -> Result<(), Failure> {
    times.round(
        || {
            memory
                .allocate(size, None)
                .map_err(|error| refused(memory, size, &error))
        },
        |allocation| memory.free(allocation, StreamSet::NONE),
    )
}

fn refused(memory: &AcceleratorMemory, size: Bytes, why: &dyn std::fmt::Display) -> Failure {
    Failure::from(Error::device(
        memory.reading().device,
        format!("cannot allocate {BLOCKS} blocks of {size}: {why}"),
    ))
}
