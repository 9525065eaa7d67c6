//! The ARC part of the workload: every built-in program on every built-in task.

use std::collections::BTreeSet;

use heddle::Error;
use heddle::arc::assess::Grade;
use heddle::arc::data::Task;
use heddle::arc::engine::{EvaluationRef, Example, Grid, Tile};
use heddle::arc::gpu::{GradeBlocks, LaunchSettings, TileGroup};
use heddle::arc::meter::Budget;
use heddle::arc::operations::{
    Evaluate, EvaluationSettings, ExampleBlock, TileExample, WorkerPool,
};
use heddle::arc::plan::Plan;
use heddle::arc::program::load;
use heddle::arc::tasks::{PROGRAMS, dataset};

use super::workload::Executor;

/// Number of times the tasks are generated, for some 25,000 evaluations a round: 17 ms
/// on two cores of an EPYC, a tenth of the round.
const DRAWS: u64 = 2;

/// Tasks, and all programs merged into one plan, so that steps they share run once.
pub(super) struct Grids {
    tasks: Vec<Task>,
    plan: Plan,
    pool: WorkerPool,
    launch: LaunchSettings,
}

impl Grids {
    pub(super) fn new(seed: u64, launch: LaunchSettings) -> Self {
        Self {
            tasks: (0..DRAWS)
                .flat_map(|draw| dataset(seed.wrapping_add(draw)).tasks)
                .collect(),
            plan: Plan::new(&load(PROGRAMS, "programs.py").programs),
            pool: WorkerPool::new(Budget::default()),
            launch,
        }
    }

    /// Returns the number of evaluations in one round: one for each program and pair.
    pub(super) fn evaluations(&self) -> usize {
        let pairs = self.tasks.iter().map(|task| task.pairs().count());
        self.plan.len() * pairs.sum::<usize>()
    }

    /// Grades every program on every pair, in one operation.
    pub(super) fn run(&self, executor: &mut impl Executor) -> Result<(), Error> {
        let examples: Vec<Vec<Example<'_>>> = self
            .tasks
            .iter()
            .map(|task| task.examples().collect())
            .collect();
        let outputs: Vec<Vec<&Grid>> = self
            .tasks
            .iter()
            .map(|task| task.pairs().map(|(_, output)| output).collect())
            .collect();
        let tiles: Vec<Tile<'_>> = examples
            .iter()
            .map(|examples| Tile {
                plan: &self.plan,
                examples,
            })
            .collect();
        let blocks: Vec<ExampleBlock> = (0..)
            .zip(&examples)
            .map(|(tile, examples)| ExampleBlock::new(&tiles, tile, 0..examples.len()))
            .collect();
        let wanted = |part: TileExample| outputs[part.tile][part.example];
        let settings = EvaluationSettings::of(&self.pool);
        // Plans are lowered only after a GPU is chosen.
        let groups = TileGroup::all(&tiles, executor.runtime().pool());
        let mut grading = GradeBlocks::new(&tiles, &blocks, &settings, &wanted);
        if let [group] = &groups[..] {
            grading = grading.on_gpu(group, self.launch);
        }
        let result = executor.run(&mut grading)?;
        // Evaluations that exceeded a GPU's memory are evaluated again on the CPU.
        let again: BTreeSet<(usize, usize)> = grading
            .read(result)
            .flagged_evaluations
            .iter()
            .map(|flagged| (flagged.block, flagged.example))
            .collect();
        if again.is_empty() {
            return Ok(());
        }
        let again: Vec<ExampleBlock> = again
            .into_iter()
            .map(|(tile, example)| ExampleBlock::new(&tiles, tile, example..example + 1))
            .collect();
        let grade = |part: TileExample, _: usize, evaluation: EvaluationRef<'_>| {
            Grade::of(&evaluation, outputs[part.tile][part.example])
        };
        executor.run(Evaluate::new(&tiles, &again, &settings, &grade))?;
        Ok(())
    }
}
