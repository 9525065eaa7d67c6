//! What a GPU needs of a job, brought there before it is known what it runs.
//!
//! What a driver does at the first launch of a kernel takes an H200 some 7 ms, code and
//! examples and pinned memory for results a few more, and all of it three times as long
//! beside a processor whose threads all evaluate. So it is done while plans are lowered and
//! a sample is run, and not all threads run that.

use super::launch::{Interpret, Job, LaunchSettings, outline, words_for};
use super::lowered_tiles::LoweredTiles;
use super::schedule::Schedule;
use crate::operations::PREPARE;
use heddle_runtime::device::{DeviceId, ExecutionContext, ExecutionTarget};
use heddle_runtime::{Array, DType, Description, Error, Operation};

/// Something of a job that goes to a GPU.
pub(super) enum Preparation {
    /// The memory of all warps and the driver's share: a launch of nothing.
    Warps(Job, LaunchSettings),
    /// Memory for so many results.
    Results(usize),
    /// Code and examples.
    LoweredTiles(Job),
}

impl Preparation {
    /// The memory of all warps, and the driver's share.
    pub(super) fn warps(settings: LaunchSettings) -> Self {
        let (code, data) = (Array::from_slice(&[0]), Array::from_slice(&[0]));
        let nothing = Job::sharing(&code, &data, Schedule::empty(), 0);
        Preparation::Warps(nothing, settings)
    }

    /// The code and the examples of a ground.
    pub(super) fn lowered_tiles(lowered_tiles: &LoweredTiles) -> Self {
        Preparation::LoweredTiles(lowered_tiles.empty_job())
    }
}

impl Operation for Preparation {
    type Output = ();

    fn describe(&self) -> Description {
        let small = Description::new(&PREPARE, DType::U8, 0);
        match self {
            Preparation::Warps(nothing, settings) => {
                let rows = settings.warps.into();
                outline(&PREPARE, settings, nothing.operands(), rows, 0)
            }
            Preparation::Results(_) => small,
            Preparation::LoweredTiles(job) => {
                job.operands().into_iter().fold(small, Description::reads)
            }
        }
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.has_kernels()
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<(), Error> {
        let ExecutionTarget::Accelerator(accelerator) = context.target() else {
            return Err(Error::NotImplementedOn {
                operation: PREPARE.name(),
                device: context.device(),
            });
        };
        match self {
            Preparation::Warps(nothing, settings) => {
                let nothing = Interpret::new(nothing, *settings);
                let nothing = nothing.for_rows(settings.warps.into());
                nothing.launch(context, accelerator, None)?;
            }
            // The device keeps what it pinned for the launch that comes.
            Preparation::Results(results) => drop(accelerator.mapped_results(words_for(*results))?),
            Preparation::LoweredTiles(job) => job.prefetch(context, accelerator)?,
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
    use crate::operations::evaluation_totals;
    use crate::plan::Plan;
    use heddle_runtime::cpu::CpuPool;
    use heddle_runtime::device::DeviceId;

    #[test]
    fn what_was_settled_is_not_moved_again() {
        let plan = Plan::new(&programs()[..12]);
        let examples: Vec<Example<'_>> = tasks()[0].examples().collect();
        let tiles = [Tile {
            plan: &plan,
            examples: &examples,
        }];
        let lowered_tiles =
            LoweredTiles::new(&tiles, Budget::default(), CpuPool::shared(), |_| None);
        let on = |operand: heddle_runtime::Operand| operand.residency;
        let host = lowered_tiles.operands().map(on);
        let runtime = emulated();
        let settings = LaunchSettings {
            warps: 8,
            ..LaunchSettings::default()
        };
        let gpu = DeviceId::simt(0);
        runtime.run_on(gpu, Preparation::warps(settings)).unwrap();
        runtime.run_on(gpu, Preparation::Results(100)).unwrap();
        assert!(lowered_tiles.operands().map(on) == host);
        runtime
            .run_on(gpu, Preparation::lowered_tiles(&lowered_tiles))
            .unwrap();
        assert!(lowered_tiles.operands().map(on) != host);
        let effort = evaluation_totals(&runtime)["simt:0"];
        assert_eq!((effort.operations, effort.evaluations), (0, 0));
        assert!(effort.transfer_time.0 > 0);
        for preparation in [
            Preparation::warps(settings),
            Preparation::Results(100),
            Preparation::lowered_tiles(&lowered_tiles),
        ] {
            assert!(runtime.run_on(DeviceId::CPU, preparation).is_err());
        }
    }
}
