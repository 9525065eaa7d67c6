//! The launch of one kernel, on any device that runs kernels.
//!
//! A launch carries its kernel; the device checks the arguments against the kernel's signature
//! before anything runs.

use super::{DeviceMemory, Kernel, MappedResults};

/// One argument of a kernel, in the order of its signature. A device matches every variant,
/// because it cannot launch with one that it does not know.
#[derive(Clone, Copy, Debug)]
pub enum Argument<'a> {
    /// A pointer to the start of a buffer on the launching device.
    Buffer(&'a dyn DeviceMemory),
    /// A pointer to the first word of mapped results of the launching device.
    MappedResults(&'a dyn MappedResults),
    /// `unsigned int`
    U32(u32),
    /// `int`
    I32(i32),
    /// `unsigned long long`
    U64(u64),
    /// `float`
    F32(f32),
    /// `double`
    F64(f64),
}

/// One kernel launch. A literal stays possible: a device that overlooked a new field would launch
/// something else, so a new field has to break it.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The kernel.
    pub kernel: &'static Kernel,
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads per block along x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory per block.
    pub shared: u32,
    /// The kernel's arguments.
    pub arguments: &'a [Argument<'a>],
}

impl<'a> Launch<'a> {
    /// A launch along x alone, without dynamic shared memory.
    #[must_use]
    pub fn new(
        kernel: &'static Kernel,
        blocks: u32,
        threads: u32,
        arguments: &'a [Argument<'a>],
    ) -> Self {
        Self {
            kernel,
            grid: [blocks, 1, 1],
            block: [threads, 1, 1],
            shared: 0,
            arguments,
        }
    }
}
