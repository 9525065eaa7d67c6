//! Plans over examples as operations of the runtime.
//!
//! [`Evaluate`] is one operation: blocks of tiles, computed on the CPU's threads. The
//! runtime describes, routes and records it like any other. [`evaluate_all`] splits a
//! large job into several operations, so that it can report progress and be cancelled.
//!
//! Note: the number of evaluations per device ([`by_device`]) comes from recorded spans,
//! not from the number requested.

mod grades;
mod pieces;
mod totals;

pub use grades::Judgements;
pub use totals::{EvaluationTotals, by_device, evaluation_totals};

use self::pieces::{BlockPiece, pieces};
use crate::engine::{BLOCK, EvaluationRef, Example, Grid, Tile, Worker};
use crate::meter::Budget;
use heddle_runtime::batch::CancelToken;
use heddle_runtime::cpu::CpuPool;
use heddle_runtime::device::{DeviceId, ExecutionContext};
use heddle_runtime::memory::admit_host;
use heddle_runtime::units::Bytes;
use heddle_runtime::{
    DType, Description, Error, Kind, Operand, Operation, Residency, Runtime, WorkUnit,
};
use std::cmp::Reverse;
use std::mem;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Evaluations of one program on one example.
pub static EVALUATE: Kind = Kind::new("arc-evaluate", WorkUnit::Items);

/// Evaluations repeated on the CPU because a GPU flagged them. They have a kind of their
/// own because they cost more than others, and the cost model must not learn from them.
pub static EVALUATE_AGAIN: Kind = Kind::new("arc-evaluate-again", WorkUnit::Items);

/// Evaluations one device makes while other devices make the rest of the same job. They
/// have a kind of their own for the same reason: the CPU's threads also serve the GPUs,
/// and a GPU gets the evaluations it is fast at.
pub static EVALUATE_ON_CPU: Kind = Kind::new("arc-evaluate-beside", WorkUnit::Items);

/// Transfers to a GPU of what its evaluations need, before they run.
pub static PREPARE: Kind = Kind::new("arc-prepare", WorkUnit::Items);

/// The approximate number of evaluations in one operation: some seconds of solvers on one
/// core, and enough blocks that threads wait little for the last one. Progress and
/// cancellation do not wait for the operation's end.
pub(crate) const OPERATION_EVALUATIONS: usize = 1 << 17;

/// The most examples one thread runs together: the engine's block.
const MAX_EXAMPLES_PER_OPERATION: usize = BLOCK;

/// The approximate most evaluations one thread runs together: a cancelled job still waits
/// for these.
const MAX_EVALUATIONS_PER_OPERATION: usize = 1 << 15;

/// The programs in one piece where there are too few blocks for all threads. A plan of a
/// hundred thousand programs has one example in a block, and without pieces all other
/// threads would wait for the largest example. Steps shared by programs of two pieces run
/// twice, so pieces are large.
pub(crate) const PROGRAMS_PER_BLOCK: usize = 4096;

/// The fraction of its equal share of the remaining cells that a thread takes in each
/// round. An evaluation costs 31 % more in blocks of one example than in blocks of sixty,
/// 18 % more in blocks of two and 4 % more in blocks of eight. So blocks begin large, and
/// only the last ones are small.
const BLOCK_SHARE: (usize, usize) = (9, 10);

/// Idle workers. They keep the memory that earlier jobs made them allocate.
#[derive(Debug)]
pub struct WorkerPool {
    budget: Budget,
    idle: Mutex<Vec<Worker>>,
}

impl WorkerPool {
    /// An empty pool; each evaluation of its workers has this budget.
    #[must_use]
    pub fn new(budget: Budget) -> Self {
        WorkerPool {
            budget,
            idle: Mutex::new(Vec::new()),
        }
    }

    /// The budget of each evaluation.
    pub(crate) fn budget(&self) -> Budget {
        self.budget
    }

    pub(crate) fn take(&self) -> Worker {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.pop().unwrap_or_else(|| Worker::new(self.budget))
    }

    pub(crate) fn give_back(&self, worker: Worker) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(worker);
    }
}

/// The settings of a job.
#[non_exhaustive]
pub struct EvaluationSettings<'a> {
    /// The workers to use.
    pub worker_pool: &'a WorkerPool,
    /// Once it is cancelled, no further block of examples starts.
    pub token: CancelToken,
    /// Called after every piece of blocks with the number of evaluations made.
    pub progress: &'a (dyn Fn(u64) + Sync),
}

