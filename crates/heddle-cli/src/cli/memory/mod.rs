//! `heddle memory`: the memory of every device and its holders.

mod replay;
mod stress;

use heddle::config::Config;
use heddle::device::DeviceId;
use heddle::memory::LedgerReading;
use heddle::runtime::{DeviceReading, MemoryUse};
use heddle::units::Bytes;
use serde::Serialize;

use super::output::Output;
use super::table::table;
use super::{Failure, open};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Option<MemoryCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum MemoryCommand {
    /// Replay an allocation log with other limits and pool settings.
    Replay(replay::Arguments),
    /// Use more than the first GPU's memory and check every result.
    Stress(stress::Arguments),
}

/// The memory of one device.
#[derive(Serialize)]
struct DeviceMemoryRow {
    device: DeviceId,
    total: Bytes,
    free: Bytes,
    /// Memory reserved by running operations.
    reservations: LedgerReading,
    /// Only of a device with a memory of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<MemoryUse>,
}

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
    match &arguments.command {
        Some(MemoryCommand::Replay(replay)) => return replay::run(replay, output),
        Some(MemoryCommand::Stress(stress)) => return stress::run(config, stress, output),
        None => {}
    }
    let runtime = open(config)?;
    let rows: Vec<DeviceMemoryRow> = runtime
        .report()
        .devices
        .into_iter()
        .zip(runtime.devices())
        .map(|(reading, device)| row(reading, device.free_memory()))
        .collect();
    if output.is_json() {
        return Ok(output.object(&serde_json::json!({ "devices": rows }))?);
    }
    let mut list = table(&[
        "device ",
        "limit",
        "allocated",
        "reserved",
        "pooled",
        "peak",
        "free",
        "pressure ",
    ]);
    for row in &rows {
        list.add_row(cells(row));
    }
    output.line(list)?;
    for row in &rows {
        print_details(row, output)?;
    }
    Ok(())
}

fn row(reading: DeviceReading, free: Bytes) -> DeviceMemoryRow {
    DeviceMemoryRow {
        device: reading.device,
        total: reading.properties.memory,
        free,
        reservations: reading.memory,
        memory: reading.memory_use,
    }
}

/// Returns the table row of a device. The CPU has no figures for existing arrays: the
/// caller owns the arrays in host memory.
fn cells(row: &DeviceMemoryRow) -> [String; 8] {
    let unknown = || "-".to_owned();
    let DeviceMemoryRow {
        device,
        reservations,
        ..
    } = row;
    let of = |figure: fn(&MemoryUse) -> String| row.memory.as_ref().map_or_else(unknown, figure);
    [
        device.to_string(),
        reservations.capacity.to_string(),
        of(|memory| memory.reading.limit.allocated.to_string()),
        reservations.reserved.to_string(),
        of(|memory| memory.reading.storage.pooled().to_string()),
        reservations.peak.to_string(),
        row.free.to_string(),
        of(|memory| memory.reading.level.to_string()),
    ]
}

/// Prints the driver's free memory, other processes' share, holders and leak suspicions.
fn print_details(row: &DeviceMemoryRow, output: &mut Output) -> Result<(), Failure> {
    let Some(memory) = &row.memory else {
        return Ok(());
    };
    let (device, reading) = (row.device, &memory.reading);
    let driver = reading.driver_free.unwrap_or(row.free);
    output.line(format_args!(
        "\n{device}: the driver reports {driver} of {} free",
        row.total
    ))?;
    if reading.taken_by_others > Bytes(0) {
        output.line(format_args!(
            "  {} of the limit are held by other processes",
            reading.taken_by_others
        ))?;
    }
    for holder in &memory.holders {
        output.line(format_args!(
            "  {} in {} blocks: {}",
            holder.bytes, holder.blocks, holder.site
        ))?;
    }
    for leak in &memory.leaks {
        output.line(format_args!("  possible leak: {leak}"))?;
    }
    Ok(())
}
