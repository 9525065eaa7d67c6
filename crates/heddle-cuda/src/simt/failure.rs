//! The failures that stop a kernel.

use std::fmt;

/// A failure that stopped a kernel, with the threads at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum KernelFailure {
    /// Threads wait for others that never arrive.
    Deadlock {
        /// Block coordinates.
        block: [u32; 3],
        /// The threads and the collectives they wait at.
        waiting: String,
    },
    /// A thread did something undefined on a GPU.
    Misuse {
        /// Block coordinates.
        block: [u32; 3],
        /// Thread coordinates.
        thread: [u32; 3],
        /// The misuse, and its place in the source if that is known.
        what: String,
    },
    /// The kernel needs more of a resource than the emulator has.
    Resources(String),
}

impl KernelFailure {
    /// The message of an error, with the kernel's name.
    pub(super) fn of(&self, kernel: &str) -> String {
        match self {
            Self::Deadlock { block, waiting } => format!(
                "deadlock in kernel {kernel}, block {}: {waiting}",
                Coordinates(*block)
            ),
            Self::Misuse {
                block,
                thread,
                what,
            } => format!(
                "kernel {kernel}, block {}, thread {}: {what}",
                Coordinates(*block),
                Coordinates(*thread)
            ),
            Self::Resources(what) => format!("kernel {kernel}: {what}"),
        }
    }
}

/// Coordinates in the form `(x, y, z)`.
pub(super) struct Coordinates(pub(super) [u32; 3]);

impl fmt::Display for Coordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        write!(f, "({x}, {y}, {z})")
    }
}
