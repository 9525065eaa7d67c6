//! Built-in tasks with programs as one operation that owns all it needs, to be
//! measured and to be compared.

use super::judge::{Found, Judge};
use super::launch::LaunchSettings;
use super::lot::Lot;
use crate::data::Task;
use crate::engine::{Example, Grid, Tile};
use crate::meter::Budget;
use crate::plan::Plan;
use crate::program::{Program, load};
use crate::road::{Crew, Part, Settings, blocks};
use crate::tasks::{PROGRAMS, dataset};
#[cfg(test)]
use heddle_cuda::simt::{SimtDevice, SimtOptions};
#[cfg(test)]
use heddle_runtime::Runtime;
use heddle_runtime::cpu::Pool;
use heddle_runtime::device::{DeviceId, Lane};
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

    pub(super) fn wanted(&self, part: Part) -> &'static Grid {
        self.outputs[part.example]
    }
}

/// A processor and an emulated GPU that know no prices.
#[cfg(test)]
pub(super) fn emulated() -> Runtime {
    let gpu = SimtDevice::new(0, SimtOptions::default()).unwrap();
    let builder = Runtime::builder().device(Arc::new(gpu));
    builder.forgetful().build().unwrap()
}

/// Plans and the pairs each is judged on.
pub(super) struct Sample {
    teams: Vec<(Plan, Vec<(usize, usize)>)>,
    crew: Crew,
    launch: LaunchSettings,
    /// The share of evaluations that may be flagged.
    flagged_share: f64,
}

type Wanted<'a> = dyn Fn(Part) -> &'static Grid + Sync + 'a;

impl Sample {
    pub(super) fn new(teams: Vec<(Plan, Vec<(usize, usize)>)>, budget: Budget) -> Self {
        Sample {
            teams,
            crew: Crew::new(budget),
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
    fn judge<R>(&self, act: impl FnOnce(Judge<'_, &Wanted<'_>>) -> R) -> R {
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
        let wanted = |part: Part| outputs[part.tile][part.example];
        let wanted: &Wanted<'_> = &wanted;
        let settings = Settings::of(&self.crew);
        // A sample is cut the same on every machine: it stands for all of them.
        let blocks = blocks(&tiles, SAMPLE_THREADS);
        // And it is small: no second thread is worth it.
        let lots = Lot::all(&tiles, &Pool::deferred(Some(1)));
        let judge = Judge::new(&tiles, &blocks, &settings, &wanted);
        act(match lots.first() {
            // All of it is one lot: it is small.
            Some(lot) if lot.tiles().len() == tiles.len() => judge.on_gpu(lot, self.launch),
            _ => judge,
        })
    }
}

impl Operation for Sample {
    type Output = Found;

    fn describe(&self) -> Description {
        self.judge(|judge| judge.describe())
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        self.judge(|judge| judge.runs_on(device))
    }

    fn run(&mut self, lane: &Lane<'_>) -> Result<Self::Output, Error> {
        self.judge(|mut judge| {
            let findings = judge.run(lane)?;
            Ok(judge.read(findings))
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
        self.judge(|judge| match judge.difference(first, second) {
            None => Agreement::Same,
            Some(difference) => Agreement::Different(difference),
        })
    }
}
