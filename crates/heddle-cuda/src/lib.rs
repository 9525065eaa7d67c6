//! NVIDIA GPUs, and an emulated GPU that runs the same kernel sources.
//!
//! What lives here: the real device (`cuda`, feature `cuda`), the emulated one (`simt`,
//! feature `emulator`), and the devices' own kernels ([`kernels`]). The kernels of
//! operations do not: each launch carries its kernel.
//!
//! ```
//! use heddle_cuda::simt::{SimtDevice, SimtOptions};
//! use heddle_runtime::device::{Accelerator, Argument, Kernel, Launch};
//! use heddle_runtime::ops;
//! use heddle_runtime::units::Bytes;
//!
//! # fn main() -> Result<(), heddle_runtime::Error> {
//! let gpu = SimtDevice::new(0, SimtOptions::default());
//! let buffer = gpu.allocate(Bytes(400))?;
//! gpu.launch(&Launch {
//!     kernel: Kernel::named(&ops::KERNELS, "random_u32"),
//!     grid: [1, 1, 1],
//!     block: [128, 1, 1],
//!     shared: 0,
//!     arguments: &[
//!         Argument::Buffer(&*buffer),
//!         Argument::U64(100),
//!         Argument::U64(7),
//!     ],
//! })?;
//! gpu.synchronize()?;
//! let mut words = [0; 400];
//! buffer.download(&mut words)?;
//! assert_ne!(words[..4], words[4..8]);
//! # Ok(())
//! # }
//! ```

#[cfg(feature = "cuda")]
pub mod cuda;
pub mod kernels;
#[cfg(feature = "emulator")]
pub mod simt;
