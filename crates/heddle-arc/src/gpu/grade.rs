//! Programs graded on blocks of examples, as one operation.
//!
//! [`GradeBlocks`] is an evaluation with a body for the CPU and one for GPUs. It returns
//! grades, not values, because a kernel sends back only grades.
//!
//! Note: the output of a GPU is undecoded bytes. [`GradeBlocks::read`] decodes them after
//! the operation, so that the next operation need not wait.

use super::answer::{Answer, Flags};
use super::assembly::GradeRow;
use super::flag_monitor::FlagMonitor;
use super::launch::{Interpret, LaunchSettings, Ran, outline};
use super::lowered_tiles::{LoweredBlocks, LoweredTiles};
use super::program_selection::{Given, ProgramSelection};
use super::result_slot::ResultSlot;
use super::selected_evaluations::{SelectedEvaluations, SelectedOfTile, judging};
use super::tile_group::TileGroup;
use crate::assess::Grade;
use crate::engine::{EvaluationRef, Grid, Tile};
use crate::operations::{
    EVALUATE, EVALUATE_ON_CPU, Evaluate, EvaluationSettings, ExampleBlock, Judgements, TileExample,
};
use heddle_runtime::device::{DeviceId, ExecutionContext, ExecutionTarget};
use heddle_runtime::units::Bytes;
use heddle_runtime::{Agreement, Description, Error, Kind, Operation};
use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

/// An operation: every program of some blocks on each of their examples, graded.
pub struct GradeBlocks<'a, W> {
    tiles: &'a [Tile<'a>],
    blocks: &'a [ExampleBlock],
    settings: &'a EvaluationSettings<'a>,
    wanted: &'a W,
    /// What a GPU needs; without it only processors are asked.
    gpu: Option<(&'a TileGroup, LaunchSettings)>,
    /// Its programs, if not all of the blocks' tiles.
    only: Option<Arc<ProgramSelection>>,
    /// What it is: prices are learned of whole jobs alone.
    kind: &'static Kind,
    /// Where results of a GPU come, if somebody looks there.
    result_slot: Option<Arc<ResultSlot>>,
    portion: OnceLock<Arc<LoweredBlocks>>,
}

/// Judgements by example and program.
pub(crate) type ResultRows<T> = Vec<Vec<T>>;

/// What stands where nothing is known.
const NOTHING: Grade = Grade::Wrong { cells: 0 };

/// The output of an operation.
#[derive(Clone, Debug)]
pub enum Findings {
    /// The grades from the CPU, by block; `None` for a block cancelled before it ran.
    Graded(Vec<Option<ResultRows<Grade>>>),
    /// The results that a kernel wrote.
    Launched(Ran),
}

/// The grades of an operation: one for every program and example, by block.
#[derive(Debug, Default)]
pub struct Found {
    /// The grades; `None` for a block cancelled before it ran.
    pub rows: Vec<Option<ResultRows<Grade>>>,
    /// The flagged evaluations, whose grades in `rows` are meaningless.
    pub flagged_evaluations: Vec<FlaggedEvaluation>,
    /// The numbers of flagged evaluations by reason.
    pub flags: Flags,
}

/// The location of a flagged evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlaggedEvaluation {
    /// The block.
    pub block: usize,
    /// The example, counted from the block's first.
    pub example: usize,
    /// The program.
    pub program: usize,
}

