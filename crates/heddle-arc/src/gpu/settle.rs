//! What a GPU needs of a job, brought there before it is known what it runs.
//!
//! What a driver does at the first launch of a kernel takes an H200 some 7 ms, code and
//! examples and pinned memory for results a few more, and all of it three times as long
//! beside a processor whose threads all evaluate. So it is done while plans are lowered and
//! a sample is run, and not all threads run that.

use super::ground::Ground;
use super::launch::{Interpret, Job, LaunchSettings, outline, words_for};
use super::schedule::Schedule;
use crate::road::SETTLE;
use heddle_runtime::device::{DeviceId, Lane, Place};
use heddle_runtime::{Array, DType, Description, Error, Operation};

/// Something of a job that goes to a GPU.
pub(super) enum Settle {
    /// The memory of all warps and the driver's share: a launch of nothing.
    Warps(Job, LaunchSettings),
    /// Memory for so many results.
    Results(usize),
    /// Code and examples.
    Ground(Job),
}

impl Settle {
    /// The memory of all warps, and the driver's share.
    pub(super) fn warps(settings: LaunchSettings) -> Self {
        let (code, data) = (Array::from_slice(&[0]), Array::from_slice(&[0]));
        let nothing = Job::sharing(&code, &data, Schedule::empty(), 0);
        Settle::Warps(nothing, settings)
    }

    /// The code and the examples of a ground.
    pub(super) fn ground(ground: &Ground) -> Self {
        Settle::Ground(ground.empty_job())
    }
}

impl Operation for Settle {
    type Output = ();

    fn describe(&self) -> Description {
        let small = Description::new(&SETTLE, DType::U8, 0);
        match self {
            Settle::Warps(nothing, settings) => {
                let rows = settings.warps.into();
                outline(&SETTLE, settings, nothing.operands(), rows, 0)
            }
            Settle::Results(_) => small,
            Settle::Ground(job) => job.operands().into_iter().fold(small, Description::reads),
        }
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.has_kernels()
    }

    fn run(&mut self, lane: &Lane<'_>) -> Result<(), Error> {
        let Place::Accelerator(accelerator) = lane.place() else {
            return Err(Error::NotImplementedOn {
                operation: SETTLE.name(),
                device: lane.device(),
            });
        };
        match self {
            Settle::Warps(nothing, settings) => {
                let nothing = Interpret::new(nothing, *settings);
                let nothing = nothing.for_rows(settings.warps.into());
                nothing.launch(lane, accelerator, None)?;
            }
            // The device keeps what it pinned for the launch that comes.
            Settle::Results(results) => drop(accelerator.notices(words_for(*results))?),
            Settle::Ground(job) => job.bring(lane, accelerator)?,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Example, Tile};
    use crate::gpu::sample::{emulated, programs, tasks};
    use crate::meter::Budget;
    use crate::plan::Plan;
    use crate::road::efforts;
    use heddle_runtime::cpu::Pool;
    use heddle_runtime::device::DeviceId;

    #[test]
    fn what_was_settled_is_not_moved_again() {
        let plan = Plan::new(&programs()[..12]);
        let examples: Vec<Example<'_>> = tasks()[0].examples().collect();
        let tiles = [Tile {
            plan: &plan,
            examples: &examples,
        }];
        let ground = Ground::new(&tiles, Budget::default(), Pool::shared(), |_| None);
        let on = |operand: heddle_runtime::Operand| operand.residency;
        let host = ground.operands().map(on);
        let runtime = emulated();
        let settings = LaunchSettings {
            warps: 8,
            ..LaunchSettings::default()
        };
        let gpu = DeviceId::simt(0);
        runtime.run_on(gpu, Settle::warps(settings)).unwrap();
        runtime.run_on(gpu, Settle::Results(100)).unwrap();
        assert!(ground.operands().map(on) == host);
        runtime.run_on(gpu, Settle::ground(&ground)).unwrap();
        assert!(ground.operands().map(on) != host);
        let effort = efforts(&runtime)["simt:0"];
        assert_eq!((effort.operations, effort.evaluations), (0, 0));
        assert!(effort.transfer_time.0 > 0);
        for settle in [
            Settle::warps(settings),
            Settle::Results(100),
            Settle::ground(&ground),
        ] {
            assert!(runtime.run_on(DeviceId::CPU, settle).is_err());
        }
    }
}
