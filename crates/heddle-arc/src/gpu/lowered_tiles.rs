//! Lowered tiles of plans and examples, and jobs over parts of them.

use super::answer::{Answer, Flag};
use super::dump::{DumpError, defined};
use super::grid_features::GridFeatures;
use super::image::Examples;
use super::joined_code::JoinedCode;
use super::launch::{Job, Ran};
use super::layout::Layout;
use super::parallel_map::parallel_map;
use super::program_selection::Given;
use super::schedule::Schedule;
use crate::engine::{Evaluation, Example, Grid, Tile};
use crate::meter::Budget;
use crate::operations::{ExampleBlock, TileExample};
use crate::plan::Plan;
use heddle_runtime::cpu::CpuPool;
use heddle_runtime::{Array, Operand};
use std::collections::HashMap;
use thiserror::Error;

/// Examples from which on all threads are asked for their gauges: one takes a millisecond
/// for three thousand.
const WORTH_ALL_THREADS: usize = 1 << 13;

/// The reason why a result is not an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ResultError {
    /// The evaluation was flagged; the CPU must repeat it.
    #[error("flagged: {0}")]
    Flagged(Flag),
    /// The copy of its value cannot be read.
    #[error(transparent)]
    Dump(#[from] DumpError),
}

/// The code of all plans and the images of all examples of some tiles. Both stay on a device
/// between jobs.
#[derive(Debug)]
pub struct LoweredTiles {
    code: Array<u32>,
    data: Array<u8>,
    /// Where each program of all plans begins.
    programs: JoinedCode,
    /// Of the input of each example.
    pub(super) grid_feature_lists: Vec<GridFeatures>,
    tiles: Vec<Placed>,
    /// What lays out its jobs and reads what came of them.
    pub(super) pool: CpuPool,
}

/// Where a tile is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    /// None if one of its examples has no image.
    pub(super) first_example: Option<u32>,
    pub(super) plan: usize,
    pub(super) programs: usize,
}

impl LoweredTiles {
    /// Lowers plans and makes images of examples on the threads of `pool`. `wanted` returns the
    /// grid that an example's results are compared with.
    pub fn new<'a>(
        tiles: &[Tile<'_>],
        budget: Budget,
        pool: &CpuPool,
        wanted: impl Fn(TileExample) -> Option<&'a Grid>,
    ) -> LoweredTiles {
        let (mut programs, plans) = lower(tiles, pool);
        let mut examples = Examples::new(budget);
        let mut placed = Vec::with_capacity(tiles.len());
        let mut inputs_taken = Vec::new();
        for (tile, of) in tiles.iter().enumerate() {
            let first_example = examples.len() as u32;
            let taken_in = of.examples.iter().enumerate().all(|(example, inputs)| {
                let part = TileExample { tile, example };
                let inputs = looked_at(of.plan, inputs);
                let is_taken = examples.push(&inputs, wanted(part)).is_ok();
                // One that was not taken in has no number.
                inputs_taken.extend(is_taken.then_some(inputs.input));
                is_taken
            });
            placed.push(Placed {
                first_example: taken_in.then_some(first_example),
                plan: plans[&of.plan.number],
                programs: of.plan.len(),
            });
        }
        let mut data = examples.to_bytes();
        if data.is_empty() {
            // A buffer has at least a byte.
            data.push(0);
        }
        let are_many = inputs_taken.len() >= WORTH_ALL_THREADS;
        LoweredTiles {
            code: programs.take_words(pool),
            data: Array::from_slice(&data),
            programs,
            grid_feature_lists: parallel_map(pool, inputs_taken, are_many, GridFeatures::of),
            tiles: placed,
            pool: pool.clone(),
        }
    }

    /// Code and data, and where they are.
    pub(super) fn operands(&self) -> [Operand; 2] {
        [(&self.code).into(), (&self.data).into()]
    }

    /// Its code and data as a job that runs nothing.
    pub(super) fn empty_job(&self) -> Job {
        Job::sharing(&self.code, &self.data, Schedule::empty(), 0)
    }

    /// The job of every program of these blocks' tiles on each of their examples.
    ///
    /// # Panics
    ///
    /// Panics if a block is not of these tiles.
    #[must_use]
    pub fn portion(&self, blocks: &[ExampleBlock]) -> LoweredBlocks {
        self.portion_of(blocks, |_| None)
    }

