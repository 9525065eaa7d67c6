//! The machine this process runs on: names for reports, and an identity for model files.
//!
//! The host name is left out on purpose: containers get a new one at every start, and a model
//! measured on the same hardware is still valid.

use serde::{Deserialize, Serialize};

use crate::units::Bytes;

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
        let memory = system.as_ref().map_or(0, |system| {
            system
                .cgroup_limits()
                .map_or(u64::MAX, |limits| limits.total_memory)
                .min(system.total_memory())
        });
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

    /// The memory that could be allocated now without swapping.
    #[must_use]
    pub fn available_memory() -> Bytes {
        sysinfo::System::new_with_specifics(
            sysinfo::RefreshKind::nothing()
                .with_memory(sysinfo::MemoryRefreshKind::nothing().with_ram()),
        )
        .map_or(Bytes(0), |system| Bytes(system.available_memory()))
    }
}
