//! Assessment: which programs solve which tasks.

use crate::data::Task;
use crate::engine::{EvaluationRef, Example, Grid, Tile, Undefined};
use crate::gpu::{CpuReason, Flags, LaunchSettings, grade};
use crate::operations::{
    EVALUATE, EvaluationSettings, ExampleBlock, Judgements, OPERATION_EVALUATIONS, TileExample,
    blocks_on, run_blocks,
};
use crate::plan::{Plan, Sharing};
use crate::program::Program;
use heddle_runtime::device::DeviceId;
use heddle_runtime::memory::admit_host;
use heddle_runtime::route::{Decision, Reason};
use heddle_runtime::units::Bytes;
use heddle_runtime::{DType, Description, Error, Runtime};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What the allocator takes for a list beside its elements.
const LIST_BYTES: usize = 16;

/// Which programs are run on which tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// Each program on the task it is named after.
    Own,
    /// Every program on every task, as a search does.
    All,
}

/// The result of a program on one pair of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// The expected grid.
    Right,
    /// Any other value.
    Wrong {
        /// The number of right cells; 0 unless it is a grid of the right shape.
        cells: u32,
    },
    /// No value, and why.
    Undefined(Undefined),
}

impl Grade {
    /// The grade of an evaluation.
    #[must_use]
    pub fn of(evaluation: &EvaluationRef<'_>, wanted: &Grid) -> Self {
        match evaluation {
            EvaluationRef::Undefined(why) => Grade::Undefined(*why),
            EvaluationRef::Defined { .. } if evaluation.is(wanted) => Grade::Right,
            EvaluationRef::Defined { .. } => Grade::Wrong {
                cells: evaluation.cells_matched(wanted) as u32,
            },
        }
    }
}

/// The result of a program on a task, or the best result on a task; the best sorts first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Status {
    /// Every pair is right.
    Solved,
    /// Every pair has a value; at least one is wrong.
    Wrong,
    /// At least one pair has no value.
    Undefined,
}

/// One program on one task.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attempt {
    /// The program's number.
    pub program: usize,
    /// One grade for each pair of the task, training pairs first.
    pub grades: Vec<Grade>,
}

impl Attempt {
    /// The result over all pairs.
    #[must_use]
    pub fn status(&self) -> Status {
        let is_undefined = |graded: &Grade| matches!(graded, Grade::Undefined(_));
        if self.grades.iter().any(is_undefined) {
            Status::Undefined
        } else if self.grades.iter().all(|graded| *graded == Grade::Right) {
            Status::Solved
        } else {
            Status::Wrong
        }
    }
}

/// All programs on one task.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskResult {
    /// The task's number.
    pub task: usize,
    /// The attempts, in the order of programs.
    pub attempts: Vec<Attempt>,
}

impl TaskResult {
    /// The best status of any program; `None` without programs.
    #[must_use]
    pub fn status(&self) -> Option<Status> {
        self.attempts.iter().map(Attempt::status).min()
    }
}

/// The results of programs on tasks.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Assessment {
    /// One result for each task that a program ran on, by number. Tasks that were not finished
    /// when the job was cancelled are left out.
    pub results: Vec<TaskResult>,
    /// The number of evaluations made.
    pub evaluations: u64,
    /// The time of the evaluations, without planning.
    pub time: Duration,
    /// The time of planning.
    pub planning: Duration,
    /// The plans' sharing, summed over the examples they ran on.
    pub sharing: Sharing,
    /// Whether the job was cancelled before its end.
    pub stopped: bool,
    /// Evaluations that a GPU flagged and the CPU repeated, by reason.
    pub flags: Flags,
    /// Why the CPU ran some or all evaluations although there is a GPU.
    pub on_cpu: Option<CpuReason>,
}