    /// The same with the programs of each tile that are given, if not all are; of these
    /// the longest come first.
    pub(super) fn portion_of<'a>(
        &self,
        blocks: &[ExampleBlock],
        given: impl Fn(usize) -> Option<&'a [Given]> + Sync,
    ) -> LoweredBlocks {
        let mut results = 0;
        let mut placed = Vec::with_capacity(blocks.len());
        for block in blocks {
            let tile = self.tiles[block.tile];
            let examples = block.examples.len();
            placed.push(BlockPlaced {
                first_result: results,
                examples,
                tile,
            });
            results += given(block.tile).map_or(tile.programs, <[Given]>::len) * examples;
        }
        let schedule = Layout::new(self, blocks, &placed, &given).schedule(self);
        let evaluations = if schedule.rows() == 0 { 0 } else { results };
        LoweredBlocks {
            job: Job::sharing(&self.code, &self.data, schedule, evaluations),
            blocks: placed,
            results,
        }
    }

    /// Where a program begins and what it is sorted by; none where it has no bytecode or
    /// an example of its tile no image.
    pub(super) fn row(&self, tile: Placed, program: usize) -> Option<(u32, u64)> {
        tile.first_example?;
        self.programs.program(tile.plan, program)
    }

    /// Why a program of a tile has no row.
    fn unlowered(&self, tile: Placed, program: usize) -> Flag {
        if self.programs.is_typed(tile.plan, program) {
            Flag::Dialect
        } else {
            Flag::Unlowered
        }
    }

    /// Why a program of the tile with that number has no row.
    pub(super) fn unlowered_in(&self, tile: usize, program: usize) -> Flag {
        self.unlowered(self.tiles[tile], program)
    }
}

/// A job over some blocks of lowered tiles.
#[derive(Debug)]
pub struct LoweredBlocks {
    job: Job,
    blocks: Vec<BlockPlaced>,
    /// As many as the job has, if it has any.
    results: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct BlockPlaced {
    pub(super) first_result: usize,
    pub(super) examples: usize,
    pub(super) tile: Placed,
}

impl LoweredBlocks {
    /// The job to launch.
    #[must_use]
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// How many results there are, of a launch or of none.
    pub(super) fn results(&self) -> usize {
        self.results
    }

    /// Whether a launch runs the program of a result.
    pub(super) fn has_row(
        &self,
        lowered_tiles: &LoweredTiles,
        result: usize,
        program: usize,
    ) -> bool {
        let place = self.place(result);
        place.is_some_and(|(block, ..)| {
            lowered_tiles
                .row(self.blocks[block].tile, program)
                .is_some()
        })
    }

    /// Block, example and program of a result, each by place.
    pub(super) fn place(&self, result: usize) -> Option<(usize, usize, usize)> {
        let after = self
            .blocks
            .partition_point(|block| block.first_result <= result);
        let block = after.checked_sub(1)?;
        let BlockPlaced {
            first_result,
            examples,
            ..
        } = self.blocks[block];
        let within = result - first_result;
        let is_there = result < self.results && examples > 0;
        is_there.then(|| (block, within % examples, within / examples))
    }

    /// The number of the result of a program on an example of a block; `None` if the program
    /// has no bytecode or the block no image.
    ///
    /// # Panics
    ///
    /// Panics if there is no such block.
    #[must_use]
    pub fn result(
        &self,
        lowered_tiles: &LoweredTiles,
        place: (usize, usize),
        program: usize,
    ) -> Option<usize> {
        self.result_at(lowered_tiles, place, (program, program))
    }

    /// The same of a program and its place among those given.
    fn result_at(
        &self,
        lowered_tiles: &LoweredTiles,
        (block, example): (usize, usize),
        (place, program): (usize, usize),
    ) -> Option<usize> {
        let is_there = lowered_tiles
            .row(self.blocks[block].tile, program)
            .is_some();
        is_there.then(|| self.result_of((block, example), place))
    }

    /// The same of the program at a place, whether it has bytecode or not.
    pub(super) fn result_of(&self, (block, example): (usize, usize), place: usize) -> usize {
        let block = &self.blocks[block];
        block.first_result + place * block.examples + example
    }

