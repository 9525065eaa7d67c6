//! Words that a kernel leaves for the host while it runs.
//!
//! Buffers are downloaded when a kernel has ended. What the host should know sooner
//! goes here: memory of the host that the kernel writes and the host looks at.

use std::any::Any;
use std::fmt;
use std::sync::atomic::AtomicU64;

/// Words of 64 bits in host memory, zero until a kernel writes them.
///
/// Each is a message of its own, there as a whole or not at all: nothing is said of the
/// order in which they arrive, nor of anything else the kernel wrote before. Once the
/// kernel was waited for, all have arrived.
pub trait MappedResults: Send + Sync + fmt::Debug {
    /// All of them. What has arrived is read with
    /// [`Ordering::Acquire`](std::sync::atomic::Ordering::Acquire).
    fn words(&self) -> &[AtomicU64];

    /// For the device's own code to find its own type again.
    fn as_any(&self) -> &dyn Any;
}
