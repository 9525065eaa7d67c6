//! A whole job, passed from hand to hand.
//!
//! [`judge`] is [`sweep`](crate::road::sweep) made of [`Judge`]s. Two threads take
//! blocks in turn: while one waits for a GPU, the other lowers and lays out what
//! the GPU gets next. What it answered is read, and what it flagged redone on the
//! processor, by a thread of its own, while the GPU goes on.
//!
//! The one thing to know: a GPU has one operation at a time, so that what the
//! router learns of it is what one takes.

use super::assessed::{Assembly, Assessed, WhyCpu};
use super::judge::{Findings, Judge};
use super::launch::LaunchSettings;
use super::lot::Lot;
use super::queue::Queue;
use super::redo::redo;
use crate::engine::{Grid, Tile};
use crate::road::{OPERATION_EVALUATIONS, Part, Settings, blocks};
use heddle_runtime::device::{DeviceId, DeviceKind};
use heddle_runtime::{Error, Operation, Runtime};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope};

/// Evaluations in one operation at first where there is a GPU or an emulated one.
const GPU_EVALUATIONS: usize = 1 << 20;
const EMULATED_EVALUATIONS: usize = 1 << 12;

/// Threads that take blocks where there is a GPU: one that waits for it, one that
/// prepares what comes next.
const HANDS: usize = 2;

/// Judges tiles, operation after operation, each where it is sooner done. The
/// answer has one entry for each example of each tile, in order; what was not
/// reached before the token was cancelled is `None`.
///
/// Nothing is lowered as long as no GPU is chosen.
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
    judge_in_parts(runtime, tiles, settings, launch, at_once, wanted)
}

