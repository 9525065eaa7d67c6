//! Built-in tasks with programs as one operation that owns all it needs, to be
//! measured and to be compared.

use super::grade::{Found, GradeBlocks};
use super::launch::LaunchSettings;
use super::tile_group::TileGroup;
use crate::data::Task;
use crate::engine::{Example, Grid, Tile};
use crate::meter::Budget;
use crate::operations::{EvaluationSettings, TileExample, WorkerPool, blocks};
use crate::plan::Plan;
use crate::program::{Program, load};
use crate::tasks::{PROGRAMS, dataset};
#[cfg(test)]
use heddle_cuda::simt::{SimtDevice, SimtOptions};
#[cfg(test)]
use heddle_runtime::Runtime;
use heddle_runtime::cpu::CpuPool;
use heddle_runtime::device::{DeviceId, ExecutionContext};
use heddle_runtime::{Agreement, Description, Error, Operation};
#[cfg(test)]
use std::sync::Arc;
use std::sync::OnceLock;

/// Threads a sample is cut for.
const SAMPLE_THREADS: usize = 2;

/// Seed of the tasks.
const SEED: u64 = 1;

/// The built-in programs.
pub(super) fn programs() -> &'static [Program] {
    static LOADED: OnceLock<Vec<Program>> = OnceLock::new();
    LOADED.get_or_init(|| load(PROGRAMS, "built-in").programs)
}

/// The tasks they solve.
pub(super) fn tasks() -> &'static [Task] {
    static MADE: OnceLock<Vec<Task>> = OnceLock::new();
    MADE.get_or_init(|| dataset(SEED).tasks)
}

/// Every pair of every task: the number of the task, then that of the pair.
pub(super) fn pairs() -> Vec<(usize, usize)> {
    let of = |(number, task): (usize, &Task)| {
        let pairs = task.pairs().count();
        (0..pairs).map(move |pair| (number, pair))
    };
    tasks().iter().enumerate().flat_map(of).collect()
}

/// A dozen programs and the examples of the first task, for tests of one operation.
#[cfg(test)]
pub(super) struct OneTask {
    pub(super) plan: Plan,
    examples: Vec<Example<'static>>,
    outputs: Vec<&'static Grid>,
}

#[cfg(test)]
impl OneTask {
    pub(super) fn new() -> Self {
        let task = &tasks()[0];
        OneTask {
            plan: Plan::new(&programs()[..12]),
            examples: task.examples().collect(),
            outputs: task.pairs().map(|(_, output)| output).collect(),
        }
    }

    pub(super) fn tiles(&self) -> [Tile<'_>; 1] {
        [Tile {
            plan: &self.plan,
            examples: &self.examples,
        }]
    }

    pub(super) fn wanted(&self, part: TileExample) -> &'static Grid {
        self.outputs[part.example]
    }
}

/// A processor and an emulated GPU that know no prices.
#[cfg(test)]
pub(super) fn emulated() -> Runtime {
    let gpu = SimtDevice::new(0, SimtOptions::default());
    let builder = Runtime::builder().device(Arc::new(gpu));
    builder.without_model_cache().build().unwrap()
}

/// Plans and the pairs each is judged on.
pub(super) struct Sample {
    teams: Vec<(Plan, Vec<(usize, usize)>)>,
    worker_pool: WorkerPool,
    launch: LaunchSettings,
    /// The share of evaluations that may be flagged.
    flagged_share: f64,
}

type Wanted<'a> = dyn Fn(TileExample) -> &'static Grid + Sync + 'a;

impl Sample {
    pub(super) fn new(teams: Vec<(Plan, Vec<(usize, usize)>)>, budget: Budget) -> Self {
        Sample {
            teams,
            worker_pool: WorkerPool::new(budget),
            launch: LaunchSettings::default(),
            flagged_share: 1.0,
        }
    }

    /// Launched like this, with at most this share of its evaluations flagged.
    pub(super) fn launched(mut self, launch: LaunchSettings, flagged_share: f64) -> Self {
        self.launch = launch;
        self.flagged_share = flagged_share;
        self
    }

    /// The operation, with nothing lowered yet: that is part of what it costs.
    fn grade<R>(&self, act: impl FnOnce(GradeBlocks<'_, &Wanted<'_>>) -> R) -> R {
        let example = |(task, pair): &(usize, usize)| tasks()[*task].examples().nth(*pair);
        let examples: Vec<Vec<Example<'static>>> = self
            .teams
            .iter()
            .map(|(_, pairs)| pairs.iter().filter_map(example).collect())
            .collect();
        let output = |(task, pair): &(usize, usize)| tasks()[*task].pairs().nth(*pair);
        let outputs: Vec<Vec<&'static Grid>> = self
            .teams
            .iter()
            .map(|(_, pairs)| {
                pairs
                    .iter()
                    .filter_map(output)
                    .map(|pair| &pair.1)
                    .collect()
            })
            .collect();
        let tiles: Vec<Tile<'_>> = self
            .teams
            .iter()
            .zip(&examples)
            .map(|((plan, _), examples)| Tile { plan, examples })
            .collect();
        let wanted = |part: TileExample| outputs[part.tile][part.example];
        let wanted: &Wanted<'_> = &wanted;
        let settings = EvaluationSettings::of(&self.worker_pool);
        // A sample is cut the same on every machine: it stands for all of them.
        let blocks = blocks(&tiles, SAMPLE_THREADS);
        // And it is small: no second thread is worth it.
        let tile_groups = TileGroup::all(&tiles, &CpuPool::new(Some(1)));
        let grade = GradeBlocks::new(&tiles, &blocks, &settings, &wanted);
        act(match tile_groups.first() {
            // All of it is one lot: it is small.
            Some(tile_group) if tile_group.tiles().len() == tiles.len() => {
                grade.on_gpu(tile_group, self.launch)
            }
            _ => grade,
        })
    }
}

impl Operation for Sample {
    type Output = Found;

    fn describe(&self) -> Description {
        self.grade(|grade| grade.describe())
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        self.grade(|grade| grade.runs_on(device))
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<Self::Output, Error> {
        self.grade(|mut grade| {
            let findings = grade.run(context)?;
            Ok(grade.read(findings))
        })
    }

    fn compare(&self, first: &Self::Output, second: &Self::Output) -> Agreement {
        let evaluations = self.describe().work;
        let flags = &second.flags;
        if flags.total() as f64 > self.flagged_share * evaluations as f64 {
            return Agreement::Different(format!(
                "of {evaluations} evaluations too many were flagged: {flags}"
            ));
        }
        self.grade(|grade| match grade.difference(first, second) {
            None => Agreement::Same,
            Some(difference) => Agreement::Different(difference),
        })
    }
}
