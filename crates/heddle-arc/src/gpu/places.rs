//! Which evaluation a result of a launch is.

use super::chosen::Chosen;
use super::ground::Portion;
use super::judge::Hole;
use crate::engine::Tile;
use crate::road::Block;
use std::sync::Arc;

/// Where the results of a launch belong.
pub(super) struct Places<'a> {
    pub(super) tiles: &'a [Tile<'a>],
    /// Those of the job.
    pub(super) blocks: &'a [Block],
    /// Its programs, if not all.
    pub(super) only: Option<Arc<Chosen>>,
    pub(super) portion: Arc<Portion>,
}

impl Places<'_> {
    /// The place of a result; none if there is no such result.
    pub(super) fn hole(&self, result: usize) -> Option<Hole> {
        let (block, example, place) = self.portion.place(result)?;
        let program = match &self.only {
            Some(only) => {
                let plan = self.tiles[self.blocks[block].tile].plan;
                only.of(plan).get(place)?.program
            }
            None => place,
        };
        Some(Hole {
            block,
            example,
            program,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Example, Grid};
    use crate::gpu::chosen::Given;
    use crate::gpu::judge::Judge;
    use crate::gpu::launch::LaunchSettings;
    use crate::gpu::lot::Lot;
    use crate::gpu::sample::{programs, tasks};
    use crate::meter::Budget;
    use crate::plan::Plan;
    use crate::road::{Crew, Part, Settings, blocks};
    use heddle_cuda::simt::{SimtDevice, SimtOptions};
    use heddle_runtime::Runtime;
    use heddle_runtime::device::DeviceId;

    #[test]
    fn a_launch_tells_what_it_flags() {
        let plan = Plan::new(&programs()[..12]);
        let task = &tasks()[0];
        let examples: Vec<Example<'_>> = task.examples().collect();
        let outputs: Vec<&Grid> = task.pairs().map(|(_, output)| output).collect();
        let tiles = [Tile {
            plan: &plan,
            examples: &examples,
        }];
        let blocks = blocks(&tiles, 2);
        let crew = Crew::new(Budget::default());
        let settings = Settings::of(&crew);
        let wanted = |part: Part| outputs[part.example];
        let lots = Lot::all(&tiles);
        let gpu = SimtDevice::new(0, SimtOptions::default()).unwrap();
        let runtime = Runtime::builder().device(Arc::new(gpu)).forgetful();
        let runtime = runtime.build().unwrap();
        let mut launch = LaunchSettings::default();
        launch.caps.rows = 16;
        let given = |program| Given {
            program,
            steps: 0,
            gauge: 0,
        };
        let some = [1, 4, 5, 9, 11].map(|program| (plan.number, given(program)));
        // A single warp takes all evaluations one after another.
        let some = Some(Arc::new(Chosen::new(some, 1.0)));
        for (only, warps) in [(None, 4), (some, 1)] {
            launch.warps = warps;
            let letterbox = Arc::default();
            let judge = Judge::new(&tiles, &blocks, &settings, &wanted);
            let judge = judge.only(only).on_gpu(&lots[0], launch);
            let mut judge = judge.telling(&letterbox);
            assert!(judge.places().is_none());
            judge.prepare();
            let places = judge.places().unwrap();
            let findings = runtime.run_on(DeviceId::simt(0), &mut judge).unwrap();
            let mut flagged = judge.read(findings).holes;
            let told = letterbox.fresh(&mut 0).into_iter();
            let mut told: Vec<Hole> = told.filter_map(|result| places.hole(result)).collect();
            told.sort_unstable();
            flagged.sort_unstable();
            assert!(!flagged.is_empty());
            assert_eq!(told, flagged);
            assert_eq!(places.hole(1 << 20), None);
        }
    }
}
