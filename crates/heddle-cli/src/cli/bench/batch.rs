//! The `batch` suite: operations merged into one launch against the same operations issued
//! one by one, on the CPU and on the first GPU.
//!
//! Operands and results are on the host. The two variants alternate, so that a change of
//! the machine's speed affects both. The last rows are jobs on small lattices, merged and
//! routed, against each operation alone on the GPU.

mod lattice;

use std::time::{Duration, Instant};

use heddle::batch::{BatchStatistics, Batchable};
use heddle::config::Config;
use heddle::device::DeviceId;
use heddle::ops::{MatMul, Random, Xor};
use heddle::{Array, Element, Error, Runtime};

use super::BenchRow;
use super::sample::TimeDistribution;
use crate::cli::{Failure, open};

/// Few operations, where merging gains little, and many.
const XORS: [usize; 2] = [10, 10_000];
const XOR_BYTES: usize = 1024;
const PRODUCTS: usize = 10;
const SIDE: usize = 256;

/// Returns the rows and the statistics of the routed batches.
pub(super) fn rows(
    config: &Config,
    runtime: &Runtime,
    cases: &[String],
    time: Duration,
) -> Result<(Vec<BenchRow>, BatchStatistics), Failure> {
    let gpu = runtime
        .devices()
        .map(|device| device.id())
        .find(|id| id.has_own_memory());
    let mut rows = Vec::new();
    for device in [Some(DeviceId::CPU), gpu].into_iter().flatten() {
        // All operations run on one device, merged or not.
        let forced = open(&config.clone().with(|it| it.device = Some(device)))?;
        let mut suite = BatchSuite {
            runtime: &forced,
            device,
            time,
            cases,
            rows: &mut rows,
        };
        for count in XORS {
            suite.xors(count)?;
        }
        suite.products()?;
    }
    let merged = match gpu {
        Some(gpu) => lattice::rows(config, gpu, cases, time, &mut rows)?,
        None => BatchStatistics::default(),
    };
    Ok((rows, merged))
}

/// Whether a case is selected, by name or by name and size.
fn is_wanted(cases: &[String], name: &str, size: usize) -> bool {
    let sized = format!("{name}:{size}");
    cases.is_empty() || cases.iter().any(|case| case == name || *case == sized)
}

struct BatchSuite<'a> {
    runtime: &'a Runtime,
    device: DeviceId,
    time: Duration,
    cases: &'a [String],
    rows: &'a mut Vec<BenchRow>,
}

impl BatchSuite<'_> {
    fn xors(&mut self, count: usize) -> Result<(), Failure> {
        if !is_wanted(self.cases, "xor", count) {
            return Ok(());
        }
        let data = (0..count as u64)
            .map(|seed| self.random::<u8>(&[XOR_BYTES], seed))
            .collect::<Result<Vec<_>, Error>>()?;
        let key = self.random::<u8>(&[32], u64::MAX)?;
        self.measure("xor", count, || {
            // Device copies of an earlier round would save this one its transfers.
            for array in data.iter().chain([&key]) {
                array.evict();
            }
            data.iter().map(|data| Xor::new(data, &key)).collect()
        })
    }

    fn products(&mut self) -> Result<(), Failure> {
        if !is_wanted(self.cases, "matmul", PRODUCTS) {
            return Ok(());
        }
        let matrices = (0..2 * PRODUCTS as u64)
            .map(|seed| self.random::<f32>(&[SIDE, SIDE], seed))
            .collect::<Result<Vec<_>, Error>>()?;
        self.measure("matmul", PRODUCTS, || {
            for matrix in &matrices {
                matrix.evict();
            }
            matrices
                .chunks_exact(2)
                .map(|pair| MatMul::new(&pair[0], &pair[1]))
                .collect()
        })?;
        // Operands that are on the GPU stay there, and so do the results.
        if self.device.has_own_memory() {
            for matrix in &matrices {
                self.runtime.prefetch(matrix, self.device)?;
            }
            self.measure("matmul-resident", PRODUCTS, || {
                matrices
                    .chunks_exact(2)
                    .map(|pair| MatMul::new(&pair[0], &pair[1]))
                    .collect()
            })?;
        }
        Ok(())
    }

    fn random<T: heddle::ops::RandomElement>(
        &self,
        extents: &[usize],
        seed: u64,
    ) -> Result<Array<T>, Error> {
        self.runtime
            .run_on(DeviceId::CPU, Random::new(seed, extents)?)
    }

    /// Adds two rows: all operations merged, and one by one, alternating. Creating the
    /// operations is not timed; reading their results on the host is, unless the operands
    /// are resident on the device.
    fn measure<B: Batchable<Output = Array<T>>, T: Element>(
        &mut self,
        name: &str,
        items: usize,
        make: impl Fn() -> Result<Vec<B>, Error>,
    ) -> Result<(), Failure> {
        let stays = name.ends_with("-resident");
        let finish = |results: Vec<Result<Array<T>, Error>>| -> Result<(), Error> {
            for result in results {
                let result = result?;
                if !stays {
                    std::hint::black_box(result.as_slice()?);
                }
            }
            Ok(())
        };
        let mut times = [Vec::new(), Vec::new()];
        let deadline = Instant::now() + 2 * self.time;
        let mut round = 0;
        while round < 8 || Instant::now() < deadline {
            for (variant, times) in times.iter_mut().enumerate() {
                let operations = make()?;
                let start = Instant::now();
                if variant == 0 {
                    finish(self.runtime.batch(operations))?;
                } else {
                    let one = |operation| self.runtime.run(operation);
                    finish(operations.into_iter().map(one).collect())?;
                }
                // The first round pays for cold caches and loading.
                if round > 0 {
                    times.push(start.elapsed().as_nanos() as f64);
                }
            }
            round += 1;
        }
        for (variant, times) in ["batched", "one-by-one"].into_iter().zip(times) {
            self.rows.push(BenchRow {
                element: Some(T::DTYPE.name()),
                ..BenchRow::new(
                    format!("{name}-{variant}"),
                    items,
                    self.device.to_string(),
                    TimeDistribution::from_times(times, 1),
                )
            });
        }
        Ok(())
    }
}
