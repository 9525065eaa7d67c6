//! How a GPU is doing, by the vendor's management library.
//!
//! The library is optional: without it there is no health and nothing else changes.

use std::sync::OnceLock;

use heddle_runtime::units::Bytes;
use nvml_wrapper::Nvml;
use nvml_wrapper::enum_wrappers::device::TemperatureSensor;

/// A reading of a GPU's sensors. What it does not measure is `None`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Health {
    /// Share of the last sampling period in which a kernel ran.
    pub utilisation_percent: Option<u32>,
    /// Power drawn by the board.
    pub power_watts: Option<f64>,
    /// Temperature of the chip.
    pub temperature_c: Option<u32>,
    /// Memory taken by all processes together.
    pub memory_used: Option<Bytes>,
}

fn library() -> Option<&'static Nvml> {
    static LIBRARY: OnceLock<Option<Nvml>> = OnceLock::new();
    LIBRARY.get_or_init(|| Nvml::init().ok()).as_ref()
}

/// The sensors of the GPU at this place on the bus.
pub(super) fn read(bus_id: &str) -> Option<Health> {
    let device = library()?.device_by_pci_bus_id(bus_id).ok()?;
    Some(Health {
        utilisation_percent: device.utilization_rates().ok().map(|rates| rates.gpu),
        power_watts: device.power_usage().ok().map(|mw| f64::from(mw) / 1e3),
        temperature_c: device.temperature(TemperatureSensor::Gpu).ok(),
        memory_used: device.memory_info().ok().map(|memory| Bytes(memory.used)),
    })
}

/// The driver's own version, such as "580.159.04".
pub(super) fn driver_version() -> Option<String> {
    library()?.sys_driver_version().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bus_with_nothing_on_it_has_no_health() {
        assert_eq!(read("ffff:ff:1f.7"), None);
    }
}
