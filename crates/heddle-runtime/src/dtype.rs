//! The element types of an [`Array`](crate::Array).
//!
//! The set is closed: every type has a kernel on each device, and a type from outside could be
//! stored but not computed with.

use std::fmt;

use bytemuck::Pod;
use serde::{Deserialize, Serialize};

/// An element type, as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum DType {
    /// Unsigned byte.
    U8,
    /// 32-bit signed integer.
    I32,
    /// 32-bit unsigned integer.
    U32,
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
}

impl DType {
    /// Every element type, in a fixed order.
    pub const ALL: [Self; 5] = [Self::U8, Self::I32, Self::U32, Self::F32, Self::F64];

    /// The name that users write: `"u8"`, `"f32"`, …
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// The size of one element in bytes.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The position in [`DType::ALL`], for tables indexed by element type.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u8 {}
    impl Sealed for i32 {}
    impl Sealed for u32 {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// A type that an array may hold.
pub trait Element:
    sealed::Sealed + Pod + PartialOrd + Default + fmt::Debug + fmt::Display + Send + Sync + 'static
{
    /// The type as a value.
    const DTYPE: DType;
}

impl Element for u8 {
    const DTYPE: DType = DType::U8;
}
impl Element for i32 {
    const DTYPE: DType = DType::I32;
}
impl Element for u32 {
    const DTYPE: DType = DType::U32;
}
impl Element for f32 {
    const DTYPE: DType = DType::F32;
}
impl Element for f64 {
    const DTYPE: DType = DType::F64;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_is_the_position_in_all() {
        for (position, dtype) in DType::ALL.into_iter().enumerate() {
            assert_eq!(dtype.index(), position);
        }
    }

    #[test]
    fn size_matches_the_rust_type() {
        assert_eq!(u8::DTYPE.size(), size_of::<u8>());
        assert_eq!(i32::DTYPE.size(), size_of::<i32>());
        assert_eq!(u32::DTYPE.size(), size_of::<u32>());
        assert_eq!(f32::DTYPE.size(), size_of::<f32>());
        assert_eq!(f64::DTYPE.size(), size_of::<f64>());
    }
}
