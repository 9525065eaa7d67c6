//! NVIDIA GPUs, through the driver they come with.
//!
//! The driver is loaded when [`CudaDevice::find`] is called, and only then: the
//! same binary runs with and without one. cudarc gives the bindings; the layer
//! above them is our own, because an operation of ten microseconds leaves no room
//! for an event, an allocation or a second wait per call.
//!
//! One thing to know before changing anything here: work is ordered by *leases*
//! (see `lease`), and a buffer that is dropped goes back to the store only once
//! the leases that used it have settled (see `store`).

mod blas;
mod clock;
mod context;
mod conveyor;
mod core;
mod device;
mod direct;
mod driver;
mod drops;
mod execute;
mod fault;
mod find;
mod health;
mod kernels;
mod launch;
mod layout;
mod lease;
mod memory;
mod notices;
mod pinned;
mod pipeline;
mod signature;
mod staging;
mod stamp;
mod store;
mod stream;
mod transfer;
mod visible;

pub use device::CudaDevice;
pub use drops::DropFailures;
pub use find::{Found, Options};
pub use health::Health;
