//! `heddle arc bench`: what merging gains, and what cores gain.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use heddle::Runtime;
use heddle::arc::data::Task;
use heddle::arc::engine::{Example, PrimTimes, Tile, Verdict, Worker};
use heddle::arc::meter::Budget;
use heddle::arc::plan::Plan;
use heddle::arc::program::Program;
use heddle::arc::road::{Crew, Settings, by_device, sweep};
use heddle::config::Config;
use serde::Serialize;
use serde_json::json;

use super::inputs::Inputs;
use super::{grouped, open, tell};
use crate::cli::Failure;
use crate::cli::output::{FAINT, Output};
use crate::cli::table::table;

/// A round shorter than this says more about the clock than about the engine.
const LEAST_ROUND: Duration = Duration::from_millis(200);

/// Programs and primitives listed.
const LISTED: usize = 10;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    inputs: Inputs,

    /// Time each program on its own task, not on all of them.
    #[arg(long)]
    own: bool,

    /// Grids to run all programs on, spread evenly over the tasks.
    #[arg(long, default_value_t = 60, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    examples: u32,

    /// Rounds of each way; the median counts.
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
}

/// One way of running everything, timed.
#[derive(Clone, Debug, Serialize)]
struct Row {
    way: &'static str,
    threads: usize,
    samples_per_second: f64,
    /// Of the median round, against the first way.
    speedup: f64,
    median_s: f64,
    least_s: f64,
    most_s: f64,
    rounds: usize,
}

/// Plans and what each is run on.
struct Work<'a> {
    plans: Vec<Plan>,
    examples: Vec<Vec<Example<'a>>>,
}

impl Work<'_> {
    fn tiles(&self) -> Vec<Tile<'_>> {
        let parts = self.plans.iter().zip(&self.examples);
        parts
            .map(|(plan, examples)| Tile { plan, examples })
            .collect()
    }
}

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
    let found = arguments.inputs.read()?;
    let mut notes = found.dataset.notes.clone();
    notes.extend(found.errors.iter().map(ToString::to_string));
    let mut one_thread = config.clone();
    one_thread.threads = Some(1);
    let one = open(&one_thread, &mut Vec::new())?;
    let all = open(config, &mut notes)?;
    let tasks = found.tasks();
    let (alone, merged) = work(&found.programs, &tasks, arguments);
    let (alone_tiles, merged_tiles) = (alone.tiles(), merged.tiles());
    let evaluations: usize = merged_tiles.iter().map(Tile::evaluations).sum();
    if evaluations == 0 {
        return Err(Failure::Usage {
            message: "there is nothing to time: no program is named after a task".to_owned(),
            hint: "leave --own out to run all programs on all tasks".to_owned(),
        });
    }
    tell(&notes);
    let threads = all.device(heddle::device::DeviceId::CPU)?.card().units;
    let ways = [
        ("sequential", &one, 1, &alone_tiles),
        ("merged", &one, 1, &merged_tiles),
        ("merged, all cores", &all, threads, &merged_tiles),
    ];
    let crew = Crew::new(Budget::default());
    let rows = timed(&ways, evaluations, arguments.rounds as usize, &crew)?;
    let mut devices: BTreeMap<String, u64> = by_device(&one);
    for (device, count) in by_device(&all) {
        *devices.entry(device).or_default() += count;
    }
    let recorded: u64 = devices.values().sum();
    let shares: BTreeMap<&str, f64> = devices
        .iter()
        .map(|(device, count)| (device.as_str(), *count as f64 / recorded.max(1) as f64))
        .collect();
    let slowest = slowest(&one, &alone_tiles, &crew)?;
    let hottest = hottest(&merged_tiles);
    if output.is_json() {
        return Ok(output.object(&json!({
            "machine": all.machine(),
            "programs": found.programs.len(),
            "tasks": tasks.len(),
            "pairing": if arguments.own { "own" } else { "all" },
            "evaluations": evaluations,
            "rows": rows,
            "by_device": devices,
            "device_shares": shares,
            "slowest_programs": slowest,
            "hottest_primitives": hottest,
        }))?);
    }
    print(&rows, evaluations, output)?;
    for (device, share) in shares {
        output.line(format_args!(
            "{:.1} % of the evaluations ran on {device}, by recorded spans",
            share * 100.0
        ))?;
    }
    output.heading("slowest programs, per evaluation")?;
    let mut list = table(&["program ", "time"]);
    for slow in &slowest {
        list.add_row([slow.program.clone(), format!("{:.1} µs", slow.microseconds)]);
    }
    output.line(list)?;
    output.heading("hottest primitives, merged on one core")?;
    let mut list = table(&["primitive ", "share", "calls"]);
    for hot in &hottest {
        list.add_row([
            hot.primitive.to_owned(),
            format!("{:.1} %", hot.share * 100.0),
            grouped(hot.calls),
        ]);
    }
    Ok(output.line(list)?)
}

