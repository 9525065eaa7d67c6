//! `heddle arc bench`: times programs one by one, merged, on all cores and on a GPU.

mod break_even;
mod ranking;
mod search;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use heddle::arc::data::Task;
use heddle::arc::engine::{Example, Grid, Tile};
use heddle::arc::gpu::{Flags, LaunchSettings, grade};
use heddle::arc::meter::Budget;
use heddle::arc::operations::{self, EvaluationSettings, TileExample, WorkerPool};
use heddle::arc::plan::Plan;
use heddle::arc::program::Program;
use heddle::config::Config;
use heddle::device::{Device, DeviceId};
use heddle::machine::Machine;
use heddle::{DiscoveredDevices, Runtime};
use serde::Serialize;

use self::ranking::{PrimitiveTime, SlowProgram, hottest, slowest};
use super::inputs::{Inputs, LoadedInputs};
use super::{MAX_GENERATED, gpu, grouped, open, print_notes, refuse_above};
use crate::cli::output::{FAINT, Output};
use crate::cli::table::table;
use crate::cli::{Failure, size};

/// The shortest round; shorter ones are dominated by the clock's noise.
const MIN_ROUND: Duration = Duration::from_millis(200);

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    inputs: Inputs,

    /// Time each program only on the task it is named after.
    #[arg(long)]
    own: bool,

    /// Number of grids to run all programs on, spread evenly over the tasks.
    #[arg(long, default_value_t = 60, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    examples: u32,

    /// Number of programs to generate and run on four grids each, as in a search.
    #[arg(long, default_value = "256", value_name = "N", value_parser = size::parse)]
    generated: usize,

    /// Seed of the generated programs.
    #[arg(long, default_value_t = 0, value_name = "S")]
    seed: u64,

    #[command(flatten)]
    caps: gpu::Caps,

    /// Rounds of each variant; the median is reported.
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
}

/// The times of one variant.
#[derive(Clone, Debug, Serialize)]
struct ArcBenchRow {
    way: String,
    device: String,
    /// Threads of the CPU.
    threads: Option<usize>,
    samples_per_second: f64,
    /// Speed-up of the median round over the first variant.
    speedup: f64,
    median_s: f64,
    least_s: f64,
    most_s: f64,
    rounds: usize,
}

/// Plans, their examples and expected outputs.
#[derive(Default)]
struct BenchPlans<'a> {
    plans: Vec<Plan>,
    examples: Vec<Vec<Example<'a>>>,
    wanted: Vec<Vec<&'a Grid>>,
}

impl<'a> BenchPlans<'a> {
    fn add(&mut self, plan: Plan, pairs: impl IntoIterator<Item = (Example<'a>, &'a Grid)>) {
        let (examples, wanted) = pairs.into_iter().unzip();
        self.plans.push(plan);
        self.examples.push(examples);
        self.wanted.push(wanted);
    }

    fn load(&self) -> BenchLoad<'_> {
        let parts = self.plans.iter().zip(&self.examples);
        BenchLoad {
            tiles: parts
                .map(|(plan, examples)| Tile { plan, examples })
                .collect(),
            wanted: &self.wanted,
        }
    }
}

/// The plans as tiles, ready to run.
struct BenchLoad<'a> {
    tiles: Vec<Tile<'a>>,
    wanted: &'a [Vec<&'a Grid>],
}

impl BenchLoad<'_> {
    fn evaluations(&self) -> usize {
        self.tiles.iter().map(Tile::evaluations).sum()
    }
}

/// A runtime and device with the settings to run on them.
struct Runner<'a> {
    runtime: &'a Runtime,
    device: DeviceId,
    /// Threads of the CPU.
    threads: Option<usize>,
    worker_pool: &'a WorkerPool,
    launch: LaunchSettings,
}

impl Runner<'_> {
    /// Runs everything once and returns the flagged evaluations.
    fn once(&self, load: &BenchLoad<'_>) -> Result<Flags, Failure> {
        let settings = EvaluationSettings::of(self.worker_pool);
        let wanted = |part: TileExample| load.wanted[part.tile][part.example];
        let graded = grade(self.runtime, &load.tiles, &settings, self.launch, wanted)?;
        Ok(graded.flags)
    }
}

