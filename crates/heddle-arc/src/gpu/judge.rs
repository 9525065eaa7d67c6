//! Programs judged on blocks of examples, as one operation.
//!
//! [`Judge`] is an evaluation with a body for processors and one for GPUs: it
//! answers with judgements, not values, because that is all a kernel sends back.
//!
//! The one thing to know: a GPU's answer is the bytes it sent. They are read
//! ([`Judge::read`]) after the operation, so that the next one need not wait.

use super::answer::{Answer, Flags};
use super::assessed::Row;
use super::chosen::{Chosen, Given};
use super::ground::{Ground, Portion};
use super::launch::{Interpret, LaunchSettings, Ran, outline};
use super::letterbox::Letterbox;
use super::lookout::Lookout;
use super::lot::Lot;
use super::scattered::{Few, Scattered, judging};
use crate::assess::Judgement;
use crate::engine::{Grid, Tile, Verdict};
use crate::road::{Block, EVALUATE, EVALUATE_BESIDE, Evaluate, Judgements, Part, Settings};
use heddle_runtime::device::{DeviceId, Lane, Place};
use heddle_runtime::units::Bytes;
use heddle_runtime::{Agreement, Description, Error, Kind, Operation};
use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

/// Every program of some blocks on each of their examples, judged.
pub struct Judge<'a, W> {
    tiles: &'a [Tile<'a>],
    blocks: &'a [Block],
    settings: &'a Settings<'a>,
    wanted: &'a W,
    /// What a GPU needs; without it only processors are asked.
    gpu: Option<(&'a Lot, LaunchSettings)>,
    /// Its programs, if not all of the blocks' tiles.
    only: Option<Arc<Chosen>>,
    /// What it is: prices are learned of whole jobs alone.
    kind: &'static Kind,
    /// Where results of a GPU come, if somebody looks there.
    letterbox: Option<Arc<Letterbox>>,
    portion: OnceLock<Arc<Portion>>,
}

/// Judgements by example and program.
pub(crate) type Rows<T> = Vec<Vec<T>>;

/// What stands where nothing is known.
const NOTHING: Judgement = Judgement::Wrong { cells: 0 };

/// What an operation brought.
#[derive(Clone, Debug)]
pub enum Findings {
    /// A processor's judgements, by block; nothing where it was stopped before.
    Judged(Vec<Option<Rows<Judgement>>>),
    /// What a kernel wrote.
    Launched(Ran),
}

/// One judgement of every program that was given on every example, by block.
#[derive(Debug, Default)]
pub struct Found {
    /// Nothing where it was stopped before.
    pub rows: Vec<Option<Rows<Judgement>>>,
    /// What a GPU flagged; what stands there means nothing.
    pub holes: Vec<Hole>,
    /// The same, counted by reason.
    pub flags: Flags,
}

