//! NVIDIA GPUs, through the NVIDIA driver.
//!
//! The driver is loaded when [`CudaDevice::find`] is called, and only then: the same binary
//! runs with and without one. cudarc gives the bindings; the layer above them is our own,
//! because an operation of ten microseconds cannot afford an event, an allocation or a
//! second wait per call.
//!
//! Invariant: work is ordered by *leases* (see `lease`), and the memory of a dropped buffer
//! is reused only once the leases that used it are synchronized (see `driver_storage`).

mod blas;
mod chunk_layout;
mod chunked_map;
mod context;
mod device;
mod driver;
mod driver_error;
mod driver_storage;
mod drop_failures;
mod execute;
mod find;
mod health;
mod kernel_timer;
mod kernels;
mod launch;
mod lease;
mod mapped_results;
mod memory;
mod pinned;
mod signature;
mod staging;
mod state;
mod stream;
mod timestamps;
mod transfer;
mod transfer_pipeline;
mod visible_devices;
mod zero_copy;

pub use device::CudaDevice;
pub use drop_failures::DropFailures;
pub use find::{CudaOptions, FoundGpus};
pub use health::Health;