/// Runs programs on tasks and grades every pair, on the devices that finish first; `launch`
/// is for GPUs.
pub fn assess(
    runtime: &Runtime,
    programs: &[Program],
    tasks: &[&Task],
    pairing: Pairing,
    settings: &EvaluationSettings<'_>,
    launch: LaunchSettings,
) -> Result<Assessment, Error> {
    let start = Instant::now();
    let jobs = jobs(programs, tasks, pairing);
    let of_task = |task_plan: &TaskPlan| tasks[task_plan.task].examples();
    let examples: Vec<Example<'_>> = jobs.task_plans.iter().flat_map(of_task).collect();
    let mut rest = &examples[..];
    let mut tiles = Vec::with_capacity(jobs.task_plans.len());
    for task_plan in &jobs.task_plans {
        let (examples, later) = rest.split_at(tasks[task_plan.task].pairs().count());
        let plan = &jobs.plans[task_plan.plan];
        tiles.push(Tile { plan, examples });
        rest = later;
    }
    let wanted = |part: TileExample| {
        let Task { train, test, .. } = tasks[jobs.task_plans[part.tile].task];
        let test = || &test[part.example - train.len()];
        &train.get(part.example).unwrap_or_else(test).1
    };
    admit_attempts(&tiles)?;
    let planning = start.elapsed();
    let start = Instant::now();
    let mut found = Findings::new(&jobs.task_plans, &tiles);
    let has_gpu = runtime
        .devices()
        .any(|device| device.accelerator().is_some());
    let forced = has_gpu.then(|| forced_to_cpu(runtime, &tiles)).flatten();
    let (flags, on_cpu) = if has_gpu && forced.is_none() {
        let assessed = grade(runtime, &tiles, settings, launch, wanted)?;
        for (part, row) in assessed.graded {
            let row = row.as_ref().map(|row| row.iter().map(std::iter::once));
            found.add(part.tile, 1, row);
        }
        (assessed.flags, assessed.on_cpu)
    } else {
        let threads = runtime.device(DeviceId::CPU)?.properties().units;
        let blocks = blocks_on(runtime.pool(), &tiles, threads);
        // Operations report progress and stop at blocks, so one large operation does no harm,
        // and its threads wait for each other only once.
        let work = (&tiles[..], &blocks[..], OPERATION_EVALUATIONS * threads);
        let grade = |part: TileExample, _: usize, evaluation: EvaluationRef<'_>| {
            Grade::of(&evaluation, wanted(part))
        };
        run_blocks(
            runtime,
            work,
            settings,
            grade,
            |block, graded| match graded {
                Some(graded) if found.is_whole(block) => found.add_whole(block.tile, graded),
                graded => {
                    let graded = graded.as_ref().map(Judgements::by_program);
                    found.add(block.tile, block.examples.len(), graded);
                }
            },
        )?;
        (Flags::default(), forced.map(CpuReason::Decided))
    };
    let time = start.elapsed();
    let Findings {
        mut results,
        unfinished,
        evaluations,
        ..
    } = found;
    if !unfinished.is_empty() {
        results.retain(|result| !unfinished.contains(&result.task));
    }
    Ok(Assessment {
        results,
        evaluations,
        time,
        planning,
        sharing: shared(&tiles),
        stopped: !unfinished.is_empty(),
        flags,
        on_cpu,
    })
}

/// Admits the memory of one attempt for each program of a tile, with a list of grades.
fn admit_attempts(tiles: &[Tile<'_>]) -> Result<(), Error> {
    let bytes = tiles.iter().map(|tile| {
        let grades = tile.examples.len() * size_of::<Grade>() + LIST_BYTES;
        let attempt = size_of::<Attempt>() + grades;
        tile.plan.len() as u64 * attempt as u64
    });
    admit_host(
        "the results of every program on every task",
        Bytes(bytes.sum()),
    )
}

/// The decision that sends every evaluation to the CPU, if the configuration does. Results
/// that only the CPU computes are collected by block, which costs less than by example.
fn forced_to_cpu(runtime: &Runtime, tiles: &[Tile<'_>]) -> Option<Decision> {
    let evaluations = tiles.iter().map(|tile| tile.evaluations() as u64).sum();
    let whole = Description::new(&EVALUATE, DType::U8, evaluations);
    let any = |device: DeviceId| device.is_host() || device.has_kernels();
    let decision = runtime.router().preview(&whole, &any, None).ok()?;
    let is_forced = matches!(decision.reason, Reason::Forced { .. });
    (is_forced && decision.device.is_host()).then_some(decision)
}

/// The results so far.
struct Findings<'a> {
    tiles: &'a [Tile<'a>],
    /// One for each task plan.
    results: Vec<TaskResult>,
    /// Tasks with examples that did not run.
    unfinished: BTreeSet<usize>,
    evaluations: u64,
}

