//! Chooses the device for each operation.
//!
//! A [`Router`] predicts the cost of an operation on every device that may run it: the
//! transfers of its operands, by the transfer models, plus its work, by the model of its kind,
//! element type and device. The lowest cost wins. Every measurement corrects the model that
//! made the prediction, so nothing that can be measured is configured.
//!
//! Running the operation and allocating its memory are done elsewhere.

mod append_table;
mod calibrate;
mod curve;
mod decision;
mod entry;
mod explain;
mod explore;
mod fit;
mod learn;
mod model;
mod model_store;
mod octave;
mod once_lock;
mod policy;
mod regret;
mod report;
mod router;
mod saved_model;
mod settings;
mod streak;
mod transfer;

pub use calibrate::{
    CalibrationPlan, CalibrationReport, CalibrationStep, CalibrationSubject, CalibrationSweep,
    calibrate,
};
pub use decision::{Candidate, Decision, Override, PredictedCost, Reason};
pub use explain::{BreakEven, Explanation, break_even, explain};
#[doc(hidden)]
pub use explore::ALLOWANCE_NS;
#[doc(hidden)]
pub use model_store::LoadedModel;
pub use model_store::ModelStore;
pub use report::{KindDecisionCounts, KindRegret, RouteCounts};
pub use router::Router;
#[doc(hidden)]
pub use saved_model::DeviceModel;
pub use settings::RouteSettings;
