//! A whole job, passed from hand to hand.
//!
//! [`judge`] is [`sweep`](crate::road::sweep) made of [`Judge`]s. Two threads take
//! blocks in turn: while one waits for a GPU, the other lowers and lays out what
//! the GPU gets next. What it answered is read, and what it flagged redone on the
//! processor, by a thread of its own, while the GPU goes on. Where devices share a
//! job ([`Team`]), each GPU has two such threads, and one more has the processor
//! do its part.
//!
//! The one thing to know: a GPU has one operation at a time, so that what the
//! router learns of it is what one takes.

use super::aside::Aside;
use super::assessed::{Assembly, Assessed, WhyCpu};
use super::judge::{Findings, Found, Judge};
use super::launch::{LaunchSettings, outline};
use super::lot::{Lot, operands_of_all};
use super::queue::{Beside, Next, Queue};
use super::redo::{Few, redo, run_left_out};
use super::team::{Team, sampled};
use crate::assess::Judgement;
use crate::engine::{Grid, Tile, Verdict};
use crate::fault::Fault;
use crate::plan::Plan;
use crate::road::{
    Block, EVALUATE_BESIDE, Evaluate, OPERATION_EVALUATIONS, Part, Settings, blocks,
};
use heddle_runtime::device::{DeviceId, DeviceKind};
use heddle_runtime::{Error, Operation, Runtime};
use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, Scope};
use std::time::Duration;

/// Evaluations in one operation at first where there is a GPU or an emulated one.
const GPU_EVALUATIONS: usize = 1 << 20;
const EMULATED_EVALUATIONS: usize = 1 << 12;