    /// The result of a launch for a program on an example of a block.
    ///
    /// # Panics
    ///
    /// Panics if there is no such block.
    #[must_use]
    pub fn answer(
        &self,
        lowered_tiles: &LoweredTiles,
        ran: &Ran,
        place: (usize, usize),
        program: usize,
    ) -> Answer {
        self.answer_at(lowered_tiles, ran, place, (program, program))
    }

    /// The same of a program and its place among those given.
    pub(super) fn answer_at(
        &self,
        lowered_tiles: &LoweredTiles,
        ran: &Ran,
        place: (usize, usize),
        program: (usize, usize),
    ) -> Answer {
        if let Some(result) = self.result_at(lowered_tiles, place, program) {
            ran.answer(result)
        } else {
            let tile = self.blocks[place.0].tile;
            Answer::Flagged(lowered_tiles.unlowered(tile, program.1))
        }
    }
}

/// A job over whole tiles.
#[derive(Debug)]
pub struct Batch {
    lowered_tiles: LoweredTiles,
    portion: LoweredBlocks,
}

impl Batch {
    /// A job of every program of these tiles on each of their examples; see
    /// [`LoweredTiles::new`].
    pub fn new<'a>(
        tiles: &[Tile<'_>],
        budget: Budget,
        wanted: impl Fn(TileExample) -> Option<&'a Grid>,
    ) -> Batch {
        let lowered_tiles = LoweredTiles::new(tiles, budget, CpuPool::shared(), wanted);
        let whole =
            |(tile, of): (usize, &Tile<'_>)| ExampleBlock::new(tiles, tile, 0..of.examples.len());
        let blocks: Vec<ExampleBlock> = tiles.iter().enumerate().map(whole).collect();
        let portion = lowered_tiles.portion(&blocks);
        Batch {
            lowered_tiles,
            portion,
        }
    }

    /// The job to launch.
    #[must_use]
    pub fn job(&self) -> &Job {
        self.portion.job()
    }

    /// The number of a result; `None` if the program has no bytecode or an example of the tile
    /// has no image.
    ///
    /// # Panics
    ///
    /// Panics if there is no such tile.
    #[must_use]
    pub fn result(&self, part: TileExample, program: usize) -> Option<usize> {
        let place = (part.tile, part.example);
        self.portion.result(&self.lowered_tiles, place, program)
    }

    /// The result of a launch for a program on an example.
    ///
    /// # Panics
    ///
    /// Panics if there is no such tile.
    #[must_use]
    pub fn answer(&self, ran: &Ran, part: TileExample, program: usize) -> Answer {
        let place = (part.tile, part.example);
        self.portion
            .answer(&self.lowered_tiles, ran, place, program)
    }

    /// The evaluation of a program on an example, from the copy of its value; `plan` is the
    /// tile's.
    ///
    /// # Panics
    ///
    /// Panics if there is no such tile.
    pub fn evaluation(
        &self,
        ran: &Ran,
        plan: &Plan,
        part: TileExample,
        program: usize,
    ) -> Result<Evaluation, ResultError> {
        let answer = self.answer(ran, part, program);
        let result = self.result(part, program).unwrap_or_default();
        match (answer, answer.undefined(plan, program)) {
            (Answer::Flagged(flag), _) => Err(ResultError::Flagged(flag)),
            (_, Some(undefined)) => Ok(Evaluation::Undefined(undefined)),
            _ => Ok(defined(ran.dump(result))?),
        }
    }
}

/// What a plan looks at of an example.
fn looked_at<'a>(plan: &Plan, example: &Example<'a>) -> Example<'a> {
    let takes = plan.takes;
    Example {
        input: example.input,
        pairs: if takes.examples { example.pairs } else { &[] },
        candidate: example.candidate.filter(|_| takes.candidate),
    }
}

/// The code of all plans, and by number of a plan its place among them.
fn lower(tiles: &[Tile<'_>], pool: &CpuPool) -> (JoinedCode, HashMap<u64, usize>) {
    let mut places = HashMap::new();
    let mut plans: Vec<&Plan> = Vec::new();
    for tile in tiles {
        places.entry(tile.plan.number).or_insert_with(|| {
            plans.push(tile.plan);
            plans.len() - 1
        });
    }
    (JoinedCode::new(&plans, pool), places)
}
