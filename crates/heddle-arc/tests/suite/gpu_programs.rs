//! The kernel runs programs as the CPU engine does: with the same values, numbers of steps
//! and faults.
//!
//! The tests run on the emulated GPU. Those of committed programs need ARC tasks, which
//! `HEDDLE_ARC_DATA` names, and are ignored by default.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test says so by failing"
)]
#![allow(clippy::print_stdout, reason = "the test prints a report")]

use heddle_arc::assess::Grade;
use heddle_arc::data::{Dataset, load as load_data};
use heddle_arc::engine::{Evaluation, EvaluationRef, Example, Grid, Tile, evaluate_with};
use heddle_arc::fault::Fault;
use heddle_arc::gpu::{Answer, Batch, Flags, Interpret, LaunchSettings, ResultError, grade};
use heddle_arc::meter::Budget;
use heddle_arc::operations::{
    EvaluationSettings, TileExample, WorkerPool, by_device, evaluate_all,
};
use heddle_arc::plan::Plan;
use heddle_arc::prim::Prim;
use heddle_arc::program::{Form, Program, load};
use heddle_arc::rng::Rng;
use heddle_arc::search::{ProgramShape, generate};
use heddle_arc::solvers::FILES;
use heddle_arc::tasks::{PROGRAMS, dataset};
use heddle_cuda::simt::{SimtDevice, SimtOptions};
use heddle_runtime::device::DeviceId;
use heddle_runtime::units::Bytes;
use heddle_runtime::{Config, Runtime};
use heddle_testing::arc_tasks;
use heddle_testing::depth::pick;
use heddle_testing::several_gpus::cpu_and_gpu;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The most evaluations of one launch: each has its own dump buffer.
const LAUNCH: usize = 400;
/// The most differences shown.
const SHOWN: usize = 12;

/// A runtime that sends everything to the emulated GPU.
fn gpu_only() -> Runtime {
    let gpu = SimtDevice::new(0, SimtOptions::default());
    let config = Config::default().with(|it| it.device = Some(DeviceId::simt(0)));
    let builder = Runtime::builder().config(config).device(Arc::new(gpu));
    builder.without_model_cache().build().unwrap()
}

/// A plan, its examples and their wanted grids.
struct Work {
    plan: Plan,
    examples: Vec<(Grid, Vec<(Grid, Grid)>)>,
    wanted: Vec<Grid>,
    budget: Budget,
}

impl Work {
    fn examples(&self) -> Vec<Example<'_>> {
        self.examples
            .iter()
            .map(|(input, pairs)| Example {
                input,
                pairs,
                candidate: None,
            })
            .collect()
    }
}

#[derive(Default)]
struct Tally {
    agreed: usize,
    /// Those among `agreed` without a value, and among these those out of budget.
    undefined: usize,
    out_of_budget: usize,
    flags: Flags,
    flagged: Vec<String>,
    /// Flagged evaluations by primitive.
    with_primitive: BTreeMap<&'static str, usize>,
    differences: Vec<String>,
}

/// A result on the CPU, compared with the wanted grid.
#[derive(Debug, PartialEq)]
struct Known {
    evaluation: Evaluation,
    steps: Option<u32>,
    cells: u32,
    right: bool,
}

fn known(work: &Work) -> Vec<Vec<Known>> {
    let examples = work.examples();
    evaluate_with(
        &work.plan,
        &examples,
        work.budget,
        |example, _, evaluation| Known {
            evaluation: evaluation.to_evaluation(),
            steps: match evaluation {
                EvaluationRef::Defined { steps, .. } => Some(steps as u32),
                EvaluationRef::Undefined(_) => None,
            },
            cells: evaluation.cells_matched(&work.wanted[example]) as u32,
            right: evaluation.is(&work.wanted[example]),
        },
    )
}

