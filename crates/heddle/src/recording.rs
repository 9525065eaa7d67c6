//! Recordings of a runtime: its spans with the machine, memory, decisions and fallbacks.
//!
//! The profiler records spans; this module adds what only the runtime knows.

use std::path::Path;

use heddle_profile::{
    Alternative, Counters, DeviceDescription, MachineDescription, ProfileError, RecordedBatches,
    RecordedFallback, RecordedPool, Recording, RoutingLog, RoutingRow,
};
use heddle_runtime::Runtime;
use heddle_runtime::device::Timing;
use heddle_runtime::memory::{AcceleratorMemory, admit_host};
use heddle_runtime::operation::Description;
use heddle_runtime::route::{Decision, Reason};
use heddle_runtime::units::Bytes;

/// Returns the recording of the run so far, with a label and the noted decisions.
///
/// ```
/// use heddle::profile::RoutingLog;
///
/// let runtime = heddle::builder(heddle::config::Config::default())?.without_model_cache().build()?;
/// runtime.sum(&heddle::Array::from_slice(&[1.0_f32, 2.0]))?;
/// let recording = heddle::recording::take(&runtime, "two numbers", &RoutingLog::default());
/// assert_eq!(recording.spans[0].operation, "sum");
/// assert_eq!(recording.machine.devices[0].id, "cpu");
/// # Ok::<(), heddle::Error>(())
/// ```
#[must_use]
pub fn take(runtime: &Runtime, label: &str, decisions: &RoutingLog) -> Recording {
    runtime.profiler().recording().with(|it| {
        it.label = label.into();
        it.machine = machine(runtime);
        it.routing = decisions.rows();
        it.counters = counters(runtime);
    })
}

/// Reads a recording whose memory passes [`admit_host`], with the text of its file. The error of
/// one that does not fit holds an [`Error`](crate::Error) that says what was asked and what is
/// free.
pub fn read(path: impl AsRef<Path>) -> Result<(Recording, String), ProfileError> {
    Recording::read_admitted(path, &|bytes| {
        Ok(admit_host("a recorded run", Bytes(bytes))?)
    })
}

/// Adds one decision and its measured time to `decisions`.
pub fn note(
    decisions: &mut RoutingLog,
    described: &Description,
    decision: &Decision,
    timing: &Timing,
) {
    decisions.add(described.work, || {
        let chosen = decision.chosen();
        let predicted = chosen.and_then(|candidate| candidate.cost);
        RoutingRow {
            operation: described.kind.name().into(),
            element: described.dtype.name().into(),
            device: decision.device.to_string().into(),
            bytes: described.input().0.saturating_add(described.output.0),
            explored: u64::from(matches!(decision.reason, Reason::Exploring { .. })),
            predicted_ns: predicted.map(|cost| cost.total_ns()),
            measured_ns: Some(timing.total.0 as f64),
            alternatives: decision
                .candidates
                .iter()
                .filter(|candidate| candidate.device != decision.device)
                .map(|candidate| Alternative {
                    device: candidate.device.to_string().into(),
                    predicted_ns: candidate.cost.map(|cost| cost.total_ns()),
                })
                .collect(),
            reason: decision.to_string(),
            calibrated: predicted.is_some(),
            ..RoutingRow::default()
        }
    });
}

/// Returns the memory of every device that has its own.
fn memories(runtime: &Runtime) -> impl Iterator<Item = &AcceleratorMemory> {
    let devices = runtime.devices();
    devices.filter_map(|device| device.accelerator()?.memory())
}

fn machine(runtime: &Runtime) -> MachineDescription {
    let machine = runtime.machine();
    MachineDescription {
        cpu: machine.cpu.clone(),
        cores: u32::try_from(machine.threads).unwrap_or(u32::MAX),
        system: machine.system.clone(),
        memory_bytes: machine.memory.0,
        devices: runtime
            .devices()
            .map(|device| DeviceDescription {
                id: device.id().to_string(),
                name: device.properties().name.clone(),
                memory_bytes: device.properties().memory.0,
                bandwidth_bytes_per_s: None,
            })
            .collect(),
    }
}

fn counters(runtime: &Runtime) -> Counters {
    let batches = runtime.batch_statistics().kinds.into_iter();
    Counters {
        batches: batches
            .flat_map(|count| {
                count.devices.into_iter().map(move |share| RecordedBatches {
                    operation: count.kind.into(),
                    device: share.device.to_string().into(),
                    batches: share.batches,
                    items: share.items,
                })
            })
            .collect(),
        pools: memories(runtime)
            .map(|memory| {
                let reading = memory.reading();
                RecordedPool {
                    device: reading.device.to_string().into(),
                    hits: reading.storage.hits,
                    misses: reading.storage.misses,
                }
            })
            .collect(),
        fallbacks: runtime
            .report()
            .fallbacks
            .into_iter()
            .map(|row| RecordedFallback {
                operation: row.operation.into(),
                from: row.from.to_string().into(),
                to: row.to.to_string().into(),
                cause: row.cause.to_string(),
                count: row.count,
            })
            .collect(),
    }
}
