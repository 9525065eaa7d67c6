//! A kernel, as the operation that launches it brings it along.
//!
//! The build script of a crate with kernels generates their table from the CUDA sources
//! (`heddle-kernel-build`); other crates may write one by hand. A device has no list of kernels: it
//! loads what a launch carries, and caches it by the address of the kernel, so kernels are statics.

#![allow(
    unsafe_code,
    reason = "a kernel's description is trusted; nothing unsafe is done here"
)]

use std::ffi::c_void;
use std::fmt;

/// The type of one kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParameterKind {
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

/// One source, compiled for one virtual architecture.
#[derive(Debug)]
pub struct Ptx {
    /// The architecture: `60` for `compute_60`.
    pub target: u32,
    /// The text that a driver loads.
    pub text: &'static str,
}

/// One source, compiled for one GPU.
#[derive(Debug)]
pub struct MachineCode {
    /// The architecture: `90` for `sm_90`.
    pub target: u32,
    /// The binary that a driver loads.
    pub image: &'static [u8],
}

/// One source and its compiled forms: what a device loads as a whole.
#[derive(Debug)]
pub struct KernelModule {
    /// The path of its source, relative to `kernels/` and without extension.
    pub source: &'static str,
    /// The hash of that source with its includes, as hexadecimal digits; the PTX names the hash of
    /// the source it was compiled from.
    pub source_hash: &'static str,
    /// Its PTX, lowest target first; empty if its crate was built without.
    pub ptx: &'static [Ptx],
    /// Its machine code, for sources that a driver compiles slowly.
    pub machine_code: &'static [MachineCode],
}

/// Runs one thread of a kernel on the host. Takes a pointer to each argument.
///
/// The entry of a CUDA source is called by the emulated GPU, on a separate fiber. A device of
/// another kind defines how it calls its entries.
pub type HostEntry = unsafe extern "C" fn(*const *const c_void);

/// A kernel.
///
/// Devices check the arguments of a launch against its parameters and against nothing else. That
/// the kernel stays within the buffers it is given is for the operation that launches it to see to.
#[non_exhaustive]
pub struct Kernel {
    /// Its name, unique among the kernels of a program.
    pub name: &'static str,
    /// The source it is compiled from, with its compiled forms.
    pub module: &'static KernelModule,
    /// The most threads per block.
    pub max_threads: u32,
    /// Its parameters.
    pub parameters: &'static [ParameterKind],
    /// The same kernel compiled for the host; `None` if its crate was built without.
    pub entry: Option<HostEntry>,
}

impl Kernel {
    /// A kernel without images for GPUs and without a host entry, for a device that recognises
    /// it by its name.
    #[must_use]
    pub const fn without_images(name: &'static str, parameters: &'static [ParameterKind]) -> Self {
        Self {
            name,
            module: &KernelModule {
                source: "none",
                source_hash: "",
                ptx: &[],
                machine_code: &[],
            },
            max_threads: 1024,
            parameters,
            entry: None,
        }
    }

    /// Describes a kernel.
    ///
    /// # Safety
    /// Every image of the module is a complete one that a driver can load, and its function of this
    /// name takes these parameters; so does the entry, which may be called with one pointer to each.
    #[must_use]
    pub const unsafe fn new(
        name: &'static str,
        module: &'static KernelModule,
        max_threads: u32,
        parameters: &'static [ParameterKind],
        entry: Option<HostEntry>,
    ) -> Self {
        Self {
            name,
            module,
            max_threads,
            parameters,
            entry,
        }
    }

    /// Returns the kernel of this name in a table.
    #[must_use]
    pub const fn find(kernels: &'static [Self], name: &str) -> Option<&'static Self> {
        let mut index = 0;
        while index < kernels.len() {
            if is_same(kernels[index].name, name) {
                return Some(&kernels[index]);
            }
            index += 1;
        }
        None
    }

    /// Returns the kernel of this name in a table that contains it.
    ///
    /// # Panics
    /// If the table does not contain it. In a constant, which this is for, that fails the build.
    #[must_use]
    pub const fn named(kernels: &'static [Self], name: &str) -> &'static Self {
        match Self::find(kernels, name) {
            Some(kernel) => kernel,
            None => panic!("no source in `kernels/` declares a kernel of this name"),
        }
    }
}

impl KernelModule {
    /// Returns the PTX for a GPU of compute capability `target` (`90` for 9.0): the newest it can
    /// run. `None` for a GPU older than all of them.
    #[must_use]
    pub fn ptx_for(&self, target: u32) -> Option<&'static Ptx> {
        self.ptx.iter().rev().find(|ptx| ptx.target <= target)
    }

    /// Returns the machine code for a GPU of compute capability `target`: compiled for it, or for
    /// an earlier one of its generation.
    #[must_use]
    pub fn machine_code_for(&self, target: u32) -> Option<&'static MachineCode> {
        let runs = |code: &&MachineCode| code.target <= target && code.target / 10 == target / 10;
        self.machine_code.iter().rev().find(runs)
    }
}

/// Shows the name only; the images would be pages.
impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernel")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// `==` for constants.
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut index = 0;
    while index < one.len() {
        if one[index] != other[index] {
            return false;
        }
        index += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ptx(target: u32) -> Ptx {
        Ptx { target, text: "" }
    }

    static MODULE: KernelModule = KernelModule {
        source: "both",
        source_hash: "",
        ptx: &[ptx(60), ptx(90)],
        machine_code: &[MachineCode {
            target: 90,
            image: &[],
        }],
    };

    const fn kernel(name: &'static str) -> Kernel {
        Kernel {
            name,
            module: &MODULE,
            max_threads: 256,
            parameters: &[],
            entry: None,
        }
    }

    static KERNELS: [Kernel; 2] = [kernel("scale"), kernel("scales")];

    #[test]
    fn a_gpu_gets_the_newest_ptx_it_can_run() {
        let target = |gpu| MODULE.ptx_for(gpu).map(|ptx| ptx.target);
        let targets = [52, 60, 75, 89, 90, 100].map(target);
        let [old, new] = [Some(60), Some(90)];
        assert_eq!(targets, [None, old, old, old, new, new]);
    }

    #[test]
    fn machine_code_runs_on_its_generation() {
        assert!(MODULE.machine_code_for(90).is_some());
        for other in [60, 80, 89, 100] {
            assert!(MODULE.machine_code_for(other).is_none(), "{other}");
        }
    }

    #[test]
    fn a_prefix_of_a_name_does_not_match() {
        const SCALES: &Kernel = Kernel::named(&KERNELS, "scales");
        assert_eq!(SCALES.name, "scales");
        assert_eq!(Kernel::find(&KERNELS, "scale").unwrap().name, "scale");
        for absent in ["scal", "", "Scale"] {
            assert!(Kernel::find(&KERNELS, absent).is_none(), "{absent}");
        }
    }
}
