//! Exclusive or of an array with a repeating key.
//!
//! A key shorter than the data repeats; of a longer key only the beginning is used. Both are
//! read as flat sequences in row-major order, so shapes need not match.

mod batched;
mod gpu;
mod key;

use crate::array::{Array, HostBuffer};
use crate::device::{DeviceId, ExecutionContext, ExecutionTarget};
use crate::dtype::Element;
use crate::error::Error;
use crate::operation::{Agreement, Description, Kind, Operation, WorkUnit};
use crate::units::Bytes;

use self::key::RepeatedKey;
use super::loops::{Zip, part, zip_in_place_part, zip_part};
use super::{agreement, elementwise_gpu, memory_budget};

/// Exclusive or into a new array.
pub static XOR: Kind = Kind::new("xor", WorkUnit::Bytes);
/// Exclusive or, written over the data.
pub static XOR_IN_PLACE: Kind = Kind::new("xor-in-place", WorkUnit::Bytes);

/// An element type made of bits.
pub trait BitElement: Element + Eq {
    /// Returns the bits set in exactly one of both.
    #[must_use]
    fn xor(self, other: Self) -> Self;
}

macro_rules! bit_element {
    ($($type:ty)*) => {$(
        impl BitElement for $type {
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
        }
    )*};
}
bit_element!(u8 u32 i32);

#[derive(Clone, Copy)]
struct XorBits;

impl<T: BitElement> Zip<T> for XorBits {
    #[inline(always)]
    fn apply(self, x: T, y: T) -> T {
        x.xor(y)
    }
}

/// `data ^ key`, with the key repeated over the data. The result has the data's shape.
#[derive(Clone, Debug)]
pub struct Xor<T: BitElement> {
    data: Array<T>,
    key: Array<T>,
}

impl<T: BitElement> Xor<T> {
    /// Fails with [`Error::EmptyKey`] when there is data and no key.
    pub fn new(data: &Array<T>, key: &Array<T>) -> Result<Self, Error> {
        check(data, key)?;
        Ok(Self {
            data: data.clone(),
            key: key.clone(),
        })
    }
}

impl<T: BitElement> Operation for Xor<T> {
    type Output = Array<T>;

    fn describe(&self) -> Description {
        memory_budget::can_split(
            Description::new(&XOR, T::DTYPE, traffic(&self.data, &self.key).0)
                .reads_both(&self.data, &self.key)
                .writes(self.data.bytes())
                .leaves(elementwise_gpu::result_place(self.data.bytes())),
        )
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host() || device.has_kernels()
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<Array<T>, Error> {
        let pool = match context.target() {
            ExecutionTarget::Host(pool) => pool,
            ExecutionTarget::Accelerator(gpu) => {
                return gpu::fresh(context, gpu, &self.data, &self.key);
            }
        };
        let data = context.host(&self.data)?;
        let key = RepeatedKey::over(context.host(&self.key)?, data.len());
        let mut out = HostBuffer::try_unspecified(XOR.name(), data.len())?;
        let parts = out
            .as_mut_slice()
            .chunks_mut(part::<T>())
            .zip(data.chunks(part::<T>()))
            .enumerate();
        pool.each(
            traffic(&self.data, &self.key),
            parts,
            |(index, (out, data))| {
                key.runs(index * part::<T>(), data.len(), |range, key| {
                    zip_part(&mut out[range.clone()], &data[range], key, XorBits);
                });
            },
        );
        Ok(Array::on_host(self.data.shape().clone(), out))
    }

    fn compare(&self, first: &Array<T>, second: &Array<T>) -> Agreement {
        agreement::exact(first, second)
    }
}

/// `data ^= key`, with the key repeated over the data.
#[derive(Debug)]
pub struct XorInPlace<'a, T: BitElement> {
    data: &'a mut Array<T>,
    key: Array<T>,
}

impl<'a, T: BitElement> XorInPlace<'a, T> {
    /// Fails with [`Error::EmptyKey`] when there is data and no key.
    pub fn new(data: &'a mut Array<T>, key: &Array<T>) -> Result<Self, Error> {
        check(data, key)?;
        Ok(Self {
            data,
            key: key.clone(),
        })
    }
}

impl<T: BitElement> Operation for XorInPlace<'_, T> {
    type Output = ();

    fn describe(&self) -> Description {
        describe_in_place(self.data, &self.key)
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host() || device.has_kernels()
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<(), Error> {
        let pool = match context.target() {
            ExecutionTarget::Host(pool) => pool,
            ExecutionTarget::Accelerator(gpu) => {
                return gpu::over(context, gpu, self.data, &self.key);
            }
        };
        let cost = traffic(self.data, &self.key);
        let data = context.host_mut(self.data)?;
        let key = RepeatedKey::over(context.host(&self.key)?, data.len());
        let parts = data.chunks_mut(part::<T>()).enumerate();
        pool.each(cost, parts, |(index, data)| {
            key.runs(index * part::<T>(), data.len(), |range, key| {
                zip_in_place_part(&mut data[range], key, XorBits);
            });
        });
        Ok(())
    }

    fn is_repeatable(&self) -> bool {
        false
    }

    fn compare(&self, (): &(), (): &()) -> Agreement {
        Agreement::Same
    }
}

/// Separate from the operation, which borrows its data.
pub(super) fn describe_in_place<T: BitElement>(data: &Array<T>, key: &Array<T>) -> Description {
    let description = Description::new(&XOR_IN_PLACE, T::DTYPE, traffic(data, key).0)
        .reads(data)
        .reads(key);
    memory_budget::can_split(Description {
        scratch: elementwise_gpu::scratch_over(data),
        ..description
    })
}

fn check<T: BitElement>(data: &Array<T>, key: &Array<T>) -> Result<(), Error> {
    if key.is_empty() && !data.is_empty() {
        return Err(Error::EmptyKey);
    }
    Ok(())
}

/// Bytes read and written. A short key stays in the cache and costs nothing.
fn traffic<T: BitElement>(data: &Array<T>, key: &Array<T>) -> Bytes {
    let key = Bytes(key.bytes().0.min(data.bytes().0));
    data.bytes() + data.bytes() + key
}
