//! Timing of one case: the median over many batches of calls.

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::cli::Failure;

/// The length of a batch, which makes the clock's cost and resolution negligible.
const BATCH: Duration = Duration::from_micros(40);
/// The least number of batches, for a meaningful spread.
const MIN_SAMPLES: usize = 7;

/// The distribution of one case's times, in nanoseconds per call.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct TimeDistribution {
    pub(super) median_ns: f64,
    pub(super) p10_ns: f64,
    pub(super) p90_ns: f64,
    /// Batches timed.
    pub(super) samples: usize,
    /// Calls in each batch.
    pub(super) calls: u32,
}

impl TimeDistribution {
    /// Calls `body` for about `time` and returns the distribution of the time of a call.
    pub(super) fn of(
        time: Duration,
        mut body: impl FnMut() -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        // The first call pays for page faults and cold caches; the second determines the
        // number of calls in a batch.
        body()?;
        let start = Instant::now();
        body()?;
        let once = start.elapsed().max(Duration::from_nanos(1));
        let calls = (BATCH.as_nanos() / once.as_nanos()).clamp(1, 1_000_000) as u32;
        let deadline = Instant::now() + time;
        let mut times = Vec::new();
        while times.len() < MIN_SAMPLES || Instant::now() < deadline {
            let start = Instant::now();
            for _ in 0..calls {
                body()?;
            }
            times.push(start.elapsed().as_nanos() as f64 / f64::from(calls));
        }
        Ok(Self::from_times(times, calls))
    }

    /// Returns the distribution of `times`, which must not be empty.
    pub(super) fn from_times(mut times: Vec<f64>, calls: u32) -> Self {
        times.sort_by(f64::total_cmp);
        let rank = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
        Self {
            median_ns: rank(0.5),
            p10_ns: rank(0.1),
            p90_ns: rank(0.9),
            samples: times.len(),
            calls,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_of_the_sorted_times() {
        let sample = TimeDistribution::from_times((0..=100).rev().map(f64::from).collect(), 1);
        assert_eq!(
            (sample.p10_ns, sample.median_ns, sample.p90_ns),
            (10.0, 50.0, 90.0)
        );
    }

    #[test]
    fn a_failing_body_ends_the_sampling() {
        let mut calls = 0;
        let result = TimeDistribution::of(Duration::from_hours(1), || {
            calls += 1;
            Err(Failure::Usage {
                message: String::new(),
                hint: String::new(),
            })
        });
        assert!(result.is_err());
        assert_eq!(calls, 1);
    }
}
