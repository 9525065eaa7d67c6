//! What a function of one or two elements says of itself.

use crate::device::Kernel;
use crate::operation::Kind;

/// A function of one element.
pub trait UnaryFunction<T>: Copy + Send + Sync {
    /// The kind of operation it makes.
    fn kind(self) -> &'static Kind;

    /// How many times slower than a copy it is; decides when threads pay.
    fn weight(self) -> u64 {
        1
    }

    /// The kernel that computes it on a GPU. Without one it runs on the processor.
    fn kernel(self) -> Option<&'static Kernel> {
        None
    }

    /// How far apart, relatively, answers of two devices may be.
    fn tolerance(self) -> f64 {
        0.0
    }

    /// Its value.
    fn apply(self, x: T) -> T;
}

/// A function of two elements.
pub trait BinaryFunction<T>: Copy + Send + Sync {
    /// The kind of operation it makes.
    fn kind(self) -> &'static Kind;

    /// The kernel that computes it on a GPU. Without one it runs on the processor.
    fn kernel(self) -> Option<&'static Kernel> {
        None
    }

    /// Whether an integer zero on the right has no answer.
    fn divides(self) -> bool {
        false
    }

    /// Its value.
    fn apply(self, x: T, y: T) -> T;
}
