//! What a GPU flagged, once more on the processor.

use super::judge::{Found, Hole};
use super::scattered::{Few, Scattered, judging};
use crate::engine::{Grid, Tile};
use crate::road::{Block, EVALUATE_AGAIN, Part, Settings};
use heddle_runtime::device::DeviceId;
use heddle_runtime::{Error, Runtime};

/// Flagged evaluations that one thread redoes together: few, because those with
/// many steps take a millisecond each, and others wait for the last.
const REDONE_TOGETHER: usize = 16;

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
