//! One executed operation or scope, owning its names.
//!
//! Invariant: the four parts of a span's breakdown add up to its *self* time, which
//! leaves out its children's. So sums over any set of spans count no time twice.

use serde::{Deserialize, Serialize};

use crate::name::Name;
use crate::span::Clock;

/// A thread and its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadName {
    /// Its number.
    pub id: u32,
    /// Its name; empty if it has none.
    #[serde(default)]
    pub name: Name,
}

/// One executed operation or scope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordedSpan {
    /// The operation's name.
    pub operation: Name,
    /// The element type; empty for a scope that has none.
    pub element: Name,
    /// The device: `cpu`, `cuda:0`.
    pub device: Name,
    /// The implementation that ran it; `scope` for a marked section of code.
    pub backend: Name,
    /// The row of the enclosing span, which is an earlier one. `None` if there is
    /// none, or if it is not in this recording.
    pub parent: Option<u32>,
    /// The recording thread's number.
    pub thread: u32,
    /// When it began, in nanoseconds since the profiler's epoch.
    pub start_ns: u64,
    /// The total time, by the system clock.
    pub total_ns: u64,
    /// The total time without that of its children on the same thread.
    pub self_ns: u64,
    /// Self time spent computing on a GPU.
    pub gpu_ns: u64,
    /// Self time spent computing on the CPU.
    pub cpu_ns: u64,
    /// Self time spent moving bytes between memories.
    pub transfer_ns: u64,
    /// Whether the device's clock measured `transfer_ns`.
    pub transfer_by_device: bool,
    /// Self time spent neither computing nor in transfer.
    pub overhead_ns: u64,
    /// The duration of the work on the device, by the device's clock; `None` where
    /// there is none.
    pub device_ns: Option<u64>,
    /// When that work began, on the same timeline as `start_ns`.
    pub device_start_ns: Option<u64>,
    /// The stream that ran it.
    pub stream: Option<u32>,
    /// Bytes it read.
    pub bytes_in: u64,
    /// Bytes it wrote.
    pub bytes_out: u64,
    /// Bytes transferred between memories for it.
    pub bytes_moved: u64,
    /// The amount of work, in the operation's unit.
    pub work: u64,
    /// Bytes allocated for it.
    pub mem_allocated: u64,
    /// The most bytes allocated at once while it ran.
    pub mem_peak: u64,
}

/// The parts of a span's self time, each with its clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Breakdown {
    /// Computing on a GPU.
    pub gpu: (u64, Clock),
    /// Computing on the CPU.
    pub cpu: (u64, Clock),
    /// Moving bytes between memories.
    pub transfer: (u64, Clock),
    /// Neither computing nor transfer.
    pub overhead: (u64, Clock),
}

impl RecordedSpan {
    /// Whether it ran on a GPU, that is on any device but the CPU.
    #[must_use]
    pub fn is_on_gpu(&self) -> bool {
        is_gpu(&self.device)
    }

    /// Whether it is a marked section of code.
    #[must_use]
    pub fn is_scope(&self) -> bool {
        self.backend == "scope"
    }

    /// When it ended.
    #[must_use]
    pub fn end_ns(&self) -> u64 {
        self.start_ns.saturating_add(self.total_ns)
    }

    /// The finest clock that timed it.
    #[must_use]
    pub fn clock(&self) -> Clock {
        if self.device_ns.is_some() {
            Clock::Device
        } else {
            Clock::System
        }
    }

    /// The parts of its self time, each with the clock that measured it.
    #[must_use]
    pub fn breakdown(&self) -> Breakdown {
        let by = |device: bool| {
            if device { Clock::Device } else { Clock::System }
        };
        Breakdown {
            gpu: (self.gpu_ns, self.clock()),
            cpu: (self.cpu_ns, Clock::System),
            transfer: (self.transfer_ns, by(self.transfer_by_device)),
            overhead: (self.overhead_ns, Clock::System),
        }
    }

    /// Time spent computing, by the device's clock if there is one.
    #[must_use]
    pub fn computing_ns(&self) -> u64 {
        self.device_ns
            .unwrap_or_else(|| self.gpu_ns.saturating_add(self.cpu_ns))
    }

