//! Judging programs on whatever device is sooner done.
//!
//! [`Judge`] is an evaluation with a body for processors and one for GPUs: it
//! answers with judgements, not values, because that is all a kernel sends back.
//! [`judge`] is [`sweep`](crate::road::sweep) made of it.
//!
//! The one thing to know: what a GPU flags is redone on the processor as an
//! operation of its own, so it is recorded and counted there.

use super::answer::{Answer, Flags};
use super::cutter::Cutter;
use super::ground::{Ground, Portion};
use super::launch::{Interpret, LaunchSettings, Ran, outline};
use super::lot::Lot;
use super::redo::redo;
use crate::assess::Judgement;
use crate::engine::{Grid, Tile, Verdict};
use crate::road::{Block, Evaluate, Judged, OPERATION_EVALUATIONS, Part, Rows, Settings, blocks};
use heddle_runtime::device::{DeviceId, DeviceKind, Lane, Place};
use heddle_runtime::route::Decision;
use heddle_runtime::units::Nanos;
use heddle_runtime::{Agreement, Description, Error, Operation, Runtime};
use rayon::prelude::*;
use std::sync::OnceLock;
use std::thread;

/// Evaluations in one operation at first where there is a GPU or an emulated one,
/// and the least and the most on any. A processor shows progress and stops within
/// an operation too, so a large one does no harm there.
const GPU_EVALUATIONS: usize = 1 << 20;
const EMULATED_EVALUATIONS: usize = 1 << 12;
const LEAST_EVALUATIONS: usize = 1 << 10;
const MOST_EVALUATIONS: usize = 1 << 22;
/// What an operation on a GPU should take: long against what it costs to begin
/// one, short for somebody who watches or cancels.
const SHORT: Nanos = Nanos(50_000_000);
const LONG: Nanos = Nanos(500_000_000);

/// Every program of some blocks on each of their examples, judged. Where a GPU
/// flags one, its place stays empty.
pub struct Judge<'a, W> {
    tiles: &'a [Tile<'a>],
    blocks: &'a [Block],
    settings: &'a Settings<'a>,
    wanted: &'a W,
    /// What a GPU needs; without it only processors are asked.
    gpu: Option<(&'a Lot, LaunchSettings)>,
    portion: OnceLock<Portion>,
}

/// One judgement of every program on every example, by block.
pub(super) type Found = Vec<Option<Rows<Option<Judgement>>>>;

impl<'a, 'g, W: Fn(Part) -> &'g Grid + Sync> Judge<'a, W> {
    /// Blocks of tiles; `wanted` says what each example should become.
    ///
    /// # Panics
    ///
    /// When described or run, if a block is not of these tiles.
    #[must_use]
    pub fn new(
        tiles: &'a [Tile<'a>],
        blocks: &'a [Block],
        settings: &'a Settings<'a>,
        wanted: &'a W,
    ) -> Self {
        Judge {
            tiles,
            blocks,
            settings,
            wanted,
            gpu: None,
            portion: OnceLock::new(),
        }
    }

    /// The same with what a GPU needs: the lot of these tiles that all of the
    /// blocks are in. The budget is that of the crew. Nothing is lowered yet.
    #[must_use]
    pub fn on_gpu(mut self, lot: &'a Lot, launch: LaunchSettings) -> Self {
        let budget = self.settings.crew.budget();
        self.gpu = Some((lot, LaunchSettings { budget, ..launch }));
        self
    }

    /// Lowers what a GPU would run, so that it does not wait for that.
    pub fn prepare(&self) {
        if let Some((lot, launch)) = self.gpu {
            self.portion(lot, launch);
        }
    }

    fn portion(&self, lot: &'a Lot, launch: LaunchSettings) -> (&'a Ground, &Portion) {
        let ground = lot.ground(self.tiles, launch.budget, self.wanted);
        let portion = || lot.portion(ground, self.blocks);
        (ground, self.portion.get_or_init(portion))
    }

    fn run_on_cpu(&self, lane: &Lane<'_>) -> Result<Found, Error> {
        let judge = |part: Part, _: usize, verdict: Verdict<'_>| {
            Some(Judgement::of(&verdict, (self.wanted)(part)))
        };
        Evaluate::new(self.tiles, self.blocks, self.settings, &judge).run(lane)
    }

    fn read(&self, ground: &Ground, portion: &Portion, ran: &Ran) -> (Found, Flags) {
        let places = self.blocks.par_iter().enumerate();
        let read: Vec<_> = places
            .map(|(place, block)| self.read_block(ground, portion, ran, place, block))
            .collect();
        let mut flags = Flags::default();
        let found = read.into_iter().map(|(rows, own)| {
            flags.add_all(&own);
            Some(rows)
        });
        (found.collect(), flags)
    }

    fn read_block(
        &self,
        ground: &Ground,
        portion: &Portion,
        ran: &Ran,
        place: usize,
        block: &Block,
    ) -> (Rows<Option<Judgement>>, Flags) {
        let mut flags = Flags::default();
        let plan = self.tiles[block.tile].plan;
        let mut rows = Vec::with_capacity(block.examples.len());
        for example in 0..block.examples.len() {
            let mut row = Vec::with_capacity(plan.len());
            for program in 0..plan.len() {
                let answer = portion.answer(ground, ran, (place, example), program);
                row.push(match answer {
                    Answer::Defined { right: true, .. } => Some(Judgement::Right),
                    Answer::Defined { cells, .. } => Some(Judgement::Wrong { cells }),
                    Answer::Undefined { .. } => {
                        answer.undefined(plan, program).map(Judgement::Undefined)
                    }
                    Answer::Flagged(flag) => {
                        flags.add(flag);
                        None
                    }
                });
            }
            rows.push(row);
        }
        (rows, flags)
    }

    /// The first evaluation that two answers judge differently. Where either was
    /// flagged there is nothing to compare.
    fn difference(&self, first: &Found, second: &Found) -> Option<String> {
        for (block, (first, second)) in self.blocks.iter().zip(first.iter().zip(second)) {
            let rows = first.iter().flatten().zip(second.iter().flatten());
            for (example, (first, second)) in block.examples.clone().zip(rows) {
                for (program, (first, second)) in first.iter().zip(second).enumerate() {
                    if let (Some(first), Some(second)) = (first, second)
                        && first != second
                    {
                        return Some(format!(
                            "{} on example {example} of tile {}: {first:?} and {second:?}",
                            self.tiles[block.tile].plan.name(program),
                            block.tile
                        ));
                    }
                }
            }
        }
        None
    }
}

