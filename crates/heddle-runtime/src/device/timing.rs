//! The times and transfers that a device reports for one execution.

use crate::units::{Bytes, Nanos};

/// The bytes transferred between host and device, and the time that took.
///
/// The times are those of the bus. If kernels run during transfers, the times include the kernels;
/// [`Timing`] separates the two, because it also has the time by the device's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransferTotals {
    /// Host to device.
    pub up: Bytes,
    /// Device to host.
    pub down: Bytes,
    /// The time of the uploads.
    pub up_time: Nanos,
    /// The time of the downloads.
    pub down_time: Nanos,
}

impl TransferTotals {
    /// The time in both directions.
    #[must_use]
    pub fn time(&self) -> Nanos {
        self.up_time + self.down_time
    }

    /// The bytes in both directions.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        self.up + self.down
    }

    /// Returns the sum of both.
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
#[non_exhaustive]
pub struct Timing {
    /// The time of the whole, by the system's clock.
    pub total: Nanos,
    /// The time of the computation, by the device's own clock. `None` if it has none: the clock of
    /// a CPU *is* that of the system.
    pub device: Option<Nanos>,
    /// When the computation began on the device, since the start of `total`. `None` if it was not
    /// measured.
    pub device_start: Option<Nanos>,
    /// The stream of the device that it was queued on; `None` if it has none.
    pub stream: Option<u32>,
    /// The transfers within `total`.
    pub moved: TransferTotals,
}

impl Timing {
    /// The time of the whole, without transfers and without a time of the device.
    #[must_use]
    pub fn of(total: Nanos) -> Self {
        Self {
            total,
            ..Self::default()
        }
    }

    /// The same with this time by the device's own clock.
    #[must_use]
    pub fn on_device(mut self, time: impl Into<Option<Nanos>>) -> Self {
        self.device = time.into();
        self
    }

    /// The same with these transfers within it.
    #[must_use]
    pub fn moving(mut self, moved: TransferTotals) -> Self {
        self.moved = moved;
        self
    }

    /// The time of the work, from which the work model learns.
    ///
    /// Without overlap it is the whole without the transfers, with launches and waiting included.
    /// With overlap the transfers may cover the whole; the work then still took the device's own
    /// time, which it would also cost with the operands already on the device.
    #[must_use]
    pub fn busy(&self) -> Nanos {
        self.outside_transfers().max(self.computing())
    }

    /// Whether the transfers cover part of the computation.
    #[must_use]
    pub fn is_overlapped(&self) -> bool {
        self.moved.time() > Nanos(0) && self.outside_transfers() < self.computing()
    }

    /// The whole without the transfers.
    fn outside_transfers(&self) -> Nanos {
        self.total.saturating_sub(self.moved.time())
    }

    fn computing(&self) -> Nanos {
        self.device.unwrap_or_default().min(self.total)
    }

    /// The transfers, with the time that is not already counted as [`busy`](Self::busy), so that
    /// both together are the whole.
    #[must_use]
    pub fn exposed(&self) -> TransferTotals {
        let (moved, unattributed) = (self.moved, self.total.saturating_sub(self.busy()));
        let time = moved.time();
        if time <= unattributed {
            return moved;
        }
        let up_time = (moved.up_time.0 as f64 * unattributed.0 as f64 / time.0 as f64) as u64;
        TransferTotals {
            up_time: Nanos(up_time),
            down_time: unattributed.saturating_sub(Nanos(up_time)),
            ..moved
        }
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
    fn the_parts_add_up_to_the_whole() {
        let timing = Timing {
            total: Nanos(100),
            device: Some(Nanos(30)),
            moved: TransferTotals {
                up_time: Nanos(40),
                down_time: Nanos(20),
                ..TransferTotals::default()
            },
            ..Timing::default()
        };
        assert_eq!(timing.busy(), Nanos(40));
        assert_eq!(timing.overhead(), Nanos(10));
        assert_eq!(timing.exposed(), timing.moved);
        assert!(!timing.is_overlapped());
    }

    #[test]
    fn overlapped_kernels_count_as_work() {
        let streamed = Timing {
            total: Nanos(1_000),
            device: Some(Nanos(100)),
            moved: TransferTotals {
                up: Bytes(200),
                down: Bytes(100),
                up_time: Nanos(660),
                down_time: Nanos(330),
            },
            ..Timing::default()
        };
        assert!(streamed.is_overlapped());
        assert_eq!(streamed.busy(), Nanos(100));
        assert_eq!(streamed.overhead(), Nanos(0));
        let exposed = streamed.exposed();
        assert_eq!(exposed.time(), Nanos(900));
        assert_eq!(
            (exposed.up_time, exposed.down_time),
            (Nanos(600), Nanos(300))
        );
        assert_eq!(exposed.bytes(), Bytes(300));
    }

    #[test]
    fn clocks_that_disagree_do_not_wrap() {
        let timing = Timing {
            total: Nanos(10),
            device: Some(Nanos(12)),
            ..Timing::default()
        };
        assert_eq!(timing.busy(), Nanos(10));
        assert_eq!(timing.overhead(), Nanos(0));
    }
}
