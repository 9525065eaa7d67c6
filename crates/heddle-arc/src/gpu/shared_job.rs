//! A whole job, passed from hand to hand.
//!
//! [`grade`] is [`evaluate_all`](crate::operations::evaluate_all) made of [`GradeBlocks`]s. Three threads take
//! blocks in turn: while one waits for a GPU, the others lower and lay out what
//! the GPU gets next. A thread of its own follows each launch: it has the processor redo
//! what the launch flags while that still runs, and reads what it answered while the
//! GPU goes on with the next. Where devices share a job ([`DeviceGroup`]), each GPU has three
//! such threads, and two more have the processor do its part.
//!
//! The one thing to know: a GPU has one operation at a time, so that what the
//! router learns of it is what one takes.

mod monitor;
mod preparing;

use self::preparing::Preparing;
use super::assembly::{Assembly, Assessed, CpuReason};
use super::device_group::{DeviceGroup, sampled};
use super::grade::{Findings, GradeBlocks};
use super::launch::{LaunchSettings, outline};
use super::program_estimate::SampleRun;
use super::program_queue::{MAX_EVALUATIONS, ProgramQueue, pace_of};
use super::queue::{Beside, Next, Queue};
use super::selected_evaluations::{SelectedEvaluations, SelectedOfTile, Wait, judging};
use super::tile_group::{TileGroup, operands_of_all};
use crate::engine::{Grid, Tile};
use crate::operations::{
    EVALUATE, EVALUATE_ON_CPU, EvaluationSettings, ExampleBlock, OPERATION_EVALUATIONS,
    TileExample, blocks,
};
use heddle_runtime::device::DeviceId;
use heddle_runtime::{Error, Operation, Runtime};
use std::sync::mpsc;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, Scope};
use std::time::Duration;

/// Evaluations in one operation at first where there is a GPU or an emulated one.
const GPU_EVALUATIONS: usize = 1 << 20;
const EMULATED_EVALUATIONS: usize = 1 << 12;

/// Threads that take blocks for a GPU: one that waits for it, one that has what comes
/// next, one that prepares what comes then, slowly, while threads redo what was flagged.
const HANDS: usize = 3;

/// Threads that have the processor do its part: while one waits for the last thread of
/// its operation, the others begin with the next.
const HELPERS: usize = 2;

/// Evaluations from which on a GPU is settled while plans are lowered, where nobody shares:
/// fewer are lowered sooner than the memory of all warps is there.
const WORTH_SETTLING: u64 = 1 << 15;

/// How long a processor with nothing to do sleeps before it looks again, should
/// nobody wake it.
const NAP: Duration = Duration::from_millis(20);

/// Grades tiles, operation after operation, each on the device that finishes it first. The
/// result has one entry for each example of each tile, in order; the entry is `None` if the
/// token was cancelled before.
///
/// Nothing is lowered until a GPU is chosen. If one is chosen and the router is free to
/// choose, all devices share the job by their speed; then a failure of one device ends the
/// job with an error.
pub fn grade<'g>(
    runtime: &Runtime,
    tiles: &[Tile<'_>],
    settings: &EvaluationSettings<'_>,
    launch: LaunchSettings,
    wanted: impl Fn(TileExample) -> &'g Grid + Sync,
) -> Result<Assessed, Error> {
    let threads = runtime.device(DeviceId::CPU)?.properties().units;
    let ids = runtime.devices().map(|device| device.id());
    let first = ids.map(|id| {
        if id.is_emulated() {
            EMULATED_EVALUATIONS
        } else if id.has_kernels() {
            GPU_EVALUATIONS
        } else {
            // A processor shows progress and stops within an operation too, so a
            // large one does no harm; and threads wait for each other once.
            OPERATION_EVALUATIONS * threads
        }
    });
    // The processor comes first.
    let at_once = first.last().unwrap_or(OPERATION_EVALUATIONS);
    judge_in_parts(runtime, tiles, settings, launch, at_once, None, wanted)
}

