//! What one thread takes at once.

use super::{ExampleBlock, MAX_EVALUATIONS_PER_OPERATION, PROGRAMS_PER_BLOCK, weight};
use crate::engine::Tile;
use std::ops::Range;

/// Blocks of fewer than so many for each thread are cut by programs, into pieces of
/// [`PROGRAMS_PER_BLOCK`].
const BLOCKS_PER_THREAD: usize = 4;

/// Pieces that blocks are put together to for each thread, at least: threads take them
/// one after the other, and wait for each other where a piece is sooner done than taken.
/// Blocks of four small examples went slower on two threads than on one.
const PIECES_PER_THREAD: usize = 64;

/// Some blocks, or some programs of one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BlockPiece {
    pub(super) blocks: Range<usize>,
    /// All of each block's where there are none.
    pub(super) programs: Option<Range<usize>>,
    /// What it costs, about.
    pub(super) weight: usize,
}

/// Blocks cut by programs where there are few, and put together where they are light.
pub(super) fn pieces(
    tiles: &[Tile<'_>],
    blocks: &[ExampleBlock],
    threads: usize,
) -> Vec<BlockPiece> {
    let cells = |block: &ExampleBlock| -> usize {
        let examples = &tiles[block.tile].examples[block.examples.clone()];
        examples.iter().map(weight).sum()
    };
    let programs = |block: &ExampleBlock| tiles[block.tile].plan.len();
    let mut pieces = Vec::with_capacity(blocks.len());
    if threads > 1 && blocks.len() < BLOCKS_PER_THREAD * threads {
        for (number, block) in blocks.iter().enumerate() {
            let (all, cells) = (programs(block), cells(block));
            // One piece of a plan without programs too.
            for start in (0..all.max(1)).step_by(PROGRAMS_PER_BLOCK) {
                let programs = start..all.min(start + PROGRAMS_PER_BLOCK);
                pieces.push(BlockPiece {
                    blocks: number..number + 1,
                    weight: programs.len() * cells,
                    programs: Some(programs),
                });
            }
        }
        return pieces;
    }
    let weights: Vec<usize> = blocks
        .iter()
        .map(|block| programs(block) * cells(block))
        .collect();
    let light = weights.iter().sum::<usize>() / (threads * PIECES_PER_THREAD).max(1);
    let mut evaluations = 0;
    for (number, (block, weight)) in blocks.iter().zip(weights).enumerate() {
        let own = block.evaluations(tiles);
        match pieces.last_mut() {
            Some(BlockPiece {
                blocks,
                weight: together,
                ..
            }) if *together + weight <= light
                && evaluations + own <= MAX_EVALUATIONS_PER_OPERATION =>
            {
                blocks.end += 1;
                *together += weight;
                evaluations += own;
            }
            _ => {
                pieces.push(BlockPiece {
                    blocks: number..number + 1,
                    programs: None,
                    weight,
                });
                evaluations = own;
            }
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Example, Grid};
    use crate::operations::blocks;
    use crate::plan::Plan;
    use crate::program::load;

    #[test]
    fn small_blocks_are_put_together_and_large_ones_are_not() {
        let one = load(
            "def solve_a(I):\n    O = vmirror(I)\n    return O",
            "ours.py",
        )
        .programs;
        let plan = Plan::new(&one);
        let small = Grid::new(&[[0; 4]; 4]).unwrap();
        let large = Grid::new(&vec![[0; 30]; 30]).unwrap();
        let small = [Example::new(&small); 3];
        let large = [Example::new(&large)];
        let tile = |examples| Tile {
            plan: &plan,
            examples,
        };
        let mut tiles = vec![tile(&small[..]); 20_000];
        tiles[70] = tile(&large);
        let blocks = blocks(&tiles, 2);
        let pieces = pieces(&tiles, &blocks, 2);
        let covered = pieces.iter().flat_map(|piece| piece.blocks.clone());
        assert!(covered.eq(0..blocks.len()));
        assert!((128..300).contains(&pieces.len()), "{}", pieces.len());
        let own: usize = pieces.iter().map(|piece| piece.weight).max().unwrap();
        assert!(own < 10_000, "{own}");
        assert!(pieces.iter().all(|piece| piece.programs.is_none()));
    }
}