/// Threads that take blocks for a GPU: one that waits for it, one that prepares
/// what comes next.
const HANDS: usize = 2;

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
    let kinds = runtime.devices().map(|device| device.id().kind());
    let first = kinds.map(|kind| match kind {
        DeviceKind::Simt => EMULATED_EVALUATIONS,
        kind if kind.is_gpu() => GPU_EVALUATIONS,
        // A processor shows progress and stops within an operation too, so a
        // large one does no harm; and threads wait for each other once.
        _ => OPERATION_EVALUATIONS * threads,
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
        Lot::all(tiles)
    };
    let threads = runtime.device(DeviceId::CPU)?.card().units;
    let mut blocks = blocks(tiles, threads);
    let team = team.unwrap_or_else(|| {
        let Some(operands) = operands_of_all(&lots, tiles, &blocks) else {
            return Team::default();
        };
        let evaluations = tiles.iter().map(|tile| tile.evaluations() as u64).sum();
        Team::of(runtime.router(), &outline(&launch, operands, evaluations))
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
        aside: OnceLock::new(),
        preparing: Mutex::default(),
        assembly: Mutex::new(Assembly::new(tiles, why)),
        error: Mutex::default(),
    };
    if team.is_empty() {
        let turn = Mutex::default();
        let hands = if lots.is_empty() { 1 } else { HANDS };
        thread::scope(|scope| {
            for _ in 1..hands {
                scope.spawn(|| relay.take_part(scope, None, &turn));
            }
            relay.take_part(scope, None, &turn);
        });
        return relay.finish();
    }
    let turns: Vec<(DeviceId, Mutex<()>)> =
        team.gpus().map(|gpu| (gpu, Mutex::default())).collect();
    thread::scope(|scope| {
        for (gpu, turn) in &turns {
            for _ in 0..HANDS {
                lock(&relay.queue).hand_comes();
                scope.spawn(|| {
                    let _hand = Hand(&relay.queue, &relay.changed);
                    relay.take_part(scope, Some(*gpu), turn);
                });
            }
        }
        if team.has_cpu() {
            relay.help();
        }
    });
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
    aside: OnceLock<Aside>,
    /// All threads lower for who comes first.
    preparing: Mutex<()>,
    assembly: Mutex<Assembly>,
    /// What ended it.
    error: Mutex<Option<Error>>,
}

/// A thread that takes for a GPU; dropped when it takes no more.
struct Hand<'r, 'a>(&'r Mutex<Queue<'a>>, &'r Condvar);

impl Drop for Hand<'_, '_> {
    fn drop(&mut self) {
        lock(self.0).hand_goes();
        self.1.notify_all();
    }
}

impl<'a, 'g, W: Fn(Part) -> &'g Grid + Sync> Relay<'a, W> {
    /// Takes blocks for a device, or for whichever the router chooses, until there
    /// are none. Who holds the turn has an operation run.
    fn take_part<'s>(&'s self, scope: &'s Scope<'s, '_>, device: Option<DeviceId>, turn: &Mutex<()>)
    where
        'a: 's,
    {
        while let Some(mut judge) = self.next(device) {
            let ran = {
                let _turn = lock(turn);
                if self.is_over() {
                    return;
                }
                self.runtime.trace(&mut judge, device)
            };
            let outcome = match ran {
                Ok(outcome) => outcome,
                Err(error) => return self.fail(error),
            };
            let ran_on = outcome.decision.device;
            let evaluations = judge.describe().work;
            let took = outcome.timing.total;
            lock(&self.queue).learn(ran_on, judge.blocks(), evaluations, took);
            self.changed.notify_all();
            match outcome.output {
                Findings::Launched(_) => {
                    lock(&self.queue).redoing_begins();
                    scope.spawn(move || {
                        self.read(&judge, outcome.output);
                        lock(&self.queue).redoing_ends();
                        self.changed.notify_all();
                    });
                }
                Findings::Judged(_) => {
                    if judge.runs_on(DeviceKind::Cuda) {
                        lock(&self.assembly).ran_on_cpu(WhyCpu::Decided(outcome.decision));
                    }
                    self.read(&judge, outcome.output);
                }
            }
        }
    }

    /// The next operation, lowered if a GPU is likely to get it.
    fn next(&self, device: Option<DeviceId>) -> Option<Judge<'_, W>> {
        let aside = self.aside_of(device);
        loop {
            let preparing = lock(&self.preparing);
            if self.is_over() {
                return None;
            }
            let mut queue = lock(&self.queue);
            match queue.take(device, aside) {
                Next::Blocks(blocks, lot) => {
                    drop(queue);
                    self.changed.notify_all();
                    let judge = Judge::new(self.tiles, blocks, self.settings, self.wanted);
                    let judge = judge.without(aside);
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
        let runs_on = |family| judge.runs_on(family);
        let router = self.runtime.router();
        let likely = router.preview(&judge.describe(), &runs_on, device);
        if likely.is_ok_and(|decision| decision.device.kind().is_gpu()) {
            judge.prepare();
        }
    }

    /// Has the processor do its part.
    fn help(&self) {
        self.aside_of(Some(DeviceId::CPU));
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
                Beside::LeftOut(some) => self.make_up(&some),
                Beside::Blocks(blocks) => self.share(&blocks),
                Beside::Wait | Beside::Done => return,
            };
            if let Err(error) = done {
                self.fail(error);
            }
        }
    }

    /// Runs what GPUs were not given.
    fn make_up(&self, some: &[Few]) -> Result<(), Error> {
        let (tiles, settings) = (self.tiles, self.settings);
        let judged = run_left_out(self.runtime, tiles, settings, self.wanted, some)?;
        lock(&self.assembly).add_left_out(some, judged);
        Ok(())
    }

    /// Runs blocks on the processor.
    fn share(&self, blocks: &[Block]) -> Result<(), Error> {
        let mut judge = Judge::new(self.tiles, blocks, self.settings, self.wanted).beside();
        let outcome = self.runtime.trace(&mut judge, Some(DeviceId::CPU))?;
        let evaluations = judge.describe().work;
        let took = outcome.timing.total;
        lock(&self.queue).learn(DeviceId::CPU, blocks, evaluations, took);
        let found = judge.read(outcome.output);
        lock(&self.assembly).add(blocks, found);
        Ok(())
    }

    /// What a device of a team is not given. The first to ask has the processor
    /// find out, while a GPU's thread lowers.
    fn aside_of(&self, device: Option<DeviceId>) -> &Aside {
        let Some(device) = device.filter(|_| !self.samples.is_empty()) else {
            return Aside::none();
        };
        if device.kind().is_gpu() && self.aside.get().is_none() {
            let lot = lock(&self.queue).lot();
            if let Some(lot) = lot {
                lot.ground(self.tiles, self.settings.crew.budget(), self.wanted);
            }
        }
        self.aside.get_or_init(|| {
            self.sample().unwrap_or_else(|error| {
                self.fail(error);
                Aside::default()
            })
        })
    }

    /// Runs the samples, and sets aside what is long in them.
    fn sample(&self) -> Result<Aside, Error> {
        let most = self.settings.crew.budget().steps;
        let judge = |part: Part, _: usize, verdict: Verdict<'_>| {
            let steps = match verdict {
                Verdict::Defined { steps, .. } => steps,
                Verdict::Undefined(why) if matches!(why.fault, Fault::Budget(_)) => most,
                Verdict::Undefined(_) => 0,
            };
            (Judgement::of(&verdict, (self.wanted)(part)), steps)
        };
        let evaluate = Evaluate::new(self.tiles, &self.samples, self.settings, &judge);
        let evaluate = evaluate.of_kind(&EVALUATE_BESIDE);
        let outcome = self.runtime.trace(evaluate, Some(DeviceId::CPU))?;
        let of_sample = |block: &Block| block.evaluations(self.tiles);
        let evaluations: usize = self.samples.iter().map(of_sample).sum();
        lock(&self.queue).scale_to(DeviceId::CPU, evaluations, outcome.timing.total);
        let mut found = Found::default();
        let mut sums: HashMap<u64, (&Plan, Vec<f64>)> = HashMap::new();
        for (block, rows) in self.samples.iter().zip(outcome.output) {
            let plan = self.tiles[block.tile].plan;
            let new = || (plan, vec![0.0; plan.len()]);
            let (_, sums) = sums.entry(plan.number).or_insert_with(new);
            let whole = |row: Vec<(Judgement, u64)>| {
                for (sum, (_, steps)) in sums.iter_mut().zip(&row) {
                    *sum += *steps as f64;
                }
                row.into_iter().map(|(judgement, _)| judgement).collect()
            };
            found
                .rows
                .push(rows.map(|rows| rows.into_iter().map(whole).collect()));
        }
        lock(&self.assembly).add(&self.samples, found);
        let share = self.team.rate(DeviceId::CPU) / self.team.rates().max(f64::MIN_POSITIVE);
        let mut aside = Aside::default();
        let (mut set_aside, mut all) = (0.0, 0.0);
        for (plan, sums) in sums.into_values() {
            let is_own = |block: &&Block| self.tiles[block.tile].plan.number == plan.number;
            let examples = self.samples.iter().filter(is_own).count().max(1);
            let means: Vec<f64> = sums.iter().map(|sum| sum / examples as f64).collect();
            all += means.iter().sum::<f64>();
            set_aside += aside.set(plan, means, share, self.launch.caps.steps);
        }
        // What is left of its speed for blocks.
        let free = 1.0 - set_aside / (share * all).max(f64::MIN_POSITIVE);
        lock(&self.queue).slow_down(DeviceId::CPU, free.clamp(0.0, 1.0));
        Ok(aside)
    }

    /// Reads what an operation brought and redoes what was flagged.
    fn read(&self, judge: &Judge<'_, W>, findings: Findings) {
        let mut found = judge.read(findings);
        let (tiles, settings) = (self.tiles, self.settings);
        let redone = redo(
            self.runtime,
            tiles,
            settings,
            self.wanted,
            judge.blocks(),
            &mut found,
        );
        match redone {
            Ok(()) => lock(&self.assembly).add(judge.blocks(), found),
            Err(error) => self.fail(error),
        }
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
        let mut assembly = into_inner(self.assembly);
        for few in into_inner(self.queue).left_out() {
            assembly.lacks(few);
        }
        Ok(assembly.finish())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