/// A variant to time: a runner and a load.
struct BenchCase<'a> {
    name: String,
    runner: &'a Runner<'a>,
    load: &'a BenchLoad<'a>,
}

/// All measurements.
#[derive(Debug, Serialize)]
struct ArcBenchReport {
    machine: Machine,
    programs: usize,
    tasks: usize,
    pairing: &'static str,
    evaluations: usize,
    rows: Vec<ArcBenchRow>,
    search: search::SearchBench,
    break_even: Option<[break_even::BreakEvenCurve; 2]>,
    gpu: Option<gpu::GpuReport>,
    /// Speed of merged programs on the GPU as a multiple of that on all cores.
    gpu_against_cpu: Option<f64>,
    by_device: BTreeMap<String, u64>,
    device_shares: BTreeMap<String, f64>,
    slowest_programs: Vec<SlowProgram>,
    hottest_primitives: Vec<PrimitiveTime>,
}

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
    refuse_above("--generated", arguments.generated, MAX_GENERATED)?;
    let found = arguments.inputs.read(config)?;
    let mut notes = found.dataset.notes.clone();
    notes.extend(found.errors.iter().map(ToString::to_string));
    let one = cpu_runtime(config, Some(1), &mut Vec::new())?;
    let all = cpu_runtime(config, config.threads, &mut notes)?;
    let gpu = gpu_runtime(config, &mut notes)?;
    print_notes(&notes);
    let gpu = gpu.as_ref().map(|(runtime, device)| (runtime, *device));
    let measured = measure(config, arguments, &found, [&one, &all], gpu)?;
    if output.is_json() {
        return Ok(output.object(&measured)?);
    }
    Ok(measured.print(output)?)
}

fn measure(
    config: &Config,
    arguments: &Arguments,
    found: &LoadedInputs,
    [one, all]: [&Runtime; 2],
    gpu_runtime: Option<(&Runtime, DeviceId)>,
) -> Result<ArcBenchReport, Failure> {
    let worker_pool = WorkerPool::new(Budget::default());
    let launch = arguments.caps.launch(config)?;
    let runner = |runtime, device, threads| Runner {
        runtime,
        device,
        threads,
        worker_pool: &worker_pool,
        launch,
    };
    let threads = all.device(DeviceId::CPU)?.properties().units;
    let on_one = runner(one, DeviceId::CPU, Some(1));
    let on_all = runner(all, DeviceId::CPU, Some(threads));
    let on_gpu = gpu_runtime.map(|(runtime, device)| runner(runtime, device, None));
    let tasks = found.tasks();
    let (alone, merged) = work(&found.programs, &tasks, arguments);
    let (alone, merged) = (alone.load(), merged.load());
    let evaluations = merged.evaluations();
    if evaluations == 0 {
        return Err(Failure::Usage {
            message: "there is nothing to time: no program is named after a task".to_owned(),
            hint: "leave --own out to run all programs on all tasks".to_owned(),
        });
    }
    let mut cases = vec![
        bench_case("sequential", &on_one, &alone),
        bench_case("merged", &on_one, &merged),
        bench_case("merged, all cores", &on_all, &merged),
    ];
    if let Some(gpu) = &on_gpu {
        cases.push(bench_case(&format!("merged, {}", gpu.device), gpu, &merged));
    }
    let (rows, mut flags) = timed(&cases, arguments.rounds as usize)?;
    let search = search::run(&tasks, arguments, &on_all, on_gpu.as_ref(), &mut flags)?;
    let break_even = match &on_gpu {
        Some(gpu) => Some([
            break_even::by_examples(&merged, &on_all, gpu, &mut flags)?,
            break_even::by_programs(&tasks, arguments, &on_all, gpu, &mut flags)?,
        ]),
        None => None,
    };
    let gpu = gpu_runtime.map(|(runtime, _)| runtime);
    let mut by_device: BTreeMap<String, u64> = BTreeMap::new();
    for runtime in [one, all].into_iter().chain(gpu) {
        for (device, count) in operations::by_device(runtime) {
            *by_device.entry(device).or_default() += count;
        }
    }
    let recorded: u64 = by_device.values().sum();
    let share = |count: u64| count as f64 / recorded.max(1) as f64;
    Ok(ArcBenchReport {
        machine: all.machine().clone(),
        programs: found.programs.len(),
        tasks: tasks.len(),
        pairing: if arguments.own { "own" } else { "all" },
        evaluations,
        gpu_against_cpu: rows.get(3).map(|gpu| rows[2].median_s / gpu.median_s),
        rows,
        search,
        break_even,
        gpu: gpu.and_then(|runtime| gpu::GpuReport::new(runtime, config, &flags, None)),
        device_shares: by_device
            .iter()
            .map(|(device, count)| (device.clone(), share(*count)))
            .collect(),
        by_device,
        slowest_programs: slowest(&on_one, &alone)?,
        hottest_primitives: hottest(&merged.tiles),
    })
}