impl<'g, W: Fn(Part) -> &'g Grid + Sync> Operation for Judge<'_, W> {
    type Output = (Found, Flags);

    fn describe(&self) -> Description {
        if let Some((lot, launch)) = &self.gpu {
            let evaluations = |block: &Block| {
                let programs = self.tiles[block.tile].plan.len();
                (programs * block.examples.len()) as u64
            };
            return outline(
                launch,
                lot.operands(self.tiles, self.blocks),
                self.blocks.iter().map(evaluations).sum(),
            );
        }
        let judge = |_: Part, _: usize, _: Verdict<'_>| ();
        Evaluate::new(self.tiles, self.blocks, self.settings, &judge).describe()
    }

    fn runs_on(&self, family: DeviceKind) -> bool {
        !family.is_gpu() || self.gpu.is_some()
    }

    fn run(&mut self, lane: &Lane<'_>) -> Result<Self::Output, Error> {
        match (lane.place(), self.gpu) {
            (Place::Accelerator(accelerator), Some((lot, launch))) => {
                let (ground, portion) = self.portion(lot, launch);
                let job = portion.job();
                let ran = if job.evaluations() == 0 {
                    Ran::default()
                } else {
                    Interpret::new(job, launch).launch(lane, accelerator)?
                };
                (self.settings.progress)(job.evaluations() as u64);
                Ok(self.read(ground, portion, &ran))
            }
            _ => Ok((self.run_on_cpu(lane)?, Flags::default())),
        }
    }

    fn compare(&self, first: &Self::Output, second: &Self::Output) -> Agreement {
        match self.difference(&first.0, &second.0) {
            None => Agreement::Same,
            Some(difference) => Agreement::Different(difference),
        }
    }
}

/// What came of tiles, and what had to be done twice.
#[derive(Clone, Debug)]
pub struct Assessed {
    /// As of a [`sweep`](crate::road::sweep).
    pub judged: Vec<Judged<Judgement>>,
    /// Evaluations that a GPU flagged and a processor redid.
    pub flags: Flags,
    /// Why the last operation that ran on a processor did so, where there is a
    /// GPU.
    pub on_cpu: Option<WhyCpu>,
}

/// Why evaluations were not sent to a GPU.
#[derive(Clone, Debug, PartialEq)]
pub enum WhyCpu {
    /// The router's decision.
    Decided(Decision),
    /// They have a limit of time, and a kernel does not look at the clock.
    Timed,
}

