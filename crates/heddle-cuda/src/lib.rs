//! NVIDIA GPUs, their kernels, and an emulated GPU that runs the same kernel
//! sources.
//!
//! What lives here: CUDA C++ under `kernels/`, the PTX made of it under `ptx/`,
//! the one list of both ([`kernels`]), the real device ([`cuda`]) and the emulated
//! one ([`simt`]). What does not: which operation launches which kernel.
//!
//! ```
//! use heddle_cuda::simt::{SimtDevice, SimtOptions};
//! use heddle_runtime::device::{Accelerator, Argument, Launch};
//! use heddle_runtime::units::Bytes;
//!
//! # fn main() -> Result<(), heddle_runtime::Error> {
//! let gpu = SimtDevice::new(0, SimtOptions::default())?;
//! let buffer = gpu.allocate(Bytes(400))?;
//! gpu.launch(&Launch {
//!     kernel: "random_u32",
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

pub mod cuda;
pub mod kernels;
pub mod simt;