impl ArcBenchReport {
    fn print(&self, output: &mut Output) -> std::io::Result<()> {
        print(&self.rows, self.evaluations, output)?;
        self.search.print(output)?;
        for break_even in self.break_even.iter().flatten() {
            break_even.print(output)?;
        }
        if let Some(report) = &self.gpu {
            output.heading("GPU, all rounds")?;
            report.print_counts(output)?;
            output.line(format_args!(
                "speed-up over all cores in the same run: {:.3} merged{}",
                self.gpu_against_cpu.unwrap_or_default(),
                self.search.speedup_text(),
            ))?;
        }
        for (device, share) in &self.device_shares {
            output.line(format_args!(
                "{:.1} % of the evaluations ran on {device}, by recorded spans",
                share * 100.0
            ))?;
        }
        output.heading("slowest programs, per evaluation")?;
        let mut list = table(&["program ", "time"]);
        for slow in &self.slowest_programs {
            list.add_row([slow.program.clone(), format!("{:.1} µs", slow.microseconds)]);
        }
        output.line(list)?;
        output.heading("hottest primitives, merged on one core")?;
        let mut list = table(&["primitive ", "share", "calls"]);
        for hot in &self.hottest_primitives {
            list.add_row([
                hot.primitive.to_owned(),
                format!("{:.1} %", hot.share * 100.0),
                grouped(hot.calls),
            ]);
        }
        output.line(list)
    }
}

/// Opens a runtime on the CPU alone.
fn cpu_runtime(
    config: &Config,
    threads: Option<usize>,
    notes: &mut Vec<String>,
) -> Result<Runtime, Failure> {
    let mut config = config.clone();
    config.device = Some(DeviceId::CPU);
    config.threads = threads;
    config.profile.enabled = true;
    let runtime = Runtime::builder().config(config).build()?;
    notes.extend(runtime.notes().iter().cloned());
    Ok(runtime)
}

/// Opens a runtime that sends everything to the configured GPU, else to the first one.
fn gpu_runtime(
    config: &Config,
    notes: &mut Vec<String>,
) -> Result<Option<(Runtime, DeviceId)>, Failure> {
    let device = if let Some(asked) = config.device {
        Some(asked).filter(|device| device.has_own_memory())
    } else {
        let discovery = DiscoveredDevices::find(config)?;
        discovery.gpus().first().map(|gpu| gpu.id())
    };
    let Some(device) = device else {
        return Ok(None);
    };
    let mut config = config.clone();
    config.device = Some(device);
    let runtime = open(&config, notes)?;
    Ok(Some((runtime, device)))
}

fn bench_case<'a>(name: &str, runner: &'a Runner<'a>, load: &'a BenchLoad<'a>) -> BenchCase<'a> {
    BenchCase {
        name: name.to_owned(),
        runner,
        load,
    }
}

