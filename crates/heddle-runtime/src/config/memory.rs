//! The settings of memory, and the rules they give for one device.

use std::path::PathBuf;
use std::time::Duration;

use super::Size;
use crate::error::Error;
use crate::memory::{LeakSettings, MemoryRules, PressureThresholds};
use crate::units::Bytes;

/// The settings of memory: limits, and what happens when it is scarce.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MemoryConfig {
    /// The bytes that operations and the arrays they leave may hold at once on the host.
    pub host_limit: Size,
    /// The bytes that may be held at once on each GPU, stored arrays included.
    pub device_limit: Size,
    /// The bytes each GPU may hold, used or kept for reuse. A share is of its limit.
    pub pool_limit: Size,
    /// The seconds that memory may be kept unused.
    pub pool_idle_s: usize,
    /// The share of a GPU's limit at which clean-up begins by itself.
    pub cleanup_at: f64,
    /// The share at which pressure is moderate.
    pub moderate_at: f64,
    /// The share at which it is high.
    pub high_at: f64,
    /// The share at which it is critical.
    pub critical_at: f64,
    /// The seconds that a rise must last to be suspected of being a leak.
    pub leak_window_s: usize,
    /// The least rise, as a share of the value it began at.
    pub leak_growth: f64,
    /// The file that allocations are logged to.
    pub log: Option<PathBuf>,
}

impl Default for MemoryConfig {
    fn default() -> Self {
        Self {
            host_limit: Size::Share(0.9),
            device_limit: Size::Share(0.9),
            pool_limit: Size::Share(1.0),
            pool_idle_s: 300,
            cleanup_at: 0.85,
            moderate_at: 0.6,
            high_at: 0.8,
            critical_at: 0.9,
            leak_window_s: 300,
            leak_growth: 0.2,
            log: None,
        }
    }
}

impl MemoryConfig {
    /// Returns the rules for a GPU that has `total` bytes. Fails when the levels of pressure
    /// are not ascending.
    pub fn rules(&self, total: Bytes) -> Result<MemoryRules, Error> {
        let capacity = self.device_limit.of(total);
        let pressure = PressureThresholds::new(self.moderate_at, self.high_at, self.critical_at)
            .map_err(|bad| Error::Config {
                origin: "memory.moderate_at, memory.high_at, memory.critical_at".to_owned(),
                message: bad.to_string(),
                hint: Some("their defaults are 0.6, 0.8 and 0.9".to_owned()),
            })?;
        let seconds = |count: usize| Duration::from_secs(count as u64);
        Ok(MemoryRules {
            capacity,
            pool_maximum: self.pool_limit.of(capacity),
            pool_idle: seconds(self.pool_idle_s),
            pressure,
            cleanup_at: self.cleanup_at,
            leaks: LeakSettings {
                window: seconds(self.leak_window_s),
                growth: self.leak_growth,
                ..LeakSettings::default()
            },
        })
    }
}
