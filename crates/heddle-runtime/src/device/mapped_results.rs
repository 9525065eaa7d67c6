//! Words that a kernel writes for the host while it runs.
//!
//! Buffers are downloaded when a kernel has ended. Values that the host needs earlier are written
//! here: host memory that the kernel writes and the host reads.

use std::any::Any;
use std::fmt;
use std::sync::atomic::AtomicU64;

/// Words of 64 bits in host memory, zero until a kernel writes them.
///
/// Each word is written atomically. There is no guarantee of the order in which words arrive, nor
/// about anything else the kernel wrote before. After waiting for the kernel, all have arrived.
pub trait MappedResults: Send + Sync + fmt::Debug {
    /// All words. Read them with [`Ordering::Acquire`](std::sync::atomic::Ordering::Acquire).
    fn words(&self) -> &[AtomicU64];

    /// The words as `Any`, so that the device's own code can downcast them.
    fn as_any(&self) -> &dyn Any;
}
