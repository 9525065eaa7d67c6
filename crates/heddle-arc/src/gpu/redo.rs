//! What a GPU flagged, done again on the processor.

use super::judge::{Found, Hole};
use crate::assess::Judgement;
use crate::engine::{Grid, Tile};
use crate::road::{Block, EVALUATE_AGAIN, Part, Settings};
use heddle_runtime::device::{DeviceId, Lane};
use heddle_runtime::units::Bytes;
use heddle_runtime::{DType, Description, Error, Operand, Operation, Residency, Runtime};

/// Flagged evaluations that one thread redoes together: few, because those with
/// many steps take a millisecond each, and others wait for the last.
const REDONE_TOGETHER: usize = 16;

/// Evaluations a GPU flagged, on the processor.
struct Redo<'a, W> {
    tiles: &'a [Tile<'a>],
    /// Some of one tile each: the number of the example, then that of the program.
    some: &'a [(usize, Vec<(usize, usize)>)],
    settings: &'a Settings<'a>,
    wanted: &'a W,
}

impl<'g, W: Fn(Part) -> &'g Grid + Sync> Operation for Redo<'_, W> {
    type Output = Vec<Vec<(usize, usize, Judgement)>>;

    fn describe(&self) -> Description {
        let work: usize = self.some.iter().map(|(_, some)| some.len()).sum();
        Description::new(&EVALUATE_AGAIN, DType::U8, work as u64).reads(Operand {
            bytes: Bytes(work as u64),
            residency: Residency::Host,
        })
    }

    fn run(&mut self, lane: &Lane<'_>) -> Result<Self::Output, Error> {
        let pool = lane.pool(EVALUATE_AGAIN.name())?;
        let mut judged: Self::Output = Vec::new();
        judged.resize_with(self.some.len(), Vec::new);
        let Redo {
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
    let mut some: Vec<(usize, Vec<(usize, usize)>)> = Vec::new();
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
    let again = Redo {
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
