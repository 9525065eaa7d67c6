//! The machine's peak rates, measured in the same run: the bandwidth of a plain copy and
//! the rate of multiply-adds that never leave the registers.
//!
//! Both are operations of this command, run through the same pipeline and on the same
//! threads as the operations that they are compared with.

use std::collections::BTreeMap;
use std::time::Duration;

use heddle::cpu::CpuPool;
use heddle::device::{DeviceId, ExecutionContext};
use heddle::memory::admit_host;
use heddle::units::Bytes;
use heddle::{DType, Description, Error, Kind, Operation, Runtime, WorkUnit};

use super::sample::TimeDistribution;
use crate::cli::Failure;

static COPY: Kind = Kind::new("copy", WorkUnit::Bytes);
static MULTIPLY_ADD: Kind = Kind::new("multiply-add", WorkUnit::MultiplyAdds);

/// Most bytes that a copy reads: no cache holds them, so larger copies are as fast.
const MAX_COPY: u64 = 1 << 28;

/// The peak rates measured so far.
pub(super) struct Ceilings<'a> {
    runtime: &'a Runtime,
    time: Duration,
    bandwidth: BTreeMap<u64, f64>,
    peak: BTreeMap<DType, f64>,
}

impl<'a> Ceilings<'a> {
    pub(super) fn new(runtime: &'a Runtime, time: Duration) -> Self {
        Self {
            runtime,
            time,
            bandwidth: BTreeMap::new(),
            peak: BTreeMap::new(),
        }
    }

    /// Returns the bytes per nanosecond of a copy that reads and writes `bytes` in total:
    /// the better of one thread and all threads, since either may be faster.
    pub(super) fn bandwidth(&mut self, bytes: Bytes) -> Result<f64, Failure> {
        // Half is read, half is written. Sizes are rounded up to a power of two.
        let half = (bytes.0 / 2).clamp(64, MAX_COPY).next_power_of_two();
        if let Some(&known) = self.bandwidth.get(&half) {
            return Ok(known);
        }
        let mut best = f64::MAX;
        for split in [false, true] {
            let mut copy = Copying::new(half as usize, split)?;
            let sample = TimeDistribution::of(self.time, || {
                Ok(self.runtime.run_on(DeviceId::CPU, &mut copy)?)
            })?;
            best = best.min(sample.median_ns);
        }
        let rate = 2.0 * half as f64 / best;
        self.bandwidth.insert(half, rate);
        Ok(rate)
    }

    /// Returns floating-point operations per nanosecond, two for each multiply-add.
    pub(super) fn peak(&mut self, dtype: DType) -> Result<f64, Failure> {
        if let Some(&known) = self.peak.get(&dtype) {
            return Ok(known);
        }
        let mut work = MultiplyAdding { dtype };
        let sample = TimeDistribution::of(self.time, || {
            Ok(self.runtime.run_on(DeviceId::CPU, &mut work)?)
        })?;
        // The operation describes its work per thread.
        let threads = self.runtime.device(DeviceId::CPU)?.properties().units;
        let rate = 2.0 * (work.describe().work * threads as u64) as f64 / sample.median_ns;
        self.peak.insert(dtype, rate);
        Ok(rate)
    }
}

struct Copying {
    from: Vec<u8>,
    to: Vec<u8>,
    split: bool,
}

impl Copying {
    fn new(bytes: usize, split: bool) -> Result<Self, Error> {
        admit_host(COPY.name(), Bytes::of::<[u8; 2]>(bytes))?;
        Ok(Self {
            from: vec![1; bytes],
            to: vec![2; bytes],
            split,
        })
    }
}

impl Operation for Copying {
    type Output = ();

    fn describe(&self) -> Description {
        Description::new(&COPY, DType::U8, 2 * self.from.len() as u64)
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<(), Error> {
        let pool = context.pool(COPY.name())?;
        if self.split {
            let part = self.from.len().div_ceil(pool.threads()).max(1);
            let parts = self.to.chunks_mut(part).zip(self.from.chunks(part));
            pool.each(Bytes(u64::MAX), parts, |(to, from)| {
                to.copy_from_slice(from);
            });
        } else {
            self.to.copy_from_slice(&self.from);
        }
        std::hint::black_box(&self.to);
        Ok(())
    }
}

struct MultiplyAdding {
    dtype: DType,
}

/// Steps of each chain: enough that the start of the threads is negligible.
const ROUNDS: u64 = 200_000;
/// Independent chains, enough to hide the latency of a multiply-add in the widest
/// registers.
const CHAINS: usize = 192;

impl Operation for MultiplyAdding {
    type Output = ();

    fn describe(&self) -> Description {
        Description::new(&MULTIPLY_ADD, self.dtype, ROUNDS * CHAINS as u64)
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<(), Error> {
        let pool = context.pool(MULTIPLY_ADD.name())?;
        match self.dtype {
            DType::F64 => on_every_thread(pool, || chains(0.5_f64, 0.25, f64::mul_add)),
            _ => on_every_thread(pool, || chains(0.5_f32, 0.25, f32::mul_add)),
        }
        Ok(())
    }
}

fn on_every_thread(pool: &CpuPool, body: impl Fn() + Sync) {
    pool.each(Bytes(u64::MAX), 0..pool.threads(), |_| body());
}

fn chains<T: Copy>(factor: T, offset: T, multiply_add: impl Fn(T, T, T) -> T) {
    let (factor, offset) = std::hint::black_box((factor, offset));
    let ends = pulp::Arch::new().dispatch(
        #[inline(always)]
        || {
            let mut values = [offset; CHAINS];
            for _ in 0..ROUNDS {
                for value in &mut values {
                    *value = multiply_add(*value, factor, offset);
                }
            }
            values
        },
    );
    std::hint::black_box(&ends);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_that_does_not_fit_is_an_error() {
        assert!(Copying::new(64, false).is_ok());
        let copy = Copying::new(1 << 48, true);
        assert!(matches!(copy, Err(Error::OutOfMemory { .. })));
    }
}
