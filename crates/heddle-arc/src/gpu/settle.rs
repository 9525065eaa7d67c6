//! What a GPU needs of a job, brought there before it is known what it runs.
//!
//! The memory of all warps, pinned memory for results and what a driver does at the first
//! launch of a kernel take an H200 some 7 ms, code and examples a few more, and all of it
//! three times as long beside a processor whose threads all evaluate. So the former is done
//! while plans are lowered, the latter while a sample is run.

use super::ground::Ground;
use super::launch::{Interpret, Job, LaunchSettings, outline, words_for};
use super::schedule::Schedule;
use crate::road::SETTLE;
use heddle_runtime::device::{DeviceKind, Lane, Place};
use heddle_runtime::{Array, DType, Description, Error, Operation};

/// Something of a job that goes to a GPU.
pub(super) struct Settle {
    job: Job,
    /// How a launch of nothing is made and how many results there will be room for; none
    /// if code and examples are all.
    first: Option<(LaunchSettings, usize)>,
}

impl Settle {
    /// The memory of all warps, that of so many results, and the driver's share.
    pub(super) fn first(settings: LaunchSettings, results: usize) -> Self {
        let (code, data) = (Array::from_slice(&[0]), Array::from_slice(&[0]));
        Settle {
            job: Job::sharing(&code, &data, Schedule::empty(), 0),
            first: Some((settings, results)),
        }
    }

    /// The code and the examples of a ground.
    pub(super) fn ahead(ground: &Ground) -> Self {
        Settle {
            job: ground.empty_job(),
            first: None,
        }
    }
}

impl Operation for Settle {
    type Output = ();

    fn describe(&self) -> Description {
        let operands = self.job.operands();
        match &self.first {
            Some((settings, _)) => outline(&SETTLE, settings, operands, settings.warps.into(), 0),
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
            Place::Accelerator(accelerator) => match self.first {
                Some((settings, results)) => {
                    let nothing = Interpret::new(&self.job, settings);
                    let nothing = nothing.for_rows(settings.warps.into());
                    nothing.launch(lane, accelerator, None)?;
                    // The device keeps what it pinned for the launch that comes.
                    accelerator.notices(words_for(results))?;
                    Ok(())
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
        runtime.run_on(gpu, Settle::first(settings, 100)).unwrap();
        assert!(ground.is_at_home() && ground.operands().map(on) == host);
        runtime.run_on(gpu, Settle::ahead(&ground)).unwrap();
        assert!(!ground.is_at_home() && ground.operands().map(on) != host);
        let effort = efforts(&runtime)["simt:0"];
        assert_eq!((effort.operations, effort.evaluations), (0, 0));
        assert!(effort.transfer_time.0 > 0);
        for settle in [Settle::first(settings, 100), Settle::ahead(&ground)] {
            assert!(runtime.run_on(DeviceId::CPU, settle).is_err());
        }
    }
}
