//! Devices with a memory of their own.
//!
//! Buffers move their own bytes, so an array can be read back without knowing
//! what kind of device holds it. Who decides *when* bytes move is the
//! [`Lane`](super::Lane).

use std::any::Any;
use std::fmt;

use super::{Device, DeviceId};
use crate::error::Error;
use crate::units::{Bytes, Nanos};

/// Bytes in a device's memory. Dropping it frees them.
pub trait DeviceMemory: Send + Sync + fmt::Debug {
    /// The device that holds it.
    fn device(&self) -> DeviceId;

    /// Its size.
    fn bytes(&self) -> Bytes;

    /// Overwrites the buffer with `from`, whose length must be its size, and
    /// returns once the bytes have arrived, with the time that took.
    fn upload(&self, from: &[u8]) -> Result<Nanos, Error>;

    /// Copies the buffer to `to`, whose length must be its size, after all work
    /// issued before on that device, and returns the time the copy took.
    fn download(&self, to: &mut [u8]) -> Result<Nanos, Error>;

    /// For the device's own code to find its own type again.
    fn as_any(&self) -> &dyn Any;
}

/// Owned bytes on some device.
pub type DeviceBuffer = Box<dyn DeviceMemory>;

/// A device whose memory is not the host's.
pub trait Accelerator: Device {
    /// Room for `bytes` bytes of unspecified content.
    fn allocate(&self, bytes: Bytes) -> Result<DeviceBuffer, Error>;

    /// For an operation that is written for one concrete device.
    fn as_any(&self) -> &dyn Any;
}
