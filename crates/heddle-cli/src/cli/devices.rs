//! `heddle devices`: the devices of this machine.

use std::sync::Arc;

use heddle::DiscoveredDevices;
use heddle::config::Config;
use heddle::device::Device;
use heddle::gpu::cuda::CudaDevice;
use heddle::units::Bytes;
use serde::Serialize;

use super::output::Output;
use super::table::table;
use super::{Failure, open_devices};

#[derive(Serialize)]
struct DeviceRow {
    device: String,
    name: String,
    backend: &'static str,
    driver: String,
    units: usize,
    memory: Bytes,
    free: Bytes,
    measured: bool,
    /// Only of an NVIDIA GPU.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    sensors: Option<Sensors>,
}

/// Readings of an NVIDIA GPU; all but the compute capability need NVML.
#[derive(Serialize)]
struct Sensors {
    compute_capability: String,
    utilisation_percent: Option<u32>,
    power_watts: Option<f64>,
    temperature_c: Option<u32>,
    memory_used: Option<Bytes>,
}

impl Sensors {
    fn of(gpu: &CudaDevice) -> Self {
        let (major, minor) = gpu.compute_capability();
        let health = gpu.health();
        Self {
            compute_capability: format!("{major}.{minor}"),
            utilisation_percent: health.and_then(|health| health.utilisation_percent),
            power_watts: health.and_then(|health| health.power_watts),
            temperature_c: health.and_then(|health| health.temperature_c),
            memory_used: health.and_then(|health| health.memory_used),
        }
    }

    /// Returns the available readings as one line.
    fn sentence(&self) -> String {
        let parts = [
            Some(format!("compute capability {}", self.compute_capability)),
            self.utilisation_percent
                .map(|percent| format!("{percent} % busy")),
            self.power_watts.map(|watts| format!("{watts:.0} W")),
            self.temperature_c.map(|degrees| format!("{degrees} °C")),
            self.memory_used
                .map(|used| format!("{used} in use by all processes")),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

pub(super) fn run(config: &Config, output: &mut Output) -> Result<(), Failure> {
    let discovery = DiscoveredDevices::find(config)?;
    let runtime = open_devices(&discovery, config)?;
    let gpu_of = |device: &Arc<dyn Device>| {
        let id = device.id();
        discovery.gpus().iter().find(|gpu| gpu.id() == id)
    };
    let rows: Vec<DeviceRow> = runtime
        .devices()
        .map(|device| {
            let properties = device.properties();
            DeviceRow {
                device: device.id().to_string(),
                name: properties.name.clone(),
                backend: properties.backend,
                driver: properties.driver.clone(),
                units: properties.units,
                memory: properties.memory,
                free: device.free_memory(),
                measured: runtime.has_model(device.id()),
                sensors: gpu_of(device).map(|gpu| Sensors::of(gpu)),
            }
        })
        .collect();
    if output.is_json() {
        return Ok(output.object(&serde_json::json!({
            "machine": runtime.machine(),
            "devices": rows,
            "gpus": discovery.gpus().len(),
            "why_no_gpu": discovery.why_no_gpu(),
        }))?);
    }
    let mut list = table(&[
        "device ",
        "name ",
        "backend ",
        "driver ",
        "units",
        "memory",
        "free",
        "measured ",
    ]);
    for row in &rows {
        list.add_row([
            row.device.clone(),
            row.name.clone(),
            row.backend.to_owned(),
            row.driver.clone(),
            row.units.to_string(),
            row.memory.to_string(),
            row.free.to_string(),
            if row.measured { "yes" } else { "not yet" }.to_owned(),
        ]);
    }
    output.line(list)?;
    for row in &rows {
        if let Some(sensors) = &row.sensors {
            output.line(format_args!("\n{}: {}", row.device, sensors.sentence()))?;
        }
    }
    if let Some(why) = discovery.why_no_gpu() {
        output.line(format_args!("\nNo GPU: {why}"))?;
    }
    Ok(())
}
