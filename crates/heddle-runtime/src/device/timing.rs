//! What a device says about one execution.

use crate::units::{Bytes, Nanos};

/// Bytes that crossed between host and device, and the time that took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Host to device.
    pub up: Bytes,
    /// Device to host.
    pub down: Bytes,
    /// Time spent going up.
    pub up_time: Nanos,
    /// Time spent coming down.
    pub down_time: Nanos,
}

impl Moved {
    /// Time spent in both directions.
    #[must_use]
    pub fn time(&self) -> Nanos {
        self.up_time + self.down_time
    }

    /// Bytes in both directions.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        self.up + self.down
    }

    /// Both movements together.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self {
            up: self.up + other.up,
            down: self.down + other.down,
            up_time: self.up_time + other.up_time,
            down_time: self.down_time + other.down_time,
        }
    }
}

/// The measured time of one execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// The whole, by the system's clock.
    pub total: Nanos,
    /// The computation, by the device's own clock. `None` where the device has
    /// none: the processor's clock *is* the system's.
    pub device: Option<Nanos>,
    /// What crossed the bus within `total`.
    pub moved: Moved,
}

impl Timing {
    /// The time that was not a transfer: what the work model learns from.
    #[must_use]
    pub fn busy(&self) -> Nanos {
        self.total.saturating_sub(self.moved.time())
    }

    /// The part of the busy time that the device did not spend computing.
    #[must_use]
    pub fn overhead(&self) -> Nanos {
        self.device
            .map_or(Nanos(0), |device| self.busy().saturating_sub(device))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_add_up() {
        let timing = Timing {
            total: Nanos(100),
            device: Some(Nanos(30)),
            moved: Moved {
                up_time: Nanos(40),
                down_time: Nanos(20),
                ..Moved::default()
            },
        };
        assert_eq!(timing.busy(), Nanos(40));
        assert_eq!(timing.overhead(), Nanos(10));
    }

    #[test]
    fn clocks_that_disagree_do_not_wrap() {
        let timing = Timing {
            total: Nanos(10),
            device: Some(Nanos(12)),
            moved: Moved::default(),
        };
        assert_eq!(timing.overhead(), Nanos(0));
    }
}