/// Returns the programs one by one, and merged.
fn work<'a>(
    programs: &[Program],
    tasks: &[&'a Task],
    arguments: &Arguments,
) -> (BenchPlans<'a>, BenchPlans<'a>) {
    let single = |program: &Program| Plan::new(std::slice::from_ref(program));
    let (mut alone, mut merged) = (BenchPlans::default(), BenchPlans::default());
    if arguments.own {
        for task in tasks {
            let own = programs
                .iter()
                .filter(|program| program.task() == &*task.id);
            let own: Vec<Program> = own.cloned().collect();
            if own.is_empty() {
                continue;
            }
            for program in &own {
                alone.add(single(program), pairs(task));
            }
            merged.add(Plan::new(&own), pairs(task));
        }
        return (alone, merged);
    }
    let some = sampled_pairs(tasks, arguments.examples as usize);
    for program in programs {
        alone.add(single(program), some.iter().copied());
    }
    merged.add(Plan::new(programs), some);
    (alone, merged)
}

/// Returns every pair of a task.
fn pairs(task: &Task) -> impl Iterator<Item = (Example<'_>, &Grid)> {
    task.examples().zip(task.pairs().map(|(_, output)| output))
}

/// Returns about `count` pairs, spread evenly over the tasks.
fn sampled_pairs<'a>(tasks: &[&'a Task], count: usize) -> Vec<(Example<'a>, &'a Grid)> {
    let every: Vec<_> = tasks.iter().flat_map(|task| pairs(task)).collect();
    let step = every.len().div_ceil(count).max(1);
    every.into_iter().step_by(step).collect()
}

/// Times the variants in alternating rounds, so that a slow phase of the machine affects
/// all of them. Returns the times and the flagged evaluations of all rounds.
fn timed(cases: &[BenchCase<'_>], rounds: usize) -> Result<(Vec<ArcBenchRow>, Flags), Failure> {
    let mut flags = Flags::default();
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); cases.len()];
    let mut repeats = Vec::with_capacity(cases.len());
    for BenchCase { runner, load, .. } in cases {
        // The first run grows the memory, the second is timed.
        flags.add_all(&runner.once(load)?);
        let start = Instant::now();
        flags.add_all(&runner.once(load)?);
        let ratio = MIN_ROUND.as_secs_f64() / start.elapsed().as_secs_f64().max(1e-6);
        repeats.push(ratio.ceil().clamp(1.0, 10_000.0) as u32);
    }
    for _ in 0..rounds {
        for (at, BenchCase { runner, load, .. }) in cases.iter().enumerate() {
            let start = Instant::now();
            for _ in 0..repeats[at] {
                flags.add_all(&runner.once(load)?);
            }
            times[at].push(start.elapsed().as_secs_f64() / f64::from(repeats[at]));
        }
    }
    let mut rows = Vec::with_capacity(cases.len());
    let mut first = None;
    for (case, mut times) in cases.iter().zip(times) {
        times.sort_by(f64::total_cmp);
        let median_s = times[times.len() / 2];
        let first = *first.get_or_insert(median_s);
        rows.push(ArcBenchRow {
            way: case.name.clone(),
            device: case.runner.device.to_string(),
            threads: case.runner.threads,
            samples_per_second: case.load.evaluations() as f64 / median_s,
            speedup: first / median_s,
            median_s,
            least_s: times[0],
            most_s: times[times.len() - 1],
            rounds: times.len(),
        });
    }
    Ok((rows, flags))
}

fn print(rows: &[ArcBenchRow], evaluations: usize, output: &mut Output) -> std::io::Result<()> {
    let mut list = table(&[
        "variant ",
        "threads",
        "samples/s",
        "speed-up",
        "median",
        "min",
        "max",
    ]);
    for row in rows {
        list.add_row([
            row.way.clone(),
            row.threads
                .map_or_else(|| "-".to_owned(), |threads| threads.to_string()),
            grouped(row.samples_per_second as u64),
            format!("{:.2}", row.speedup),
            format!("{:.2} ms", row.median_s * 1e3),
            format!("{:.2} ms", row.least_s * 1e3),
            format!("{:.2} ms", row.most_s * 1e3),
        ]);
    }
    output.line(list)?;
    output.line(format_args!(
        "{FAINT}{} evaluations in each of {} rounds{FAINT:#}",
        grouped(evaluations as u64),
        rows.first().map_or(0, |row| row.rounds)
    ))
}
