//! The emulated device's clock, one per system thread.
//!
//! An execution's launches and transfers happen on the thread that runs its body. So the
//! advance of that thread's clock is the time of the execution, however many others run at
//! the same time.

use std::cell::Cell;
use std::time::Instant;

use heddle_runtime::units::Nanos;

/// A reading of the clock.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DeviceTimeReading {
    /// Time inside kernels.
    pub(super) kernels: Nanos,
    /// Simulated time on the bus: reported, never waited for.
    pub(super) bus: Nanos,
    /// When the first kernel began since the clock was last [read](read).
    pub(super) first_kernel: Option<Instant>,
}

impl DeviceTimeReading {
    /// The time that passed since `before`.
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

/// Reads the clock; the next kernel then counts as the first.
pub(super) fn read() -> DeviceTimeReading {
    let now = NOW.get();
    NOW.set(DeviceTimeReading {
        first_kernel: None,
        ..now
    });
    now
}

/// Adds the time of a kernel that began at `start`.
pub(super) fn add_kernel(start: Instant, time: Nanos) {
    let mut now = NOW.get();
    now.kernels += time;
    now.first_kernel.get_or_insert(start);
    NOW.set(now);
}

/// Restores the start of the first kernel of the enclosing execution.
pub(super) fn set_first_kernel(first_kernel: Option<Instant>) {
    NOW.set(DeviceTimeReading {
        first_kernel,
        ..NOW.get()
    });
}

/// Adds simulated time on the bus.
pub(super) fn add_bus(time: Nanos) {
    let mut now = NOW.get();
    now.bus += time;
    NOW.set(now);
}
