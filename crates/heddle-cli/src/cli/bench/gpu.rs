//! The `gpu` suite: small and large operations on the first GPU, with operands on the host
//! and resident, timed by the system's clock and by the device's.
//!
//! Every call goes through the whole pipeline, from describing the operation to learning
//! from its time. `benchmarks/gpu_peers.py` reads the rows by name and size.

use std::time::Duration;

use heddle::device::DeviceId;
use heddle::ops::{BatchMatMul, MatMul, Random, RandomElement, Xor};
use heddle::units::Bytes;
use heddle::{Array, Element, Error, Operation, RunOutcome, Runtime};

use super::BenchRow;
use super::sample::TimeDistribution;
use crate::cli::{Failure, first_gpu};

const SMALL: usize = 1024;
const LARGE: usize = 256 << 20;

pub(super) fn rows(
    runtime: &Runtime,
    cases: &[String],
    time: Duration,
) -> Result<Vec<BenchRow>, Failure> {
    let mut suite = GpuSuite {
        runtime,
        gpu: first_gpu(runtime, "time")?.0.id(),
        time,
        cases,
        rows: Vec::new(),
    };
    for size in [SMALL, LARGE] {
        suite.xor_resident(size)?;
        suite.xor_host_to_host(size)?;
    }
    for side in [1024, 4096] {
        suite.matmul(side)?;
    }
    suite.batch(10, 256)?;
    Ok(suite.rows)
}

struct GpuSuite<'a> {
    runtime: &'a Runtime,
    gpu: DeviceId,
    time: Duration,
    cases: &'a [String],
    rows: Vec<BenchRow>,
}

impl GpuSuite<'_> {
    /// Whether a case is selected: by name, by name and size, or by the operation that its
    /// name begins with.
    fn wants(&self, name: &str, size: usize) -> bool {
        self.cases.is_empty()
            || self.cases.iter().any(|case| {
                name == case
                    || format!("{name}:{size}") == *case
                    || name
                        .strip_prefix(case.as_str())
                        .is_some_and(|rest| rest.starts_with('-'))
            })
    }

    /// Returns random elements that are only in host memory.
    fn random<T: RandomElement>(&self, extents: &[usize], seed: u64) -> Result<Array<T>, Error> {
        self.runtime
            .run_on(DeviceId::CPU, Random::new(seed, extents)?)
    }

    fn prefetch<T: Element>(&self, arrays: [&Array<T>; 2]) -> Result<(), Error> {
        arrays
            .into_iter()
            .try_for_each(|array| self.runtime.prefetch(array, self.gpu))
    }

    /// Xors data with a key as long as the data: three arrays cross the memory bus.
    fn xor_resident(&mut self, size: usize) -> Result<(), Failure> {
        const NAME: &str = "xor-resident";
        if !self.wants(NAME, size) {
            return Ok(());
        }
        let data = self.random::<u8>(&[size], 1)?;
        let key = self.random::<u8>(&[size], 2)?;
        self.prefetch([&data, &key])?;
        self.measure(NAME, size, || Xor::new(&data, &key), |_| Ok(()))
    }

    /// Xors operands that are only on the host, and reads the result on the host.
    fn xor_host_to_host(&mut self, size: usize) -> Result<(), Failure> {
        const NAME: &str = "xor-host-to-host";
        if !self.wants(NAME, size) {
            return Ok(());
        }
        let data = self.random::<u8>(&[size], 1)?;
        let key = self.random::<u8>(&[size], 2)?;
        self.measure(
            NAME,
            size,
            || {
                data.evict();
                key.evict();
                Xor::new(&data, &key)
            },
            |result| {
                std::hint::black_box(result.as_slice()?);
                Ok(())
            },
        )
    }

    fn matmul(&mut self, side: usize) -> Result<(), Failure> {
        const NAME: &str = "matmul-resident";
        if !self.wants(NAME, side) {
            return Ok(());
        }
        let left = self.random::<f32>(&[side, side], 1)?;
        let right = self.random::<f32>(&[side, side], 2)?;
        self.prefetch([&left, &right])?;
        self.measure(NAME, side, || MatMul::new(&left, &right), |_| Ok(()))
    }

    fn batch(&mut self, items: usize, side: usize) -> Result<(), Failure> {
        const NAME: &str = "batch-matmul-resident";
        if !self.wants(NAME, side) {
            return Ok(());
        }
        let left = self.random::<f32>(&[items, side, side], 1)?;
        let right = self.random::<f32>(&[items, side, side], 2)?;
        self.prefetch([&left, &right])?;
        self.measure(NAME, side, || BatchMatMul::new(&left, &right), |_| Ok(()))
    }

    /// Times creating the operation, running it, and `finish` with its result.
    fn measure<O: Operation<Output = Array<T>>, T: Element>(
        &mut self,
        name: &str,
        size: usize,
        make: impl Fn() -> Result<O, Error>,
        finish: impl Fn(&Array<T>) -> Result<(), Error>,
    ) -> Result<(), Failure> {
        let mut device_times = Vec::new();
        let mut moved = Bytes(0);
        let (runtime, gpu) = (self.runtime, self.gpu);
        let sample = TimeDistribution::of(self.time, || {
            let RunOutcome { output, timing, .. } = runtime.run_traced(make()?, Some(gpu))?;
            finish(&output)?;
            device_times.extend(timing.device.map(|time| time.0));
            moved = timing.moved.bytes();
            Ok(())
        })?;
        device_times.sort_unstable();
        self.rows.push(BenchRow {
            element: Some(T::DTYPE.name()),
            device_ns: device_times.get(device_times.len() / 2).copied(),
            moved_bytes: Some(moved.0),
            ..BenchRow::new(name, size, gpu.to_string(), sample)
        });
        Ok(())
    }
}
