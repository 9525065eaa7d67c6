//! Which device an operation goes to.
//!
//! A [`Router`] prices an operation on every device that may run it: the
//! transfers its operands need, by the buses, plus the time of its
//! work, by the model of its kind, element type and device. The lowest
//! price wins. Every measurement corrects the model that made the prediction, so
//! nothing here is configured that could be measured.
//!
//! Who runs the operation, and in whose memory, is decided elsewhere.

mod calibrate;
mod curve;
mod decision;
mod explain;
mod explore;
mod fit;
mod learn;
mod model;
mod octave;
mod policy;
mod regret;
mod report;
mod router;
mod row;
mod saved;
mod settings;
mod shelf;
mod store;
mod streak;
mod transfer;

pub use calibrate::{
    CalibrationPlan, CalibrationReport, CalibrationStep, CalibrationSubject, Sweep, calibrate,
};
pub use decision::{Candidate, Decision, Override, Price, Reason};
pub use explain::{BreakEven, Explanation, break_even, explain};
pub use explore::ALLOWANCE_NS;
pub use report::{KindRegret, KindTally, RouteTally};
pub use router::Router;
pub use saved::{BinModel, CurveModel, DeviceModel, KindModel};
pub use settings::RouteSettings;
pub use store::{Loaded, ModelStore};