/// The same with so many evaluations in the first operation where nobody shares,
/// and shared by a team somebody named.
fn judge_in_parts<'g>(
    runtime: &Runtime,
    tiles: &[Tile<'_>],
    settings: &EvaluationSettings<'_>,
    launch: LaunchSettings,
    at_once: usize,
    device_group: Option<DeviceGroup>,
    wanted: impl Fn(TileExample) -> &'g Grid + Sync,
) -> Result<Assessed, Error> {
    let is_timed = settings.worker_pool.budget().time.is_some();
    let has_gpu = runtime
        .devices()
        .any(|device| device.accelerator().is_some());
    let tile_groups = if is_timed || !has_gpu {
        Vec::new()
    } else {
        TileGroup::all(tiles, runtime.pool())
    };
    let threads = runtime.device(DeviceId::CPU)?.properties().units;
    let mut blocks = blocks(tiles, threads);
    let evaluations: u64 = tiles.iter().map(|tile| tile.evaluations() as u64).sum();
    let operands = operands_of_all(&tile_groups, tiles, &blocks);
    let whole =
        operands.map(|operands| outline(&EVALUATE, &launch, operands, evaluations, evaluations));
    let device_group = device_group.unwrap_or_else(|| {
        let whole = whole.as_ref();
        whole.map_or_else(DeviceGroup::default, |whole| {
            DeviceGroup::of(runtime.router(), whole)
        })
    });
    let mut samples = Vec::new();
    if device_group.has_cpu() {
        (samples, blocks) = sampled(tiles, &blocks, threads);
    }
    let why = match (is_timed && has_gpu, device_group.has_cpu()) {
        (true, _) => Some(CpuReason::Timed),
        (_, true) => Some(CpuReason::Shared),
        _ => None,
    };
    let in_lot = |tile_group: &TileGroup| {
        let own = blocks
            .iter()
            .filter(|block| tile_group.tiles().contains(&block.tile));
        own.cloned().collect()
    };
    let blocks_of_lots: Vec<Vec<ExampleBlock>> = if samples.is_empty() {
        Vec::new()
    } else {
        tile_groups.iter().map(in_lot).collect()
    };
    let shared_job = SharedJob {
        runtime,
        tiles,
        settings,
        launch,
        wanted: &wanted,
        queue: Mutex::new(Queue::new(
            tiles,
            &tile_groups,
            &blocks,
            at_once,
            device_group.clone(),
        )),
        changed: Condvar::new(),
        device_group: device_group.clone(),
        threads,
        samples,
        blocks_of_lots: &blocks_of_lots,
        sampled: OnceLock::new(),
        unsettled: Mutex::new(device_group.gpus().count()),
        settled: Condvar::new(),
        preparing: Mutex::default(),
        brought: Mutex::default(),
        assembly: Mutex::new(Assembly::new(tiles, why)),
        error: Mutex::default(),
    };
    if device_group.is_empty() {
        let turn = Mutex::default();
        let hands = if tile_groups.is_empty() { 1 } else { HANDS };
        let router = runtime.router();
        let likely = whole.and_then(|whole| {
            router
                .preview(
                    &whole,
                    &|device| device.is_host() || device.has_kernels(),
                    None,
                )
                .ok()
        });
        let gpu = likely.map(|decision| decision.device);
        thread::scope(|scope| {
            if let Some(gpu) =
                gpu.filter(|gpu| gpu.has_own_memory() && evaluations >= WORTH_SETTLING)
            {
                let (shared_job, turn) = (&shared_job, &turn);
                try_spawn(scope, move || {
                    let _turn = lock(turn);
                    // What fails here is tried again, and told, when something is launched.
                    let _ = shared_job.preparation(gpu, at_once);
                });
            }
            for _ in 1..hands {
                try_spawn(scope, || shared_job.take_part(scope, None, &turn));
            }
            shared_job.take_part(scope, None, &turn);
        });
        return shared_job.finish();
    }
    shared_job.share();
    shared_job.finish()
}

/// A job under way.
struct SharedJob<'a, W> {
    runtime: &'a Runtime,
    tiles: &'a [Tile<'a>],
    settings: &'a EvaluationSettings<'a>,
    launch: LaunchSettings,
    wanted: &'a W,
    queue: Mutex<Queue<'a>>,
    /// Told when the queue is another than before.
    changed: Condvar,
    device_group: DeviceGroup,
    /// Of the processor.
    threads: usize,
    /// Examples that tell how long programs are.
    samples: Vec<ExampleBlock>,
    /// The other examples.
    blocks_of_lots: &'a [Vec<ExampleBlock>],
    sampled: OnceLock<()>,
    /// GPUs that are being settled, and told when there is one less.
    unsettled: Mutex<usize>,
    settled: Condvar,
    /// All threads lower for who comes first.
    preparing: Mutex<()>,
    /// Which GPUs have the lots that begin with which tiles, or get them now.
    brought: Mutex<Vec<(DeviceId, usize)>>,
    assembly: Mutex<Assembly>,
    /// What ended it.
    error: Mutex<Option<Error>>,
}

