//! Evaluations here and there, on the processor: those a GPU flagged, and those it
//! was not given.

use super::aside::Aside;
use super::judge::{Found, Hole};
use crate::assess::Judgement;
use crate::engine::{Grid, Tile};
use crate::road::{Block, EVALUATE_AGAIN, EVALUATE_BESIDE, Part, Settings};
use heddle_runtime::device::{DeviceId, Lane};
use heddle_runtime::units::Bytes;
use heddle_runtime::{DType, Description, Error, Kind, Operand, Operation, Residency, Runtime};

/// Flagged evaluations that one thread redoes together: few, because those with
/// many steps take a millisecond each, and others wait for the last.
const REDONE_TOGETHER: usize = 16;

/// Some evaluations of one tile: the number of the example, then that of the program.
pub(super) type Few = (usize, Vec<(usize, usize)>);

/// What came of them.
pub(super) type FewJudged = Vec<(usize, usize, Judgement)>;

struct Scattered<'a, W> {
    kind: &'static Kind,
    tiles: &'a [Tile<'a>],
    some: &'a [Few],
    settings: &'a Settings<'a>,
    wanted: &'a W,
}

impl<'g, W: Fn(Part) -> &'g Grid + Sync> Operation for Scattered<'_, W> {
    type Output = Vec<FewJudged>;

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
            wanted,
            ..
        } = *self;
        let work = self.some.iter().zip(judged.iter_mut());
        pool.each(Bytes(u64::MAX), work, |((tile, some), judged)| {
            let Tile { plan, examples } = tiles[*tile];
            let mut worker = settings.crew.take();
            worker.run_some(
                plan,
                examples,
                &mut some.clone(),
                |example, program, verdict| {
                    let part = Part {
                        tile: *tile,
                        example,
                    };
                    judged.push((example, program, Judgement::of(&verdict, wanted(part))));
                },
            );
            settings.crew.give_back(worker);
        });
        Ok(judged)
    }
}

/// Fills the places a GPU left empty.
pub(super) fn redo<'g>(
    runtime: &Runtime,
    tiles: &[Tile<'_>],
    settings: &Settings<'_>,
    wanted: &(impl Fn(Part) -> &'g Grid + Sync),
    blocks: &[Block],
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
        wanted,
    };
    let redone = runtime.run_on(DeviceId::CPU, again)?;
    for (home, judged) in homes.into_iter().zip(redone) {
        let first = blocks[home].examples.start;
        let Some(rows) = &mut found.rows[home] else {
            continue;
        };
        for (example, program, judgement) in judged {
            rows[example - first][program] = judgement;
        }
    }
    found.holes.clear();
    Ok(())
}

/// The programs set aside on the examples of blocks, a few at a time.
pub(super) fn left_out(tiles: &[Tile<'_>], blocks: &[Block], aside: &Aside) -> Vec<Few> {
    let mut some = Vec::new();
    for block in blocks {
        for program in aside.of(tiles[block.tile].plan) {
            let pairs: Vec<(usize, usize)> = block
                .examples
                .clone()
                .map(|example| (example, *program))
                .collect();
            let few = pairs.chunks(REDONE_TOGETHER);
            some.extend(few.map(|few| (block.tile, few.to_vec())));
        }
    }
    some
}

/// Runs evaluations that a GPU was not given.
pub(super) fn run_left_out<'g>(
    runtime: &Runtime,
    tiles: &[Tile<'_>],
    settings: &Settings<'_>,
    wanted: &(impl Fn(Part) -> &'g Grid + Sync),
    some: &[Few],
) -> Result<Vec<FewJudged>, Error> {
    let operation = Scattered {
        kind: &EVALUATE_BESIDE,
        tiles,
        some,
        settings,
        wanted,
    };
    let judged = runtime.run_on(DeviceId::CPU, operation)?;
    let made: usize = some.iter().map(|(_, few)| few.len()).sum();
    (settings.progress)(made as u64);
    Ok(judged)
}
