//! The number of evaluations from which a GPU is faster than the CPU.
//!
//! A few sizes are measured on both; the GPU's time includes lowering and transfers.

use std::io;
use std::time::Instant;

use heddle::arc::data::Task;
use heddle::arc::engine::Tile;
use heddle::arc::gpu::Flags;
use serde::Serialize;

use super::{Arguments, BenchLoad, Runner, grouped, search};
use crate::cli::Failure;
use crate::cli::output::Output;
use crate::cli::table::table;

/// The ratio of one size to the size before.
const GROWTH: usize = 4;
/// Programs of the smallest and of the largest job: a GPU that is not faster by then
/// never is.
const MIN_PROGRAMS: usize = 16;
const MAX_PROGRAMS: usize = 1 << 15;
/// Runs of each size; the shortest is reported.
const RUNS: usize = 3;

/// The times of one size.
#[derive(Clone, Copy, Debug, Serialize)]
struct BreakEvenPoint {
    evaluations: usize,
    cpu_s: f64,
    gpu_s: f64,
}

/// The times of all sizes, and the break-even size.
#[derive(Debug, Serialize)]
pub(super) struct BreakEvenCurve {
    shape: &'static str,
    device: String,
    points: Vec<BreakEvenPoint>,
    /// The break-even size, interpolated; `None` if the GPU is not faster at the largest.
    evaluations: Option<usize>,
}

/// Times all programs on a growing number of examples.
pub(super) fn by_examples(
    load: &BenchLoad<'_>,
    cpu: &Runner<'_>,
    gpu: &Runner<'_>,
    flags: &mut Flags,
) -> Result<BreakEvenCurve, Failure> {
    let most = load.tiles.iter().map(|tile| tile.examples.len()).max();
    let mut points = Vec::new();
    for count in sizes(1, most.unwrap_or(0)) {
        let part = BenchLoad {
            tiles: load
                .tiles
                .iter()
                .map(|tile| Tile {
                    plan: tile.plan,
                    examples: &tile.examples[..count.min(tile.examples.len())],
                })
                .collect(),
            wanted: load.wanted,
        };
        points.push(point(&part, cpu, gpu, flags)?);
    }
    Ok(BreakEvenCurve::new(
        "all programs, by number of examples",
        points,
        gpu,
    ))
}

/// Times a growing number of generated programs on a few examples.
pub(super) fn by_programs(
    tasks: &[&Task],
    arguments: &Arguments,
    cpu: &Runner<'_>,
    gpu: &Runner<'_>,
    flags: &mut Flags,
) -> Result<BreakEvenCurve, Failure> {
    let mut points = Vec::new();
    for count in sizes(MIN_PROGRAMS, arguments.generated.min(MAX_PROGRAMS)) {
        let work = search::work(tasks, arguments.seed, count, cpu.runtime.pool());
        points.push(point(&work.load(), cpu, gpu, flags)?);
    }
    Ok(BreakEvenCurve::new(
        "generated programs, by number of programs",
        points,
        gpu,
    ))
}

fn sizes(least: usize, most: usize) -> Vec<usize> {
    let mut sizes = Vec::new();
    let mut size = least;
    while size < most {
        sizes.push(size);
        size = size.saturating_mul(GROWTH);
    }
    if most > 0 {
        sizes.push(most);
    }
    sizes
}

fn point(
    load: &BenchLoad<'_>,
    cpu: &Runner<'_>,
    gpu: &Runner<'_>,
    flags: &mut Flags,
) -> Result<BreakEvenPoint, Failure> {
    let [mut cpu_s, mut gpu_s] = [f64::INFINITY; 2];
    for _ in 0..RUNS {
        for (runner, best) in [(cpu, &mut cpu_s), (gpu, &mut gpu_s)] {
            let start = Instant::now();
            flags.add_all(&runner.once(load)?);
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    Ok(BreakEvenPoint {
        evaluations: load.evaluations(),
        cpu_s,
        gpu_s,
    })
}

impl BreakEvenCurve {
    fn new(shape: &'static str, points: Vec<BreakEvenPoint>, gpu: &Runner<'_>) -> Self {
        BreakEvenCurve {
            shape,
            device: gpu.device.to_string(),
            evaluations: crossover(&points),
            points,
        }
    }

    pub(super) fn print(&self, output: &mut Output) -> io::Result<()> {
        output.heading(format_args!("break-even, {}", self.shape))?;
        let mut list = table(&["evaluations", "all cores", &self.device, "speed-up"]);
        for point in &self.points {
            list.add_row([
                grouped(point.evaluations as u64),
                format!("{:.2} ms", point.cpu_s * 1e3),
                format!("{:.2} ms", point.gpu_s * 1e3),
                format!("{:.3}", point.cpu_s / point.gpu_s),
            ]);
        }
        output.line(list)?;
        let most = self.points.last().map_or(0, |point| point.evaluations);
        match self.evaluations {
            Some(count) => output.line(format_args!(
                "{} is worth it from about {} evaluations on, lowering and transfers included",
                self.device,
                grouped(count as u64)
            )),
            None => output.line(format_args!(
                "{} is not worth it up to {} evaluations, the most measured",
                self.device,
                grouped(most as u64)
            )),
        }
    }
}

/// Returns the size from which the GPU stays faster, interpolated linearly between the
/// measured sizes before and after.
fn crossover(points: &[BreakEvenPoint]) -> Option<usize> {
    let ahead = points
        .iter()
        .rev()
        .take_while(|point| point.gpu_s < point.cpu_s);
    let first = points.len() - ahead.count();
    let after = points.get(first)?;
    let Some(before) = first.checked_sub(1).and_then(|at| points.get(at)) else {
        return Some(after.evaluations);
    };
    let behind = before.gpu_s - before.cpu_s;
    let share = behind / (behind + after.cpu_s - after.gpu_s);
    let between = (after.evaluations - before.evaluations) as f64;
    Some(before.evaluations + (share * between).ceil() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(times: &[(f64, f64)]) -> Vec<BreakEvenPoint> {
        let point = |(at, &(cpu_s, gpu_s)): (usize, &(f64, f64))| BreakEvenPoint {
            evaluations: 100 * (at + 1),
            cpu_s,
            gpu_s,
        };
        times.iter().enumerate().map(point).collect()
    }

    #[test]
    fn the_crossover_lies_between_two_sizes() {
        assert_eq!(crossover(&points(&[(1.0, 3.0), (4.0, 2.0)])), Some(150));
        assert_eq!(crossover(&points(&[(3.0, 1.0), (4.0, 2.0)])), Some(100));
        assert_eq!(crossover(&points(&[(3.0, 1.0), (1.0, 2.0)])), None);
        assert_eq!(crossover(&[]), None);
    }

    #[test]
    fn sizes_grow_up_to_the_most() {
        assert_eq!(sizes(1, 20), [1, 4, 16, 20]);
        assert_eq!(sizes(16, 16), [16]);
        assert_eq!(sizes(1, 0), [0_usize; 0]);
    }
}
