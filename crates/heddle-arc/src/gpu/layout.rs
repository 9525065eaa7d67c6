//! In which order a launch takes its evaluations.
//!
//! The warps of a multiprocessor go step by step together and wait for the slowest of
//! them, so neighbours should be the same program on grids of similar size: of 32 warps
//! that each take the next evaluation, a third of the time was work where four examples
//! of a task stayed together, two fifths where grids are taken by their size alone. And a
//! long program begun last would keep the whole launch waiting.

use super::chosen::Given;
use super::ground::{BlockPlaced, Ground};
use super::launch::{ROW_WORDS, Row};
use crate::road::Block;
use heddle_runtime::Array;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::HashMap;

/// Rows one thread writes together.
const TOGETHER: usize = 4096;

/// An example of a block.
#[derive(Clone, Copy, Debug)]
struct Spot {
    example: u32,
    cells: u32,
    /// The number of its first program's result, and how far apart those of the others
    /// are.
    result: u32,
    stride: u32,
}

/// A program, and which examples it is run on.
#[derive(Clone, Copy, Debug)]
struct Entry {
    steps: u32,
    likeness: u64,
    /// Where it begins in the code.
    program: u32,
    /// Among those of its plan that are given.
    place: u32,
    group: u32,
    /// The number of its first row.
    first_row: usize,
}

/// All programs in order, each on all its examples in order.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// By plan; the largest examples first.
    groups: Vec<Vec<Spot>>,
    entries: Vec<Entry>,
    rows: usize,
}

impl Layout {
    /// Every program of these blocks' tiles that is given on each of their examples.
    pub(super) fn new<'a>(
        ground: &Ground,
        blocks: &[Block],
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
                layout.add(ground, *placed, group as u32, given(block.tile));
                group
            });
            layout.groups[group].extend(block.examples.clone().enumerate().map(|(at, example)| {
                let example = first + example as u32;
                Spot {
                    example,
                    cells: ground.cells.get(example as usize).copied().unwrap_or(0),
                    result: (placed.first_result + at) as u32,
                    stride: placed.examples as u32,
                }
            }));
        }
        for group in &mut layout.groups {
            group.sort_unstable_by_key(|spot| (Reverse(spot.cells), spot.example));
        }
        layout.entries.par_sort_unstable_by_key(|entry| {
            (Reverse(entry.steps), entry.likeness, entry.program)
        });
        for entry in &mut layout.entries {
            entry.first_row = layout.rows;
            layout.rows += layout.groups[entry.group as usize].len();
        }
        layout
    }

    /// The programs of a plan.
    fn add(&mut self, ground: &Ground, placed: BlockPlaced, group: u32, given: Option<&[Given]>) {
        let programs = given.map_or(placed.tile.programs, <[Given]>::len);
        self.entries.extend((0..programs).filter_map(|place| {
            let of = |given: &[Given]| (given[place].program, given[place].steps);
            let (program, steps) = given.map_or((place, 0), of);
            let (program, likeness) = ground.row(placed.tile, program)?;
            Some(Entry {
                steps,
                likeness,
                program,
                place: place as u32,
                group,
                first_row: 0,
            })
        }));
    }

    /// Whether nothing is to be run.
    pub(super) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// As the kernel reads them.
    pub(super) fn rows(&self) -> Array<u32> {
        Array::filled(ROW_WORDS * self.rows, |words| {
            let chunks = words.par_chunks_mut(ROW_WORDS * TOGETHER).enumerate();
            chunks.for_each(|(chunk, words)| self.write(chunk * TOGETHER, words));
        })
    }

    /// Writes rows from `first` on.
    fn write(&self, first: usize, words: &mut [u32]) {
        let after = self
            .entries
            .partition_point(|entry| entry.first_row <= first);
        let mut rows = words.chunks_exact_mut(ROW_WORDS);
        let mut row = first;
        for entry in &self.entries[after.saturating_sub(1)..] {
            let spots = &self.groups[entry.group as usize];
            for spot in &spots[(row - entry.first_row).min(spots.len())..] {
                let Some(words) = rows.next() else {
                    return;
                };
                words.copy_from_slice(
                    &Row {
                        program: entry.program,
                        first_example: spot.example,
                        examples: 1,
                        first_result: spot.result + entry.place * spot.stride,
                    }
                    .words(),
                );
                row += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Example, Tile};
    use crate::gpu::sample::{programs, tasks};
    use crate::meter::Budget;
    use crate::plan::Plan;

    #[test]
    fn every_evaluation_has_one_row_the_longest_first_and_by_size() {
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
        let ground = Ground::new(&tiles, Budget::default(), |_| None);
        let block = |tile: usize, examples| Block { tile, examples };
        let blocks = [
            block(2, 1..examples[2].len()),
            block(0, 0..2),
            block(1, 0..3),
        ];
        let given = [(6, 10), (1, 900), (4, 10)].map(|(program, steps)| Given { program, steps });
        let only = |tile: usize| (tile != 1).then_some(&given[..]);
        let portion = ground.portion_of(&blocks, only);
        let words = portion.job().row_words();
        let rows: Vec<&[u32]> = words.chunks(ROW_WORDS).collect();
        let evaluations = 3 * (examples[2].len() - 1 + 2) + 2 * 3;
        assert_eq!(
            (rows.len(), portion.job().evaluations()),
            (evaluations, evaluations)
        );
        let mut seen = vec![false; evaluations];
        let (mut last_steps, mut last) = (u32::MAX, (0, 0));
        for row in rows {
            assert!(!std::mem::replace(&mut seen[row[3] as usize], true));
            let (block, example, place) = portion.place(row[3] as usize).unwrap();
            let Block { tile, examples } = blocks[block].clone();
            let first = [0, examples_of(&tiles, 1), examples_of(&tiles, 2)][tile];
            assert_eq!(row[1] as usize, first + examples.start + example);
            let steps = only(tile).map_or(0, |given| given[place].steps);
            assert!(steps <= last_steps);
            let cells = tiles[tile].examples[examples.start + example]
                .input
                .cells()
                .len();
            if last.0 == row[0] {
                assert!(
                    cells <= last.1,
                    "the largest examples of a program come first"
                );
            }
            (last_steps, last) = (steps, (row[0], cells));
        }
        assert!(seen.iter().all(|seen| *seen));
    }

    /// Examples of the tiles before this one.
    fn examples_of(tiles: &[Tile<'_>], tile: usize) -> usize {
        tiles[..tile].iter().map(|tile| tile.examples.len()).sum()
    }
}