/// The place of one judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hole {
    /// Which block.
    pub block: usize,
    /// Which of the block's examples, counted from its first.
    pub example: usize,
    /// Which program.
    pub program: usize,
}

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
            only: None,
            kind: &EVALUATE,
            letterbox: None,
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

    /// The same of these programs alone, while others of the job are made elsewhere;
    /// of all where nobody chose.
    pub(super) fn only(mut self, only: Option<Arc<Chosen>>) -> Self {
        if only.is_some() {
            self.kind = &EVALUATE_BESIDE;
        }
        self.only = only;
        self
    }

    /// The same, telling here where results of a GPU come.
    pub(super) fn telling(mut self, letterbox: &Arc<Letterbox>) -> Self {
        self.letterbox = Some(Arc::clone(letterbox));
        self
    }

    /// One for what a GPU flags, if it is [prepared](Self::prepare).
    pub(super) fn lookout(&self) -> Option<Lookout<'a>> {
        let portion = Arc::clone(self.portion.get()?);
        let (lot, launch) = self.gpu?;
        Some(Lookout {
            tiles: self.tiles,
            blocks: self.blocks,
            only: self.only.clone(),
            ground: self.portion(lot, launch).0,
            portion,
            told: HashSet::new(),
        })
    }

    /// Its programs, if not all.
    pub(super) fn chosen(&self) -> Option<&Chosen> {
        self.only.as_deref()
    }

    /// Those of a tile.
    fn given(&self, tile: usize) -> Option<&[Given]> {
        self.chosen().map(|only| only.of(self.tiles[tile].plan))
    }

    /// How many of a tile there are.
    fn programs(&self, tile: usize) -> usize {
        let all = || self.tiles[tile].plan.len();
        self.given(tile).map_or_else(all, <[Given]>::len)
    }

    /// Where a program of a tile is in a row of judgements.
    pub(super) fn place(&self, tile: usize, program: usize) -> Option<usize> {
        match self.chosen() {
            Some(only) => only.place(self.tiles[tile].plan, program),
            None => Some(program),
        }
    }

    /// Which program of a tile is at a place of a row.
    fn program(&self, tile: usize, place: usize) -> usize {
        let program = self.given(tile).and_then(|given| given.get(place));
        program.map_or(place, |given| given.program)
    }

    /// The same on a processor while GPUs make others of the job.
    pub(super) fn beside(mut self) -> Self {
        self.kind = &EVALUATE_BESIDE;
        self
    }

    /// Its blocks.
    #[must_use]
    pub fn blocks(&self) -> &'a [Block] {
        self.blocks
    }

    /// Lowers what a GPU would run, so that it does not wait for that; the lot it is of.
    pub(super) fn prepare(&self) -> Option<&'a Lot> {
        let (lot, launch) = self.gpu?;
        self.portion(lot, launch);
        Some(lot)
    }

    fn portion(&self, lot: &'a Lot, launch: LaunchSettings) -> (&'a Ground, &Portion) {
        let ground = lot.ground(self.tiles, launch.budget, self.wanted);
        let portion = || Arc::new(lot.portion(ground, self.tiles, self.blocks, self.chosen()));
        (ground, self.portion.get_or_init(portion))
    }

    fn run_on_cpu(&self, lane: &Lane<'_>) -> Result<Findings, Error> {
        if self.only.is_some() {
            return self.run_some_on_cpu(lane);
        }
        let judge = |part: Part, _: usize, verdict: Verdict<'_>| {
            Judgement::of(&verdict, (self.wanted)(part))
        };
        let evaluate = Evaluate::new(self.tiles, self.blocks, self.settings, &judge);
        let judged = evaluate.of_kind(self.kind).run(lane)?.into_iter();
        let rows = judged.map(|judged| judged.map(Judgements::into_rows));
        Ok(Findings::Judged(rows.collect()))
    }

    /// The same of some programs.
    fn run_some_on_cpu(&self, lane: &Lane<'_>) -> Result<Findings, Error> {
        let few = |block: &Block| -> Few {
            let given = self.given(block.tile).unwrap_or_default();
            let of = |example| given.iter().map(move |given| (example, given.program));
            (block.tile, block.examples.clone().flat_map(of).collect())
        };
        let some: Vec<Few> = self.blocks.iter().map(few).collect();
        let mut scattered = Scattered {
            kind: self.kind,
            tiles: self.tiles,
            some: &some,
            settings: self.settings,
            judge: &judging(self.wanted),
            wait: None,
        };
        let judged = scattered.run(lane)?;
        let rows = self.blocks.iter().zip(judged).map(|(block, judged)| {
            let row = vec![NOTHING; self.programs(block.tile)];
            let mut rows = vec![row; block.examples.len()];
            for (example, program, judgement) in judged {
                if let Some(place) = self.place(block.tile, program) {
                    rows[example - block.examples.start][place] = judgement;
                }
            }
            Some(rows)
        });
        Ok(Findings::Judged(rows.collect()))
    }

    /// Evaluations a GPU makes of it.
    fn evaluations(&self) -> u64 {
        let of = |block: &Block| (self.programs(block.tile) * block.examples.len()) as u64;
        self.blocks.iter().map(of).sum()
    }

    /// What was found, and what was not, because a GPU flagged it.
    #[must_use]
    pub fn read(&self, findings: Findings) -> Found {
        let (ran, (lot, launch)) = match (findings, self.gpu) {
            (Findings::Launched(ran), Some(gpu)) => (ran, gpu),
            // Nothing was launched without what a GPU needs.
            (Findings::Launched(_), None) => return Found::default(),
            (Findings::Judged(rows), _) => {
                return Found {
                    rows,
                    ..Found::default()
                };
            }
        };
        let (ground, portion) = self.portion(lot, launch);
        let places = self.blocks.iter().enumerate();
        let read = ground.pool.map(Bytes(u64::MAX), places, |(place, block)| {
            self.read_block(ground, portion, &ran, place, block)
        });
        let mut found = Found::default();
        for (rows, holes, flags) in read {
            found.rows.push(Some(rows));
            found.holes.extend(holes);
            found.flags.add_all(&flags);
        }
        found
    }

    /// Puts what a launch answered of a block, but not what it flagged, where the
    /// judgements of its tile's programs are, example by example. How many have none.
    pub(super) fn read_rows(&self, ran: &Ran, block: usize, rows: &mut [Row]) -> usize {
        let Some(portion) = self.portion.get() else {
            return 0;
        };
        let results = ran.results();
        let mut without = 0;
        let tile = self.blocks[block].tile;
        let plan = self.tiles[tile].plan;
        let given = self.given(tile);
        // In the order of the results.
        for place in 0..self.programs(tile) {
            let program = given.map_or(place, |given| given[place].program);
            for (example, row) in rows.iter_mut().enumerate() {
                let result = results.get(portion.result_of((block, example), place));
                let result = result.map_or(0, |result| result.load(Ordering::Acquire));
                match Answer::of(result).judgement(plan, program) {
                    Ok(judgement) => row[program] = Some(judgement),
                    Err(_) => without += 1,
                }
            }
        }
        without
    }

    fn read_block(
        &self,
        ground: &Ground,
        portion: &Portion,
        ran: &Ran,
        place: usize,
        block: &Block,
    ) -> (Rows<Judgement>, Vec<Hole>, Flags) {
        let (mut holes, mut flags) = (Vec::new(), Flags::default());
        let plan = self.tiles[block.tile].plan;
        let programs = self.programs(block.tile);
        let mut rows = vec![vec![NOTHING; programs]; block.examples.len()];
        // In the order of the results.
        for at in 0..programs {
            let program = self.program(block.tile, at);
            for (example, row) in rows.iter_mut().enumerate() {
                let answer = portion.answer_at(ground, ran, (place, example), (at, program));
                match answer.judgement(plan, program) {
                    Ok(judgement) => row[at] = judgement,
                    Err(flag) => {
                        flags.add(flag);
                        holes.push(Hole {
                            block: place,
                            example,
                            program,
                        });
                    }
                }
            }
        }
        (rows, holes, flags)
    }

    /// Whether it is lowered, so that a GPU may take it.
    pub(super) fn runs_on_gpus(&self) -> bool {
        self.gpu.is_some()
    }

    /// The first evaluation that two answers judge differently. Where either was
    /// flagged there is nothing to compare.
    pub(super) fn difference(&self, first: &Found, second: &Found) -> Option<String> {
        let mut holes: Vec<Hole> = [&first.holes[..], &second.holes].concat();
        holes.sort_unstable();
        for (place, block) in self.blocks.iter().enumerate() {
            let [first, second] = [first, second].map(|found| found.rows.get(place)?.as_ref());
            let (Some(first), Some(second)) = (first, second) else {
                continue;
            };
            for (example, (first, second)) in first.iter().zip(second).enumerate() {
                for (at, (first, second)) in first.iter().zip(second).enumerate() {
                    let program = self.program(block.tile, at);
                    let hole = Hole {
                        block: place,
                        example,
                        program,
                    };
                    if first != second && holes.binary_search(&hole).is_err() {
                        return Some(format!(
                            "{} on example {} of tile {}: {first:?} and {second:?}",
                            self.tiles[block.tile].plan.name(program),
                            block.examples.start + example,
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
    type Output = Findings;

    fn describe(&self) -> Description {
        if let Some((lot, launch)) = &self.gpu {
            return outline(
                self.kind,
                launch,
                lot.operands(self.tiles, self.blocks, self.chosen()),
                self.evaluations(),
                self.evaluations(),
            );
        }
        let judge = |_: Part, _: usize, _: Verdict<'_>| ();
        let evaluate = Evaluate::new(self.tiles, self.blocks, self.settings, &judge);
        evaluate.of_kind(self.kind).describe()
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host() || (device.has_kernels() && self.gpu.is_some())
    }

    fn run(&mut self, lane: &Lane<'_>) -> Result<Findings, Error> {
        match (lane.place(), self.gpu) {
            (Place::Accelerator(accelerator), Some((lot, launch))) => {
                let (_, portion) = self.portion(lot, launch);
                let job = portion.job();
                let ran = if job.evaluations() == 0 {
                    Ran::default()
                } else {
                    let letterbox = self.letterbox.as_deref();
                    Interpret::new(job, launch).launch(lane, accelerator, letterbox)?
                };
                (self.settings.progress)(self.evaluations());
                Ok(Findings::Launched(ran))
            }
            _ => self.run_on_cpu(lane),
        }
    }

    fn compare(&self, first: &Findings, second: &Findings) -> Agreement {
        let [first, second] = [first, second].map(|findings| self.read(findings.clone()));
        match self.difference(&first, &second) {
            None => Agreement::Same,
            Some(difference) => Agreement::Different(difference),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::sample::{OneTask, emulated};
    use crate::meter::Budget;
    use crate::road::{Crew, blocks};
    use heddle_runtime::cpu::Pool;
    use heddle_runtime::device::DeviceId;

    #[test]
    fn nothing_is_lowered_before_a_gpu_is_chosen() {
        let task = OneTask::new();
        let tiles = task.tiles();
        let blocks = blocks(&tiles, 2);
        let crew = Crew::new(Budget::default());
        let settings = Settings::of(&crew);
        let wanted = |part: Part| task.wanted(part);
        let lots = Lot::all(&tiles, Pool::shared());
        let runtime = emulated();
        let mut judge = Judge::new(&tiles, &blocks, &settings, &wanted)
            .on_gpu(&lots[0], LaunchSettings::default());
        let told = judge.describe();
        let on_cpu = runtime.run(&mut judge).unwrap();
        assert!(!lots[0].is_lowered() && judge.portion.get().is_none());
        let on_gpu = runtime.run_on(DeviceId::simt(0), &mut judge).unwrap();
        assert!(lots[0].is_lowered());
        assert_eq!(judge.compare(&on_cpu, &on_gpu), Agreement::Same);
        let mut other = judge.read(on_cpu.clone());
        let row = &mut other.rows[0].as_mut().unwrap()[0];
        row[0] = match row[0] {
            Judgement::Right => NOTHING,
            _ => Judgement::Right,
        };
        let other = Findings::Judged(other.rows);
        assert!(matches!(
            judge.compare(&other, &on_gpu),
            Agreement::Different(_)
        ));
        // What was said before is near to what is: admission counts on it.
        let (told, is) = (told.input().0, judge.describe().input().0);
        assert!(told >= is / 2 && told <= 3 * is, "{told} and {is} bytes");
    }
}
