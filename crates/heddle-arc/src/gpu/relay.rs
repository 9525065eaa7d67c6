//! A whole job, passed from hand to hand.
//!
//! [`judge`] is [`sweep`](crate::road::sweep) made of [`Judge`]s. Three threads take
//! blocks in turn: while one waits for a GPU, the others lower and lay out what
//! the GPU gets next. A thread of its own follows each launch: it has the processor redo
//! what the launch flags while that still runs, and reads what it answered while the
//! GPU goes on with the next. Where devices share a job ([`Team`]), each GPU has three
//! such threads, and two more have the processor do its part.
//!
//! The one thing to know: a GPU has one operation at a time, so that what the
//! router learns of it is what one takes.

mod follow;
mod settling;

use self::settling::Settling;
use super::assessed::{Assembly, Assessed, WhyCpu};
use super::judge::{Findings, Judge};
use super::ladder::{Ladder, MOST_EVALUATIONS, pace_of};
use super::launch::{LaunchSettings, outline};
use super::lot::{Lot, operands_of_all};
use super::queue::{Beside, Next, Queue};
use super::scattered::{Few, Scattered, Wait, judging};
use super::strand::Trial;
use super::team::{Team, sampled};
use crate::engine::{Grid, Tile};
use crate::road::{
    Block, EVALUATE, EVALUATE_BESIDE, OPERATION_EVALUATIONS, Part, Settings, blocks,
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

/// Judges tiles, operation after operation, each where it is sooner done. The
/// answer has one entry for each example of each tile, in order; what was not
/// reached before the token was cancelled is `None`.
///
/// Nothing is lowered as long as no GPU is chosen. Where one is and the router is
/// free to choose, all devices share the job by their speed; one that fails then
/// ends it with an error.
pub fn judge<'g>(
    runtime: &Runtime,
    tiles: &[Tile<'_>],
    settings: &Settings<'_>,
    launch: LaunchSettings,
    wanted: impl Fn(Part) -> &'g Grid + Sync,
) -> Result<Assessed, Error> {
    let threads = runtime.device(DeviceId::CPU)?.card().units;
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
    settings: &Settings<'_>,
    launch: LaunchSettings,
    at_once: usize,
    team: Option<Team>,
    wanted: impl Fn(Part) -> &'g Grid + Sync,
) -> Result<Assessed, Error> {
    let is_timed = settings.crew.budget().time.is_some();
    let has_gpu = runtime
        .devices()
        .any(|device| device.accelerator().is_some());
    let lots = if is_timed || !has_gpu {
        Vec::new()
    } else {
        Lot::all(tiles, runtime.pool())
    };
    let threads = runtime.device(DeviceId::CPU)?.card().units;
    let mut blocks = blocks(tiles, threads);
    let evaluations: u64 = tiles.iter().map(|tile| tile.evaluations() as u64).sum();
    let operands = operands_of_all(&lots, tiles, &blocks);
    let whole =
        operands.map(|operands| outline(&EVALUATE, &launch, operands, evaluations, evaluations));
    let team = team.unwrap_or_else(|| {
        let whole = whole.as_ref();
        whole.map_or_else(Team::default, |whole| Team::of(runtime.router(), whole))
    });
    let mut samples = Vec::new();
    if team.has_cpu() {
        (samples, blocks) = sampled(tiles, &blocks, threads);
    }
    let why = match (is_timed && has_gpu, team.has_cpu()) {
        (true, _) => Some(WhyCpu::Timed),
        (_, true) => Some(WhyCpu::Shared),
        _ => None,
    };
    let in_lot = |lot: &Lot| {
        let own = blocks
            .iter()
            .filter(|block| lot.tiles().contains(&block.tile));
        own.cloned().collect()
    };
    let blocks_of_lots: Vec<Vec<Block>> = if samples.is_empty() {
        Vec::new()
    } else {
        lots.iter().map(in_lot).collect()
    };
    let relay = Relay {
        runtime,
        tiles,
        settings,
        launch,
        wanted: &wanted,
        queue: Mutex::new(Queue::new(tiles, &lots, &blocks, at_once, team.clone())),
        changed: Condvar::new(),
        team: team.clone(),
        threads,
        samples,
        blocks_of_lots: &blocks_of_lots,
        sampled: OnceLock::new(),
        unsettled: Mutex::new(team.gpus().count()),
        settled: Condvar::new(),
        preparing: Mutex::default(),
        brought: Mutex::default(),
        assembly: Mutex::new(Assembly::new(tiles, why)),
        error: Mutex::default(),
    };
    if team.is_empty() {
        let turn = Mutex::default();
        let hands = if lots.is_empty() { 1 } else { HANDS };
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
                let (relay, turn) = (&relay, &turn);
                scope.spawn(move || {
                    let _turn = lock(turn);
                    // What fails here is tried again, and told, when something is launched.
                    let _ = relay.settle(gpu, at_once);
                });
            }
            for _ in 1..hands {
                scope.spawn(|| relay.take_part(scope, None, &turn));
            }
            relay.take_part(scope, None, &turn);
        });
        return relay.finish();
    }
    relay.share();
    relay.finish()
}

