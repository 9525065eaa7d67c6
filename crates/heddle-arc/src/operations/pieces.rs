//! The pieces of work that a thread takes from an operation.

use super::{ExampleBlock, MAX_EVALUATIONS_PER_OPERATION, PROGRAMS_PER_BLOCK};
use crate::engine::Tile;
use std::ops::Range;

/// With fewer blocks than this for each thread, each block is split by programs, into
/// pieces of [`PROGRAMS_PER_BLOCK`].
const BLOCKS_PER_THREAD: usize = 4;

/// The least number of pieces for each thread when blocks are joined. Threads take pieces
/// one after another and contend where a piece runs shorter than taking it. Blocks of four
/// small examples were slower on two threads than on one.
const PIECES_PER_THREAD: usize = 64;

/// Some blocks, or some programs of one block.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BlockPiece {
    pub(super) blocks: Range<usize>,
    /// The programs to run; `None` means all.
    pub(super) programs: Option<Range<usize>>,
    /// An estimate of its cost: programs times cells.
    pub(super) weight: usize,
}

/// Splits blocks by programs where there are few blocks, and joins light blocks.
pub(super) fn pieces(
    tiles: &[Tile<'_>],
    blocks: &[ExampleBlock],
    threads: usize,
) -> Vec<BlockPiece> {
    let programs = |block: &ExampleBlock| tiles[block.tile].plan.len();
    let mut pieces = Vec::with_capacity(blocks.len());
    if threads > 1 && blocks.len() < BLOCKS_PER_THREAD * threads {
        for (number, block) in blocks.iter().enumerate() {
            let (all, cells) = (programs(block), block.cells);
            // A plan without programs has one piece as well.
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
        .map(|block| programs(block) * block.cells)
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
    fn small_blocks_are_joined_and_large_ones_are_not() {
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
