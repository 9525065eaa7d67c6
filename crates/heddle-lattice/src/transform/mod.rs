//! Transforms of a lattice's values: xor with a key, normalize, scale.
//!
//! Each is an operation of the runtime, which routes and records it.
//! [`xor_transform`] is its own inverse; [`apply_transformation`] selects a
//! transform by name.

mod named;

use heddle_runtime::ops::{BitElement, RandomElement};
use heddle_runtime::{Array, Runtime};

pub use named::{KNOWN, TransformArguments, TransformValues, apply_transformation};

use crate::error::Error;

/// The key of an xor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XorKey<'a, T = u8> {
    /// These elements, repeated over the data; of a longer key the beginning is
    /// used.
    Bytes(&'a [T]),
    /// Random elements, one per element of the data, the same for the same seed on
    /// every machine.
    Seed(u64),
}

impl<T: BitElement + RandomElement> XorKey<'_, T> {
    fn elements(self, runtime: &Runtime, data: &Array<T>) -> Result<Array<T>, Error> {
        match self {
            Self::Bytes([]) => Err(Error::EmptyKey),
            Self::Bytes(key) => Ok(Array::from_slice(key)),
            // Empty data still takes a key of one element.
            Self::Seed(seed) => Ok(runtime.random(&[data.len().max(1)], seed)?),
        }
    }
}

/// Computes `data ^ key`. Applied twice it gives the data back.
///
/// ```
/// use heddle_lattice::transform::{XorKey, xor_transform};
/// use heddle_runtime::{Array, Runtime};
///
/// let runtime = Runtime::new()?;
/// let data = Array::from_slice(b"sixteen sites...");
/// let hidden = xor_transform(&runtime, &data, XorKey::Bytes(b"key"))?;
/// let shown = xor_transform(&runtime, &hidden, XorKey::Bytes(b"key"))?;
/// assert_eq!(shown.as_slice()?, data.as_slice()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[track_caller]
pub fn xor_transform<T: BitElement + RandomElement>(
    runtime: &Runtime,
    data: &Array<T>,
    key: XorKey<'_, T>,
) -> Result<Array<T>, Error> {
    let key = key.elements(runtime, data)?;
    Ok(runtime.xor(data, &key)?)
}

/// Computes `data ^= key`.
#[track_caller]
pub fn xor_transform_in_place<T: BitElement + RandomElement>(
    runtime: &Runtime,
    data: &mut Array<T>,
    key: XorKey<'_, T>,
) -> Result<(), Error> {
    let key = key.elements(runtime, data)?;
    Ok(runtime.xor_in_place(data, &key)?)
}
