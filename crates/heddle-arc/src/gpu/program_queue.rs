//! A job shared by program: GPUs take the shortest, the processor the longest.
//!
//! A warp is a slow worker. What takes many steps keeps a whole launch waiting, and
//! beyond a cap it is flagged and all of it was in vain; short programs go one and a half
//! times as fast on an H200 as on 16 threads. So both begin at their own end of the
//! programs, ordered by length, and meet somewhere between: where both would be done at the
//! same time, by the steps of a sample. What counts for a GPU are the steps of its warps,
//! for the processor the time it was seen to take; evaluations that will be flagged are the
//! processor's whoever has their program. If a GPU was taken to be too slow, it takes a part
//! of what is left, launch by launch.

use super::program_estimate::ProgramEstimate;
use super::program_selection::{Given, ProgramSelection};
use super::selected_evaluations::SelectedOfTile;
use crate::engine::Tile;
use crate::operations::ExampleBlock;
use heddle_runtime::device::DeviceId;
use heddle_runtime::units::Nanos;
use std::collections::VecDeque;
use std::sync::Arc;

/// Seconds that a multiprocessor takes for a step of one of its warps, in a launch that has
/// something for all of them: an H200 took 140 ms for the 505 million steps of all pairs.
const PACE_S: f64 = 37e-9;
/// The part of its fair share that a GPU takes once it has had a launch: what is left has
/// longer and longer programs. At first it takes all of it, because each launch ends with a
/// wait for its longest evaluations.
const PART_OF_REST_OF_SHARE: f64 = 0.4;
/// Launches a GPU takes programs for at once: one runs, one is prepared.
const LAUNCHES_AHEAD: usize = 2;
/// Evaluations of a launch at most: their results have to fit into memory.
pub(super) const MAX_EVALUATIONS: usize = 1 << 22;
/// Seconds of work that a processor takes at once, and at the end the part of its fair
/// share.
const QUICK_S: f64 = 0.02;
const PART_OF_REST: f64 = 0.5;
/// Seconds of what one thread of it runs together, and evaluations at most.
const PIECE_S: f64 = 0.001;
const PIECE: usize = 64;

/// What is left of a job, by program.
#[derive(Debug)]
pub(super) struct ProgramQueue<'a> {
    tiles: &'a [Tile<'a>],
    /// By lot.
    blocks: &'a [Vec<ExampleBlock>],
    /// Nobody has these yet; the shortest first.
    program_estimates: VecDeque<ProgramEstimate>,
    /// What is left of those the processor has begun, and the seconds a thread needs.
    begun: Vec<(SelectedOfTile, f64)>,
    /// Seconds that a thread of the processor would need for all that nobody has.
    left: f64,
    /// The same of what launches flag that run, as far as somebody saw it coming.
    flagged: f64,
    gpus: Vec<Gpu>,
    /// Of the processor: each makes a second in a second.
    threads: usize,
    latency: Latency,
    /// The most steps a warp may take.
    cap: u32,
}

/// What a GPU takes however little it does, in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Latency {
    /// A launch with little to do.
    pub(super) launch: f64,
    /// A step of a warp that all others wait for: on an H200 a launch with evaluations
    /// of 20,000 steps takes some 0.04 s.
    pub(super) step: f64,
}

impl Default for Latency {
    fn default() -> Self {
        Latency {
            launch: 0.02,
            step: 2e-6,
        }
    }
}

/// Seconds in which the processor is done with the rest as soon as a launch would be.
fn not_worth_a_launch(latency: Latency) -> f64 {
    2.0 * latency.launch
}

/// A GPU.
#[derive(Clone, Copy, Debug)]
struct Gpu {
    device: DeviceId,
    /// Seconds it takes for a step where all its warps have some, and whether that was seen.
    speed: f64,
    is_seen: bool,
    /// Seconds of what it has taken and not made yet, in how many launches.
    under_way: f64,
    launches: usize,
}

/// The pace of a GPU of so many multiprocessors, about.
pub(super) fn pace_of(units: usize) -> f64 {
    PACE_S / units.max(1) as f64
}