/// A job under way.
struct Relay<'a, W> {
    runtime: &'a Runtime,
    tiles: &'a [Tile<'a>],
    settings: &'a Settings<'a>,
    launch: LaunchSettings,
    wanted: &'a W,
    queue: Mutex<Queue<'a>>,
    /// Told when the queue is another than before.
    changed: Condvar,
    team: Team,
    /// Of the processor.
    threads: usize,
    /// Examples that tell how long programs are.
    samples: Vec<Block>,
    /// The other examples.
    blocks_of_lots: &'a [Vec<Block>],
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
struct Hand<'r, 'a>(&'r Mutex<Queue<'a>>, &'r Condvar, DeviceId);

impl Drop for Hand<'_, '_> {
    fn drop(&mut self) {
        let mut queue = lock(self.0);
        queue.started(self.2);
        queue.hand_goes();
        drop(queue);
        self.1.notify_all();
    }
}

impl<'a, 'g, W: Fn(Part) -> &'g Grid + Sync> Relay<'a, W> {
    /// Has all of a team do its part.
    fn share(&self) {
        let gpu = |gpu| (gpu, Mutex::default());
        let gpus: Vec<(DeviceId, Mutex<()>)> = self.team.gpus().map(gpu).collect();
        thread::scope(|scope| {
            for (gpu, turn) in &gpus {
                for hand in 0..HANDS {
                    lock(&self.queue).hand_comes();
                    scope.spawn(move || {
                        let _hand = Hand(&self.queue, &self.changed, *gpu);
                        if hand == 0 {
                            let _settling = Settling(&self.unsettled, &self.settled);
                            let _turn = lock(turn);
                            if let Err(error) = self.settle(*gpu, MOST_EVALUATIONS) {
                                self.fail(error);
                            }
                        }
                        self.sample();
                        self.take_part(scope, Some(*gpu), turn);
                    });
                }
            }
            if self.team.has_cpu() {
                for _ in 1..HELPERS {
                    scope.spawn(|| self.help());
                }
                self.help();
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
        while let Some(judge) = self.next(device) {
            let letterbox = Arc::default();
            let mut judge = judge.telling(&letterbox);
            let (ended, end) = mpsc::channel();
            let lookout = judge.lookout();
            let is_followed = lookout.is_some();
            if let Some(lookout) = lookout {
                scope.spawn(move || self.follow(device, lookout, &letterbox, &end));
            }
            let ran = {
                let _turn = lock(turn);
                if self.is_over() {
                    return;
                }
                self.runtime.trace(&mut judge, device)
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
            if let Some(chosen) = judge.chosen() {
                // What it was taken for, though it may have ended elsewhere.
                let taken_for = device.unwrap_or(ran_on);
                lock(&self.queue).learn_of(taken_for, chosen, took);
            } else {
                let evaluations = judge.describe().work;
                lock(&self.queue).learn(ran_on, judge.blocks(), evaluations, took);
            }
            self.changed.notify_all();
            match outcome.output {
                Findings::Launched(_) if is_followed => {
                    // It waits for that, or has failed and said so.
                    let _ = ended.send((judge, outcome.output));
                }
                Findings::Launched(_) => self.read(&judge, outcome.output),
                Findings::Judged(_) => {
                    if judge.runs_on_gpus() {
                        lock(&self.assembly).ran_on_cpu(WhyCpu::Decided(outcome.decision));
                    }
                    self.read(&judge, outcome.output);
                }
            }
        }
    }

    /// The next operation, lowered if a GPU is likely to get it.
    fn next(&self, device: Option<DeviceId>) -> Option<Judge<'_, W>> {
        loop {
            let preparing = lock(&self.preparing);
            if self.is_over() {
                return None;
            }
            let mut queue = lock(&self.queue);
            match queue.take(device) {
                Next::Blocks(blocks, lot, only) => {
                    drop(queue);
                    self.changed.notify_all();
                    let judge = Judge::new(self.tiles, blocks, self.settings, self.wanted);
                    let judge = judge.only(only);
                    let judge = match lot {
                        Some(lot) => judge.on_gpu(lot, self.launch),
                        None => judge,
                    };
                    self.prepare(&judge, device);
                    return Some(judge);
                }
                Next::Done => return None,
                Next::Wait => {
                    drop(preparing);
                    drop(self.changed.wait_timeout(queue, NAP));
                }
            }
        }
    }

    fn prepare(&self, judge: &Judge<'_, W>, device: Option<DeviceId>) {
        let runs_on = |device| judge.runs_on(device);
        let router = self.runtime.router();
        let likely = router.preview(&judge.describe(), &runs_on, device);
        let Some(gpu) = likely.ok().map(|decision| decision.device) else {
            return;
        };
        if gpu.has_own_memory()
            && let Some(lot) = judge.prepare()
        {
            // What fails here is tried again, and told, when the operation is run.
            let _ = self.bring(gpu, lot);
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
                Beside::Few(some) => self.run_some(&some),
                Beside::Blocks(blocks) => self.run_blocks(&blocks),
                Beside::Wait | Beside::Done => return,
            };
            if let Err(error) = done {
                self.fail(error);
            }
        }
    }

    /// Runs evaluations here and there on the processor.
    fn run_some(&self, some: &[Few]) -> Result<(), Error> {
        let operation = Scattered {
            kind: &EVALUATE_BESIDE,
            tiles: self.tiles,
            some,
            settings: self.settings,
            judge: &judging(self.wanted),
            wait: None,
        };
        let judged = self.runtime.run_on(DeviceId::CPU, operation)?;
        lock(&self.assembly).add_few(self.tiles, some, judged);
        (self.settings.progress)(evaluations(some));
        Ok(())
    }

    /// Runs blocks on the processor.
    fn run_blocks(&self, blocks: &[Block]) -> Result<(), Error> {
        let mut judge = Judge::new(self.tiles, blocks, self.settings, self.wanted).beside();
        let outcome = self.runtime.trace(&mut judge, Some(DeviceId::CPU))?;
        let evaluations = judge.describe().work;
        let took = outcome.timing.total;
        lock(&self.queue).learn(DeviceId::CPU, blocks, evaluations, took);
        let found = judge.read(outcome.output);
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
            if let Some(lot) = self.lot() {
                self.ground(lot);
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
            threads: self.team.gpus().count().min(self.threads / 2),
            until: &|| self.wait_for_gpus(),
        };
        let what = (&self.samples[..], wait);
        let trial = Trial::run(runtime, tiles, settings, self.wanted, what, cap)?;
        (self.settings.progress)(evaluations(&trial.some));
        let strands = trial.strands(tiles, self.blocks_of_lots);
        lock(&self.assembly).add_few(tiles, &trial.some, trial.judged);
        let pace = |gpu| Ok((gpu, pace_of(runtime.device(gpu)?.card().units)));
        let paces = self.team.gpus().map(pace).collect::<Result<_, Error>>()?;
        let limits = (self.team.latency, cap);
        let devices = (self.threads, paces);
        let ladder = Ladder::new(tiles, self.blocks_of_lots, strands, devices, limits);
        lock(&self.queue).climb(ladder);
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

fn evaluations(some: &[Few]) -> u64 {
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