fn check(runtime: &Runtime, works: &[Work], tally: &mut Tally) {
    let examples: Vec<Vec<Example<'_>>> = works.iter().map(Work::examples).collect();
    let tiles: Vec<Tile<'_>> = works
        .iter()
        .zip(&examples)
        .map(|(work, examples)| Tile {
            plan: &work.plan,
            examples,
        })
        .collect();
    let wanted = |part: TileExample| Some(&works[part.tile].wanted[part.example]);
    // All works of a launch have the same budget.
    let budget = works
        .first()
        .map_or_else(Budget::default, |work| work.budget);
    let batch = Batch::new(&tiles, budget, wanted);
    let settings = LaunchSettings::default().with(|it| {
        it.warps = 4;
        it.budget = budget;
        it.dump = Bytes(200 << 10);
    });
    let names = || {
        works
            .iter()
            .map(|work| work.plan.name(0))
            .collect::<Vec<_>>()
    };
    let ran = match runtime.run_on(DeviceId::simt(0), Interpret::new(batch.job(), settings)) {
        Ok(ran) => ran,
        Err(error) => {
            let problem = format!("the launch failed: {error}; first programs {:?}", names());
            tally.differences.push(problem);
            return;
        }
    };
    for (tile, work) in works.iter().enumerate() {
        for (example, row) in known(work).into_iter().enumerate() {
            for (program, known) in row.into_iter().enumerate() {
                let part = TileExample { tile, example };
                let what = || format!("{} on example {example}", work.plan.name(program));
                let found = batch.evaluation(&ran, &work.plan, part, program);
                let answer = batch.answer(&ran, part, program);
                let found = match found {
                    Ok(evaluation) => evaluation,
                    Err(ResultError::Flagged(flag)) => {
                        tally.flags.add(flag);
                        let result = batch.result(part, program);
                        let failed_primitive =
                            result.and_then(|result| ran.failed_primitive(result));
                        let by = failed_primitive.map_or("none", Prim::name);
                        *tally.with_primitive.entry(by).or_default() += 1;
                        tally.flagged.push(format!("{}: {flag} in {by}", what()));
                        continue;
                    }
                    Err(problem) => {
                        tally.differences.push(format!("{}: {problem}", what()));
                        continue;
                    }
                };
                let (steps, cells, right) = match answer {
                    Answer::Defined {
                        steps,
                        cells,
                        right,
                        ..
                    } => (Some(steps), cells, right),
                    _ => (None, 0, false),
                };
                let found = Known {
                    evaluation: found,
                    steps,
                    cells,
                    right,
                };
                // The steps are compared even where the value is a function, which has no copy.
                if found == known {
                    tally.agreed += 1;
                    if let Evaluation::Undefined(why) = known.evaluation {
                        tally.undefined += 1;
                        tally.out_of_budget += usize::from(matches!(why.fault, Fault::Budget(_)));
                    }
                } else {
                    let (found, known) = (format!("{found:?}"), format!("{known:?}"));
                    tally.differences.push(format!(
                        "{}\n        cpu  {}\n        simt {}",
                        what(),
                        ends(&known),
                        ends(&found)
                    ));
                }
            }
        }
    }
}

/// The beginning and the end of a long text.
fn ends(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= 900 {
        return text.to_owned();
    }
    let first: String = letters[..600].iter().collect();
    let last: String = letters[letters.len() - 200..].iter().collect();
    format!("{first} ... {last}")
}

fn check_all(what: &str, works: Vec<Work>) -> Tally {
    let mut launches: Vec<Vec<Work>> = vec![Vec::new()];
    let mut evaluations = 0;
    for work in works {
        evaluations += work.plan.len() * work.examples.len();
        let last = launches.last().and_then(|launch| launch.last());
        let other_budget = last.is_some_and(|last| last.budget != work.budget);
        if evaluations > LAUNCH || other_budget {
            launches.push(Vec::new());
            evaluations = work.plan.len() * work.examples.len();
        }
        if let Some(launch) = launches.last_mut() {
            launch.push(work);
        }
    }
    let next = AtomicUsize::new(0);
    let all = Mutex::new(Tally::default());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(launch) = launches.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut tally = Tally::default();
                    check(&cpu_and_gpu(), launch, &mut tally);
                    let mut all = all.lock().unwrap();
                    all.agreed += tally.agreed;
                    all.undefined += tally.undefined;
                    all.out_of_budget += tally.out_of_budget;
                    all.flags.add_all(&tally.flags);
                    all.flagged.extend(tally.flagged);
                    for (prim, count) in tally.with_primitive {
                        *all.with_primitive.entry(prim).or_default() += count;
                    }
                    all.differences.extend(tally.differences);
                }
            });
        }
    });
    let tally = all.into_inner().unwrap();
    println!(
        "{what}: {} agreed ({} undefined, {} of them out of budget), {} differ, \
         flagged: {} ({:.2} %)",
        tally.agreed,
        tally.undefined,
        tally.out_of_budget,
        tally.differences.len(),
        tally.flags,
        100.0 * flagged_share(&tally)
    );
    if !tally.with_primitive.is_empty() {
        println!("    flagged in {:?}", tally.with_primitive);
    }
    for line in tally.flagged.iter().take(SHOWN) {
        println!("    {line}");
    }
    for difference in tally.differences.iter().take(SHOWN) {
        println!("    {difference}");
    }
    tally
}

