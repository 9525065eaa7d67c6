//! The emulated device's own clock, as seen by one system thread.
//!
//! An execution's launches and transfers happen on the thread that runs its
//! body, so what that thread's clock advanced by is what the execution spent,
//! however many others run at the same time.

use std::cell::Cell;
use std::time::Instant;

use heddle_runtime::units::Nanos;

/// A reading.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DeviceTimeReading {
    /// Time inside kernels.
    pub(super) kernels: Nanos,
    /// Simulated time on the bus: reported, never slept.
    pub(super) bus: Nanos,
    /// When the first kernel began since the clock was last [read](read).
    pub(super) first_kernel: Option<Instant>,
}

impl DeviceTimeReading {
    /// What passed since `before`.
    pub(super) fn since(self, before: Self) -> Self {
        Self {
            kernels: self.kernels.saturating_sub(before.kernels),
            bus: self.bus.saturating_sub(before.bus),
            first_kernel: self.first_kernel,
        }
    }
}

thread_local! {
    static NOW: Cell<DeviceTimeReading> = const {
        Cell::new(DeviceTimeReading { kernels: Nanos(0), bus: Nanos(0), first_kernel: None })
    };
}

/// The clock now; what begins from here on is first.
pub(super) fn read() -> DeviceTimeReading {
    let now = NOW.get();
    NOW.set(DeviceTimeReading {
        first_kernel: None,
        ..now
    });
    now
}

/// Advances the time inside kernels by that of one which began at `start`.
pub(super) fn add_kernel(start: Instant, time: Nanos) {
    let mut now = NOW.get();
    now.kernels += time;
    now.first_kernel.get_or_insert(start);
    NOW.set(now);
}

/// Puts back when the first kernel of the execution around began.
pub(super) fn set_first_kernel(first_kernel: Option<Instant>) {
    NOW.set(DeviceTimeReading {
        first_kernel,
        ..NOW.get()
    });
}

/// Advances the simulated time on the bus.
pub(super) fn add_bus(time: Nanos) {
    let mut now = NOW.get();
    now.bus += time;
    NOW.set(now);
}