/// The same with so many evaluations in the first operation.
fn judge_in_parts<'g>(
    runtime: &Runtime,
    tiles: &[Tile<'_>],
    settings: &Settings<'_>,
    launch: LaunchSettings,
    at_once: usize,
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
    let blocks = blocks(tiles, threads);
    let why = (is_timed && has_gpu).then_some(WhyCpu::Timed);
    let relay = Relay {
        runtime,
        tiles,
        settings,
        launch,
        wanted: &wanted,
        queue: Mutex::new(Queue::new(tiles, &lots, &blocks, at_once)),
        preparing: Mutex::default(),
        turn: Mutex::default(),
        assembly: Mutex::new(Assembly::new(tiles, why)),
        error: Mutex::default(),
    };
    let hands = if lots.is_empty() { 1 } else { HANDS };
    thread::scope(|scope| {
        for _ in 1..hands {
            scope.spawn(|| relay.take_part(scope));
        }
        relay.take_part(scope);
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
    /// All threads lower for who comes first.
    preparing: Mutex<()>,
    /// Held while an operation runs.
    turn: Mutex<()>,
    assembly: Mutex<Assembly>,
    /// What ended it.
    error: Mutex<Option<Error>>,
}

impl<'a, 'g, W: Fn(Part) -> &'g Grid + Sync> Relay<'a, W> {
    /// Takes blocks until there are none.
    fn take_part<'s>(&'s self, scope: &'s Scope<'s, '_>)
    where
        'a: 's,
    {
        while let Some(mut judge) = self.next() {
            let ran = {
                let _turn = lock(&self.turn);
                if self.is_over() {
                    return;
                }
                self.runtime.trace(&mut judge, None)
            };
            let outcome = match ran {
                Ok(outcome) => outcome,
                Err(error) => return self.fail(error),
            };
            match outcome.output {
                Findings::Launched(_) => {
                    lock(&self.queue).adapt(outcome.timing.total);
                    scope.spawn(move || self.read(&judge, outcome.output));
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
    fn next(&self) -> Option<Judge<'a, W>> {
        let _preparing = lock(&self.preparing);
        if self.is_over() {
            return None;
        }
        let (blocks, lot) = lock(&self.queue).take()?;
        let mut judge = Judge::new(self.tiles, blocks, self.settings, self.wanted);
        if let Some(lot) = lot {
            judge = judge.on_gpu(lot, self.launch);
        }
        let runs_on = |family| judge.runs_on(family);
        let likely = self
            .runtime
            .router()
            .preview(&judge.describe(), &runs_on, None);
        if likely.is_ok_and(|decision| decision.device.kind().is_gpu()) {
            judge.prepare();
        }
        Some(judge)
    }

    /// Reads what an operation brought and redoes what was flagged.
    fn read(&self, judge: &Judge<'a, W>, findings: Findings) {
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
    }

    fn finish(self) -> Result<Assessed, Error> {
        match into_inner(self.error) {
            Some(error) => Err(error),
            None => Ok(into_inner(self.assembly).finish()),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Example;
    use crate::gpu::sample::{programs, tasks};
    use crate::meter::Budget;
    use crate::plan::Plan;
    use crate::road::{Crew, by_device};
    use heddle_cuda::simt::{SimtDevice, SimtOptions};
    use heddle_runtime::Config;
    use heddle_runtime::batch::CancelToken;
    use std::sync::Arc;

    fn runtime(force: bool) -> Runtime {
        let gpu = SimtDevice::new(0, SimtOptions::default()).unwrap();
        let config = Config {
            device: force.then(|| DeviceId::simt(0)),
            ..Config::default()
        };
        let builder = Runtime::builder().config(config).device(Arc::new(gpu));
        builder.forgetful().build().unwrap()
    }

    struct Work {
        plan: Plan,
        examples: Vec<Vec<Example<'static>>>,
        wanted: Vec<Vec<&'static Grid>>,
    }

    impl Work {
        fn new(tasks_run: usize) -> Self {
            let some = || tasks()[..tasks_run].iter();
            Work {
                plan: Plan::new(&programs()[..12]),
                examples: some().map(|task| task.examples().collect()).collect(),
                wanted: some()
                    .map(|task| task.pairs().map(|(_, output)| output).collect())
                    .collect(),
            }
        }

        fn tiles(&self) -> Vec<Tile<'_>> {
            self.examples
                .iter()
                .map(|examples| Tile {
                    plan: &self.plan,
                    examples,
                })
                .collect()
        }
    }

    #[test]
    fn operations_follow_each_other_and_what_is_flagged_is_filled_in() {
        let work = Work::new(8);
        let tiles = work.tiles();
        let wanted = |part: Part| work.wanted[part.tile][part.example];
        let crew = Crew::new(Budget::default());
        let settings = Settings::of(&crew);
        let mut launch = LaunchSettings::default();
        launch.caps.rows = 16;
        let known = judge(&runtime(false), &tiles, &settings, launch, wanted).unwrap();
        assert!(matches!(known.on_cpu, Some(WhyCpu::Decided(_))));
        let gpu = runtime(true);
        let found = judge_in_parts(&gpu, &tiles, &settings, launch, 50, wanted).unwrap();
        assert_eq!(found.judged, known.judged);
        assert!(found.flags.total() > 0 && found.on_cpu.is_none());
        let spans = gpu.profiler().spans();
        let launches = spans.iter().filter(|span| &*span.device == "simt:0");
        assert!(launches.count() >= 3);
        let counts = by_device(&gpu);
        assert_eq!(counts["cpu"], found.flags.total());
    }

    #[test]
    fn a_cancelled_job_ends_after_the_operation_under_way() {
        let work = Work::new(8);
        let tiles = work.tiles();
        let wanted = |part: Part| work.wanted[part.tile][part.example];
        let crew = Crew::new(Budget::default());
        let token = CancelToken::new();
        let settings = Settings {
            crew: &crew,
            token: token.clone(),
            progress: &|_| token.cancel(),
        };
        let launch = LaunchSettings::default();
        let found = judge_in_parts(&runtime(true), &tiles, &settings, launch, 50, wanted).unwrap();
        let done = found.judged.iter().filter(|(_, row)| row.is_some()).count();
        let examples: usize = tiles.iter().map(|tile| tile.examples.len()).sum();
        assert_eq!(found.judged.len(), examples);
        assert!(done > 0 && done < examples, "{done} of {examples}");
    }
}
