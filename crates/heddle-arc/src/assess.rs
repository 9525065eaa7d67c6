//! Which programs solve which tasks.

use crate::data::Task;
use crate::engine::{Example, Grid, Tile, Undefined, Verdict};
use crate::gpu::{Flags, LaunchSettings, WhyCpu, judge};
use crate::plan::{Plan, Sharing};
use crate::program::Program;
use crate::road::Settings;
use heddle_runtime::{Error, Runtime};
use serde::Serialize;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Which programs are run on which tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// Each on the task it is named after.
    Own,
    /// Every one on every task: the work of a search.
    All,
}

/// What became of one pair of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The grid that was wanted.
    Right,
    /// Another value.
    Wrong {
        /// Cells that are right, if it is a grid of the right shape.
        cells: u32,
    },
    /// No value.
    Undefined(Undefined),
}

impl Judgement {
    /// What a verdict is worth.
    #[must_use]
    pub fn of(verdict: &Verdict<'_>, wanted: &Grid) -> Self {
        match verdict {
            Verdict::Undefined(why) => Judgement::Undefined(*why),
            Verdict::Defined { .. } if verdict.is(wanted) => Judgement::Right,
            Verdict::Defined { .. } => Judgement::Wrong {
                cells: verdict.cells_matched(wanted) as u32,
            },
        }
    }
}

/// What became of a program on a task, or of a task; the best comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Every pair is right.
    Solved,
    /// Every pair has a value, and some are wrong.
    Wrong,
    /// Some pair has no value.
    Undefined,
}

/// One program on one task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The program's number.
    pub program: usize,
    /// One for each pair of the task, examples first.
    pub judgements: Vec<Judgement>,
}

impl Attempt {
    /// What became of it.
    #[must_use]
    pub fn status(&self) -> Status {
        let is_undefined = |judged: &Judgement| matches!(judged, Judgement::Undefined(_));
        if self.judgements.iter().any(is_undefined) {
            Status::Undefined
        } else if self
            .judgements
            .iter()
            .all(|judged| *judged == Judgement::Right)
        {
            Status::Solved
        } else {
            Status::Wrong
        }
    }
}

/// All programs on one task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskResult {
    /// The task's number.
    pub task: usize,
    /// By number of the program.
    pub attempts: Vec<Attempt>,
}

impl TaskResult {
    /// The best any program made of it.
    #[must_use]
    pub fn status(&self) -> Option<Status> {
        self.attempts.iter().map(Attempt::status).min()
    }
}

/// What came of programs and tasks.
#[derive(Clone, Debug)]
pub struct Assessment {
    /// One for each task some program was run on, by number. Tasks that were not
    /// finished when it was stopped are left out.
    pub results: Vec<TaskResult>,
    /// Evaluations made.
    pub evaluations: u64,
    /// How long that took, without making plans.
    pub time: Duration,
    /// How long it took to make plans of the programs.
    pub planning: Duration,
    /// What the plans share, summed over the examples they ran on.
    pub sharing: Sharing,
    /// Whether it was stopped before the end.
    pub stopped: bool,
    /// Evaluations that a GPU flagged and a processor redid.
    pub flags: Flags,
    /// Why a processor did some or all of it, where there is a GPU.
    pub on_cpu: Option<WhyCpu>,
}

/// Runs programs on tasks and judges every pair, on whatever device is sooner
/// done; `launch` is for GPUs.
pub fn assess(
    runtime: &Runtime,
    programs: &[Program],
    tasks: &[&Task],
    pairing: Pairing,
    settings: &Settings<'_>,
    launch: LaunchSettings,
) -> Result<Assessment, Error> {
    let start = Instant::now();
    let jobs = jobs(programs, tasks, pairing);
    let examples: Vec<Vec<Example<'_>>> = jobs
        .teams
        .iter()
        .map(|team| tasks[team.task].examples().collect())
        .collect();
    let tiles: Vec<Tile<'_>> = jobs
        .teams
        .iter()
        .zip(&examples)
        .map(|(team, examples)| Tile {
            plan: &jobs.plans[team.plan],
            examples,
        })
        .collect();
    let wanted: Vec<Vec<&Grid>> = jobs
        .teams
        .iter()
        .map(|team| tasks[team.task].pairs().map(|(_, output)| output).collect())
        .collect();
    let planning = start.elapsed();
    let start = Instant::now();
    let assessed = judge(runtime, &tiles, settings, launch, |part| {
        wanted[part.tile][part.example]
    })?;
    let time = start.elapsed();
    let mut results: Vec<TaskResult> = jobs
        .teams
        .iter()
        .map(|team| TaskResult {
            task: team.task,
            attempts: team
                .programs
                .iter()
                .map(|program| Attempt {
                    program: *program,
                    judgements: Vec::new(),
                })
                .collect(),
        })
        .collect();
    let mut evaluations = 0;
    let mut unfinished: BTreeSet<usize> = BTreeSet::new();
    for (part, row) in assessed.judged {
        let Some(row) = row else {
            unfinished.insert(results[part.tile].task);
            continue;
        };
        evaluations += row.len() as u64;
        let attempts = &mut results[part.tile].attempts;
        for (attempt, judged) in attempts.iter_mut().zip(row) {
            attempt.judgements.push(judged);
        }
    }
    results.retain(|result| !unfinished.contains(&result.task));
    Ok(Assessment {
        results,
        evaluations,
        time,
        planning,
        sharing: shared(&tiles),
        stopped: !unfinished.is_empty(),
        flags: assessed.flags,
        on_cpu: assessed.on_cpu,
    })
}

/// A task, the programs that are run on it and the plan they are.
struct Team {
    task: usize,
    plan: usize,
    programs: Vec<usize>,
}

struct Jobs {
    plans: Vec<Plan>,
    teams: Vec<Team>,
}

fn jobs(programs: &[Program], tasks: &[&Task], pairing: Pairing) -> Jobs {
    match pairing {
        Pairing::All => Jobs {
            plans: vec![Plan::new(programs)],
            teams: (0..tasks.len())
                .map(|task| Team {
                    task,
                    plan: 0,
                    programs: (0..programs.len()).collect(),
                })
                .collect(),
        },
        Pairing::Own => {
            let mut jobs = Jobs {
                plans: Vec::new(),
                teams: Vec::new(),
            };
            for (task, of) in tasks.iter().enumerate() {
                let own: Vec<usize> = (0..programs.len())
                    .filter(|program| programs[*program].task() == &*of.id)
                    .collect();
                if own.is_empty() {
                    continue;
                }
                let chosen: Vec<Program> = own
                    .iter()
                    .map(|program| programs[*program].clone())
                    .collect();
                jobs.teams.push(Team {
                    task,
                    plan: jobs.plans.len(),
                    programs: own,
                });
                jobs.plans.push(Plan::new(&chosen));
            }
            jobs
        }
    }
}

fn shared(tiles: &[Tile<'_>]) -> Sharing {
    let mut sum = Sharing {
        calls: 0,
        distinct_calls: 0,
        steps: 0,
        distinct_steps: 0,
        bodies: 0,
    };
    for tile in tiles {
        let one = tile.plan.sharing();
        let examples = tile.examples.len();
        sum.calls += one.calls * examples;
        sum.distinct_calls += one.distinct_calls * examples;
        sum.steps += one.steps * examples;
        sum.distinct_steps += one.distinct_steps * examples;
        sum.bodies += one.bodies * examples;
    }
    sum
}
