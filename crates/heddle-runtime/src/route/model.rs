//! A cost model: a curve and the fit behind it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::curve::{Curve, Reading};
use super::fit::Fit;
use super::saved::CurveModel;

/// Many threads read it without a lock; one at a time corrects it.
#[derive(Debug)]
pub(super) struct Model {
    curve: Curve,
    fit: Mutex<Fit>,
}

impl Model {
    pub(super) fn new() -> Self {
        Self {
            curve: Curve::new(),
            fit: Mutex::new(Fit::new()),
        }
    }

    #[inline]
    pub(super) fn read(&self, amount: u64) -> Option<Reading> {
        self.curve.read(amount)
    }

    pub(super) fn samples(&self) -> u32 {
        self.curve.samples()
    }

    pub(super) fn is_doubted(&self) -> bool {
        self.curve.is_doubted()
    }

    pub(super) fn learn(&self, amount: u64, ns: u64) {
        self.fit().learn(&self.curve, amount, ns);
    }

    pub(super) fn saved(&self) -> CurveModel {
        self.fit().saved()
    }

    pub(super) fn adopt(&self, model: &CurveModel) {
        self.fit().adopt(&self.curve, model);
    }

    fn fit(&self) -> MutexGuard<'_, Fit> {
        self.fit.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
