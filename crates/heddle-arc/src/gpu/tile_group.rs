//! Tiles that are lowered together, when a GPU first runs one of them.

use super::lowered_tiles::{LoweredBlocks, LoweredTiles};
use super::program_selection::ProgramSelection;
use super::schedule::schedule_operand;
use crate::engine::{Grid, Tile};
use crate::meter::Budget;
use crate::operations::{ExampleBlock, TileExample};
use heddle_runtime::cpu::CpuPool;
use heddle_runtime::units::Bytes;
use heddle_runtime::{Operand, Residency};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::OnceLock;

/// Programs and examples that are lowered at once, about: some tenths of a second on
/// one core, so that a GPU has begun before all are; and enough for a long launch,
/// because each ends with a wait for its slowest evaluation.
const PROGRAMS: usize = 1 << 18;
/// Programs of the first lot: a GPU waits for it.
const FIRST_PROGRAMS: usize = 1 << 16;
const EXAMPLES: usize = 1 << 17;

/// What is assumed of code and data before they are made, in bytes.
const PROGRAM_BYTES: usize = 24;
const STEP_BYTES: usize = 20;
const CONSTANTS_BYTES: usize = 4_096;
const EXAMPLE_BYTES: usize = 256;

/// Consecutive tiles that are lowered together.
#[derive(Debug)]
pub struct TileGroup {
    tiles: Range<usize>,
    expected: [Bytes; 2],
    lowered_tiles: OnceLock<LoweredTiles>,
    pool: CpuPool,
}

