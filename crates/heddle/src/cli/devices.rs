//! `heddle devices`: what there is to run on.

use heddle::config::Config;
use heddle::units::Bytes;
use serde::Serialize;

use super::output::Output;
use super::table::table;
use super::{Failure, open};

#[derive(Serialize)]
struct Row {
    device: String,
    name: String,
    backend: &'static str,
    driver: String,
    units: usize,
    memory: Bytes,
    free: Bytes,
    measured: bool,
}

pub(super) fn run(config: &Config, output: &mut Output) -> Result<(), Failure> {
    let runtime = open(config)?;
    let rows: Vec<Row> = runtime
        .devices()
        .map(|device| {
            let card = device.card();
            Row {
                device: device.id().to_string(),
                name: card.name.clone(),
                backend: card.backend,
                driver: card.driver.clone(),
                units: card.units,
                memory: card.memory,
                free: device.free_memory(),
                measured: runtime.has_model(device.id()),
            }
        })
        .collect();
    let gpus = runtime
        .devices()
        .filter(|device| device.id().kind().is_gpu())
        .count();
    if output.is_json() {
        return Ok(output.object(&serde_json::json!({
            "machine": runtime.machine(),
            "devices": rows,
            "gpus": gpus,
        }))?);
    }
    let mut list = table(&[
        "device ",
        "name ",
        "backend ",
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
            row.units.to_string(),
            row.memory.to_string(),
            row.free.to_string(),
            if row.measured { "yes" } else { "not yet" }.to_owned(),
        ]);
    }
    output.line(list)?;
    if gpus == 0 {
        output.line("\nNo GPU: this version of Heddle drives the processor only.")?;
    }
    Ok(())
}
