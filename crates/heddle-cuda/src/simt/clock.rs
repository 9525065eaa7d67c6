//! The emulated device's own clock, as seen by one system thread.
//!
//! An execution's launches and transfers happen on the thread that runs its
//! body, so what that thread's clock advanced by is what the execution spent,
//! however many others run at the same time.

use std::cell::Cell;

use heddle_runtime::units::Nanos;

/// A reading.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reading {
    /// Time inside kernels.
    pub(super) kernels: Nanos,
    /// Simulated time on the bus: reported, never slept.
    pub(super) bus: Nanos,
}

impl Reading {
    /// What passed since `before`.
    pub(super) fn since(self, before: Self) -> Self {
        Self {
            kernels: self.kernels.saturating_sub(before.kernels),
            bus: self.bus.saturating_sub(before.bus),
        }
    }
}

thread_local! {
    static NOW: Cell<Reading> = const { Cell::new(Reading { kernels: Nanos(0), bus: Nanos(0) }) };
}

/// The clock now.
pub(super) fn read() -> Reading {
    NOW.get()
}

/// Advances the time inside kernels.
pub(super) fn add_kernel(time: Nanos) {
    let mut now = NOW.get();
    now.kernels += time;
    NOW.set(now);
}

/// Advances the simulated time on the bus.
pub(super) fn add_bus(time: Nanos) {
    let mut now = NOW.get();
    now.bus += time;
    NOW.set(now);
}
