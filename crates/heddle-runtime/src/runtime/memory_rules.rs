//! Applies the configured memory rules to the devices of a runtime.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use heddle_profile::{is_standard_output, standard_output};

use crate::config::Config;
use crate::device::{Accelerator, Device, DeviceId};
use crate::error::Error;

/// Sets the limits of every device that has its own memory, and begins the configured logs. A
/// device that is already logged for another runtime keeps that log.
pub(super) fn apply(config: &Config, devices: &[Arc<dyn Device>]) -> Result<(), Error> {
    let memories: Vec<_> = devices
        .iter()
        .filter_map(|device| {
            let memory = device.accelerator().and_then(Accelerator::memory)?;
            Some((device, memory))
        })
        .collect();
    for (device, memory) in &memories {
        memory.set_rules(&config.memory.rules(device.properties().memory)?);
        if let Some(path) = &config.memory.log
            && memory.log().is_none()
        {
            let path = log_path(path, device.id(), memories.len() == 1);
            if is_standard_output(&path) {
                memory.log_to(BufWriter::new(standard_output()));
                continue;
            }
            // A log grows while the program runs, so it is written where it is, not renamed: an
            // older log is lost when the run begins.
            let file = File::create(&path).map_err(|source| Error::File {
                action: "write",
                path,
                source,
            })?;
            memory.log_to(BufWriter::new(file));
        }
    }
    Ok(())
}

/// The path of one device's log: each file holds one log.
fn log_path(path: &Path, device: DeviceId, alone: bool) -> PathBuf {
    if alone {
        return path.to_owned();
    }
    let name = device.to_string().replace(':', "-");
    let mut file = path.file_stem().unwrap_or_default().to_owned();
    file.push(format!(".{name}"));
    if let Some(extension) = path.extension() {
        file.push(".");
        file.push(extension);
    }
    path.with_file_name(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_several_devices_has_its_own_log() {
        let path = Path::new("logs/run.jsonl");
        assert_eq!(log_path(path, DeviceId::cuda(0), true), path);
        let second = log_path(path, DeviceId::cuda(1), false);
        assert_eq!(second, Path::new("logs/run.cuda-1.jsonl"));
        let bare = log_path(Path::new("log"), DeviceId::simt(0), false);
        assert_eq!(bare, Path::new("log.simt-0"));
    }
}
