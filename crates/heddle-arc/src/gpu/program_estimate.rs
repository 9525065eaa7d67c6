//! What is known of each program of a job: a few examples are run to see how long it is.

use super::grid_features::{CELLS, GAUGES, GridFeatures, StepFit};
use super::selected_evaluations::{GradedOfTile, SelectedEvaluations, SelectedOfTile, Wait};
use crate::assess::Grade;
use crate::engine::{EvaluationRef, Grid, Tile};
use crate::fault::Fault;
use crate::operations::{EVALUATE_ON_CPU, EvaluationSettings, ExampleBlock, TileExample};
use heddle_runtime::device::DeviceId;
use heddle_runtime::units::Nanos;
use heddle_runtime::{Error, Runtime};
use std::collections::HashMap;

/// Programs of one example that one thread runs together: few enough that no thread
/// waits for the one with the largest example and several long programs.
const TOGETHER: usize = 16;

/// How many times as long as later a thread takes for what it runs first, about: 12,768
/// evaluations of a sample took the 16 threads beside an H200 some 13 ms, and 7 when they
/// were run once more. Of 1 to 3.5, 2 made shared jobs fastest there.
const COLD: f64 = 2.0;
/// What a thread takes for a step, about: an evaluation that came to nothing does not say
/// how many it took.
const NANOS_A_STEP: u64 = 12;
/// What a warp does for an evaluation of no steps, counted in steps.
const STEPS_ANYWAY: u64 = 60;

/// One program on all examples of a lot that are its plan's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ProgramEstimate {
    pub(super) tile_group: usize,
    /// The number of the plan, and of the program in it.
    pub(super) plan: u64,
    pub(super) program: usize,
    pub(super) evaluations: usize,
    /// The most steps it took in the sample, and the gauge of examples they rise with.
    pub(super) steps: u32,
    pub(super) grid_features: u8,
    /// What a thread of the processor will take for an evaluation, on average.
    pub(super) seconds_each: f64,
    /// The part of that which a GPU would not save: evaluations of more steps than a warp
    /// may take are flagged, and the processor has them all the same.
    pub(super) flagged_each: f64,
    /// Steps that a warp takes for an evaluation, on average, until it is flagged or done.
    pub(super) warp_steps_each: f64,
}

impl ProgramEstimate {
    /// What a thread of the processor would need for all of it.
    pub(super) fn seconds(&self) -> f64 {
        self.evaluations as f64 * self.seconds_each
    }

    /// What it would not need if a GPU took it.
    pub(super) fn saved(&self) -> f64 {
        self.evaluations as f64 * (self.seconds_each - self.flagged_each)
    }

    /// Steps that warps take for all of it.
    pub(super) fn warp_steps(&self) -> f64 {
        self.evaluations as f64 * self.warp_steps_each
    }
}

/// What a sample says of a program.
#[derive(Clone, Copy, Debug, Default)]
struct Sampled {
    max_steps: u64,
    fit: StepFit,
    nanos: u64,
    /// Of evaluations with too many steps for a warp.
    flagged_nanos: u64,
    warp_steps: u64,
    evaluations: u64,
}

/// A sample of a job, run: the evaluations, and how long each program is.
pub(super) struct SampleRun {
    pub(super) some: Vec<SelectedOfTile>,
    pub(super) graded: Vec<GradedOfTile<Grade>>,
    programs: HashMap<(u64, usize), Sampled>,
}