impl<'a> EvaluationSettings<'a> {
    /// Settings without cancellation and without progress reports.
    #[must_use]
    pub fn of(worker_pool: &'a WorkerPool) -> Self {
        EvaluationSettings {
            worker_pool,
            token: CancelToken::new(),
            progress: &|_| {},
        }
    }
}

heddle_profile::with!(EvaluationSettings<'_>);

/// An example of a tile, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileExample {
    /// The tile's number.
    pub tile: usize,
    /// The example's number in the tile.
    pub example: usize,
}

/// An example and one grade for each program; `None` if the job was cancelled before.
pub type Graded<T> = (TileExample, Option<Vec<T>>);

/// Examples of a tile that one thread runs together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExampleBlock {
    /// The tile's number.
    pub tile: usize,
    /// The examples' numbers in the tile.
    pub examples: Range<usize>,
    /// The cells of their inputs. The headers of 170,000 grids are 20 MB, so they are read once,
    /// when blocks are made.
    pub(crate) cells: usize,
}

impl ExampleBlock {
    /// Some examples of a tile.
    ///
    /// # Panics
    ///
    /// If the tile has fewer examples.
    #[must_use]
    pub fn new(tiles: &[Tile<'_>], tile: usize, examples: Range<usize>) -> Self {
        let cells = tiles[tile].examples[examples.clone()].iter().map(cells);
        ExampleBlock {
            tile,
            cells: cells.sum(),
            examples,
        }
    }

    /// The number of evaluations: one for each program and example.
    pub(crate) fn evaluations(&self, tiles: &[Tile<'_>]) -> usize {
        tiles[self.tile].plan.len() * self.examples.len()
    }
}

/// One operation: every program of a block's plan on each of its examples.
pub struct Evaluate<'a, J> {
    tiles: &'a [Tile<'a>],
    blocks: &'a [ExampleBlock],
    settings: &'a EvaluationSettings<'a>,
    grade: &'a J,
    kind: &'static Kind,
}

impl<'a, J> Evaluate<'a, J> {
    /// An operation over blocks of tiles; `grade` computes the value kept of each evaluation.
    ///
    /// # Panics
    ///
    /// `describe` and `run` panic if a block is not of these tiles.
    #[must_use]
    pub fn new(
        tiles: &'a [Tile<'a>],
        blocks: &'a [ExampleBlock],
        settings: &'a EvaluationSettings<'a>,
        grade: &'a J,
    ) -> Self {
        Evaluate {
            tiles,
            blocks,
            settings,
            grade,
            kind: &EVALUATE,
        }
    }

    /// The same operation with another kind.
    pub(crate) fn of_kind(mut self, kind: &'static Kind) -> Self {
        self.kind = kind;
        self
    }

    fn tile(&self, block: &ExampleBlock) -> Tile<'a> {
        let tile = &self.tiles[block.tile];
        Tile {
            plan: tile.plan,
            examples: &tile.examples[block.examples.clone()],
        }
    }
}

