//! Evaluations here and there, on the processor: those a GPU flagged, and those it
//! was not given.

use super::judge::{Found, Hole};
use crate::assess::Judgement;
use crate::engine::{Grid, Tile, Verdict};
use crate::road::{Block, EVALUATE_AGAIN, Part, Settings};
use heddle_runtime::device::{DeviceId, Lane};
use heddle_runtime::units::{Bytes, Nanos};
use heddle_runtime::{DType, Description, Error, Kind, Operand, Operation, Residency, Runtime};
use std::time::Instant;

/// Flagged evaluations that one thread redoes together: few, because those with
/// many steps take a millisecond each, and others wait for the last.
const REDONE_TOGETHER: usize = 16;

/// Some evaluations of one tile: the number of the example, then that of the program.
pub(super) type Few = (usize, Vec<(usize, usize)>);

/// What came of them.
pub(super) type FewJudged<T> = Vec<(usize, usize, T)>;

/// Evaluations in any order, as one operation.
pub(super) struct Scattered<'a, J> {
    /// What it is.
    pub(super) kind: &'static Kind,
    pub(super) tiles: &'a [Tile<'a>],
    /// Each entry is run by one thread.
    pub(super) some: &'a [Few],
    pub(super) settings: &'a Settings<'a>,
    /// What to keep of a verdict, given the program and what it took.
    pub(super) judge: &'a J,
}

impl<T: Send, J: Fn(Part, usize, Verdict<'_>, Nanos) -> T + Sync> Operation for Scattered<'_, J> {
    type Output = Vec<FewJudged<T>>;

    fn describe(&self) -> Description {
        let work: usize = self.some.iter().map(|(_, some)| some.len()).sum();
        Description::new(self.kind, DType::U8, work as u64).reads(Operand {
            bytes: Bytes(work as u64),
            residency: Residency::Host,
        })
    }

    fn run(&mut self, lane: &Lane<'_>) -> Result<Self::Output, Error> {
        let pool = lane.pool(self.kind.name())?;
        let mut judged: Self::Output = Vec::new();
        judged.resize_with(self.some.len(), Vec::new);
        let Scattered {
            tiles,
            settings,
            judge,
            ..
        } = *self;
        let work = self.some.iter().zip(judged.iter_mut());
        pool.each(Bytes(u64::MAX), work, |((tile, some), judged)| {
            let Tile { plan, examples } = tiles[*tile];
            let mut worker = settings.crew.take();
            let mut began = Instant::now();
            worker.run_some(
                plan,
                examples,
                &mut some.clone(),
                |example, program, verdict| {
                    let part = Part {
                        tile: *tile,
                        example,
                    };
                    let now = Instant::now();
                    let took = Nanos::from(now - began);
                    judged.push((example, program, judge(part, program, verdict, took)));
                    began = now;
                },
            );
            settings.crew.give_back(worker);
        });
        Ok(judged)
    }
}

/// Keeps of a verdict whether it is what is wanted.
pub(super) fn judging<'g>(
    wanted: &(impl Fn(Part) -> &'g Grid + Sync),
) -> impl Fn(Part, usize, Verdict<'_>, Nanos) -> Judgement + Sync {
    |part, _, verdict, _| Judgement::of(&verdict, wanted(part))
}

/// Fills the places a GPU left empty; `place` says where in a row a program of a tile is.
pub(super) fn redo<'g>(
    runtime: &Runtime,
    tiles: &[Tile<'_>],
    settings: &Settings<'_>,
    wanted: &(impl Fn(Part) -> &'g Grid + Sync),
    blocks: &[Block],
    place: impl Fn(usize, usize) -> Option<usize>,
    found: &mut Found,
) -> Result<(), Error> {
    let mut some: Vec<Few> = Vec::new();
    let mut homes: Vec<usize> = Vec::new();
    for of_block in found.holes.chunk_by(|one, next| one.block == next.block) {
        for few in of_block.chunks(REDONE_TOGETHER) {
            let home = few[0].block;
            let block = &blocks[home];
            let pair = |hole: &Hole| (block.examples.start + hole.example, hole.program);
            some.push((block.tile, few.iter().map(pair).collect()));
            homes.push(home);
        }
    }
    if some.is_empty() {
        return Ok(());
    }
    let again = Scattered {
        kind: &EVALUATE_AGAIN,
        tiles,
        some: &some,
        settings,
        judge: &judging(wanted),
    };
    let redone = runtime.run_on(DeviceId::CPU, again)?;
    for (home, judged) in homes.into_iter().zip(redone) {
        let Block { tile, examples } = &blocks[home];
        let Some(rows) = &mut found.rows[home] else {
            continue;
        };
        for (example, program, judgement) in judged {
            if let Some(place) = place(*tile, program) {
                rows[example - examples.start][place] = judgement;
            }
        }
    }
    found.holes.clear();
    Ok(())
}