impl SampleRun {
    /// Runs every program of these blocks on the processor, of which some threads wait for
    /// something first; a warp may take so many steps.
    pub(super) fn run<'g>(
        runtime: &Runtime,
        tiles: &[Tile<'_>],
        settings: &EvaluationSettings<'_>,
        wanted: &(impl Fn(TileExample) -> &'g Grid + Sync),
        (blocks, wait): (&[ExampleBlock], Wait<'_>),
        cap: u32,
    ) -> Result<SampleRun, Error> {
        let some = pieces(tiles, blocks);
        let most = settings.worker_pool.budget().steps;
        let grade = |part: TileExample, _: usize, evaluation: EvaluationRef<'_>, took: Nanos| {
            let steps = match evaluation {
                EvaluationRef::Defined { steps, .. } => steps,
                EvaluationRef::Undefined(why) if matches!(why.fault, Fault::Budget(_)) => most,
                EvaluationRef::Undefined(_) => 0,
            };
            (Grade::of(&evaluation, wanted(part)), steps, took)
        };
        let operation = SelectedEvaluations {
            kind: &EVALUATE_ON_CPU,
            tiles,
            some: &some,
            settings,
            grade: &grade,
            wait: Some(wait),
        };
        let timed = runtime.run_on(DeviceId::CPU, operation)?;
        let mut programs: HashMap<(u64, usize), Sampled> = HashMap::new();
        let mut graded = Vec::with_capacity(timed.len());
        let mut grid_feature_lists = (None, [0.0; GAUGES]);
        for ((tile, _), timed) in some.iter().zip(timed) {
            let plan = tiles[*tile].plan.number;
            let mut of_piece = Vec::with_capacity(timed.len());
            for (example, program, (grade, steps, took)) in timed {
                // Pieces of an example come one after the other.
                if grid_feature_lists.0 != Some((*tile, example)) {
                    let input = tiles[*tile].examples[example].input;
                    grid_feature_lists =
                        (Some((*tile, example)), GridFeatures::of(input).logarithms());
                }
                let sampled = programs.entry((plan, program)).or_default();
                sampled.max_steps = sampled.max_steps.max(steps);
                sampled.fit.add(&grid_feature_lists.1, steps);
                sampled.nanos += took.0;
                if steps > u64::from(cap) {
                    sampled.flagged_nanos += took.0;
                }
                let counted = match steps {
                    0 => took.0 / NANOS_A_STEP,
                    steps => steps,
                };
                sampled.warp_steps += STEPS_ANYWAY + counted.min(u64::from(cap));
                sampled.evaluations += 1;
                of_piece.push((example, program, grade));
            }
            graded.push(of_piece);
        }
        Ok(SampleRun {
            some,
            graded,
            programs,
        })
    }

    /// Every program on all examples of blocks, by lot, the shortest first. Programs of
    /// plans that were not sampled are taken to be short, and to cost what others do.
    pub(super) fn program_estimates(
        &self,
        tiles: &[Tile<'_>],
        tile_groups: &[Vec<ExampleBlock>],
    ) -> Vec<ProgramEstimate> {
        let nanos: u64 = self.programs.values().map(|sampled| sampled.nanos).sum();
        let count: u64 = self.programs.values().map(|one| one.evaluations).sum();
        let average = nanos as f64 / count.max(1) as f64;
        let warp_steps: u64 = self.programs.values().map(|one| one.warp_steps).sum();
        let average_steps = warp_steps as f64 / count.max(1) as f64;
        let mut program_estimates = Vec::new();
        for (tile_group, blocks) in tile_groups.iter().enumerate() {
            let mut plans: HashMap<u64, (usize, usize)> = HashMap::new();
            for block in blocks {
                let plan = tiles[block.tile].plan;
                let (_, examples) = plans.entry(plan.number).or_insert((plan.len(), 0));
                *examples += block.examples.len();
            }
            for (plan, (programs, evaluations)) in plans {
                program_estimates.extend((0..programs).map(|program| {
                    let sampled = self.programs.get(&(plan, program));
                    let each = |of: fn(&Sampled) -> u64| {
                        sampled.map(|one| of(one) as f64 / one.evaluations.max(1) as f64)
                    };
                    let nanos = each(|one| one.nanos).unwrap_or(average);
                    let flagged = each(|one| one.flagged_nanos).unwrap_or(0.0);
                    let steps = sampled.map_or(0, |sampled| sampled.max_steps);
                    ProgramEstimate {
                        tile_group,
                        plan,
                        program,
                        evaluations,
                        steps: u32::try_from(steps).unwrap_or(u32::MAX),
                        grid_features: sampled.map_or(CELLS, |sampled| sampled.fit.best()),
                        seconds_each: nanos / COLD / 1e9,
                        flagged_each: flagged / COLD / 1e9,
                        warp_steps_each: each(|one| one.warp_steps).unwrap_or(average_steps),
                    }
                }));
            }
        }
        program_estimates.sort_by_key(|program_estimate| {
            (
                program_estimate.steps,
                program_estimate.tile_group,
                program_estimate.plan,
                program_estimate.program,
            )
        });
        program_estimates
    }
}

/// Every program of blocks on each of their examples, the large examples first.
fn pieces(tiles: &[Tile<'_>], blocks: &[ExampleBlock]) -> Vec<SelectedOfTile> {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for block in blocks {
        parts.extend(block.examples.clone().map(|example| (block.tile, example)));
    }
    let cells = |tile: usize, example: usize| tiles[tile].examples[example].input.cells().len();
    parts.sort_by_key(|(tile, example)| std::cmp::Reverse(cells(*tile, *example)));
    let mut pieces = Vec::new();
    for (tile, example) in parts {
        let programs: Vec<usize> = (0..tiles[tile].plan.len()).collect();
        pieces.extend(programs.chunks(TOGETHER).map(|programs| {
            let pairs = programs.iter().map(|program| (example, *program));
            (tile, pairs.collect())
        }));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Example;
    use crate::gpu::sample::{programs, tasks};
    use crate::meter::Budget;
    use crate::operations::WorkerPool;
    use crate::plan::Plan;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_sample_tells_how_long_programs_are() {
        let plans = [Plan::new(&programs()[..40]), Plan::new(&programs()[40..43])];
        let task = &tasks()[0];
        let examples: Vec<Example<'_>> = task.examples().collect();
        let outputs: Vec<&Grid> = task.pairs().map(|(_, output)| output).collect();
        let tile = |plan| Tile {
            plan: &plans[plan],
            examples: &examples,
        };
        let tiles = [tile(0), tile(1)];
        let block = |tile, examples| ExampleBlock::new(&tiles, tile, examples);
        let runtime = Runtime::builder().without_model_cache().build().unwrap();
        let worker_pool = WorkerPool::new(Budget::default());
        let wanted = |part: TileExample| outputs[part.example];
        let waited = AtomicUsize::new(0);
        let wait = Wait {
            threads: 2,
            until: &|| {
                waited.fetch_add(1, Ordering::Relaxed);
            },
        };
        let sample = SampleRun::run(
            &runtime,
            &tiles,
            &EvaluationSettings::of(&worker_pool),
            &wanted,
            (&[block(0, 0..2)], wait),
            100,
        );
        let sample = sample.unwrap();
        assert_eq!(waited.into_inner(), 2);
        let made: usize = sample.graded.iter().map(Vec::len).sum();
        assert_eq!(made, 80);
        let tile_groups = [vec![block(0, 2..3), block(1, 0..3)], vec![block(0, 3..4)]];
        let program_estimates = sample.program_estimates(&tiles, &tile_groups);
        assert_eq!(program_estimates.len(), 40 + 3 + 40);
        assert!(program_estimates.is_sorted_by_key(|program_estimate| program_estimate.steps));
        assert!(
            program_estimates
                .iter()
                .all(|program_estimate| program_estimate.seconds_each > 0.0)
        );
        let most = (STEPS_ANYWAY + 100) as f64;
        let is_counted = |program_estimate: &ProgramEstimate| {
            let each = program_estimate.warp_steps_each;
            each >= STEPS_ANYWAY as f64 && each <= most
        };
        assert!(program_estimates.iter().all(is_counted));
        // Nobody looked at the second plan.
        let other = program_estimates
            .iter()
            .find(|program_estimate| program_estimate.plan == plans[1].number);
        let other = other.unwrap();
        assert_eq!(
            (other.steps, other.evaluations, other.tile_group),
            (0, 3, 0)
        );
        let longest = program_estimates.last().unwrap();
        assert!(longest.steps > 0 && longest.evaluations == 1);
    }
}
