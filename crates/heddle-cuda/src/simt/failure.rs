//! Why a kernel could not go on.

use std::fmt;

/// What stopped a kernel, in words that name the threads at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum KernelFailure {
    /// Threads wait for others that will never come.
    Deadlock {
        /// Block coordinates.
        block: [u32; 3],
        /// Who waits where.
        waiting: String,
    },
    /// A thread did what a GPU leaves undefined.
    Misuse {
        /// Block coordinates.
        block: [u32; 3],
        /// Thread coordinates.
        thread: [u32; 3],
        /// What it did, and where in the source if that is known.
        what: String,
    },
    /// The emulator has no room for what the kernel asks.
    Resources(String),
}

impl KernelFailure {
    /// The message for an error, naming the kernel.
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

/// Coordinates as a person writes them.
pub(super) struct Coordinates(pub(super) [u32; 3]);

impl fmt::Display for Coordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        write!(f, "({x}, {y}, {z})")
    }
}
