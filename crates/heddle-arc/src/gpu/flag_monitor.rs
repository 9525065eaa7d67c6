//! What a launch flags, found while it runs.

use super::answer::{Answer, Flag};
use super::launch::Ran;
use super::lowered_tiles::{LoweredBlocks, LoweredTiles};
use super::program_selection::ProgramSelection;
use crate::engine::Tile;
use crate::operations::ExampleBlock;
use heddle_runtime::device::MappedResults;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Which evaluation of a job: the numbers of the tile, of its example and of its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Address {
    pub(super) tile: usize,
    pub(super) example: usize,
    pub(super) program: usize,
}

/// Tells of each flagged evaluation of a launch once.
pub(super) struct FlagMonitor<'a> {
    pub(super) tiles: &'a [Tile<'a>],
    /// Those of the launch.
    pub(super) blocks: &'a [ExampleBlock],
    /// Its programs, if not all.
    pub(super) only: Option<Arc<ProgramSelection>>,
    pub(super) lowered_tiles: &'a LoweredTiles,
    pub(super) portion: Arc<LoweredBlocks>,
    /// Results that were told of.
    pub(super) told: HashSet<usize>,
}

impl FlagMonitor<'_> {
    /// Tells what the launch has flagged since the last look.
    pub(super) fn look(&mut self, words: &dyn MappedResults, mut tell: impl FnMut(Address, Flag)) {
        let flagged = words.words().get(self.portion.job().evaluations()..);
        let fresh = flagged.unwrap_or_default().iter().skip(self.told.len());
        for word in fresh {
            let word = word.load(Ordering::Acquire);
            let Some(flag) = Flag::of((word >> 32) as u8) else {
                // It has not come yet.
                return;
            };
            let result = word as u32 as usize;
            self.told.insert(result);
            if let Some(address) = self.address(result) {
                tell(address, flag);
            }
        }
    }

    /// Tells of those that it did not say itself, when it has ended: there was no room, they
    /// have no row, or nobody wrote their result. `unread` are all without an answer.
    pub(super) fn finish(mut self, ran: &Ran, unread: usize, mut tell: impl FnMut(Address, Flag)) {
        if let Some(words) = ran.words() {
            self.look(words, &mut tell);
        }
        if self.told.len() == unread {
            return;
        }
        for result in 0..self.portion.results() {
            let Answer::Flagged(flag) = ran.answer(result) else {
                continue;
            };
            if let Some(address) = self.address(result)
                && !self.told.contains(&result)
            {
                let is_lowered = self
                    .portion
                    .has_row(self.lowered_tiles, result, address.program);
                let unlowered = || {
                    let tiles = self.lowered_tiles;
                    tiles.unlowered_in(address.tile, address.program)
                };
                tell(address, if is_lowered { flag } else { unlowered() });
            }
        }
    }

    /// Which evaluation a result is of; none if there is no such result.
    fn address(&self, result: usize) -> Option<Address> {
        let (block, example, place) = self.portion.place(result)?;
        let ExampleBlock { tile, examples, .. } = &self.blocks[block];
        let program = match &self.only {
            Some(only) => only.of(self.tiles[*tile].plan).get(place)?.program,
            None => place,
        };
        Some(Address {
            tile: *tile,
            example: examples.start + example,
            program,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Example, Grid};
    use crate::gpu::answer::Flags;
    use crate::gpu::grade::{Findings, FlaggedEvaluation, GradeBlocks};
    use crate::gpu::launch::LaunchSettings;
    use crate::gpu::program_selection::Given;
    use crate::gpu::sample::{OneTask, emulated, programs};
    use crate::gpu::tile_group::TileGroup;
    use crate::meter::Budget;
    use crate::operations::{EvaluationSettings, TileExample, WorkerPool, blocks};
    use crate::plan::Plan;
    use heddle_runtime::cpu::CpuPool;
    use heddle_runtime::device::DeviceId;
    use std::any::Any;
    use std::collections::BTreeMap;
    use std::sync::atomic::AtomicU64;

    #[derive(Debug)]
    struct Words(Vec<AtomicU64>);

    impl Words {
        /// So many of some words, and zeros.
        fn first(of: &dyn MappedResults, count: usize) -> Self {
            let word = |(place, word): (usize, &AtomicU64)| {
                let word = word.load(Ordering::Relaxed);
                AtomicU64::new(if place < count { word } else { 0 })
            };
            Words(of.words().iter().enumerate().map(word).collect())
        }
    }

    impl MappedResults for Words {
        fn words(&self) -> &[AtomicU64] {
            &self.0
        }

        fn as_any(&self) -> &dyn Any {
            self
        }
    }

    /// What is flagged is told once, as it comes; if a launch has no room to say so, or
    /// only for some, it is found among the results.
    #[test]
    fn what_is_flagged_is_told_once() {
        let task = OneTask::new();
        let (plan, tiles) = (&task.plan, task.tiles());
        let blocks = blocks(&tiles, 2);
        let worker_pool = WorkerPool::new(Budget::default());
        let settings = EvaluationSettings::of(&worker_pool);
        let wanted = |part: TileExample| task.wanted(part);
        let tile_groups = TileGroup::all(&tiles, CpuPool::shared());
        let runtime = emulated();
        let mut launch = LaunchSettings::default();
        launch.caps.rows = 16;
        let given = |program| Given {
            program,
            steps: 0,
            grid_features: 0,
        };
        let some = [1, 4, 5, 9, 11].map(|program| (plan.number, given(program)));
        let some = Some(Arc::new(ProgramSelection::new(some, [1.0, 0.0])));
        // A single warp takes all evaluations one after another.
        for (only, warps) in [(None, 4), (some, 1)] {
            launch.warps = warps;
            let result_slot = Arc::default();
            let grade = GradeBlocks::new(&tiles, &blocks, &settings, &wanted);
            let grade = grade.only(only).on_gpu(&tile_groups[0], launch);
            let mut grade = grade.telling(&result_slot);
            assert!(grade.flag_monitor().is_none() && result_slot.words().is_none());
            grade.prepare();
            let findings = runtime.run_on(DeviceId::simt(0), &mut grade).unwrap();
            let Findings::Launched(ran) = findings.clone() else {
                panic!("not launched");
            };
            let mut found = grade.read(findings);
            found.flagged_evaluations.sort_unstable();
            let unread = found.flagged_evaluations.len();
            assert!(unread > 2);
            let words = result_slot.words().unwrap();
            for come in [0, 1, unread / 2, unread] {
                let mut told = BTreeMap::new();
                let mut tell = |address: Address, flag| {
                    assert!(told.insert(address, flag).is_none(), "{address:?} twice");
                };
                let mut flag_monitor = grade.flag_monitor().unwrap();
                let so_far = Arc::new(Words::first(words, ran.len() + come));
                flag_monitor.look(&*so_far, &mut tell);
                assert_eq!(flag_monitor.told.len(), come);
                if come % 2 == 0 {
                    flag_monitor.finish(&ran, unread, &mut tell);
                } else {
                    // More never comes.
                    let ran = Ran::of(so_far, ran.len());
                    flag_monitor.finish(&ran, unread, &mut tell);
                }
                let mut flags = Flags::default();
                let hole = |(address, flag): (Address, Flag)| {
                    flags.add(flag);
                    let holds = |block: &ExampleBlock| block.examples.contains(&address.example);
                    let block = blocks.iter().position(holds).unwrap();
                    FlaggedEvaluation {
                        block,
                        example: address.example - blocks[block].examples.start,
                        program: address.program,
                    }
                };
                let mut flagged_evaluations: Vec<FlaggedEvaluation> =
                    told.into_iter().map(hole).collect();
                flagged_evaluations.sort_unstable();
                assert_eq!(flagged_evaluations, found.flagged_evaluations);
                assert_eq!(flags, found.flags);
            }
        }
    }

    #[test]
    fn what_never_came_and_what_has_no_row_is_flagged() {
        let plan = Plan::new(&programs()[..6]);
        let small = Grid::new(&[[1, 2]]).unwrap();
        let examples = [Example::new(&small), Example::new(&small)];
        let tiles = [Tile {
            plan: &plan,
            examples: &examples,
        }];
        let wanted = |_: TileExample| &small;
        let told_by = |budget: Budget, ran: &Ran| {
            let worker_pool = WorkerPool::new(budget);
            let settings = EvaluationSettings::of(&worker_pool);
            let blocks = blocks(&tiles, 1);
            let tile_groups = TileGroup::all(&tiles, CpuPool::shared());
            let grade = GradeBlocks::new(&tiles, &blocks, &settings, &wanted);
            let grade = grade.on_gpu(&tile_groups[0], LaunchSettings::default());
            grade.prepare();
            let mut rows = vec![vec![None; 6]; 2];
            let unread = grade.read_rows(ran, 0, &mut rows);
            assert_eq!(unread, 12);
            let mut told = Vec::new();
            let tell = |_: Address, flag| told.push(flag);
            grade.flag_monitor().unwrap().finish(ran, unread, tell);
            told
        };
        let nothing = Words((0..24).map(|_| AtomicU64::new(0)).collect());
        let never = told_by(Budget::default(), &Ran::of(Arc::new(nothing), 12));
        assert_eq!(never, [Flag::Garbled; 12]);
        // No room for the example, so it has no image.
        let none = Budget {
            bytes: 1,
            ..Budget::default()
        };
        assert_eq!(told_by(none, &Ran::default()), [Flag::Unlowered; 12]);
    }
}