/// Judges tiles, operation after operation, each where it is sooner done. The
/// answer has one entry for each example of each tile, in order; what was not
/// reached before the token was cancelled is `None`.
///
/// While a GPU works, what it flagged last is redone on the processor and what
/// it gets next is lowered. Nothing is lowered as long as none is chosen.
pub fn judge<'g>(
    runtime: &Runtime,
    tiles: &[Tile<'_>],
    settings: &Settings<'_>,
    launch: LaunchSettings,
    wanted: impl Fn(Part) -> &'g Grid + Sync,
) -> Result<Assessed, Error> {
    let kinds = runtime.devices().map(|device| device.id().kind());
    let first = kinds.map(|kind| match kind {
        DeviceKind::Simt => EMULATED_EVALUATIONS,
        kind if kind.is_gpu() => GPU_EVALUATIONS,
        _ => OPERATION_EVALUATIONS,
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
    mut at_once: usize,
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
    let mut job = Cutter {
        tiles,
        settings,
        wanted: &wanted,
        launch,
        lots: &lots,
        rest: &blocks,
    };
    let mut assessed = Assessed {
        judged: Vec::new(),
        flags: Flags::default(),
        on_cpu: (is_timed && has_gpu).then_some(WhyCpu::Timed),
    };
    let again = |holes| redo(runtime, tiles, settings, &wanted, holes);
    let mut with_holes: Option<(&[Block], Found)> = None;
    let mut was_on_gpu = false;
    let mut next = job.next(at_once);
    while let Some(mut now) = next.take() {
        next = job.next(at_once);
        let blocks = now.blocks;
        if settings.token.is_stopped() {
            assessed.push(with_holes.take().map(again).transpose()?);
            assessed.push(Some((blocks, blocks.iter().map(|_| None).collect())));
            continue;
        }
        let (outcome, filled) = thread::scope(|scope| {
            if let Some(next) = next.as_ref().filter(|_| was_on_gpu) {
                scope.spawn(|| next.prepare());
            }
            let filling = with_holes
                .take()
                .map(|holes| scope.spawn(move || again(holes)));
            let outcome = runtime.trace(&mut now, None);
            let filled = filling.map(|filling| {
                let ended = filling.join();
                ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            (outcome, filled)
        });
        assessed.push(filled.transpose()?);
        let outcome = outcome?;
        let (found, flags) = outcome.output;
        was_on_gpu = outcome.decision.device.kind().is_gpu();
        if was_on_gpu {
            at_once = adapted(at_once, outcome.timing.total);
        } else if !lots.is_empty() {
            assessed.on_cpu = Some(WhyCpu::Decided(outcome.decision));
        }
        assessed.flags.add_all(&flags);
        if flags.total() > 0 {
            with_holes = Some((blocks, found));
        } else {
            assessed.push(Some((blocks, found)));
        }
    }
    assessed.push(with_holes.take().map(again).transpose()?);
    Ok(assessed)
}

/// How many evaluations an operation on a GPU should have, from what the last
/// took.
fn adapted(at_once: usize, took: Nanos) -> usize {
    let next = if took < SHORT {
        at_once * 2
    } else if took > LONG {
        at_once / 2
    } else {
        at_once
    };
    next.clamp(LEAST_EVALUATIONS, MOST_EVALUATIONS)
}

impl Assessed {
    /// Adds what was found of blocks.
    fn push(&mut self, found: Option<(&[Block], Found)>) {
        let Some((blocks, found)) = found else {
            return;
        };
        for (block, rows) in blocks.iter().zip(found) {
            let mut rows = rows.into_iter().flatten();
            for example in block.examples.clone() {
                let tile = block.tile;
                // Every place is filled now.
                let row = rows.next().map(|row| row.into_iter().flatten().collect());
                self.judged.push((Part { tile, example }, row));
            }
        }
    }
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
    fn nothing_is_lowered_before_a_gpu_is_chosen() {
        let work = Work::new(2);
        let tiles = work.tiles();
        let blocks = blocks(&tiles, 2);
        let crew = Crew::new(Budget::default());
        let settings = Settings::of(&crew);
        let wanted = |part: Part| work.wanted[part.tile][part.example];
        let lots = Lot::all(&tiles);
        let runtime = runtime(false);
        let mut judge = Judge::new(&tiles, &blocks, &settings, &wanted)
            .on_gpu(&lots[0], LaunchSettings::default());
        let told = judge.describe();
        let on_cpu = runtime.run(&mut judge).unwrap();
        assert!(!lots[0].is_lowered() && judge.portion.get().is_none());
        let on_gpu = runtime.run_on(DeviceId::simt(0), &mut judge).unwrap();
        assert!(lots[0].is_lowered());
        assert_eq!(judge.compare(&on_cpu, &on_gpu), Agreement::Same);
        // What was said before is near to what is: admission counts on it.
        let (told, is) = (told.input().0, judge.describe().input().0);
        assert!(told >= is / 2 && told <= 3 * is, "{told} and {is} bytes");
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