/// What a GPU does next.
#[derive(Debug)]
pub(super) enum QueueStep {
    /// Programs of a lot.
    Programs(Arc<ProgramSelection>, usize),
    /// It has its share; ask again when something has changed.
    Wait,
    /// Nothing, and nothing will come.
    Done,
}

impl<'a> ProgramQueue<'a> {
    /// All of these strands, shortest first, for a processor of so many threads and
    /// GPUs, each with its pace, about.
    pub(super) fn new(
        tiles: &'a [Tile<'a>],
        blocks: &'a [Vec<ExampleBlock>],
        program_estimates: Vec<ProgramEstimate>,
        (threads, gpus): (usize, Vec<(DeviceId, f64)>),
        (latency, cap): (Latency, u32),
    ) -> Self {
        let gpu = |(device, speed)| Gpu {
            device,
            speed,
            is_seen: false,
            under_way: 0.0,
            launches: 0,
        };
        ProgramQueue {
            tiles,
            blocks,
            left: program_estimates.iter().map(ProgramEstimate::seconds).sum(),
            flagged: 0.0,
            program_estimates: program_estimates.into(),
            begun: Vec::new(),
            gpus: gpus.into_iter().map(gpu).collect(),
            threads,
            latency,
            cap,
        }
    }

    /// The blocks of a lot.
    pub(super) fn blocks(&self, tile_group: usize) -> &'a [ExampleBlock] {
        &self.blocks[tile_group]
    }

    /// Whether a GPU has taken something that it has not made yet.
    pub(super) fn is_busy(&self, device: DeviceId) -> bool {
        let mut own = self.gpus.iter().filter(|gpu| gpu.device == device);
        own.any(|gpu| gpu.launches > 0)
    }

    /// When this GPU is done with what it has and takes, if it takes as much of the rest
    /// as lets it end together with the processor.
    fn end(&self, gpu: &Gpu) -> f64 {
        let threads = self.threads as f64;
        // GPUs that have nothing yet take as much as this one, each by its speed.
        let idle = self.gpus.iter().filter(|other| other.launches == 0);
        let idle = idle.filter(|other| other.device != gpu.device);
        let alike = 1.0 + idle.map(|other| gpu.speed / other.speed).sum::<f64>();
        let mut own = gpu.under_way;
        let mut beside = (self.left + self.flagged) / threads;
        for program_estimate in &self.program_estimates {
            if own >= beside {
                break;
            }
            own += program_estimate.warp_steps() * gpu.speed;
            beside -= alike * program_estimate.saved() / threads;
        }
        own
    }

    /// What a GPU does next.
    pub(super) fn take(&mut self, device: DeviceId) -> QueueStep {
        let own = self.gpus.iter().position(|gpu| gpu.device == device);
        let (Some(own), Some(first)) = (own, self.program_estimates.front()) else {
            return QueueStep::Done;
        };
        let gpu = self.gpus[own];
        if gpu.launches >= LAUNCHES_AHEAD {
            return QueueStep::Wait;
        }
        let end = self.end(&gpu);
        let (latency, cap) = (self.latency, self.cap);
        let is_long = |program_estimate: &ProgramEstimate| {
            f64::from(program_estimate.steps.min(cap)) * latency.step > end
        };
        let part = if gpu.is_seen {
            PART_OF_REST_OF_SHARE
        } else {
            1.0
        };
        let share = part * (end - gpu.under_way);
        let is_busy = gpu.launches > 0;
        let alone = self.left / self.threads as f64;
        let has_its_share = is_busy && share < latency.launch;
        if alone < not_worth_a_launch(latency) || has_its_share || is_long(first) {
            return if is_busy {
                QueueStep::Wait
            } else {
                QueueStep::Done
            };
        }
        let share = share.max(latency.launch);
        let tile_group = first.tile_group;
        let (mut seconds, mut flagged, mut evaluations) = (0.0, 0.0, 0);
        let mut taken = Vec::new();
        self.program_estimates.retain(|program_estimate| {
            let fits = seconds < share && evaluations < MAX_EVALUATIONS;
            let takes =
                program_estimate.tile_group == tile_group && fits && !is_long(program_estimate);
            if takes {
                seconds += program_estimate.warp_steps() * gpu.speed;
                evaluations += program_estimate.evaluations;
                self.left = (self.left - program_estimate.seconds()).max(0.0);
                flagged += program_estimate.seconds() - program_estimate.saved();
                let given = Given {
                    program: program_estimate.program,
                    steps: program_estimate.steps,
                    grid_features: program_estimate.grid_features,
                };
                taken.push((program_estimate.plan, given));
            }
            !takes
        });
        self.gpus[own].under_way += seconds;
        self.gpus[own].launches += 1;
        self.flagged += flagged;
        QueueStep::Programs(
            Arc::new(ProgramSelection::new(taken, [seconds, flagged])),
            tile_group,
        )
    }

    /// What the processor does next; nothing where all is taken.
    pub(super) fn beside(&mut self) -> Vec<SelectedOfTile> {
        let alone = self.left / self.threads as f64;
        let most = if alone < not_worth_a_launch(self.latency) {
            // No GPU takes more, and every operation ends with a wait for its last thread.
            f64::INFINITY
        } else {
            let many = (self.threads * (1 + self.gpus.len())) as f64;
            self.threads as f64 * QUICK_S.min(PART_OF_REST * self.left / many)
        };
        let (mut some, mut seconds) = (Vec::new(), 0.0);
        while seconds < most || some.len() < self.threads {
            if self.begun.is_empty()
                && let Some(program_estimate) = self.program_estimates.pop_back()
            {
                self.begin(program_estimate);
            }
            let Some((few, its_seconds)) = self.begun.pop() else {
                break;
            };
            seconds += its_seconds;
            some.push(few);
        }
        self.left = (self.left - seconds).max(0.0);
        some
    }

    /// Cuts a strand into pieces.
    fn begin(&mut self, program_estimate: ProgramEstimate) {
        let together = (PIECE_S / program_estimate.seconds_each.max(1e-9)) as usize;
        let together = together.clamp(1, PIECE);
        for block in &self.blocks[program_estimate.tile_group] {
            if self.tiles[block.tile].plan.number != program_estimate.plan {
                continue;
            }
            let examples: Vec<usize> = block.examples.clone().collect();
            self.begun.extend(examples.chunks(together).map(|piece| {
                let pairs = piece
                    .iter()
                    .map(|example| (*example, program_estimate.program));
                let seconds = piece.len() as f64 * program_estimate.seconds_each;
                ((block.tile, pairs.collect()), seconds)
            }));
        }
    }

    /// Learns what a launch took; nearly all that it flagged is redone by now.
    pub(super) fn learn(
        &mut self,
        device: DeviceId,
        program_selection: &ProgramSelection,
        took: Nanos,
    ) {
        self.flagged = (self.flagged - program_selection.flagged).max(0.0);
        if let Some(gpu) = self.gpus.iter_mut().find(|gpu| gpu.device == device) {
            gpu.under_way = (gpu.under_way - program_selection.seconds).max(0.0);
            gpu.launches = gpu.launches.saturating_sub(1);
            if program_selection.seconds > 0.0 {
                let seen = gpu.speed * (took.0 as f64 / 1e9) / program_selection.seconds;
                gpu.speed = f64::midpoint(gpu.speed, seen);
                gpu.is_seen = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Example, Grid};
    use crate::gpu::sample::programs;
    use crate::plan::Plan;
    use std::collections::HashSet;

    const GPU: DeviceId = DeviceId::cuda(0);

    /// Programs that cost a thread this much on each of 500 examples, and have as many
    /// steps as they take nanoseconds.
    fn program_estimates(plan: &Plan, nanos: &[u32]) -> Vec<ProgramEstimate> {
        let program_estimate = |(program, nanos): (usize, &u32)| ProgramEstimate {
            tile_group: 0,
            plan: plan.number,
            program,
            evaluations: 500,
            steps: *nanos,
            grid_features: 0,
            seconds_each: f64::from(*nanos) / 1e9,
            flagged_each: 0.0,
            warp_steps_each: f64::from(*nanos),
        };
        nanos.iter().enumerate().map(program_estimate).collect()
    }

    /// A processor of four threads and a GPU that is `times` as fast as one takes turns.
    /// When both are done, and how many launches there were.
    fn shared(nanos: &[u32], times: f64, believed: f64, cap: u32) -> (f64, usize) {
        let plan = Plan::new(&programs()[..nanos.len()]);
        let grid = Grid::new(&[[0]]).unwrap();
        let examples = vec![Example::new(&grid); 500];
        let tiles = [Tile {
            plan: &plan,
            examples: &examples,
        }];
        let blocks = [vec![
            ExampleBlock::new(&tiles, 0, 0..300),
            ExampleBlock::new(&tiles, 0, 300..500),
        ]];
        let gpus = vec![(GPU, 1e-9 / believed)];
        let program_estimates = program_estimates(&plan, nanos);
        let mut program_queue = ProgramQueue::new(
            &tiles,
            &blocks,
            program_estimates,
            (4, gpus),
            (Latency::default(), cap),
        );
        let mut made = HashSet::new();
        let (mut cpu, mut gpu) = (0.0_f64, 0.0_f64);
        let (mut launches, mut is_done) = (0, false);
        loop {
            if !is_done && gpu <= cpu {
                match program_queue.take(GPU) {
                    QueueStep::Programs(program_selection, 0) => {
                        launches += 1;
                        for given in program_selection.of(&plan) {
                            made.extend((0..500).map(|example| (example, given.program)));
                        }
                        let evaluations = program_selection.of(&plan).iter();
                        let took = evaluations
                            .map(|given| 500.0 * f64::from(nanos[given.program]) / 1e9)
                            .sum::<f64>()
                            / times;
                        gpu += took;
                        program_queue.learn(GPU, &program_selection, Nanos((took * 1e9) as u64));
                    }
                    QueueStep::Done => is_done = true,
                    other => panic!("{other:?}"),
                }
                continue;
            }
            let some = program_queue.beside();
            if some.is_empty() {
                break;
            }
            for (tile, pairs) in some {
                assert_eq!(tile, 0);
                for (example, program) in pairs {
                    cpu += f64::from(nanos[program]) / 1e9 / 4.0;
                    assert!(made.insert((example, program)), "{example} {program} twice");
                }
            }
        }
        assert_eq!(made.len(), nanos.len() * 500);
        (cpu.max(gpu), launches)
    }

    #[test]
    fn processor_and_gpu_end_together_though_nobody_knew_how_fast_it_is() {
        let nanos: Vec<u32> = (0..40).map(|k| 10_000 + 4_000 * k).collect();
        let all: f64 = nanos
            .iter()
            .map(|nanos| 500.0 * f64::from(*nanos) / 1e9)
            .sum();
        // Prices that are too good cost most.
        for (times, believed, most) in [
            (12.0, 12.0, 1.35),
            (12.0, 4.0, 1.4),
            (4.0, 8.0, 2.01),
            (4.0, 12.0, 2.01),
        ] {
            let (end, launches) = shared(&nanos, times, believed, 100);
            let best = all / (4.0 + times);
            assert!(
                end < most * best,
                "{end} s, {best} s at best, {times} times, {believed} believed"
            );
            assert!(launches >= 1, "{launches}");
        }
    }

    #[test]
    fn what_is_too_long_for_a_warp_is_not_tried() {
        // A million steps are five seconds; all is done in less.
        let (_, launches) = shared(&[1_000_000, 1_000_000], 100.0, 100.0, u32::MAX);
        assert_eq!(launches, 0);
        // And so little is not worth a launch.
        assert_eq!(shared(&[100, 200], 4.0, 4.0, 100).1, 0);
    }
}
