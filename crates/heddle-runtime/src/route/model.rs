//! A cost model: a curve and the fit behind it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::curve::{Curve, CurveEstimate};
use super::fit::CurveFit;
use super::saved_model::CurveModel;

/// Many threads read it without a lock; one at a time corrects it.
#[derive(Debug)]
pub(super) struct CostModel {
    curve: Curve,
    fit: Mutex<CurveFit>,
}

impl CostModel {
    pub(super) fn new() -> Self {
        Self {
            curve: Curve::new(),
            fit: Mutex::new(CurveFit::new()),
        }
    }

    #[inline]
    pub(super) fn read(&self, amount: u64) -> Option<CurveEstimate> {
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

    fn fit(&self) -> MutexGuard<'_, CurveFit> {
        self.fit.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
