//! Evaluations here and there, on the processor: of a sample, of programs that GPUs do
//! not get, and of those a GPU flagged.

use crate::assess::Grade;
use crate::engine::{EvaluationRef, Grid, Tile};
use crate::operations::{EvaluationSettings, TileExample};
use heddle_runtime::device::ExecutionContext;
use heddle_runtime::units::{Bytes, Nanos};
use heddle_runtime::{DType, Description, Error, Kind, Operand, Operation, Residency};
use std::iter;
use std::time::Instant;

/// Some evaluations of one tile: the number of the example, then that of the program.
pub(super) type SelectedOfTile = (usize, Vec<(usize, usize)>);

/// What came of them.
pub(super) type GradedOfTile<T> = Vec<(usize, usize, T)>;

/// What some threads wait for before they take part.
#[derive(Clone, Copy)]
pub(super) struct Wait<'a> {
    pub(super) threads: usize,
    /// Returns when it has come.
    pub(super) until: &'a (dyn Fn() + Sync),
}

/// Evaluations in any order, as one operation.
pub(super) struct SelectedEvaluations<'a, J> {
    /// What it is.
    pub(super) kind: &'static Kind,
    pub(super) tiles: &'a [Tile<'a>],
    /// Each entry is run by one thread.
    pub(super) some: &'a [SelectedOfTile],
    pub(super) settings: &'a EvaluationSettings<'a>,
    /// What to keep of a verdict, given the program and what it took.
    pub(super) grade: &'a J,
    /// If some of the threads have to wait first.
    pub(super) wait: Option<Wait<'a>>,
}

impl<T: Send, J: Fn(TileExample, usize, EvaluationRef<'_>, Nanos) -> T + Sync> Operation
    for SelectedEvaluations<'_, J>
{
    type Output = Vec<GradedOfTile<T>>;

    fn describe(&self) -> Description {
        let work: usize = self.some.iter().map(|(_, some)| some.len()).sum();
        Description::new(self.kind, DType::U8, work as u64).reads(Operand {
            bytes: Bytes(work as u64),
            residency: Residency::Host,
        })
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<Self::Output, Error> {
        let pool = context.pool(self.kind.name())?;
        let mut graded: Self::Output = Vec::new();
        graded.resize_with(self.some.len(), Vec::new);
        let SelectedEvaluations {
            tiles,
            settings,
            grade,
            wait,
            ..
        } = *self;
        let work = self.some.iter().zip(graded.iter_mut()).map(Some);
        let waiting = wait.map_or(0, |wait| wait.threads);
        let work = iter::repeat_with(|| None).take(waiting).chain(work);
        pool.each(Bytes(u64::MAX), work, |part| {
            let Some(((tile, some), graded)) = part else {
                if let Some(Wait { until, .. }) = wait {
                    until();
                }
                return;
            };
            let Tile { plan, examples } = tiles[*tile];
            let mut worker = settings.worker_pool.take();
            let mut began = Instant::now();
            worker.run_selected(
                plan,
                examples,
                &mut some.clone(),
                |example, program, evaluation| {
                    let part = TileExample {
                        tile: *tile,
                        example,
                    };
                    let now = Instant::now();
                    let took = Nanos::from(now - began);
                    graded.push((example, program, grade(part, program, evaluation, took)));
                    began = now;
                },
            );
            settings.worker_pool.give_back(worker);
        });
        Ok(graded)
    }
}

/// Keeps of a verdict whether it is what is wanted.
pub(super) fn judging<'g>(
    wanted: &(impl Fn(TileExample) -> &'g Grid + Sync),
) -> impl Fn(TileExample, usize, EvaluationRef<'_>, Nanos) -> Grade + Sync {
    |part, _, evaluation, _| Grade::of(&evaluation, wanted(part))
}