impl<'a, 'g, W: Fn(TileExample) -> &'g Grid + Sync> GradeBlocks<'a, W> {
    /// An operation over blocks of tiles; `wanted` returns the expected output of an example.
    ///
    /// # Panics
    ///
    /// `describe` and `run` panic if a block is not of these tiles.
    #[must_use]
    pub fn new(
        tiles: &'a [Tile<'a>],
        blocks: &'a [ExampleBlock],
        settings: &'a EvaluationSettings<'a>,
        wanted: &'a W,
    ) -> Self {
        GradeBlocks {
            tiles,
            blocks,
            settings,
            wanted,
            gpu: None,
            only: None,
            kind: &EVALUATE,
            result_slot: None,
            portion: OnceLock::new(),
        }
    }

    /// The operation with a body for GPUs; all blocks must be in `tile_group`. The budget is
    /// that of the worker pool. Nothing is lowered yet.
    #[must_use]
    pub fn on_gpu(mut self, tile_group: &'a TileGroup, launch: LaunchSettings) -> Self {
        let budget = self.settings.worker_pool.budget();
        self.gpu = Some((tile_group, LaunchSettings { budget, ..launch }));
        self
    }

    /// The same of these programs alone, while others of the job are made elsewhere;
    /// of all where nobody chose.
    pub(super) fn only(mut self, only: Option<Arc<ProgramSelection>>) -> Self {
        if only.is_some() {
            self.kind = &EVALUATE_ON_CPU;
        }
        self.only = only;
        self
    }

    /// The same, telling here where results of a GPU come.
    pub(super) fn telling(mut self, result_slot: &Arc<ResultSlot>) -> Self {
        self.result_slot = Some(Arc::clone(result_slot));
        self
    }

    /// One for what a GPU flags, if it is [prepared](Self::prepare).
    pub(super) fn flag_monitor(&self) -> Option<FlagMonitor<'a>> {
        let portion = Arc::clone(self.portion.get()?);
        let (tile_group, launch) = self.gpu?;
        Some(FlagMonitor {
            tiles: self.tiles,
            blocks: self.blocks,
            only: self.only.clone(),
            lowered_tiles: self.portion(tile_group, launch).0,
            portion,
            told: HashSet::new(),
        })
    }

    /// Its programs, if not all.
    pub(super) fn program_selection(&self) -> Option<&ProgramSelection> {
        self.only.as_deref()
    }

    /// Those of a tile.
    fn given(&self, tile: usize) -> Option<&[Given]> {
        self.program_selection()
            .map(|only| only.of(self.tiles[tile].plan))
    }

    /// How many of a tile there are.
    fn programs(&self, tile: usize) -> usize {
        let all = || self.tiles[tile].plan.len();
        self.given(tile).map_or_else(all, <[Given]>::len)
    }

    /// Where a program of a tile is in a row of judgements.
    pub(super) fn place(&self, tile: usize, program: usize) -> Option<usize> {
        match self.program_selection() {
            Some(only) => only.place(self.tiles[tile].plan, program),
            None => Some(program),
        }
    }

    /// Which program of a tile is at a place of a row.
    fn program(&self, tile: usize, place: usize) -> usize {
        let program = self.given(tile).and_then(|given| given.get(place));
        program.map_or(place, |given| given.program)
    }

    /// The same on a processor while GPUs make others of the job.
    pub(super) fn beside(mut self) -> Self {
        self.kind = &EVALUATE_ON_CPU;
        self
    }

    /// The blocks.
    #[must_use]
    pub fn blocks(&self) -> &'a [ExampleBlock] {
        self.blocks
    }

    /// Lowers what a GPU would run, so that it does not wait for that; the lot it is of.
    pub(super) fn prepare(&self) -> Option<&'a TileGroup> {
        let (tile_group, launch) = self.gpu?;
        self.portion(tile_group, launch);
        Some(tile_group)
    }

    fn portion(
        &self,
        tile_group: &'a TileGroup,
        launch: LaunchSettings,
    ) -> (&'a LoweredTiles, &LoweredBlocks) {
        let lowered_tiles = tile_group.lowered_tiles(self.tiles, launch.budget, self.wanted);
        let portion = || {
            Arc::new(tile_group.portion(
                lowered_tiles,
                self.tiles,
                self.blocks,
                self.program_selection(),
            ))
        };
        (lowered_tiles, self.portion.get_or_init(portion))
    }

    fn run_on_cpu(&self, context: &ExecutionContext<'_>) -> Result<Findings, Error> {
        if self.only.is_some() {
            return self.run_some_on_cpu(context);
        }
        let grade = |part: TileExample, _: usize, evaluation: EvaluationRef<'_>| {
            Grade::of(&evaluation, (self.wanted)(part))
        };
        let evaluate = Evaluate::new(self.tiles, self.blocks, self.settings, &grade);
        let graded = evaluate.of_kind(self.kind).run(context)?.into_iter();
        let rows = graded.map(|graded| graded.map(Judgements::into_rows));
        Ok(Findings::Graded(rows.collect()))
    }

    /// The same of some programs.
    fn run_some_on_cpu(&self, context: &ExecutionContext<'_>) -> Result<Findings, Error> {
        let few = |block: &ExampleBlock| -> SelectedOfTile {
            let given = self.given(block.tile).unwrap_or_default();
            let of = |example| given.iter().map(move |given| (example, given.program));
            (block.tile, block.examples.clone().flat_map(of).collect())
        };
        let some: Vec<SelectedOfTile> = self.blocks.iter().map(few).collect();
        let mut selected_evaluations = SelectedEvaluations {
            kind: self.kind,
            tiles: self.tiles,
            some: &some,
            settings: self.settings,
            grade: &judging(self.wanted),
            wait: None,
        };
        let graded = selected_evaluations.run(context)?;
        let rows = self.blocks.iter().zip(graded).map(|(block, graded)| {
            let row = vec![NOTHING; self.programs(block.tile)];
            let mut rows = vec![row; block.examples.len()];
            for (example, program, grade) in graded {
                if let Some(place) = self.place(block.tile, program) {
                    rows[example - block.examples.start][place] = grade;
                }
            }
            Some(rows)
        });
        Ok(Findings::Graded(rows.collect()))
    }

    /// Evaluations a GPU makes of it.
    fn evaluations(&self) -> u64 {
        let of = |block: &ExampleBlock| (self.programs(block.tile) * block.examples.len()) as u64;
        self.blocks.iter().map(of).sum()
    }

    /// Decodes the grades, and lists the evaluations that a GPU flagged.
    #[must_use]
    pub fn read(&self, findings: Findings) -> Found {
        let (ran, (tile_group, launch)) = match (findings, self.gpu) {
            (Findings::Launched(ran), Some(gpu)) => (ran, gpu),
            // Nothing was launched without what a GPU needs.
            (Findings::Launched(_), None) => return Found::default(),
            (Findings::Graded(rows), _) => {
                return Found {
                    rows,
                    ..Found::default()
                };
            }
        };
        let (lowered_tiles, portion) = self.portion(tile_group, launch);
        let places = self.blocks.iter().enumerate();
        let read = lowered_tiles
            .pool
            .map(Bytes(u64::MAX), places, |(place, block)| {
                self.read_block(lowered_tiles, portion, &ran, place, block)
            });
        let mut found = Found::default();
        for (rows, flagged_evaluations, flags) in read {
            found.rows.push(Some(rows));
            found.flagged_evaluations.extend(flagged_evaluations);
            found.flags.add_all(&flags);
        }
        found
    }

    /// Puts what a launch answered of a block, but not what it flagged, where the
    /// judgements of its tile's programs are, example by example. How many have none.
    pub(super) fn read_rows(&self, ran: &Ran, block: usize, rows: &mut [GradeRow]) -> usize {
        let Some(portion) = self.portion.get() else {
            return 0;
        };
        let results = ran.results();
        let mut without = 0;
        let tile = self.blocks[block].tile;
        let plan = self.tiles[tile].plan;
        let given = self.given(tile);
        // In the order of the results.
        for place in 0..self.programs(tile) {
            let program = given.map_or(place, |given| given[place].program);
            for (example, row) in rows.iter_mut().enumerate() {
                let result = results.get(portion.result_of((block, example), place));
                let result = result.map_or(0, |result| result.load(Ordering::Acquire));
                match Answer::of(result).grade(plan, program) {
                    Ok(grade) => row[program] = Some(grade),
                    Err(_) => without += 1,
                }
            }
        }
        without
    }

    fn read_block(
        &self,
        lowered_tiles: &LoweredTiles,
        portion: &LoweredBlocks,
        ran: &Ran,
        place: usize,
        block: &ExampleBlock,
    ) -> (ResultRows<Grade>, Vec<FlaggedEvaluation>, Flags) {
        let (mut flagged_evaluations, mut flags) = (Vec::new(), Flags::default());
        let plan = self.tiles[block.tile].plan;
        let programs = self.programs(block.tile);
        let mut rows = vec![vec![NOTHING; programs]; block.examples.len()];
        // In the order of the results.
        for at in 0..programs {
            let program = self.program(block.tile, at);
            for (example, row) in rows.iter_mut().enumerate() {
                let answer = portion.answer_at(lowered_tiles, ran, (place, example), (at, program));
                match answer.grade(plan, program) {
                    Ok(grade) => row[at] = grade,
                    Err(flag) => {
                        flags.add(flag);
                        flagged_evaluations.push(FlaggedEvaluation {
                            block: place,
                            example,
                            program,
                        });
                    }
                }
            }
        }
        (rows, flagged_evaluations, flags)
    }

    /// Whether it is lowered, so that a GPU may take it.
    pub(super) fn runs_on_gpus(&self) -> bool {
        self.gpu.is_some()
    }

    /// The first evaluation that two answers judge differently. Where either was
    /// flagged there is nothing to compare.
    pub(super) fn difference(&self, first: &Found, second: &Found) -> Option<String> {
        let mut flagged_evaluations: Vec<FlaggedEvaluation> =
            [&first.flagged_evaluations[..], &second.flagged_evaluations].concat();
        flagged_evaluations.sort_unstable();
        for (place, block) in self.blocks.iter().enumerate() {
            let [first, second] = [first, second].map(|found| found.rows.get(place)?.as_ref());
            let (Some(first), Some(second)) = (first, second) else {
                continue;
            };
            for (example, (first, second)) in first.iter().zip(second).enumerate() {
                for (at, (first, second)) in first.iter().zip(second).enumerate() {
                    let program = self.program(block.tile, at);
                    let hole = FlaggedEvaluation {
                        block: place,
                        example,
                        program,
                    };
                    if first != second && flagged_evaluations.binary_search(&hole).is_err() {
                        return Some(format!(
                            "{} on example {} of tile {}: {first:?} and {second:?}",
                            self.tiles[block.tile].plan.name(program),
                            block.examples.start + example,
                            block.tile
                        ));
                    }
                }
            }
        }
        None
    }
}