fn flagged_share(tally: &Tally) -> f64 {
    let flagged = tally.flags.total() as f64;
    flagged / (flagged + (tally.agreed + tally.differences.len()) as f64).max(1.0)
}

/// One work for each program, on the pairs of its own task.
fn own(programs: Vec<Program>, data: &Dataset) -> Vec<Work> {
    let mut works = Vec::new();
    for program in programs {
        let Some(task) = data.task(program.task()) else {
            continue;
        };
        works.push(Work {
            plan: Plan::new(&[program]),
            examples: task
                .pairs()
                .map(|(input, _)| (input.clone(), task.train.clone()))
                .collect(),
            wanted: task.pairs().map(|(_, output)| output.clone()).collect(),
            budget: Budget::default(),
        });
    }
    works
}

/// Heddle's own programs and the ARC tasks.
fn committed() -> (Vec<Program>, Dataset) {
    let data = load_data(&arc_tasks()).unwrap();
    let files = FILES.iter();
    let programs = files.flat_map(|(file, text)| load(text, file).programs);
    (programs.collect(), data)
}

#[test]
fn built_in_programs_on_their_tasks() {
    let programs = load(PROGRAMS, "programs.py").programs;
    let tally = check_all("built-in programs", own(programs, &dataset(0)));
    assert!(tally.differences.is_empty(), "results differ");
    assert!(flagged_share(&tally) <= 0.01, "too much is flagged");
}

#[test]
#[ignore = "needs ARC tasks: HEDDLE_ARC_DATA"]
fn committed_programs_on_their_arc_tasks() {
    let (programs, data) = committed();
    let tally = check_all("committed programs", own(programs, &data));
    assert!(tally.agreed > 0);
    assert!(tally.differences.is_empty(), "results differ");
    assert!(flagged_share(&tally) <= 0.01, "too much is flagged");
}

#[test]
#[ignore = "needs ARC tasks: HEDDLE_ARC_DATA"]
fn committed_programs_that_run_out_of_budget_on_arc_tasks() {
    let (programs, data) = committed();
    let budgets = [
        budget(60, 2 << 20),
        budget(200, 2 << 20),
        budget(700, 2 << 20),
        budget(200_000, 2_500),
        budget(200_000, 10_000),
    ];
    let mut works = own(programs, &data);
    for (place, work) in works.iter_mut().enumerate() {
        work.budget = budgets[place % budgets.len()];
    }
    works.sort_by_key(|work| (work.budget.steps, work.budget.bytes));
    let tally = check_all("committed programs, short budgets", works);
    assert!(tally.differences.is_empty(), "results differ");
    assert!(
        tally.out_of_budget > tally.agreed / 10,
        "budgets are too large"
    );
}

/// Random programs in plans of a hundred, on two examples each.
fn generated(seed: u64, count: u64, budgets: &[Budget]) -> Vec<Work> {
    let data = dataset(seed);
    let programs: Vec<Program> = (0..count)
        .map(|number| {
            let form = [Form::Input, Form::Examples][usize::from(number % 3 == 2)];
            let lines = 4 + number as usize % 12;
            let name = format!("solve_{number}");
            generate(
                &name,
                ProgramShape { lines, form },
                &mut Rng::of(seed, number),
            )
        })
        .collect();
    let works = programs.chunks(100).enumerate().map(|(chunk, programs)| {
        let task = &data.tasks[chunk * 7 % data.tasks.len()];
        let pairs: Vec<&(Grid, Grid)> = task.pairs().take(2).collect();
        Work {
            plan: Plan::new(programs),
            examples: pairs
                .iter()
                .map(|pair| (pair.0.clone(), task.train.clone()))
                .collect(),
            wanted: pairs.iter().map(|pair| pair.1.clone()).collect(),
            budget: budgets[chunk % budgets.len()],
        }
    });
    works.collect()
}

