//! Launching the kernels of array operations.
//!
//! A kernel is named after its operation and element type (`add_f32`). Elementwise kernels are
//! launched with enough threads for the whole array, up to a grid that fills any GPU; beyond it
//! each thread strides over several elements.

use crate::array::Array;
use crate::device::{Accelerator, Argument, DeviceBuffer, Kernel, Launch};
use crate::dtype::{DType, Element};
use crate::error::Error;
use crate::shape::Shape;
use crate::units::Bytes;

/// Threads per block of an elementwise kernel.
pub(super) const BLOCK: u32 = 256;
/// The number of blocks in the largest grid: an H200 has 132 multiprocessors of eight blocks
/// each; four rounds of them even out the tail.
const MOST_BLOCKS: usize = 4096;

mod table {
    use crate::device;

    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}
pub use table::KERNELS;

/// The kernels of one operation, by element type.
pub(super) struct Kernels([Option<&'static Kernel>; DType::ALL.len()]);

/// The kernels `<operation>_<type>` for `all`, `integers` or `floats`. A kernel that no source
/// declares is a compile error.
macro_rules! kernels {
    ($operation:literal, all) => {
        $crate::ops::kernel::Kernels::new([
            Some(concat!($operation, "_u8")),
            Some(concat!($operation, "_i32")),
            Some(concat!($operation, "_u32")),
            Some(concat!($operation, "_f32")),
            Some(concat!($operation, "_f64")),
        ])
    };
    ($operation:literal, integers) => {
        $crate::ops::kernel::Kernels::new([
            Some(concat!($operation, "_u8")),
            Some(concat!($operation, "_i32")),
            Some(concat!($operation, "_u32")),
            None,
            None,
        ])
    };
    ($operation:literal, floats) => {
        $crate::ops::kernel::Kernels::new([
            None,
            None,
            None,
            Some(concat!($operation, "_f32")),
            Some(concat!($operation, "_f64")),
        ])
    };
}
pub(super) use kernels;

/// Returns the array kernel of this name. Used in constants, where a missing kernel fails the
/// build.
pub(super) const fn named(name: &str) -> &'static Kernel {
    Kernel::named(&KERNELS, name)
}

impl Kernels {
    /// Creates the set from names in the order of [`DType::ALL`]; `None` where there is no
    /// kernel.
    pub(super) const fn new(names: [Option<&str>; DType::ALL.len()]) -> Self {
        let mut kernels = [None; DType::ALL.len()];
        let mut index = 0;
        while index < names.len() {
            if let Some(name) = names[index] {
                kernels[index] = Some(named(name));
            }
            index += 1;
        }
        Self(kernels)
    }

    /// Returns the kernel for `T`, if there is one.
    pub(super) fn get<T: Element>(&self) -> Option<&'static Kernel> {
        self.0[T::DTYPE.index()]
    }

    /// Returns the kernel for `T`, or an error that names the operation.
    pub(super) fn of<T: Element>(&self, operation: &'static str) -> Result<&'static Kernel, Error> {
        self.get::<T>().ok_or(Error::BadParameter {
            operation,
            parameter: "element type",
            expected: "one that has a kernel",
            found: T::DTYPE.to_string(),
        })
    }
}

/// Launches a kernel over `elements` elements, of which each thread takes `per_thread` per
/// stride. Launches nothing if there are none.
pub(super) fn over_elements(
    accelerator: &dyn Accelerator,
    kernel: &'static Kernel,
    elements: usize,
    per_thread: usize,
    arguments: &[Argument<'_>],
) -> Result<(), Error> {
    if elements == 0 {
        return Ok(());
    }
    let blocks = elements
        .div_ceil(BLOCK as usize * per_thread)
        .clamp(1, MOST_BLOCKS);
    accelerator.launch(&Launch::new(kernel, blocks as u32, BLOCK, arguments))
}

/// Returns the scalar as the kernel argument of its type.
pub(super) fn scalar<T: Element>(value: T) -> Argument<'static> {
    let bytes = bytemuck::bytes_of(&value);
    match T::DTYPE {
        DType::U8 => Argument::U32(bytes[0].into()),
        DType::I32 => Argument::I32(bytemuck::pod_read_unaligned(bytes)),
        DType::U32 => Argument::U32(bytemuck::pod_read_unaligned(bytes)),
        DType::F32 => Argument::F32(bytemuck::pod_read_unaligned(bytes)),
        DType::F64 => Argument::F64(bytemuck::pod_read_unaligned(bytes)),
    }
}

/// The number of elements of `T` in one 16-byte access of a thread.
pub(super) const fn per_line<T: Element>() -> usize {
    16 / size_of::<T>()
}

/// The number of elements of `T` that the largest grid covers in one stride.
pub(crate) const fn grid_elements<T: Element>() -> usize {
    MOST_BLOCKS * BLOCK as usize * per_line::<T>()
}

/// Allocates device memory for `elements` elements of `T`.
pub(super) fn allocate_elements<T: Element>(
    accelerator: &dyn Accelerator,
    elements: usize,
) -> Result<DeviceBuffer, Error> {
    accelerator.allocate(Bytes::of::<T>(elements))
}

/// Returns an array of the elements that a kernel has written.
pub(super) fn filled<T: Element>(shape: &Shape, buffer: DeviceBuffer) -> Result<Array<T>, Error> {
    Array::on_device(shape.clone(), buffer)
}
