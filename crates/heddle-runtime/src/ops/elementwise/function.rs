//! The traits of functions of one or two elements.

use crate::device::Kernel;
use crate::operation::Kind;

/// A function of one element.
pub trait UnaryFunction<T>: Copy + Send + Sync {
    /// The kind of the operation that applies it.
    fn kind(self) -> &'static Kind;

    /// Its cost as a multiple of a copy, which decides from which size threads are used.
    fn weight(self) -> u64 {
        1
    }

    /// The kernel that computes it on a GPU. `None` if it only runs on the CPU.
    fn kernel(self) -> Option<&'static Kernel> {
        None
    }

    /// The largest relative difference between the results of two devices.
    fn tolerance(self) -> f64 {
        0.0
    }

    /// Returns its value.
    fn apply(self, x: T) -> T;
}

/// A function of two elements.
pub trait BinaryFunction<T>: Copy + Send + Sync {
    /// The kind of the operation that applies it.
    fn kind(self) -> &'static Kind;

    /// The kernel that computes it on a GPU. `None` if it only runs on the CPU.
    fn kernel(self) -> Option<&'static Kernel> {
        None
    }

    /// Whether an integer zero on the right is an error.
    fn divides(self) -> bool {
        false
    }

    /// Returns its value.
    fn apply(self, x: T, y: T) -> T;
}
