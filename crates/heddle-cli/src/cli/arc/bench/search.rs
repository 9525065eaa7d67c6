//! The load of a search: very many generated programs, each on a few grids.

use std::io;
use std::time::Instant;

use heddle::arc::data::Task;
use heddle::arc::engine::{Example, Grid};
use heddle::arc::gpu::Flags;
use heddle::arc::plan::Plan;
use heddle::arc::program::{Form, Program};
use heddle::arc::rng::Rng;
use heddle::arc::search::{ProgramShape, generate};
use heddle::cpu::CpuPool;
use heddle::memory::admit_host;
use heddle::units::Bytes;
use serde::Serialize;

use super::{ArcBenchRow, Arguments, BenchPlans, Runner, bench_case, pairs, print, timed};
use crate::cli::Failure;
use crate::cli::output::{FAINT, Output};

/// Number of grids for each program.
const EXAMPLES: usize = 4;
/// Number of programs merged into one plan.
const PROGRAMS_PER_PLAN: usize = 4096;
/// What a program takes in its plan, measured, with its evaluations.
const BYTES_PER_PROGRAM: usize = 2 << 10;
/// Lines of each program, if possible.
const LINES: usize = 10;

/// The measurements of the search.
#[derive(Debug, Serialize)]
pub(super) struct SearchBench {
    programs: usize,
    examples: usize,
    evaluations: usize,
    /// Time of generating the programs and merging them into plans, on all cores.
    planning_s: f64,
    rows: Vec<ArcBenchRow>,
    /// Speed on the GPU as a multiple of that on all cores.
    gpu_against_cpu: Option<f64>,
}

/// Returns generated programs, merged into plans, with a few grids each.
pub(super) fn work<'a>(
    tasks: &[&'a Task],
    seed: u64,
    programs: usize,
    pool: &CpuPool,
) -> BenchPlans<'a> {
    let starts: Vec<usize> = (0..programs).step_by(PROGRAMS_PER_PLAN).collect();
    let plans = pool.map(Bytes(u64::MAX), starts.into_iter(), |start| {
        let numbers = start..programs.min(start + PROGRAMS_PER_PLAN);
        let made: Vec<Program> = numbers.map(|number| program(seed, number)).collect();
        Plan::new(&made)
    });
    let some = select_pairs(tasks);
    let mut work = BenchPlans::default();
    for plan in plans {
        work.add(plan, some.iter().copied());
    }
    work
}

/// Returns [`EXAMPLES`] pairs, spread evenly over the tasks.
fn select_pairs<'a>(tasks: &[&'a Task]) -> Vec<(Example<'a>, &'a Grid)> {
    let every: Vec<_> = tasks.iter().flat_map(|task| pairs(task)).collect();
    let count = EXAMPLES.min(every.len());
    (0..count)
        .map(|at| every[at * every.len() / count])
        .collect()
}

fn program(seed: u64, number: usize) -> Program {
    let shape = ProgramShape {
        lines: LINES,
        form: Form::Input,
    };
    let name = format!("solve_random_{seed}_{number}");
    generate(&name, shape, &mut Rng::of(seed, number as u64))
}

/// Times the search on all cores and on a GPU.
pub(super) fn run(
    tasks: &[&Task],
    arguments: &Arguments,
    cpu: &Runner<'_>,
    gpu: Option<&Runner<'_>>,
    flags: &mut Flags,
) -> Result<SearchBench, Failure> {
    let start = Instant::now();
    let pool = cpu.runtime.pool();
    admit_host(
        "the generated programs",
        Bytes::of::<[u8; BYTES_PER_PROGRAM]>(arguments.generated),
    )?;
    let work = work(tasks, arguments.seed, arguments.generated, pool);
    let planning_s = start.elapsed().as_secs_f64();
    let load = work.load();
    let mut search = SearchBench {
        programs: arguments.generated,
        examples: load.tiles.first().map_or(0, |tile| tile.examples.len()),
        evaluations: load.evaluations(),
        planning_s,
        rows: Vec::new(),
        gpu_against_cpu: None,
    };
    if search.evaluations == 0 {
        return Ok(search);
    }
    let mut cases = vec![bench_case("generated, all cores", cpu, &load)];
    if let Some(gpu) = gpu {
        cases.push(bench_case(
            &format!("generated, {}", gpu.device),
            gpu,
            &load,
        ));
    }
    let (rows, flagged) = timed(&cases, arguments.rounds as usize)?;
    flags.add_all(&flagged);
    search.gpu_against_cpu = rows.get(1).map(|row| row.speedup);
    search.rows = rows;
    Ok(search)
}

impl SearchBench {
    /// Returns `, 12.000 generated`, if both were measured.
    pub(super) fn speedup_text(&self) -> String {
        let words = |times: f64| format!(", {times:.3} generated");
        self.gpu_against_cpu.map(words).unwrap_or_default()
    }

    pub(super) fn print(&self, output: &mut Output) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        output.heading(format_args!(
            "{} generated programs on {} grids",
            super::grouped(self.programs as u64),
            self.examples
        ))?;
        print(&self.rows, self.evaluations, output)?;
        output.line(format_args!(
            "{FAINT}generating and merging them took {:.2} s and is not counted{FAINT:#}",
            self.planning_s
        ))
    }
}