/// A thread that takes for a GPU; dropped when it takes no more.
struct GpuThread<'r, 'a>(&'r Mutex<Queue<'a>>, &'r Condvar, DeviceId);

impl Drop for GpuThread<'_, '_> {
    fn drop(&mut self) {
        let mut queue = lock(self.0);
        queue.started(self.2);
        queue.hand_goes();
        drop(queue);
        self.1.notify_all();
    }
}

impl<'a, 'g, W: Fn(TileExample) -> &'g Grid + Sync> SharedJob<'a, W> {
    /// Has all of a team do its part.
    fn share(&self) {
        let gpu = |gpu| (gpu, Mutex::default());
        let gpus: Vec<(DeviceId, Mutex<()>)> = self.device_group.gpus().map(gpu).collect();
        thread::scope(|scope| {
            let mut started = 0;
            for (gpu, turn) in &gpus {
                for hand in 0..HANDS {
                    lock(&self.queue).hand_comes();
                    // Both are dropped if the thread cannot be started: the queue and those who
                    // wait for the GPU do not count on it then.
                    let hand_of_gpu = GpuThread(&self.queue, &self.changed, *gpu);
                    let is_first = hand == 0;
                    let preparing = is_first.then(|| Preparing(&self.unsettled, &self.settled));
                    started += usize::from(try_spawn(scope, move || {
                        let _hand = hand_of_gpu;
                        if let Some(_settling) = preparing {
                            let _turn = lock(turn);
                            if let Err(error) = self.preparation(*gpu, MAX_EVALUATIONS) {
                                self.fail(error);
                            }
                        }
                        self.sample();
                        self.take_part(scope, Some(*gpu), turn);
                    }));
                }
            }
            if self.device_group.has_cpu() {
                for _ in 1..HELPERS {
                    try_spawn(scope, || self.help());
                }
                self.help();
            } else if let (0, Some((gpu, turn))) = (started, gpus.first()) {
                self.sample();
                self.take_part(scope, Some(*gpu), turn);
            }
        });
    }

    /// Notes that a GPU has begun.
    fn started(&self, gpu: DeviceId) {
        lock(&self.queue).started(gpu);
        self.changed.notify_all();
    }

    /// Takes blocks for a device, or for whichever the router chooses, until there
    /// are none. Who holds the turn has an operation run.
    fn take_part<'s>(&'s self, scope: &'s Scope<'s, '_>, device: Option<DeviceId>, turn: &Mutex<()>)
    where
        'a: 's,
    {
        while let Some(grade) = self.next(device) {
            let result_slot = Arc::default();
            let mut grade = grade.telling(&result_slot);
            let (ended, end) = mpsc::channel();
            let flag_monitor = grade.flag_monitor();
            // A launch without a thread that follows it is read when it has ended.
            let is_followed = flag_monitor.is_some_and(|flag_monitor| {
                try_spawn(scope, move || {
                    self.monitor(device, flag_monitor, &result_slot, &end);
                })
            });
            let ran = {
                let _turn = lock(turn);
                if self.is_over() {
                    return;
                }
                self.runtime.run_traced(&mut grade, device)
            };
            if let Some(device) = device {
                self.started(device);
            }
            let outcome = match ran {
                Ok(outcome) => outcome,
                Err(error) => return self.fail(error),
            };
            let ran_on = outcome.decision.device;
            let took = outcome.timing.total;
            if let Some(program_selection) = grade.program_selection() {
                // What it was taken for, though it may have ended elsewhere.
                let taken_for = device.unwrap_or(ran_on);
                lock(&self.queue).learn_of(taken_for, program_selection, took);
            } else {
                let evaluations = grade.describe().work;
                lock(&self.queue).learn(ran_on, grade.blocks(), evaluations, took);
            }
            self.changed.notify_all();
            match outcome.output {
                Findings::Launched(_) if is_followed => {
                    // It waits for that, or has failed and said so.
                    let _ = ended.send((grade, outcome.output));
                }
                Findings::Launched(_) => self.read(&grade, outcome.output),
                Findings::Graded(_) => {
                    if grade.runs_on_gpus() {
                        lock(&self.assembly).ran_on_cpu(CpuReason::Decided(outcome.decision));
                    }
                    self.read(&grade, outcome.output);
                }
            }
        }
    }

    /// The next operation, lowered if a GPU is likely to get it.
    fn next(&self, device: Option<DeviceId>) -> Option<GradeBlocks<'_, W>> {
        loop {
            let preparing = lock(&self.preparing);
            if self.is_over() {
                return None;
            }
            let mut queue = lock(&self.queue);
            match queue.take(device) {
                Next::Blocks(blocks, tile_group, only) => {
                    drop(queue);
                    self.changed.notify_all();
                    let grade = GradeBlocks::new(self.tiles, blocks, self.settings, self.wanted);
                    let grade = grade.only(only);
                    let grade = match tile_group {
                        Some(tile_group) => grade.on_gpu(tile_group, self.launch),
                        None => grade,
                    };
                    self.prepare(&grade, device);
                    return Some(grade);
                }
                Next::Done => return None,
                Next::Wait => {
                    drop(preparing);
                    drop(self.changed.wait_timeout(queue, NAP));
                }
            }
        }
    }

    fn prepare(&self, grade: &GradeBlocks<'_, W>, device: Option<DeviceId>) {
        let runs_on = |device| grade.runs_on(device);
        let router = self.runtime.router();
        let likely = router.preview(&grade.describe(), &runs_on, device);
        let Some(gpu) = likely.ok().map(|decision| decision.device) else {
            return;
        };
        if gpu.has_own_memory()
            && let Some(tile_group) = grade.prepare()
        {
            // What fails here is tried again, and told, when the operation is run.
            let _ = self.prefetch(gpu, tile_group);
        }
    }

    /// Has the processor do its part.
    fn help(&self) {
        self.sample();
        while !self.is_over() {
            let next = {
                let mut queue = lock(&self.queue);
                let next = queue.beside(self.threads);
                if let Beside::Wait = next {
                    drop(self.changed.wait_timeout(queue, NAP));
                    continue;
                }
                next
            };
            let done = match next {
                Beside::SelectedOfTile(some) => self.run_selected(&some),
                Beside::Blocks(blocks) => self.run_blocks(&blocks),
                Beside::Wait | Beside::Done => return,
            };
            if let Err(error) = done {
                self.fail(error);
            }
        }
    }

    /// Runs evaluations here and there on the processor.
    fn run_selected(&self, some: &[SelectedOfTile]) -> Result<(), Error> {
        let operation = SelectedEvaluations {
            kind: &EVALUATE_ON_CPU,
            tiles: self.tiles,
            some,
            settings: self.settings,
            grade: &judging(self.wanted),
            wait: None,
        };
        let graded = self.runtime.run_on(DeviceId::CPU, operation)?;
        lock(&self.assembly).add_few(self.tiles, some, graded);
        (self.settings.progress)(evaluations(some));
        Ok(())
    }

    /// Runs blocks on the processor.
    fn run_blocks(&self, blocks: &[ExampleBlock]) -> Result<(), Error> {
        let mut grade = GradeBlocks::new(self.tiles, blocks, self.settings, self.wanted).beside();
        let outcome = self.runtime.run_traced(&mut grade, Some(DeviceId::CPU))?;
        let evaluations = grade.describe().work;
        let took = outcome.timing.total;
        lock(&self.queue).learn(DeviceId::CPU, blocks, evaluations, took);
        let found = grade.read(outcome.output);
        lock(&self.assembly).add(blocks, found);
        Ok(())
    }

    /// Finds out how long programs are, if there are examples to see it by. The first
    /// to ask has the processor do that.
    fn sample(&self) {
        if self.samples.is_empty() {
            return;
        }
        self.sampled.get_or_init(|| {
            // Before threads are busy with the sample: GPUs are settled sooner.
            if let Some(tile_group) = self.tile_group() {
                self.lowered_tiles(tile_group);
            }
            if let Err(error) = self.run_samples() {
                self.fail(error);
            }
        });
    }

    fn run_samples(&self) -> Result<(), Error> {
        let (runtime, tiles, settings) = (self.runtime, self.tiles, self.settings);
        let cap = self.launch.caps.steps;
        let wait = Wait {
            threads: self.device_group.gpus().count().min(self.threads / 2),
            until: &|| self.wait_for_gpus(),
        };
        let what = (&self.samples[..], wait);
        let trial = SampleRun::run(runtime, tiles, settings, self.wanted, what, cap)?;
        (self.settings.progress)(evaluations(&trial.some));
        let program_estimates = trial.program_estimates(tiles, self.blocks_of_lots);
        lock(&self.assembly).add_few(tiles, &trial.some, trial.graded);
        let speed = |gpu| Ok((gpu, pace_of(runtime.device(gpu)?.properties().units)));
        let speeds = self
            .device_group
            .gpus()
            .map(speed)
            .collect::<Result<_, Error>>()?;
        let limits = (self.device_group.latency, cap);
        let devices = (self.threads, speeds);
        let program_queue = ProgramQueue::new(
            tiles,
            self.blocks_of_lots,
            program_estimates,
            devices,
            limits,
        );
        lock(&self.queue).next_programs(program_queue);
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.settings.token.is_stopped() || lock(&self.error).is_some()
    }

    /// Ends the job; the first thing that went wrong is the one worth knowing.
    fn fail(&self, error: Error) {
        lock(&self.error).get_or_insert(error);
        self.changed.notify_all();
    }

    fn finish(self) -> Result<Assessed, Error> {
        if let Some(error) = into_inner(self.error) {
            return Err(error);
        }
        Ok(into_inner(self.assembly).finish(self.runtime.pool(), self.tiles))
    }
}

/// Starts a thread. Where the system has none left, the other threads do its work.
fn try_spawn<'s>(scope: &'s Scope<'s, '_>, run: impl FnOnce() + Send + 's) -> bool {
    thread::Builder::new().spawn_scoped(scope, run).is_ok()
}

fn evaluations(some: &[SelectedOfTile]) -> u64 {
    some.iter().map(|(_, few)| few.len() as u64).sum()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
