//! The list of kernels: one row each, for the GPU and the emulated GPU alike.
//!
//! The rows are written by the build script from the CUDA sources; nobody adds
//! one by hand.
#![allow(unsafe_code)]

use std::ffi::c_void;

/// The type of one kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// A pointer to device memory.
    Buffer,
    /// `unsigned`
    U32,
    /// `int`
    I32,
    /// `unsigned long long`
    U64,
    /// `float`
    F32,
    /// `double`
    F64,
}

impl ArgumentKind {
    /// Bytes it takes in a parameter list.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Buffer | Self::U64 | Self::F64 => 8,
            Self::U32 | Self::I32 | Self::F32 => 4,
        }
    }
}

/// One source compiled for one virtual architecture.
#[derive(Debug)]
pub struct Ptx {
    /// The architecture: `60` for `compute_60`.
    pub target: u32,
    /// The text a driver loads.
    pub text: &'static str,
}

/// One source compiled for one GPU, ready to run.
#[derive(Debug)]
pub struct MachineCode {
    /// The architecture: `90` for `sm_90`.
    pub target: u32,
    /// What a driver loads.
    pub image: &'static [u8],
}

/// What a device loads to run a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// The kernel's name.
    pub name: &'static str,
    /// Its PTX, which also says what parameters it takes.
    pub ptx: &'static str,
    /// Its machine code, where there is some for the device.
    pub machine: Option<&'static [u8]>,
}

/// One kernel.
#[derive(Debug)]
pub struct Kernel {
    /// Its name, unique among kernels.
    pub name: &'static str,
    /// Its source, under `kernels/` and without extension.
    pub source: &'static str,
    /// Hash of that source with its includes, as hexadecimal digits; the PTX names
    /// the one it was made from.
    pub source_hash: &'static str,
    /// The most threads a block of it may have.
    pub max_threads: u32,
    /// Its parameters.
    pub arguments: &'static [ArgumentKind],
    /// Its PTX (shared with the other kernels of its source), lowest target first.
    pub ptx: &'static [Ptx],
    /// Machine code of it, for sources a driver is slow to compile.
    pub machines: &'static [MachineCode],
    /// The same kernel compiled for the host.
    pub(crate) entry: Entry,
}

/// Runs one thread of a kernel on the host. Takes a pointer to each argument.
pub(crate) type Entry = unsafe extern "C" fn(*const *const c_void);

impl Kernel {
    /// The PTX for a GPU of compute capability `target` (`90` for 9.0): the
    /// newest it can run. None for a GPU older than all of them.
    #[must_use]
    pub fn ptx_for(&self, target: u32) -> Option<&'static Ptx> {
        self.ptx.iter().rev().find(|ptx| ptx.target <= target)
    }

    /// The machine code for a GPU of compute capability `target`: made for it, or
    /// for an earlier one of its generation.
    #[must_use]
    pub fn machine_for(&self, target: u32) -> Option<&'static MachineCode> {
        let runs = |code: &&MachineCode| code.target <= target && code.target / 10 == target / 10;
        self.machines.iter().rev().find(runs)
    }
}

/// Raised whenever kernels change enough to make old measurements wrong.
pub const VERSION: u32 = 1;

/// All kernels as a GPU of compute capability `target` (`90` for 9.0) loads them.
/// Those it cannot run are left out.
#[must_use]
pub fn table(target: u32) -> Vec<Image> {
    ALL.iter()
        .filter_map(|kernel| {
            Some(Image {
                name: kernel.name,
                ptx: kernel.ptx_for(target)?.text,
                machine: kernel.machine_for(target).map(|code| code.image),
            })
        })
        .collect()
}

/// Every kernel.
#[must_use]
pub fn all() -> &'static [Kernel] {
    ALL
}

/// The kernel of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Kernel> {
    ALL.iter().find(|kernel| kernel.name == name)
}

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_gets_the_newest_text_it_can_run() {
        assert_eq!(table(60).len(), ALL.len());
        assert!(table(52).is_empty());
        for Image { name, ptx, .. } in table(90) {
            assert!(ptx.contains(&format!(".entry {name}")), "{name}");
        }
    }

    #[test]
    fn machine_code_is_for_its_generation() {
        let kernel = find("arc_evaluate").unwrap();
        assert!(kernel.machine_for(90).is_some());
        for other in [60, 80, 89, 100] {
            assert!(kernel.machine_for(other).is_none(), "{other}");
        }
    }
}
