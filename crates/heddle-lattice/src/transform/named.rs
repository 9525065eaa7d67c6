//! Transformations chosen by name.

use heddle_runtime::ops::NormalizeMode;
use heddle_runtime::{Array, Runtime};

use super::{XorKey, xor_transform};
use crate::error::Error;

/// The names of the transformations.
pub const KNOWN: [&str; 3] = ["xor", "normalize", "scale"];

/// The least similarity of a suggested name.
const ALIKE: f64 = 0.5;

/// Values to transform.
#[derive(Clone, Debug)]
pub enum TransformValues {
    /// Bytes, for xor.
    Bytes(Array<u8>),
    /// Single-precision numbers, for normalize and scale.
    Float32(Array<f32>),
    /// Double-precision numbers, for normalize and scale.
    Float64(Array<f64>),
}

/// The arguments of transformations; each uses its own.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct TransformArguments<'a> {
    /// The key of xor.
    pub key: Option<XorKey<'a>>,
    /// The mode of normalize.
    pub mode: NormalizeMode,
    /// The factor of scale.
    pub factor: f64,
    /// The offset of scale, added after the multiplication.
    pub offset: f64,
}

impl Default for TransformArguments<'_> {
    fn default() -> Self {
        Self {
            key: None,
            mode: NormalizeMode::ZScore,
            factor: 1.0,
            offset: 0.0,
        }
    }
}

/// Applies the transformation `name` to `signal`.
#[track_caller]
pub fn apply_transformation(
    runtime: &Runtime,
    name: &str,
    signal: &TransformValues,
    arguments: &TransformArguments<'_>,
) -> Result<TransformValues, Error> {
    match name {
        "xor" => xor(runtime, signal, arguments.key),
        "normalize" => normalize(runtime, signal, arguments.mode),
        "scale" => scale(runtime, signal, arguments.factor, arguments.offset),
        _ => Err(Error::UnknownTransformation {
            name: name.to_owned(),
            nearest: nearest(name),
            known: "xor, normalize, scale",
        }),
    }
}

#[track_caller]
fn xor(
    runtime: &Runtime,
    signal: &TransformValues,
    key: Option<XorKey<'_>>,
) -> Result<TransformValues, Error> {
    let unsuited = |needs| Error::TransformationUnsuited { name: "xor", needs };
    let TransformValues::Bytes(data) = signal else {
        return Err(unsuited("bytes, but got floats"));
    };
    let key = key.ok_or_else(|| unsuited("a key or a seed, but got neither"))?;
    Ok(TransformValues::Bytes(xor_transform(runtime, data, key)?))
}

#[track_caller]
fn normalize(
    runtime: &Runtime,
    signal: &TransformValues,
    mode: NormalizeMode,
) -> Result<TransformValues, Error> {
    Ok(match signal {
        TransformValues::Float32(data) => TransformValues::Float32(runtime.normalize(data, mode)?),
        TransformValues::Float64(data) => TransformValues::Float64(runtime.normalize(data, mode)?),
        TransformValues::Bytes(_) => {
            return Err(Error::TransformationUnsuited {
                name: "normalize",
                needs: "floats, but got bytes",
            });
        }
    })
}

#[track_caller]
fn scale(
    runtime: &Runtime,
    signal: &TransformValues,
    factor: f64,
    offset: f64,
) -> Result<TransformValues, Error> {
    Ok(match signal {
        TransformValues::Float32(data) => {
            TransformValues::Float32(runtime.scale(data, factor as f32, offset as f32)?)
        }
        TransformValues::Float64(data) => {
            TransformValues::Float64(runtime.scale(data, factor, offset)?)
        }
        TransformValues::Bytes(_) => {
            return Err(Error::TransformationUnsuited {
                name: "scale",
                needs: "floats, but got bytes",
            });
        }
    })
}

fn nearest(name: &str) -> Option<&'static str> {
    let likeness = |known: &str| strsim::normalized_damerau_levenshtein(name, known);
    KNOWN
        .into_iter()
        .map(|known| (likeness(known), known))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .max_by(|first, second| first.0.total_cmp(&second.0))
        .map(|(_, known)| known)
}
