//! The learned models as plain data, for files.

use serde::{Deserialize, Serialize};

use crate::dtype::DType;

/// Everything learned about one device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceModel {
    /// Host to device, by bytes of one transfer.
    pub up: CurveModel,
    /// Device to host, by bytes of one transfer.
    pub down: CurveModel,
    /// The work, per kind and element type, sorted by both.
    pub kinds: Vec<KindModel>,
}

/// The cost of one kind for one element type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KindModel {
    /// The kind's name.
    pub kind: String,
    /// The element type.
    pub dtype: DType,
    /// Its time, transfers excluded, by work.
    pub curve: CurveModel,
}

/// A measured curve: the measurements of each octave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CurveModel {
    /// The measured octaves, ascending.
    pub bins: Vec<BinModel>,
}

/// The measurements within one octave of work or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BinModel {
    /// The mean amount.
    pub amount: f64,
    /// The mean time for it.
    pub ns: f64,
    /// Mean deviation from the curve, relative to it.
    #[serde(rename = "spread")]
    pub relative_deviation: f64,
    /// The number of measurements.
    pub samples: u32,
}

impl DeviceModel {
    /// Whether nothing was learned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.up.bins.is_empty() && self.down.bins.is_empty() && self.kinds.is_empty()
    }

    /// Whether every number is one that a measurement could have produced.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.up.is_sound()
            && self.down.is_sound()
            && self.kinds.iter().all(|kind| kind.curve.is_sound())
    }
}

impl CurveModel {
    fn is_sound(&self) -> bool {
        self.bins.iter().all(BinModel::is_sound)
            && self
                .bins
                .windows(2)
                .all(|pair| pair[0].amount < pair[1].amount)
    }
}

impl BinModel {
    pub(super) fn is_sound(&self) -> bool {
        self.amount.is_finite()
            && self.amount >= 1.0
            && self.ns.is_finite()
            && self.ns > 0.0
            && self.relative_deviation.is_finite()
            && self.relative_deviation >= 0.0
            && self.samples > 0
    }
}
