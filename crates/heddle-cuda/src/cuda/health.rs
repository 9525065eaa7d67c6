//! A GPU's sensors, read through NVML, NVIDIA's management library.
//!
//! The library is optional: without it there are no readings and nothing else changes.

use std::sync::OnceLock;

use heddle_runtime::units::Bytes;
use nvml_wrapper::Nvml;
use nvml_wrapper::enum_wrappers::device::TemperatureSensor;

/// A reading of a GPU's sensors. A value the GPU does not measure is `None`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Health {
    /// The share of the last sampling period in which a kernel ran.
    pub utilisation_percent: Option<u32>,
    /// The power drawn by the board.
    pub power_watts: Option<f64>,
    /// The temperature of the chip.
    pub temperature_c: Option<u32>,
    /// The memory used by all processes together.
    pub memory_used: Option<Bytes>,
}

fn library() -> Option<&'static Nvml> {
    static LIBRARY: OnceLock<Option<Nvml>> = OnceLock::new();
    LIBRARY.get_or_init(|| Nvml::init().ok()).as_ref()
}

/// Reads the sensors of the GPU at this PCI address.
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
    fn a_bus_address_without_a_gpu_has_no_reading() {
        assert_eq!(read("ffff:ff:1f.7"), None);
    }
}