    /// The bytes a second it read and wrote while computing; `None` where either is
    /// unknown.
    #[must_use]
    pub fn bandwidth_bytes_per_s(&self) -> Option<f64> {
        rate(
            self.bytes_in as f64 + self.bytes_out as f64,
            self.computing_ns(),
        )
    }
}

/// Whether a device's name is that of a GPU.
pub(crate) fn is_gpu(device: &str) -> bool {
    !device.is_empty() && device != "cpu"
}

fn rate(bytes: f64, ns: u64) -> Option<f64> {
    (bytes > 0.0 && ns > 0).then(|| bytes * 1e9 / ns as f64)
}

/// Computes self times and breakdowns of spans whose parents are known.
///
/// The rest of a span's self time is overhead where the device measured its
/// computing time, and computing where it did not.
pub(crate) fn compute_self_times(spans: &mut [RecordedSpan]) {
    for span in spans.iter_mut() {
        span.self_ns = span.total_ns;
    }
    for row in 0..spans.len() {
        let child = &spans[row];
        let Some(parent) = child.parent else { continue };
        let around = &spans[parent as usize];
        if around.thread != child.thread {
            continue;
        }
        let from = child.start_ns.max(around.start_ns);
        let to = child.end_ns().min(around.end_ns());
        let inside_ns = to.saturating_sub(from);
        let around = &mut spans[parent as usize];
        around.self_ns = around.self_ns.saturating_sub(inside_ns);
    }
    for span in spans {
        span.transfer_ns = span.transfer_ns.min(span.self_ns);
        let beside_ns = span.self_ns - span.transfer_ns;
        span.overhead_ns = span.overhead_ns.min(beside_ns);
        let rest_ns = beside_ns - span.overhead_ns;
        if span.is_on_gpu() {
            span.gpu_ns = span.device_ns.map_or(rest_ns, |ns| ns.min(rest_ns));
            span.overhead_ns += rest_ns - span.gpu_ns;
        } else {
            span.cpu_ns = rest_ns;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start_ns: u64, total_ns: u64, parent: Option<u32>) -> RecordedSpan {
        RecordedSpan {
            device: "cpu".into(),
            start_ns,
            total_ns,
            parent,
            ..RecordedSpan::default()
        }
    }

    #[test]
    fn children_are_not_part_of_self_time() {
        let mut spans = [
            span(0, 100, None),
            span(10, 50, Some(0)),
            span(20, 30, Some(1)),
            span(70, 10, Some(0)),
            RecordedSpan {
                thread: 1,
                ..span(75, 10, Some(0))
            },
        ];
        compute_self_times(&mut spans);
        let own: Vec<u64> = spans.iter().map(|span| span.self_ns).collect();
        assert_eq!(own, [40, 20, 30, 10, 10]);
        assert_eq!(spans[0].cpu_ns, 40);
    }

    #[test]
    fn the_parts_add_up_whatever_was_measured() {
        let gpu = |device_ns, transfer_ns, overhead_ns| RecordedSpan {
            device: "cuda:0".into(),
            device_ns,
            transfer_ns,
            overhead_ns,
            ..span(0, 100, None)
        };
        let mut spans = [
            gpu(Some(30), 40, 10),
            gpu(Some(900), 40, 10),
            gpu(None, 40, 10),
            gpu(Some(5), 90, 90),
        ];
        compute_self_times(&mut spans);
        let parts: Vec<[u64; 3]> = spans
            .iter()
            .map(|span| [span.gpu_ns, span.transfer_ns, span.overhead_ns])
            .collect();
        assert_eq!(
            parts,
            [[30, 40, 30], [50, 40, 10], [50, 40, 10], [0, 90, 10]]
        );
    }

    #[test]
    fn rates_are_known_only_where_both_sides_are() {
        let mut one = span(0, 1_000, None);
        assert_eq!(one.bandwidth_bytes_per_s(), None);
        one.bytes_in = 500;
        compute_self_times(std::slice::from_mut(&mut one));
        assert_eq!(one.bandwidth_bytes_per_s(), Some(5e8));
    }
}
