//! How an emulated GPU is set up, faults included.

use std::time::Duration;

use heddle_runtime::units::{Bytes, Nanos};

/// The make of an emulated GPU.
#[derive(Clone, Debug)]
pub struct SimtOptions {
    /// Memory it has. Allocations beyond fail.
    pub memory: Bytes,
    /// What goes wrong with it.
    pub faults: Faults,
    /// What its transfers cost.
    pub transfers: SimulatedBus,
    /// Threads that run blocks of a large grid. One makes every launch
    /// repeatable to the last interleaving.
    pub workers: usize,
    /// Whether memory is guarded and poisoned.
    pub memcheck: bool,
}

impl Default for SimtOptions {
    /// 1 GiB, nothing wrong with it, as many workers as processors, memory checked.
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

/// What goes wrong, and when. Counts start at one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    /// This allocation fails as if memory were short.
    pub allocation: Option<u64>,
    /// Every so many times, the emulated driver has no memory to give. Unlike an
    /// allocation that fails, this is what a clean-up may help against.
    pub refusal_every: Option<u64>,
    /// This launch fails.
    pub launch: Option<u64>,
    /// Every so many launches, one fails.
    pub launch_every: Option<u64>,
    /// Every launch takes this much longer.
    pub stall: Duration,
    /// The device is lost after this many calls (allocations, transfers,
    /// launches and synchronisations).
    pub lost_after: Option<u64>,
}

/// A simulated bus. Its time is added to what transfers report; nobody sleeps.
#[derive(Clone, Copy, Debug, Default)]
pub struct SimulatedBus {
    /// Nanoseconds per transfer.
    pub latency: Nanos,
    /// Nanoseconds per byte.
    pub ns_per_byte: f64,
}

impl SimulatedBus {
    /// A bus without latency that carries so many bytes in a second, each way.
    #[must_use]
    pub fn at_rate(bytes_per_second: Bytes) -> Self {
        Self {
            latency: Nanos(0),
            ns_per_byte: 1e9 / bytes_per_second.0.max(1) as f64,
        }
    }

    /// What moving `bytes` costs beyond the copy itself.
    #[must_use]
    pub fn cost(&self, bytes: Bytes) -> Nanos {
        self.latency + Nanos((bytes.0 as f64 * self.ns_per_byte) as u64)
    }
}