impl<'g, W: Fn(TileExample) -> &'g Grid + Sync> Operation for GradeBlocks<'_, W> {
    type Output = Findings;

    fn describe(&self) -> Description {
        if let Some((tile_group, launch)) = &self.gpu {
            return outline(
                self.kind,
                launch,
                tile_group.operands(self.tiles, self.blocks, self.program_selection()),
                self.evaluations(),
                self.evaluations(),
            );
        }
        let grade = |_: TileExample, _: usize, _: EvaluationRef<'_>| ();
        let evaluate = Evaluate::new(self.tiles, self.blocks, self.settings, &grade);
        evaluate.of_kind(self.kind).describe()
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host() || (device.has_kernels() && self.gpu.is_some())
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<Findings, Error> {
        match (context.target(), self.gpu) {
            (ExecutionTarget::Accelerator(accelerator), Some((tile_group, launch))) => {
                let (_, portion) = self.portion(tile_group, launch);
                let job = portion.job();
                let ran = if job.evaluations() == 0 {
                    Ran::default()
                } else {
                    let result_slot = self.result_slot.as_deref();
                    Interpret::new(job, launch).launch(context, accelerator, result_slot)?
                };
                (self.settings.progress)(self.evaluations());
                Ok(Findings::Launched(ran))
            }
            _ => self.run_on_cpu(context),
        }
    }

    fn compare(&self, first: &Findings, second: &Findings) -> Agreement {
        let [first, second] = [first, second].map(|findings| self.read(findings.clone()));
        match self.difference(&first, &second) {
            None => Agreement::Same,
            Some(difference) => Agreement::Different(difference),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::sample::{OneTask, emulated};
    use crate::meter::Budget;
    use crate::operations::{WorkerPool, blocks};
    use heddle_runtime::cpu::CpuPool;
    use heddle_runtime::device::DeviceId;

    #[test]
    fn nothing_is_lowered_before_a_gpu_is_chosen() {
        let task = OneTask::new();
        let tiles = task.tiles();
        let blocks = blocks(&tiles, 2);
        let worker_pool = WorkerPool::new(Budget::default());
        let settings = EvaluationSettings::of(&worker_pool);
        let wanted = |part: TileExample| task.wanted(part);
        let tile_groups = TileGroup::all(&tiles, CpuPool::shared());
        let runtime = emulated();
        let mut grade = GradeBlocks::new(&tiles, &blocks, &settings, &wanted)
            .on_gpu(&tile_groups[0], LaunchSettings::default());
        let told = grade.describe();
        let on_cpu = runtime.run(&mut grade).unwrap();
        assert!(!tile_groups[0].is_lowered() && grade.portion.get().is_none());
        let on_gpu = runtime.run_on(DeviceId::simt(0), &mut grade).unwrap();
        assert!(tile_groups[0].is_lowered());
        assert_eq!(grade.compare(&on_cpu, &on_gpu), Agreement::Same);
        let mut other = grade.read(on_cpu.clone());
        let row = &mut other.rows[0].as_mut().unwrap()[0];
        row[0] = match row[0] {
            Grade::Right => NOTHING,
            _ => Grade::Right,
        };
        let other = Findings::Graded(other.rows);
        assert!(matches!(
            grade.compare(&other, &on_gpu),
            Agreement::Different(_)
        ));
        // What was said before is near to what is: admission counts on it.
        let (told, is) = (told.input().0, grade.describe().input().0);
        assert!(told >= is / 2 && told <= 3 * is, "{told} and {is} bytes");
    }
}
