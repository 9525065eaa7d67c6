//! Evaluations here and there, on the processor: of a sample, of programs that GPUs do
//! not get, and of those a GPU flagged.

use crate::assess::Judgement;
use crate::engine::{Grid, Tile, Verdict};
use crate::road::{Part, Settings};
use heddle_runtime::device::Lane;
use heddle_runtime::units::{Bytes, Nanos};
use heddle_runtime::{DType, Description, Error, Kind, Operand, Operation, Residency};
use std::iter;
use std::time::Instant;

/// Some evaluations of one tile: the number of the example, then that of the program.
pub(super) type Few = (usize, Vec<(usize, usize)>);

/// What came of them.
pub(super) type FewJudged<T> = Vec<(usize, usize, T)>;

/// What some threads wait for before they take part.
#[derive(Clone, Copy)]
pub(super) struct Wait<'a> {
    pub(super) threads: usize,
    /// Returns when it has come.
    pub(super) until: &'a (dyn Fn() + Sync),
}

/// Evaluations in any order, as one operation.
pub(super) struct Scattered<'a, J> {
    /// What it is.
    pub(super) kind: &'static Kind,
    pub(super) tiles: &'a [Tile<'a>],
    /// Each entry is run by one thread.
    pub(super) some: &'a [Few],
    pub(super) settings: &'a Settings<'a>,
    /// What to keep of a verdict, given the program and what it took.
    pub(super) judge: &'a J,
    /// If some of the threads have to wait first.
    pub(super) wait: Option<Wait<'a>>,
}

impl<T: Send, J: Fn(Part, usize, Verdict<'_>, Nanos) -> T + Sync> Operation for Scattered<'_, J> {
    type Output = Vec<FewJudged<T>>;

    fn describe(&self) -> Description {
        let work: usize = self.some.iter().map(|(_, some)| some.len()).sum();
        Description::new(self.kind, DType::U8, work as u64).reads(Operand {
            bytes: Bytes(work as u64),
            residency: Residency::Host,
        })
    }

    fn run(&mut self, lane: &Lane<'_>) -> Result<Self::Output, Error> {
        let pool = lane.pool(self.kind.name())?;
        let mut judged: Self::Output = Vec::new();
        judged.resize_with(self.some.len(), Vec::new);
        let Scattered {
            tiles,
            settings,
            judge,
            wait,
            ..
        } = *self;
        let work = self.some.iter().zip(judged.iter_mut()).map(Some);
        let waiting = wait.map_or(0, |wait| wait.threads);
        let work = iter::repeat_with(|| None).take(waiting).chain(work);
        pool.each(Bytes(u64::MAX), work, |part| {
            let Some(((tile, some), judged)) = part else {
                if let Some(Wait { until, .. }) = wait {
                    until();
                }
                return;
            };
            let Tile { plan, examples } = tiles[*tile];
            let mut worker = settings.crew.take();
            let mut began = Instant::now();
            worker.run_some(
                plan,
                examples,
                &mut some.clone(),
                |example, program, verdict| {
                    let part = Part {
                        tile: *tile,
                        example,
                    };
                    let now = Instant::now();
                    let took = Nanos::from(now - began);
                    judged.push((example, program, judge(part, program, verdict, took)));
                    began = now;
                },
            );
            settings.crew.give_back(worker);
        });
        Ok(judged)
    }
}

/// Keeps of a verdict whether it is what is wanted.
pub(super) fn judging<'g>(
    wanted: &(impl Fn(Part) -> &'g Grid + Sync),
) -> impl Fn(Part, usize, Verdict<'_>, Nanos) -> Judgement + Sync {
    |part, _, verdict, _| Judgement::of(&verdict, wanted(part))
}
