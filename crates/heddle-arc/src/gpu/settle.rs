//! What a GPU needs of a job, brought there before it is known what it runs.
//!
//! Code, examples, the memory of all warps and what a driver does at the first launch of
//! a kernel take an H200 some 10 ms, and three times as long beside a processor whose
//! threads all evaluate. So that is done while a sample is run.

use super::ground::Ground;
use super::launch::{Interpret, Job, LaunchSettings, outline};
use crate::road::SETTLE;
use heddle_runtime::device::{DeviceKind, Lane, Place};
use heddle_runtime::{DType, Description, Error, Operation};

/// A ground that goes to a GPU.
pub(super) struct Settle {
    job: Job,
    /// For a launch of nothing; none if there was one before.
    launch: Option<LaunchSettings>,
}

impl Settle {
    /// The code and the examples of a ground, the memory of all warps and the driver's
    /// share.
    pub(super) fn new(ground: &Ground, settings: LaunchSettings) -> Self {
        Settle {
            job: ground.empty_job(),
            launch: Some(settings),
        }
    }

    /// The code and the examples alone, while a launch of others runs.
    pub(super) fn ahead(ground: &Ground) -> Self {
        Settle {
            job: ground.empty_job(),
            launch: None,
        }
    }
}

impl Operation for Settle {
    type Output = ();

    fn describe(&self) -> Description {
        let operands = self.job.operands();
        match &self.launch {
            Some(settings) => outline(&SETTLE, settings, operands, settings.warps.into(), 0),
            None => operands
                .into_iter()
                .fold(Description::new(&SETTLE, DType::U8, 0), Description::reads),
        }
    }

    fn runs_on(&self, family: DeviceKind) -> bool {
        family.is_gpu()
    }

    fn run(&mut self, lane: &Lane<'_>) -> Result<(), Error> {
        match lane.place() {
            Place::Accelerator(accelerator) => match self.launch {
                Some(settings) => {
                    let nothing = Interpret::new(&self.job, settings);
                    let nothing = nothing.for_rows(settings.warps.into());
                    nothing.launch(lane, accelerator, None).map(|_| ())
                }
                None => self.job.bring(lane, accelerator),
            },
            Place::Host(_) => Err(Error::NotImplementedOn {
                operation: SETTLE.name(),
                device: lane.device(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Example, Tile};
    use crate::gpu::sample::{programs, tasks};
    use crate::meter::Budget;
    use crate::plan::Plan;
    use crate::road::efforts;
    use heddle_cuda::simt::{SimtDevice, SimtOptions};
    use heddle_runtime::Runtime;
    use heddle_runtime::device::DeviceId;
    use std::sync::Arc;

    #[test]
    fn what_was_settled_is_not_moved_again() {
        let plan = Plan::new(&programs()[..12]);
        let examples: Vec<Example<'_>> = tasks()[0].examples().collect();
        let tiles = [Tile {
            plan: &plan,
            examples: &examples,
        }];
        let ground = Ground::new(&tiles, Budget::default(), |_| None);
        let on = |operand: heddle_runtime::Operand| operand.residency;
        let host = ground.operands().map(on);
        let gpu = SimtDevice::new(0, SimtOptions::default()).unwrap();
        let runtime = Runtime::builder().device(Arc::new(gpu)).forgetful();
        let runtime = runtime.build().unwrap();
        let settings = LaunchSettings {
            warps: 8,
            ..LaunchSettings::default()
        };
        let gpu = DeviceId::simt(0);
        runtime.run_on(gpu, Settle::new(&ground, settings)).unwrap();
        assert_ne!(ground.operands().map(on), host);
        let other = Ground::new(&tiles, Budget::default(), |_| None);
        assert!(other.is_at_home());
        runtime.run_on(gpu, Settle::ahead(&other)).unwrap();
        assert!(!other.is_at_home());
        let effort = efforts(&runtime)["simt:0"];
        assert_eq!((effort.operations, effort.evaluations), (0, 0));
        assert!(effort.transfer_time.0 > 0);
        let settle = Settle::new(&ground, settings);
        assert!(runtime.run_on(DeviceId::CPU, settle).is_err());
    }
}