impl<'a> Findings<'a> {
    fn new(task_plans: &[TaskPlan], tiles: &'a [Tile<'a>]) -> Self {
        let result = |task_plan: &TaskPlan| TaskResult {
            task: task_plan.task,
            attempts: task_plan
                .programs
                .iter()
                .map(|program| Attempt {
                    program: *program,
                    grades: Vec::new(),
                })
                .collect(),
        };
        Findings {
            tiles,
            results: task_plans.iter().map(result).collect(),
            unfinished: BTreeSet::new(),
            evaluations: 0,
        }
    }

    /// Whether a block has all of a tile's examples, and one program runs on them.
    fn is_whole(&self, block: &ExampleBlock) -> bool {
        let tile = &self.tiles[block.tile];
        tile.plan.len() == 1 && tile.examples.len() == block.examples.len()
    }

    /// Adds all grades of a tile with one program. One thread does this for all
    /// others, so it copies and allocates nothing.
    fn add_whole(&mut self, tile: usize, graded: Judgements<Grade>) {
        if let [attempt] = &mut self.results[tile].attempts[..] {
            attempt.grades = graded.into_list();
            self.evaluations += attempt.grades.len() as u64;
        }
    }

    /// Adds the grades of all programs of a tile on its next examples; `None` if these did
    /// not run.
    fn add<'g>(
        &mut self,
        tile: usize,
        examples: usize,
        graded: Option<impl Iterator<Item = impl Iterator<Item = &'g Grade>>>,
    ) {
        let all = self.tiles[tile].examples.len();
        let TaskResult { task, attempts } = &mut self.results[tile];
        let Some(graded) = graded else {
            self.unfinished.insert(*task);
            return;
        };
        self.evaluations += (attempts.len() * examples) as u64;
        for (attempt, graded) in attempts.iter_mut().zip(graded) {
            if attempt.grades.is_empty() {
                attempt.grades.reserve_exact(all);
            }
            attempt.grades.extend(graded);
        }
    }
}

/// A task, the programs that run on it and the number of their plan.
struct TaskPlan {
    task: usize,
    plan: usize,
    programs: Arc<[usize]>,
}

struct AssessmentPlans {
    plans: Vec<Plan>,
    task_plans: Vec<TaskPlan>,
}

fn jobs(programs: &[Program], tasks: &[&Task], pairing: Pairing) -> AssessmentPlans {
    match pairing {
        Pairing::All => {
            let all: Arc<[usize]> = (0..programs.len()).collect();
            let task_plan = |task| TaskPlan {
                task,
                plan: 0,
                programs: Arc::clone(&all),
            };
            AssessmentPlans {
                plans: vec![Plan::new(programs)],
                task_plans: (0..tasks.len()).map(task_plan).collect(),
            }
        }
        Pairing::Own => {
            let mut by_task: HashMap<&str, Vec<usize>> = HashMap::new();
            for (number, program) in programs.iter().enumerate() {
                by_task.entry(program.task()).or_default().push(number);
            }
            let mut jobs = AssessmentPlans {
                plans: Vec::new(),
                task_plans: Vec::new(),
            };
            for (task, of) in tasks.iter().enumerate() {
                let Some(own) = by_task.get(&*of.id) else {
                    continue;
                };
                let chosen: Vec<Program> = own.iter().map(|own| programs[*own].clone()).collect();
                jobs.task_plans.push(TaskPlan {
                    task,
                    plan: jobs.plans.len(),
                    programs: own.as_slice().into(),
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