fn number(name: &str, usual: u64) -> u64 {
    let set = std::env::var(name).ok();
    set.and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn generated_programs() {
    let (seed, count) = (
        number("HEDDLE_GPU_SEED", 11),
        number("HEDDLE_GPU_GENERATED", pick(600, 3_000)),
    );
    let works = generated(seed, count, &[Budget::default()]);
    let tally = check_all("generated programs", works);
    assert!(tally.differences.is_empty(), "results differ");
}

fn budget(steps: u64, bytes: u64) -> Budget {
    Budget::default().with(|it| {
        it.steps = steps;
        it.bytes = bytes;
    })
}

/// The line at which a budget ends depends on every charge before it.
#[test]
fn generated_programs_that_run_out_of_budget() {
    let budgets = [
        budget(8, 2 << 20),
        budget(20, 2 << 20),
        budget(60, 2 << 20),
        budget(200, 2 << 20),
        budget(200_000, 3_000),
        budget(200_000, 12_000),
    ];
    let (seed, count) = (
        number("HEDDLE_GPU_SEED", 12),
        number("HEDDLE_GPU_GENERATED", 3_000),
    );
    let tally = check_all("short budgets", generated(seed, count, &budgets));
    assert!(tally.differences.is_empty(), "results differ");
    assert!(
        tally.out_of_budget > tally.agreed / 10,
        "budgets are too large"
    );
}

/// The emulated GPU gives the same grades as the CPU, also for flagged evaluations, and
/// evaluations are counted on the device that ran them.
#[test]
fn grading_runs_through_the_pipeline() {
    let data = dataset(2);
    let programs = load(PROGRAMS, "programs.py").programs;
    let plan = Plan::new(&programs[..24]);
    let examples: Vec<Vec<Example<'_>>> = data.tasks[..4]
        .iter()
        .map(|task| task.examples().take(3).collect())
        .collect();
    let tiles: Vec<Tile<'_>> = examples
        .iter()
        .map(|examples| Tile {
            plan: &plan,
            examples,
        })
        .collect();
    let outputs: Vec<Vec<&Grid>> = data.tasks[..4]
        .iter()
        .map(|task| task.pairs().map(|(_, output)| output).collect())
        .collect();
    let wanted = |part: TileExample| outputs[part.tile][part.example];
    let evaluations = 24 * 4 * 3;
    let worker_pool = WorkerPool::new(Budget::default());
    let settings = EvaluationSettings::of(&worker_pool);

    let cpu = Runtime::builder().without_model_cache().build().unwrap();
    let known = evaluate_all(&cpu, &tiles, &settings, |part, _, evaluation| {
        Grade::of(&evaluation, wanted(part))
    })
    .unwrap();
    let launch = LaunchSettings::default().with(|it| it.warps = 8);
    let on_cpu = grade(&cpu, &tiles, &settings, launch, wanted).unwrap();
    assert_eq!(on_cpu.graded, known);
    assert_eq!(on_cpu.flags, Flags::default());
    assert_eq!(by_device(&cpu)["cpu"], 2 * evaluations);

    // With very little memory for a warp, evaluations are flagged and the CPU repeats them.
    for rows in [4_096, 16] {
        let gpu = gpu_only();
        let mut launch = launch;
        launch.caps.rows = rows;
        let found = grade(&gpu, &tiles, &settings, launch, wanted).unwrap();
        assert_eq!(found.graded, known);
        let counts = by_device(&gpu);
        assert_eq!(counts["simt:0"], evaluations, "{counts:?}");
        assert_eq!(found.flags.total() > 0, rows == 16, "{}", found.flags);
        let repeated = counts.get("cpu").copied().unwrap_or(0);
        assert_eq!(repeated, found.flags.total());
    }
}
