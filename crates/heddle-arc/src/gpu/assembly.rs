//! What comes of a job, part by part in any order.

use super::answer::Flags;
use super::flag_monitor::Address;
use super::grade::Found;
use super::parallel_map::parallel_map;
use super::program_selection::ProgramSelection;
use super::selected_evaluations::{GradedOfTile, SelectedOfTile};
use crate::assess::Grade;
use crate::engine::Tile;
use crate::operations::{ExampleBlock, Graded, TileExample};
use crate::plan::Plan;
use heddle_runtime::cpu::CpuPool;
use heddle_runtime::route::Decision;
use heddle_runtime::units::Bytes;

/// The grades of tiles, and the numbers of repeated evaluations.
#[derive(Clone, Debug)]
pub struct Assessed {
    /// The grades, as from [`evaluate_all`](crate::operations::evaluate_all).
    pub graded: Vec<Graded<Grade>>,
    /// Evaluations that a GPU flagged and the CPU repeated, by reason.
    pub flags: Flags,
    /// Why the last operation on the CPU ran there although there is a GPU.
    pub on_cpu: Option<CpuReason>,
}

/// The reason why evaluations were not sent to a GPU.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CpuReason {
    /// The router's decision.
    Decided(Decision),
    /// The budget limits wall time, which a kernel does not measure.
    Timed,
    /// The CPU ran its share of a job that it shared with GPUs.
    Shared,
}

/// Judgements from which on all threads put them together: to start them takes a
/// millisecond.
const WORTH_ALL_THREADS: usize = 1 << 18;

/// The same on its way. What is judged twice is judged alike.
#[derive(Debug)]
pub(super) struct Assembly {
    /// By place.
    rows: Vec<GradeRow>,
    flags: Flags,
    on_cpu: Option<CpuReason>,
    /// Where the examples of each tile begin.
    starts: Vec<usize>,
}

/// One judgement of each program on an example; empty before there is one.
pub(super) type GradeRow = Vec<Option<Grade>>;

impl Assembly {
    /// Nothing yet of these tiles.
    pub(super) fn new(tiles: &[Tile<'_>], on_cpu: Option<CpuReason>) -> Self {
        let mut rows = Vec::new();
        let mut starts = Vec::with_capacity(tiles.len());
        for tile in tiles {
            starts.push(rows.len());
            rows.resize_with(rows.len() + tile.examples.len(), GradeRow::new);
        }
        Assembly {
            rows,
            flags: Flags::default(),
            on_cpu,
            starts,
        }
    }

    /// Takes in what was found of blocks.
    pub(super) fn add(&mut self, blocks: &[ExampleBlock], found: Found) {
        for (block, rows) in blocks.iter().zip(found.rows) {
            let start = self.starts[block.tile] + block.examples.start;
            for (place, row) in rows.into_iter().flatten().enumerate() {
                self.rows[start + place] = row.into_iter().map(Some).collect();
            }
        }
    }

    /// The same of some programs.
    pub(super) fn add_chosen(
        &mut self,
        tiles: &[Tile<'_>],
        blocks: &[ExampleBlock],
        found: Found,
        only: &ProgramSelection,
    ) {
        for (block, rows) in blocks.iter().zip(found.rows) {
            let ExampleBlock { tile, examples, .. } = block;
            let plan = tiles[*tile].plan;
            for (example, row) in examples.clone().zip(rows.into_iter().flatten()) {
                for (given, grade) in only.of(plan).iter().zip(row) {
                    let address = Address {
                        tile: *tile,
                        example,
                        program: given.program,
                    };
                    self.put(plan, address, grade);
                }
            }
        }
    }

    /// Has all threads of a pool take in blocks; `read` gets the number of a block and what is known
    /// of each of its examples so far.
    pub(super) fn add_blocks(
        &mut self,
        pool: &CpuPool,
        tiles: &[Tile<'_>],
        blocks: &[ExampleBlock],
        read: impl Fn(usize, &mut [GradeRow]) + Sync,
    ) {
        let start = |block: &ExampleBlock| self.starts[block.tile] + block.examples.start;
        let mut starts: Vec<(usize, usize)> = blocks.iter().map(start).zip(0..).collect();
        starts.sort_unstable();
        let mut parts = Vec::with_capacity(blocks.len());
        let (mut rest, mut at) = (&mut self.rows[..], 0);
        for (start, number) in starts {
            let end = start + blocks[number].examples.len();
            let (own, later) = rest.split_at_mut(end - at);
            parts.push((number, &mut own[start - at..]));
            (rest, at) = (later, end);
        }
        pool.each(Bytes(u64::MAX), parts.into_iter(), |(number, rows)| {
            let programs = tiles[blocks[number].tile].plan.len();
            for row in &mut *rows {
                row.resize(programs, None);
            }
            read(number, rows);
        });
    }

    /// Counts what a launch flagged.
    pub(super) fn add_flags(&mut self, flags: &Flags) {
        self.flags.add_all(flags);
    }

    /// Notes why a processor ran some.
    pub(super) fn ran_on_cpu(&mut self, why: CpuReason) {
        self.on_cpu = Some(why);
    }

    /// Takes in evaluations here and there.
    pub(super) fn add_few(
        &mut self,
        tiles: &[Tile<'_>],
        some: &[SelectedOfTile],
        graded: Vec<GradedOfTile<Grade>>,
    ) {
        for ((tile, _), graded) in some.iter().zip(graded) {
            for (example, program, grade) in graded {
                let address = Address {
                    tile: *tile,
                    example,
                    program,
                };
                self.put(tiles[*tile].plan, address, grade);
            }
        }
    }

    /// Takes in one evaluation; `plan` is its tile's.
    fn put(&mut self, plan: &Plan, address: Address, grade: Grade) {
        let place = self.starts[address.tile] + address.example;
        let row = &mut self.rows[place];
        if row.is_empty() {
            row.resize(plan.len(), None);
        }
        row[address.program] = Some(grade);
    }

    /// What came of it; `tiles` are those it began with.
    pub(super) fn finish(self, pool: &CpuPool, tiles: &[Tile<'_>]) -> Assessed {
        let of = |(tile, of): (usize, &Tile<'_>)| {
            let programs = of.plan.len();
            let part = move |example| (TileExample { tile, example }, programs);
            (0..of.examples.len()).map(part)
        };
        let parts: Vec<(TileExample, usize)> = tiles.iter().enumerate().flat_map(of).collect();
        let whole = |(row, (part, programs)): (GradeRow, (TileExample, usize))| {
            // Of no programs there is nothing to wait for.
            let is_begun = row.len() == programs;
            let row = row.into_iter().collect::<Option<Vec<Grade>>>();
            (part, row.filter(|_| is_begun))
        };
        let grades: usize = parts.iter().map(|(_, programs)| programs).sum();
        let are_many = grades >= WORTH_ALL_THREADS;
        let rows = self.rows.into_iter().zip(parts).collect();
        Assessed {
            graded: parallel_map(pool, rows, are_many, whole),
            flags: self.flags,
            on_cpu: self.on_cpu,
        }
    }
}
