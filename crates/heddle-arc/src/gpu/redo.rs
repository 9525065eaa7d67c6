//! What a GPU flagged, once more on the processor.

use super::judge::{Found, Hole};
use super::scattered::{Few, Scattered, judging};
use crate::assess::Judgement;
use crate::engine::{Grid, Tile};
use crate::road::{Block, EVALUATE_AGAIN, Part, Settings};
use heddle_runtime::device::DeviceId;
use heddle_runtime::{Error, Runtime};
use std::collections::HashMap;

/// Flagged evaluations that one thread redoes together: few, because those with
/// many steps take a millisecond each, and others wait for the last.
const REDONE_TOGETHER: usize = 4;
/// Parts that each thread gets of them, at least, if there are as many.
const PARTS_EACH: usize = 4;

/// What was redone so far.
pub(super) type Redone = HashMap<Hole, Judgement>;

/// Does these evaluations of blocks again.
pub(super) fn redo<'g>(
    runtime: &Runtime,
    tiles: &[Tile<'_>],
    settings: &Settings<'_>,
    wanted: &(impl Fn(Part) -> &'g Grid + Sync),
    blocks: &[Block],
    mut holes: Vec<Hole>,
) -> Result<Redone, Error> {
    holes.sort_unstable();
    let threads = runtime.device(DeviceId::CPU)?.card().units;
    let together = (holes.len() / (PARTS_EACH * threads)).clamp(1, REDONE_TOGETHER);
    let mut some: Vec<Few> = Vec::new();
    let mut homes: Vec<usize> = Vec::new();
    for of_block in holes.chunk_by(|one, next| one.block == next.block) {
        for few in of_block.chunks(together) {
            let home = few[0].block;
            let block = &blocks[home];
            let pair = |hole: &Hole| (block.examples.start + hole.example, hole.program);
            some.push((block.tile, few.iter().map(pair).collect()));
            homes.push(home);
        }
    }
    let again = Scattered {
        kind: &EVALUATE_AGAIN,
        tiles,
        some: &some,
        settings,
        judge: &judging(wanted),
    };
    let judged = runtime.run_on(DeviceId::CPU, again)?;
    let mut redone = Redone::with_capacity(holes.len());
    for (block, judged) in homes.into_iter().zip(judged) {
        let first = blocks[block].examples.start;
        redone.extend(judged.into_iter().map(|(example, program, judgement)| {
            let example = example - first;
            let hole = Hole {
                block,
                example,
                program,
            };
            (hole, judgement)
        }));
    }
    Ok(redone)
}

/// Fills places that a GPU left empty; `place` says where in a row a program of a tile is.
pub(super) fn fill(
    found: &mut Found,
    redone: Redone,
    blocks: &[Block],
    place: impl Fn(usize, usize) -> Option<usize>,
) {
    for (hole, judgement) in redone {
        let rows = found.rows.get_mut(hole.block).and_then(Option::as_mut);
        let at = place(blocks[hole.block].tile, hole.program);
        if let (Some(rows), Some(at)) = (rows, at) {
            rows[hole.example][at] = judgement;
        }
    }
    found.holes.clear();
}
