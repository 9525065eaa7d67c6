//! In which order a launch takes its evaluations.
//!
//! The warps of a multiprocessor go step by step together and wait for the slowest of
//! them, so neighbours should be the same program on examples that take it as long: each
//! program has them by the gauge its steps rise with, the largest first. And a
//! long program begun last would keep the whole launch waiting.

use super::grid_features::CELLS;
use super::lowered_tiles::{BlockPlaced, LoweredTiles};
use super::parallel_map::parallel_map;
use super::program_selection::Given;
use super::schedule::{Schedule, Spot, Turn};
use crate::operations::ExampleBlock;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::HashMap;

/// A program, and which examples it is run on.
#[derive(Clone, Copy, Debug)]
struct Entry {
    steps: u32,
    likeness: u64,
    /// Its examples, and what they are sorted by.
    group: u32,
    grid_features: u8,
    /// Where it begins in the code.
    program: u32,
    /// Among those of its plan that are given.
    place: u32,
}

/// All programs in order, each on all its examples in order.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// The examples of each plan, in any order.
    groups: Vec<Vec<Spot>>,
    entries: Vec<Entry>,
}

impl Layout {
    /// Every program of these blocks' tiles that is given on each of their examples.
    pub(super) fn new<'a>(
        lowered_tiles: &LoweredTiles,
        blocks: &[ExampleBlock],
        placed: &[BlockPlaced],
        given: &impl Fn(usize) -> Option<&'a [Given]>,
    ) -> Self {
        let mut layout = Layout::default();
        let mut by_plan: HashMap<usize, usize> = HashMap::new();
        for (block, placed) in blocks.iter().zip(placed) {
            let Some(first) = placed.tile.first_example else {
                continue;
            };
            let group = *by_plan.entry(placed.tile.plan).or_insert_with(|| {
                let group = layout.groups.len();
                layout.groups.push(Vec::new());
                layout.add(lowered_tiles, *placed, group as u32, given(block.tile));
                group
            });
            let examples = block.examples.clone().enumerate();
            layout.groups[group].extend(examples.map(|(at, example)| Spot {
                example: first + example as u32,
                result: (placed.first_result + at) as u32,
                stride: placed.examples as u32,
            }));
        }
        let order = |entry: &Entry| (Reverse(entry.steps), entry.likeness, entry.program);
        match lowered_tiles.pool.rayon() {
            Some(workers) => workers.install(|| layout.entries.par_sort_unstable_by_key(order)),
            None => layout.entries.sort_unstable_by_key(order),
        }
        layout
    }

    /// The programs of a plan.
    fn add(
        &mut self,
        lowered_tiles: &LoweredTiles,
        placed: BlockPlaced,
        group: u32,
        given: Option<&[Given]>,
    ) {
        let programs = given.map_or(placed.tile.programs, <[Given]>::len);
        self.entries.extend((0..programs).filter_map(|place| {
            let unknown = Given {
                program: place,
                steps: 0,
                grid_features: CELLS,
            };
            let given = given.map_or(unknown, |given| given[place]);
            let (program, likeness) = lowered_tiles.row(placed.tile, given.program)?;
            Some(Entry {
                steps: given.steps,
                likeness,
                group,
                grid_features: given.grid_features,
                program,
                place: place as u32,
            })
        }));
    }

    /// As the kernel reads it.
    pub(super) fn schedule(&self, lowered_tiles: &LoweredTiles) -> Schedule {
        let mut wanted: Vec<(u32, u8)> = Vec::new();
        let mut numbers: HashMap<(u32, u8), usize> = HashMap::new();
        let mut turns = Vec::with_capacity(self.entries.len());
        for entry in &self.entries {
            let own = (entry.group, entry.grid_features);
            let list = *numbers.entry(own).or_insert_with(|| {
                wanted.push(own);
                wanted.len() - 1
            });
            turns.push(Turn {
                program: entry.program,
                place: entry.place,
                list,
            });
        }
        let lists = parallel_map(
            &lowered_tiles.pool,
            wanted,
            true,
            |(group, grid_features)| self.sorted(lowered_tiles, group, grid_features),
        );
        Schedule::new(&turns, &lists)
    }

    /// The examples of a plan, the largest first.
    fn sorted(&self, lowered_tiles: &LoweredTiles, group: u32, grid_features: u8) -> Vec<Spot> {
        let mut spots = self.groups[group as usize].clone();
        spots.sort_by_cached_key(|spot| {
            let grid_feature_lists = lowered_tiles.grid_feature_lists.get(spot.example as usize);
            let of = |grid_features: u8| {
                grid_feature_lists.map_or(0, |grid_feature_lists| {
                    grid_feature_lists.get(grid_features)
                })
            };
            (Reverse((of(grid_features), of(CELLS))), spot.example)
        });
        spots
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Example, Tile};
    use crate::gpu::sample::{programs, tasks};
    use crate::meter::Budget;
    use crate::plan::Plan;
    use heddle_runtime::cpu::CpuPool;

    #[test]
    fn every_evaluation_has_one_row_the_longest_first_and_by_gauge() {
        let plans = [Plan::new(&programs()[..7]), Plan::new(&programs()[7..9])];
        let examples: Vec<Vec<Example<'_>>> = tasks()[..3]
            .iter()
            .map(|task| task.examples().collect())
            .collect();
        let tile = |plan: usize, task: usize| Tile {
            plan: &plans[plan],
            examples: &examples[task],
        };
        let tiles = [tile(0, 0), tile(1, 1), tile(0, 2)];
        let lowered_tiles =
            LoweredTiles::new(&tiles, Budget::default(), CpuPool::shared(), |_| None);
        let block = |tile, examples| ExampleBlock::new(&tiles, tile, examples);
        let blocks = [
            block(2, 1..examples[2].len()),
            block(0, 0..2),
            block(1, 0..3),
        ];
        let given = [(6, 10), (1, 900), (4, 10)].map(|(program, steps)| Given {
            program,
            steps,
            grid_features: (program % 3) as u8,
        });
        let only = |tile: usize| (tile != 1).then_some(&given[..]);
        let portion = lowered_tiles.portion_of(&blocks, only);
        let rows = portion.job().schedule().all_rows();
        let evaluations = 3 * (examples[2].len() - 1 + 2) + 2 * 3;
        assert_eq!(
            (rows.len(), portion.job().evaluations()),
            (evaluations, evaluations)
        );
        let mut seen = vec![false; evaluations];
        let (mut last_steps, mut last) = (u32::MAX, (0, 0));
        for (program, input, result) in rows {
            assert!(!std::mem::replace(&mut seen[result as usize], true));
            let (block, example, place) = portion.place(result as usize).unwrap();
            let ExampleBlock { tile, examples, .. } = blocks[block].clone();
            let first = [0, examples_of(&tiles, 1), examples_of(&tiles, 2)][tile];
            assert_eq!(input as usize, first + examples.start + example);
            let (steps, grid_features) = only(tile).map_or((0, CELLS), |given| {
                let Given {
                    steps,
                    grid_features,
                    ..
                } = given[place];
                (steps, grid_features)
            });
            assert!(steps <= last_steps);
            let size = lowered_tiles.grid_feature_lists[input as usize].get(grid_features);
            if last.0 == program {
                assert!(
                    size <= last.1,
                    "the largest examples of a program come first"
                );
            }
            (last_steps, last) = (steps, (program, size));
        }
        assert!(seen.iter().all(|seen| *seen));
    }

    /// Examples of the tiles before this one.
    fn examples_of(tiles: &[Tile<'_>], tile: usize) -> usize {
        tiles[..tile].iter().map(|tile| tile.examples.len()).sum()
    }
}