impl TileGroup {
    /// Splits tiles into groups, which are not lowered yet. `pool` lowers them later.
    #[must_use]
    pub fn all(tiles: &[Tile<'_>], pool: &CpuPool) -> Vec<TileGroup> {
        TileGroup::of_at_most(tiles, pool, [FIRST_PROGRAMS, PROGRAMS])
    }

    /// The same with at most so many programs in the first and in each other, or one
    /// plan.
    fn of_at_most(
        tiles: &[Tile<'_>],
        pool: &CpuPool,
        [first, later]: [usize; 2],
    ) -> Vec<TileGroup> {
        let mut tile_groups = Vec::new();
        let mut start = 0;
        while start < tiles.len() {
            let mut plans = HashSet::new();
            let (mut programs, mut examples) = (0, 0);
            let most = if tile_groups.is_empty() { first } else { later };
            let (mut code, mut data) = (0, 0);
            let mut end = start;
            for tile in &tiles[start..] {
                let is_new = !plans.contains(&tile.plan.number);
                let more = if is_new { tile.plan.len() } else { 0 };
                // More examples of a plan that is there take no more lowering.
                let is_full =
                    is_new && programs + more > most || examples + tile.examples.len() > EXAMPLES;
                if is_full && end > start {
                    break;
                }
                if is_new {
                    plans.insert(tile.plan.number);
                    code += code_bytes(tile);
                }
                programs += more;
                examples += tile.examples.len();
                // What is wanted is about as large as what is given.
                data += 2 * tile.bytes_in() + EXAMPLE_BYTES * tile.examples.len();
                end += 1;
            }
            tile_groups.push(TileGroup {
                tiles: start..end,
                expected: [Bytes(code as u64), Bytes(data as u64)],
                lowered_tiles: OnceLock::new(),
                pool: pool.clone(),
            });
            start = end;
        }
        tile_groups
    }

    /// The numbers of its tiles.
    #[must_use]
    pub fn tiles(&self) -> Range<usize> {
        self.tiles.clone()
    }

    /// Whether the tiles are lowered.
    #[must_use]
    pub fn is_lowered(&self) -> bool {
        self.lowered_tiles.get().is_some()
    }

    /// The ground of its tiles, lowered now if it was not before.
    pub(super) fn lowered_tiles<'g>(
        &self,
        tiles: &[Tile<'_>],
        budget: Budget,
        wanted: impl Fn(TileExample) -> &'g Grid,
    ) -> &LoweredTiles {
        let first = self.tiles.start;
        self.lowered_tiles.get_or_init(|| {
            LoweredTiles::new(&tiles[self.tiles.clone()], budget, &self.pool, |part| {
                let tile = first + part.tile;
                Some(wanted(TileExample { tile, ..part }))
            })
        })
    }

    /// Some of its blocks as a job, of these programs or of all.
    pub(super) fn portion(
        &self,
        lowered_tiles: &LoweredTiles,
        tiles: &[Tile<'_>],
        blocks: &[ExampleBlock],
        only: Option<&ProgramSelection>,
    ) -> LoweredBlocks {
        let start = self.tiles.start;
        let own = |block: &ExampleBlock| ExampleBlock {
            tile: block.tile - start,
            ..block.clone()
        };
        let blocks: Vec<ExampleBlock> = blocks.iter().map(own).collect();
        lowered_tiles.portion_of(&blocks, |tile| {
            only.map(|only| only.of(tiles[start + tile].plan))
        })
    }

    /// Code and data as they are, or as they are expected to be, and the schedule of
    /// these blocks, of these programs or of all.
    pub(super) fn operands(
        &self,
        tiles: &[Tile<'_>],
        blocks: &[ExampleBlock],
        only: Option<&ProgramSelection>,
    ) -> [Operand; 3] {
        let expected = |bytes: Bytes| Operand {
            bytes,
            residency: Residency::Host,
        };
        let [code, data] = match self.lowered_tiles.get() {
            Some(lowered_tiles) => lowered_tiles.operands(),
            None => self.expected.map(expected),
        };
        let mut seen = HashSet::new();
        let programs = |block: &ExampleBlock| {
            let plan = tiles[block.tile].plan;
            let is_new = seen.insert(plan.number);
            let own = only.map_or(plan.len(), |only| only.of(plan).len());
            if is_new { own as u64 } else { 0 }
        };
        let programs = blocks.iter().map(programs).sum();
        let examples = blocks.iter().map(|block| block.examples.len() as u64).sum();
        [code, data, schedule_operand(programs, examples)]
    }
}

/// Code and data of all lots together, and the schedule of these blocks; none of no lots.
pub(super) fn operands_of_all(
    tile_groups: &[TileGroup],
    tiles: &[Tile<'_>],
    blocks: &[ExampleBlock],
) -> Option<[Operand; 3]> {
    let (first, others) = tile_groups.split_first()?;
    let mut all = first.operands(tiles, blocks, None);
    for tile_group in others {
        for (sum, own) in all.iter_mut().zip(tile_group.operands(tiles, &[], None)) {
            sum.bytes = sum.bytes + own.bytes;
        }
    }
    Some(all)
}

fn code_bytes(tile: &Tile<'_>) -> usize {
    let programs = tile.plan.programs.iter();
    let own: usize = programs
        .map(|program| PROGRAM_BYTES + STEP_BYTES * program.steps.len())
        .sum();
    let bodies = tile.plan.code.bodies.iter();
    let shared: usize = bodies
        .map(|body| PROGRAM_BYTES + STEP_BYTES * body.steps.len())
        .sum();
    own + shared + CONSTANTS_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Example;
    use crate::gpu::sample::{programs, tasks};
    use crate::plan::Plan;

    #[test]
    fn a_plan_is_in_one_lot_with_all_its_tiles() {
        let plans = [0..5, 5..8, 8..20, 20..23].map(|range| Plan::new(&programs()[range]));
        let examples: Vec<Example<'_>> = tasks()[0].examples().collect();
        let tile = |plan: usize| Tile {
            plan: &plans[plan],
            examples: &examples,
        };
        let tiles = [0, 0, 0, 1, 1, 2, 2, 3].map(tile);
        let tile_groups = |most| -> Vec<Range<usize>> {
            let tile_groups = TileGroup::of_at_most(&tiles, CpuPool::shared(), most);
            tile_groups.iter().map(TileGroup::tiles).collect()
        };
        // The first plan is larger than a first lot may be, the third than any.
        assert_eq!(tile_groups([2, 10]), [0..3, 3..5, 5..7, 7..8]);
        assert_eq!(tile_groups([8, 15]), [0..5, 5..8]);
        assert_eq!(tile_groups([100, 100]).len(), 1);
        assert!(TileGroup::all(&[], CpuPool::shared()).is_empty());
    }
}
