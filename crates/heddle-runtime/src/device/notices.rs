//! Words that a kernel leaves for the host while it runs.
//!
//! Buffers are downloaded when a kernel has ended. What the host should know sooner
//! goes here: memory of the host that the kernel writes and the host looks at.

use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// Words of 64 bits in host memory, zero until a kernel writes them.
///
/// Each is a message of its own, there as a whole or not at all: nothing is said of the
/// order in which they arrive, nor of anything else the kernel wrote before. Once the
/// kernel was waited for, all have arrived.
pub trait Notices: Send + Sync + fmt::Debug {
    /// All of them. What has arrived is read with [`Ordering::Acquire`].
    fn words(&self) -> &[AtomicU64];

    /// How many there are.
    fn len(&self) -> usize {
        self.words().len()
    }

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.words().is_empty()
    }

    /// What has arrived at a place so far; 0 where nothing has, or there is no such place.
    fn read(&self, place: usize) -> u64 {
        let word = self.words().get(place);
        word.map_or(0, |word| word.load(Ordering::Acquire))
    }

    /// For the device's own code to find its own type again.
    fn as_any(&self) -> &dyn Any;
}