/// The programs one by one, and merged.
fn work<'a>(
    programs: &[Program],
    tasks: &[&'a Task],
    arguments: &Arguments,
) -> (Work<'a>, Work<'a>) {
    let single = |program: &Program| Plan::new(std::slice::from_ref(program));
    if arguments.own {
        let mut alone = Work {
            plans: Vec::new(),
            examples: Vec::new(),
        };
        let mut merged = Work {
            plans: Vec::new(),
            examples: Vec::new(),
        };
        for task in tasks {
            let own = programs
                .iter()
                .filter(|program| program.task() == &*task.id);
            let own: Vec<Program> = own.cloned().collect();
            if own.is_empty() {
                continue;
            }
            for program in &own {
                alone.plans.push(single(program));
                alone.examples.push(task.examples().collect());
            }
            merged.plans.push(Plan::new(&own));
            merged.examples.push(task.examples().collect());
        }
        return (alone, merged);
    }
    let every: Vec<Example<'a>> = tasks.iter().flat_map(|task| task.examples()).collect();
    let step = every.len().div_ceil(arguments.examples as usize).max(1);
    let some: Vec<Example<'a>> = every.into_iter().step_by(step).collect();
    let alone = Work {
        plans: programs.iter().map(single).collect(),
        examples: vec![some.clone(); programs.len()],
    };
    let merged = Work {
        plans: vec![Plan::new(programs)],
        examples: vec![some],
    };
    (alone, merged)
}

/// Everything once.
fn once(runtime: &Runtime, tiles: &[Tile<'_>], crew: &Crew) -> Result<(), Failure> {
    sweep(runtime, tiles, &Settings::of(crew), |_, _, verdict| {
        matches!(verdict, Verdict::Defined { .. })
    })?;
    Ok(())
}

/// Rounds of each way in turn, so that a slow moment of the machine is shared.
fn timed(
    ways: &[(&'static str, &Runtime, usize, &Vec<Tile<'_>>)],
    evaluations: usize,
    rounds: usize,
    crew: &Crew,
) -> Result<Vec<Row>, Failure> {
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); ways.len()];
    let mut repeats = Vec::with_capacity(ways.len());
    for (_, runtime, _, tiles) in ways {
        // Once for memory to grow, once for the clock.
        once(runtime, tiles, crew)?;
        let start = Instant::now();
        once(runtime, tiles, crew)?;
        let ratio = LEAST_ROUND.as_secs_f64() / start.elapsed().as_secs_f64().max(1e-6);
        repeats.push(ratio.ceil().clamp(1.0, 10_000.0) as u32);
    }
    for _ in 0..rounds {
        for (way, (_, runtime, _, tiles)) in ways.iter().enumerate() {
            let start = Instant::now();
            for _ in 0..repeats[way] {
                once(runtime, tiles, crew)?;
            }
            times[way].push(start.elapsed().as_secs_f64() / f64::from(repeats[way]));
        }
    }
    let mut rows = Vec::with_capacity(ways.len());
    let mut first = None;
    for ((way, _, threads, _), mut times) in ways.iter().zip(times) {
        times.sort_by(f64::total_cmp);
        let median_s = times[times.len() / 2];
        let first = *first.get_or_insert(median_s);
        rows.push(Row {
            way,
            threads: *threads,
            samples_per_second: evaluations as f64 / median_s,
            speedup: first / median_s,
            median_s,
            least_s: times[0],
            most_s: times[times.len() - 1],
            rounds: times.len(),
        });
    }
    Ok(rows)
}

#[derive(Debug, Serialize)]
struct Slow {
    program: String,
    microseconds: f64,
}

fn slowest(runtime: &Runtime, tiles: &[Tile<'_>], crew: &Crew) -> Result<Vec<Slow>, Failure> {
    let mut found = Vec::with_capacity(tiles.len());
    for tile in tiles {
        let mut best = f64::INFINITY;
        for _ in 0..3 {
            let start = Instant::now();
            once(runtime, std::slice::from_ref(tile), crew)?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        found.push(Slow {
            program: tile.plan.name(0).to_owned(),
            microseconds: best * 1e6 / tile.evaluations().max(1) as f64,
        });
    }
    found.sort_by(|a, b| b.microseconds.total_cmp(&a.microseconds));
    found.truncate(LISTED);
    Ok(found)
}

#[derive(Debug, Serialize)]
struct Hot {
    primitive: &'static str,
    /// Of the time of all primitives.
    share: f64,
    calls: u64,
}

fn hottest(tiles: &[Tile<'_>]) -> Vec<Hot> {
    let mut worker = Worker::timed(Budget::default());
    for tile in tiles {
        tile.run(&mut worker, |_, _, _| {});
    }
    let spent = worker.times().map(PrimTimes::hottest).unwrap_or_default();
    let all: f64 = spent.iter().map(|(_, _, time)| time.as_secs_f64()).sum();
    spent
        .iter()
        .take(LISTED)
        .map(|(prim, calls, time)| Hot {
            primitive: prim.name(),
            share: time.as_secs_f64() / all.max(1e-12),
            calls: *calls,
        })
        .collect()
}

fn print(rows: &[Row], evaluations: usize, output: &mut Output) -> std::io::Result<()> {
    let mut list = table(&[
        "way ",
        "threads",
        "samples/s",
        "speed-up",
        "median",
        "least",
        "most",
    ]);
    for row in rows {
        list.add_row([
            row.way.to_owned(),
            row.threads.to_string(),
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
