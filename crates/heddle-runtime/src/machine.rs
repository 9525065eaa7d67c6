//! The machine this process runs on: names for reports, an identity for model files.
//!
//! The host's name is left out on purpose: containers get a new one at every
//! start, and a model measured on the same hardware is still right.

use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// Facts about the host that do not change while the process runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's own name.
    pub cpu: String,
    /// Instruction set.
    pub arch: String,
    /// Operating system and kernel version.
    pub system: String,
    /// Logical processors this process may use.
    pub threads: usize,
    /// Memory of the machine, or of the container when that is less.
    pub memory: Bytes,
}

impl Machine {
    /// Reads the facts; one the system will not tell is left at a neutral value.
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

    /// Memory that could be allocated now without swapping.
    #[must_use]
    pub fn available_memory() -> Bytes {
        sysinfo::System::new_with_specifics(
            sysinfo::RefreshKind::nothing()
                .with_memory(sysinfo::MemoryRefreshKind::nothing().with_ram()),
        )
        .map_or(Bytes(0), |system| Bytes(system.available_memory()))
    }
}
