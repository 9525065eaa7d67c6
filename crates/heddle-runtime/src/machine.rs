//! The machine this process runs on: names for reports, and an identity for model files.
//!
//! The host name is left out on purpose: containers get a new one at every start, and a model
//! measured on the same hardware is still valid.

mod cgroup;
mod process_memory;

use serde::{Deserialize, Serialize};

use crate::units::Bytes;

pub(crate) use process_memory::ProcessMemory;

/// Facts about the host that do not change while the process runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Machine {
    /// The model name of the CPU.
    pub cpu: String,
    /// The instruction set.
    pub arch: String,
    /// The operating system and kernel version.
    pub system: String,
    /// The number of logical CPUs this process may use.
    pub threads: usize,
    /// The memory of the machine, or of the container when that is less.
    pub memory: Bytes,
}

impl Machine {
    /// Reads the facts. A fact that the system does not report has a neutral value.
    #[must_use]
    pub fn read() -> Self {
        let system = sysinfo::System::new_with_specifics(
            sysinfo::RefreshKind::nothing()
                .with_cpu(sysinfo::CpuRefreshKind::nothing())
                .with_memory(sysinfo::MemoryRefreshKind::nothing().with_ram()),
        )
        .ok();
        let arch = std::env::consts::ARCH.to_owned();
        let cpu = system
            .as_ref()
            .and_then(|system| system.cpus().first())
            .map(|cpu| cpu.brand().trim().to_owned())
            .filter(|brand| !brand.is_empty())
            .unwrap_or_else(|| arch.clone());
        let installed = system.as_ref().map_or(0, sysinfo::System::total_memory);
        let memory = cgroup::read().map_or(installed, |group| installed.min(group.limit.0));
        Self {
            cpu,
            arch,
            system: format!(
                "{} {}",
                std::env::consts::OS,
                sysinfo::System::kernel_version().unwrap_or_default()
            ),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            memory: Bytes(memory),
        }
    }

    /// The memory that could be allocated now without swapping: what the machine has free, or
    /// less where a control group or a limit of the process leaves less.
    #[must_use]
    pub fn available_memory() -> Bytes {
        let process = ProcessMemory::read();
        let bounds = [
            Self::unused_memory(),
            Self::cgroup_headroom(),
            process.addresses_left,
            process.data_left,
        ];
        bounds.into_iter().flatten().min().unwrap_or_default()
    }

    /// The memory that the machine has free; `None` if the system does not report it.
    pub(crate) fn unused_memory() -> Option<Bytes> {
        let system = sysinfo::System::new_with_specifics(
            sysinfo::RefreshKind::nothing()
                .with_memory(sysinfo::MemoryRefreshKind::nothing().with_ram()),
        );
        let bytes = system.ok()?.available_memory();
        (bytes > 0).then_some(Bytes(bytes))
    }

    /// The memory that the control groups of this process leave, if they have a limit.
    pub(crate) fn cgroup_headroom() -> Option<Bytes> {
        cgroup::read().map(|group| group.headroom)
    }
}