impl<T: Send, J: Fn(TileExample, usize, EvaluationRef<'_>) -> T + Sync> Operation
    for Evaluate<'_, J>
{
    /// The grades of each block; `None` for a block that was cancelled before it ran.
    type Output = Vec<Option<Judgements<T>>>;

    fn describe(&self) -> Description {
        let mut work = 0;
        let mut bytes = 0;
        for block in self.blocks {
            let tile = self.tile(block);
            work += tile.evaluations() as u64;
            let takes = tile.plan.takes;
            let more = takes.examples || takes.candidate;
            bytes += if more { tile.bytes_in() } else { block.cells } as u64;
        }
        Description::new(self.kind, DType::U8, work).reads(Operand {
            bytes: Bytes(bytes),
            residency: Residency::Host,
        })
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<Self::Output, Error> {
        let pool = context.pool(self.kind.name())?;
        let this = &*self;
        let pieces = pieces(self.tiles, self.blocks, pool.threads());
        let mut answers: Self::Output = Vec::new();
        answers.resize_with(pieces.iter().map(|piece| piece.blocks.len()).sum(), || None);
        let mut rest = &mut answers[..];
        let mut work = Vec::with_capacity(pieces.len());
        for piece in &pieces {
            let (own, later) = mem::take(&mut rest).split_at_mut(piece.blocks.len());
            work.push((piece, own));
            rest = later;
        }
        if pool.threads() > 1 {
            // The heaviest first: if one began last, the other threads would wait for it.
            work.sort_by_key(|(piece, _)| Reverse(piece.weight));
        }
        // A program's cost is unknown before it has run; assume that threads pay.
        pool.each(Bytes(u64::MAX), work.into_iter(), |(piece, answers)| {
            this.run_piece(piece, answers);
        });
        Ok(joined(&pieces, answers))
    }
}

impl<T, J: Fn(TileExample, usize, EvaluationRef<'_>) -> T> Evaluate<'_, J> {
    /// Runs the blocks of a piece until the job is cancelled.
    fn run_piece(&self, piece: &BlockPiece, answers: &mut [Option<Judgements<T>>]) {
        let settings = self.settings;
        let mut worker = settings.worker_pool.take();
        let mut made = 0;
        for (block, answer) in self.blocks[piece.blocks.clone()].iter().zip(answers) {
            if settings.token.is_stopped() {
                break;
            }
            let tile = self.tile(block);
            let all = 0..tile.plan.len();
            let programs = piece.programs.clone().unwrap_or_else(|| all.clone());
            let mut graded = Judgements::new(programs.len(), tile.examples.len());
            let put = |place: usize, program: usize, evaluation: EvaluationRef<'_>| {
                let part = TileExample {
                    tile: block.tile,
                    example: block.examples.start + place,
                };
                let grade = (self.grade)(part, program, evaluation);
                graded.put(program - programs.start, place, grade);
            };
            if programs == all {
                tile.run(&mut worker, put);
            } else {
                let of = |place| programs.clone().map(move |program| (place, program));
                let places = 0..tile.examples.len();
                let mut some: Vec<(usize, usize)> = places.flat_map(of).collect();
                worker.run_selected(tile.plan, tile.examples, &mut some, put);
            }
            made += programs.len() * tile.examples.len();
            *answer = Some(graded);
        }
        settings.worker_pool.give_back(worker);
        if made > 0 {
            (settings.progress)(made as u64);
        }
    }
}

/// The grades of blocks, joined from their pieces; `None` where a piece did not run.
fn joined<T>(
    pieces: &[BlockPiece],
    answers: Vec<Option<Judgements<T>>>,
) -> Vec<Option<Judgements<T>>> {
    let is_cut = |piece: &BlockPiece| piece.programs.as_ref().is_some_and(|some| some.start > 0);
    if !pieces.iter().any(is_cut) {
        return answers;
    }
    // Then each piece belongs to one block.
    let mut blocks: Vec<Option<Judgements<T>>> = Vec::with_capacity(pieces.len());
    for (piece, answer) in pieces.iter().zip(answers) {
        match blocks.last_mut() {
            Some(block) if is_cut(piece) => {
                *block = block.take().zip(answer).map(|(mut graded, more)| {
                    graded.append(more);
                    graded
                });
            }
            _ => blocks.push(answer),
        }
    }
    blocks
}

/// Evaluates tiles, operation after operation. The result has one entry for each example
/// of each tile, in order; the entry is `None` if the token was cancelled before. Fails before
/// anything is evaluated if the host has no memory for all grades.
pub fn evaluate_all<T: Send>(
    runtime: &Runtime,
    tiles: &[Tile<'_>],
    settings: &EvaluationSettings<'_>,
    grade: impl Fn(TileExample, usize, EvaluationRef<'_>) -> T + Sync,
) -> Result<Vec<Graded<T>>, Error> {
    admit_grades::<T>(tiles)?;
    let threads = runtime.device(DeviceId::CPU)?.properties().units;
    let blocks = blocks_on(runtime.pool(), tiles, threads);
    let mut answer = Vec::with_capacity(tiles.iter().map(|tile| tile.examples.len()).sum());
    let evaluate = (tiles, &blocks[..], OPERATION_EVALUATIONS);
    run_blocks(runtime, evaluate, settings, grade, |block, graded| {
        let mut rows = graded.map(Judgements::into_rows).into_iter().flatten();
        let tile = block.tile;
        let part = |example| (TileExample { tile, example }, rows.next());
        answer.extend(block.examples.clone().map(part));
    })?;
    Ok(answer)
}

/// Admits the memory of one grade for each evaluation of the tiles.
pub(crate) fn admit_grades<T>(tiles: &[Tile<'_>]) -> Result<(), Error> {
    let evaluations: u64 = tiles.iter().map(|tile| tile.evaluations() as u64).sum();
    let bytes = evaluations.saturating_mul(size_of::<T>() as u64);
    admit_host("a grade for each evaluation", Bytes(bytes))
}

/// Evaluates blocks of tiles, about `at_once` evaluations in one operation. The sink gets
/// every block in order, with its grades unless the token was cancelled before.
pub(crate) fn run_blocks<T: Send>(
    runtime: &Runtime,
    (tiles, blocks, at_once): (&[Tile<'_>], &[ExampleBlock], usize),
    settings: &EvaluationSettings<'_>,
    grade: impl Fn(TileExample, usize, EvaluationRef<'_>) -> T + Sync,
    mut sink: impl FnMut(&ExampleBlock, Option<Judgements<T>>),
) -> Result<(), Error> {
    let mut rest = blocks;
    while !rest.is_empty() {
        let mut evaluations = 0;
        let count = rest
            .iter()
            .take_while(|block| {
                let fits = evaluations < at_once;
                evaluations += block.evaluations(tiles);
                fits
            })
            .count();
        let (now, later) = rest.split_at(count);
        if settings.token.is_stopped() {
            for block in now {
                sink(block, None);
            }
        } else {
            let graded = runtime.run(Evaluate::new(tiles, now, settings, &grade))?;
            for (block, graded) in now.iter().zip(graded) {
                sink(block, graded);
            }
        }
        rest = later;
    }
    Ok(())
}

/// The cells of an example's input: an estimate of what it costs under any plan.
fn cells(example: &Example<'_>) -> usize {
    example.input.cells().len()
}

/// Splits tiles into blocks, large ones first. A program costs less per evaluation the more
/// examples it runs on in a row; small blocks at the end keep threads from waiting for the
/// last one.
pub(crate) fn blocks(tiles: &[Tile<'_>], threads: usize) -> Vec<ExampleBlock> {
    blocks_of(tiles, &sizes(tiles), threads)
}

/// The same; the sizes of many examples are read by the threads of the pool, because reading them
/// waits for memory.
pub(crate) fn blocks_on(pool: &CpuPool, tiles: &[Tile<'_>], threads: usize) -> Vec<ExampleBlock> {
    let examples: usize = tiles.iter().map(|tile| tile.examples.len()).sum();
    let touched = examples * (size_of::<Example<'_>>() + size_of::<Grid>());
    let parts = tiles.chunks(tiles.len().div_ceil(4 * pool.threads()).max(1));
    let sizes = pool.map(Bytes(touched as u64), parts, sizes).concat();
    blocks_of(tiles, &sizes, threads)
}

/// The cells of every example of the tiles.
fn sizes(tiles: &[Tile<'_>]) -> Vec<usize> {
    let examples = tiles.iter().flat_map(|tile| tile.examples);
    examples.map(cells).collect()
}

fn blocks_of(tiles: &[Tile<'_>], sizes: &[usize], threads: usize) -> Vec<ExampleBlock> {
    let mut cells = sizes;
    let mut left: usize = cells.iter().sum();
    let mut blocks = Vec::with_capacity(tiles.len());
    // A round is one block for each thread, all with the same share.
    let (mut share, mut in_round) = (0, 0);
    for (tile, of) in tiles.iter().enumerate() {
        let together = MAX_EVALUATIONS_PER_OPERATION / of.plan.len().max(1);
        let most = together.clamp(1, MAX_EXAMPLES_PER_OPERATION);
        let mut start = 0;
        while start < of.examples.len() {
            if in_round == 0 {
                share = if threads > 1 {
                    left * BLOCK_SHARE.0 / (BLOCK_SHARE.1 * threads)
                } else {
                    left
                };
            }
            in_round = (in_round + 1) % threads.max(1);
            let (mut end, mut taken) = (start, 0);
            for own in cells[..of.examples.len() - start].iter().take(most) {
                let heavier = taken + own;
                if end > start && heavier > share {
                    break;
                }
                (end, taken) = (end + 1, heavier);
            }
            blocks.push(ExampleBlock {
                tile,
                examples: start..end,
                cells: taken,
            });
            left -= taken;
            cells = &cells[end - start..];
            start = end;
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assess::Grade;
    use crate::engine::Grid;
    use crate::plan::Plan;
    use crate::program::load;
    use crate::tasks::{PROGRAMS, dataset};
    use heddle_runtime::Config;

    #[test]
    fn blocks_cover_every_example_once_and_shrink_towards_the_end() {
        let plan = Plan::new(&[]);
        let grid = Grid::new(&[[0]]).unwrap();
        let examples = vec![Example::new(&grid); 150];
        let tiles: Vec<Tile<'_>> = [150, 0, 1, 70]
            .map(|count| Tile {
                plan: &plan,
                examples: &examples[..count],
            })
            .to_vec();
        for threads in [1, 2, 7, 500] {
            let blocks = blocks(&tiles, threads);
            for (tile, of) in tiles.iter().enumerate() {
                let own = blocks.iter().filter(|block| block.tile == tile);
                let covered: Vec<usize> = own.flat_map(|block| block.examples.clone()).collect();
                assert_eq!(covered, (0..of.examples.len()).collect::<Vec<_>>());
            }
            let largest = blocks.iter().map(|block| block.examples.len()).max();
            assert!(largest <= Some(MAX_EXAMPLES_PER_OPERATION));
            if threads > 1 {
                assert_eq!(blocks.last().map(|block| block.examples.len()), Some(1));
            }
        }
    }

    #[test]
    fn a_block_is_as_heavy_as_its_cells() {
        let plan = Plan::new(&[]);
        let small = Grid::new(&[[0]]).unwrap();
        let large = Grid::new(&vec![[0; 30]; 30]).unwrap();
        let mut examples = vec![Example::new(&small); 100];
        examples[1] = Example::new(&large);
        let tiles = [Tile {
            plan: &plan,
            examples: &examples,
        }];
        let cut = |threads: usize| -> Vec<Range<usize>> {
            let blocks = blocks(&tiles, threads).into_iter();
            blocks.map(|block| block.examples).collect()
        };
        // With one thread, a block holds as many examples as it can.
        assert_eq!(cut(1)[0], 0..MAX_EXAMPLES_PER_OPERATION);
        // With two, the large grid is a block by itself.
        assert_eq!(cut(2)[..3], [0..1, 1..2, 2..46]);
    }

    #[test]
    fn a_plan_of_very_many_programs_is_shared_by_threads() {
        let some = load(PROGRAMS, "programs.py").programs;
        let built_in = dataset(1);
        let many = (0..2 * PROGRAMS_PER_BLOCK + 5).map(|at| some[at % some.len()].clone());
        let plans = [
            Plan::new(&many.collect::<Vec<_>>()),
            Plan::new(&some[..3]),
            Plan::new(&[]),
        ];
        let task = &built_in.tasks[0];
        let examples: Vec<Example<'_>> = task.examples().take(2).collect();
        let outputs: Vec<&Grid> = task.pairs().map(|(_, output)| output).collect();
        let tiles = plans.each_ref().map(|plan| Tile {
            plan,
            examples: &examples,
        });
        let worker_pool = WorkerPool::new(Budget::default());
        let settings = EvaluationSettings::of(&worker_pool);
        let grade = |part: TileExample, program: usize, evaluation: EvaluationRef<'_>| {
            (program, Grade::of(&evaluation, outputs[part.example]))
        };
        let cut = blocks(&tiles, 4);
        let run = |threads: usize| {
            let config = Config::default().with(|it| it.threads = Some(threads));
            let builder = Runtime::builder().config(config).without_model_cache();
            let evaluate = Evaluate::new(&tiles, &cut, &settings, &grade);
            let pieces = pieces(&tiles, &cut, threads);
            assert_eq!(pieces.len() > cut.len(), threads > 1);
            let graded = builder.build().unwrap().run(evaluate).unwrap();
            let rows = graded
                .into_iter()
                .map(|graded| graded.map(Judgements::into_rows));
            rows.collect::<Vec<_>>()
        };
        let found = run(4);
        assert_eq!(found, run(1));
        let row = &found[0].as_ref().unwrap()[0];
        assert!(row.iter().map(|(program, _)| *program).eq(0..row.len()));
        settings.token.cancel();
        assert!(run(4).iter().all(Option::is_none));
    }
}
