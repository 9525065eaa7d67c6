//! The options of an emulated GPU, faults included.

use std::time::Duration;

use heddle_runtime::units::{Bytes, Nanos};

/// The options of an emulated GPU.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SimtOptions {
    /// The size of its memory. Allocations beyond it fail.
    pub memory: Bytes,
    /// The faults to inject.
    pub faults: Faults,
    /// The cost of its transfers.
    pub transfers: SimulatedBus,
    /// Threads that run blocks of a large grid. With one, the interleaving of every launch
    /// is repeatable.
    pub workers: usize,
    /// Whether memory is guarded and poisoned.
    pub memcheck: bool,
}

impl Default for SimtOptions {
    /// 1 GiB, no faults, as many workers as the machine has hardware threads, memory
    /// checked.
    fn default() -> Self {
        Self {
            memory: Bytes(1 << 30),
            faults: Faults::default(),
            transfers: SimulatedBus::default(),
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            memcheck: true,
        }
    }
}

/// The faults to inject. Counts start at one.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Faults {
    /// The number of the allocation that fails as if memory were short.
    pub allocation: Option<u64>,
    /// Every n-th request, the emulated driver refuses memory. Unlike with an allocation
    /// that fails, a clean-up may help.
    pub refusal_every: Option<u64>,
    /// The number of the launch that fails.
    pub launch: Option<u64>,
    /// Every n-th launch fails.
    pub launch_every: Option<u64>,
    /// The time added to every launch.
    pub stall: Duration,
    /// The device is lost after this many calls (allocations, transfers,
    /// launches and synchronisations).
    pub lost_after: Option<u64>,
}

heddle_runtime::with!(SimtOptions, Faults, SimulatedBus);

/// A simulated bus. Its time is added to the reported time of transfers; no thread sleeps.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct SimulatedBus {
    /// Nanoseconds per transfer.
    pub latency: Nanos,
    /// Nanoseconds per byte.
    pub ns_per_byte: f64,
}

impl SimulatedBus {
    /// A bus without latency that moves so many bytes per second in each direction.
    #[must_use]
    pub fn at_rate(bytes_per_second: Bytes) -> Self {
        Self {
            latency: Nanos(0),
            ns_per_byte: 1e9 / bytes_per_second.0.max(1) as f64,
        }
    }

    /// The time to move `bytes` in addition to the copy itself.
    #[must_use]
    pub fn cost(&self, bytes: Bytes) -> Nanos {
        self.latency + Nanos((bytes.0 as f64 * self.ns_per_byte) as u64)
    }
}
