//! Running a merged file on tasks, and its scores.

use super::{BattPlan, EntryList, NO_SOLVER};
use crate::data::Task;
use crate::engine::{EvaluationRef, Example, Grid, Tile};
use crate::meter::Budget;
use crate::operations::{
    EvaluationSettings, Judgements, OPERATION_EVALUATIONS, TileExample, blocks_on, run_blocks,
};
use crate::plain::Plain;
use crate::value::Value;
use heddle_runtime::device::DeviceId;
use heddle_runtime::{Error, Runtime};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The limits of one entry: more steps than Python makes in the ten seconds that its system
/// allows a run. They do not depend on the machine.
pub const RUN_BUDGET: Budget = Budget {
    steps: 100_000_000,
    bytes: 256 << 20,
    time: None,
};

/// The points of a right answer, and the most of a difference.
const POINTS: i64 = 1000;

/// The most parts of all values that a run keeps, counted for every entry that has them. Printed,
/// they take some bytes each.
const MAX_PARTS_KEPT: usize = 16 << 20;

/// The results of a merged file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BattRun {
    /// One for each task, in order; those that were not finished are left out.
    pub tasks: Vec<TaskScores>,
    /// The number of runs of the file: two for each pair.
    pub runs: u64,
    /// Their time, without planning.
    pub time: Duration,
    /// Whether the job was cancelled before its end.
    pub stopped: bool,
    /// Whether the values have too many parts; then none are kept.
    pub values_too_large: bool,
}

/// The scores of a merged file on one task.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TaskScores {
    /// The task's number.
    pub task: usize,
    /// The score of each entry over all pairs; `None` if all its runs failed.
    pub entries: Vec<Option<u64>>,
    /// The number of runs that failed or ran out of their limits.
    pub failed_runs: usize,
    /// For every pair the values of both runs, if they are kept; `None` for a run that failed.
    pub values: Vec<[Option<EntryValues>; 2]>,
}

/// The value of every entry in one run; `None` for one that is too large to copy.
pub type EntryValues = Vec<Option<Arc<Plain>>>;

/// What is kept of one evaluation.
#[derive(Clone, Debug, Default)]
struct Outcome {
    defined: bool,
    right: bool,
    /// The number that a differ gave.
    points: Option<u16>,
    value: Option<Arc<Plain>>,
    /// The number of parts of the value.
    parts: usize,
}

impl Outcome {
    /// The outcome of an evaluation; its value is kept while there are parts left.
    fn of(evaluation: &EvaluationRef<'_>, wanted: &Grid, left: Option<&PartsLeft>) -> Self {
        let kept = left.and_then(|left| left.take(evaluation.to_plain().ok()?));
        let (value, parts) = kept.unzip();
        Outcome {
            defined: matches!(evaluation, EvaluationRef::Defined { .. }),
            right: evaluation.is(wanted),
            points: points(evaluation),
            value,
            parts: parts.unwrap_or(0),
        }
    }
}

/// The parts of values that may still be kept.
struct PartsLeft(AtomicUsize);

impl PartsLeft {
    /// The value with its number of parts; `None` if there are more than are left.
    fn take(&self, value: Plain) -> Option<(Arc<Plain>, usize)> {
        let parts = value.parts();
        let left = |left: usize| Some(left.saturating_sub(parts));
        let before = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
        (before.unwrap_or(0) > parts).then(|| (Arc::new(value), parts))
    }

    fn is_used_up(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

/// The first of at least two elements of a tuple if it is a number.
fn points(evaluation: &EvaluationRef<'_>) -> Option<u16> {
    let EvaluationRef::Defined { value, space, .. } = evaluation else {
        return None;
    };
    let first = match *value {
        Value::Pair(first, _) | Value::Cell { colour: first, .. } => i64::from(first),
        Value::Row { len: 2.., .. } | Value::Tuple { len: 2.., .. } => match space.nth(*value, 0) {
            Ok(Some(Value::Int(first))) => first,
            _ => return None,
        },
        _ => return None,
    };
    Some(first.clamp(0, POINTS) as u16)
}

/// The examples of a task, each with its output as the candidate.
fn examples<'a>(task: &'a Task) -> Vec<Example<'a>> {
    let with_output = |(example, (_, output)): (_, &'a (Grid, Grid))| Example {
        candidate: Some(output),
        ..example
    };
    task.examples().zip(task.pairs()).map(with_output).collect()
}

impl BattPlan {
    /// Runs the file on tasks, twice for every pair: with C = None and with C = the output.
    /// `keep` says whether the values of entries are kept.
    pub fn run(
        &self,
        runtime: &Runtime,
        tasks: &[&Task],
        settings: &EvaluationSettings<'_>,
        keep: bool,
    ) -> Result<BattRun, Error> {
        let examples = tasks.iter().map(|task| examples(task));
        let examples: Vec<Vec<Example<'_>>> = examples.collect();
        let tile = |examples| Tile {
            plan: &self.plan,
            examples,
        };
        let tiles: Vec<Tile<'_>> = examples.iter().map(|some| tile(&some[..])).collect();
        let start = Instant::now();
        let left = keep.then(|| PartsLeft(AtomicUsize::new(MAX_PARTS_KEPT)));
        let grade = |part: TileExample, _: usize, evaluation: EvaluationRef<'_>| {
            // Every example has a candidate.
            let wanted = examples[part.tile][part.example].candidate;
            wanted.map_or_else(Outcome::default, |it| {
                Outcome::of(&evaluation, it, left.as_ref())
            })
        };
        let mut run = BattRun {
            tasks: (0..tasks.len()).map(|task| self.no_scores(task)).collect(),
            runs: 0,
            time: Duration::ZERO,
            stopped: false,
            values_too_large: false,
        };
        let mut parts = 0_usize;
        let mut unfinished = BTreeSet::new();
        let threads = runtime.device(DeviceId::CPU)?.properties().units;
        let blocks = blocks_on(runtime.pool(), &tiles, threads);
        // Outcomes are added up operation by operation, so that their memory does not grow with the
        // number of pairs.
        let work = (&tiles[..], &blocks[..], OPERATION_EVALUATIONS);
        run_blocks(runtime, work, settings, grade, |block, graded| {
            let Some(rows) = graded.map(Judgements::into_rows) else {
                unfinished.insert(block.tile);
                return;
            };
            run.runs += 2 * rows.len() as u64;
            if keep {
                parts = parts.saturating_add(self.parts(&rows));
                run.values_too_large |= parts > MAX_PARTS_KEPT;
            }
            let keep = keep && !run.values_too_large;
            self.add_scores(&mut run.tasks[block.tile], &rows, keep);
        })?;
        run.time = start.elapsed();
        run.stopped = !unfinished.is_empty();
        run.tasks.retain(|task| !unfinished.contains(&task.task));
        run.values_too_large |= left.as_ref().is_some_and(PartsLeft::is_used_up);
        if run.values_too_large {
            run.tasks.iter_mut().for_each(|task| task.values.clear());
        }
        Ok(run)
    }

    /// The parts of the values of all entries.
    fn parts(&self, rows: &[Vec<Outcome>]) -> usize {
        let of_row = |row: &Vec<Outcome>| {
            let outputs = self.entries.iter().flatten();
            outputs
                .map(|output| row[*output as usize].parts)
                .sum::<usize>()
        };
        rows.iter().map(of_row).fold(0, usize::saturating_add)
    }

    fn no_scores(&self, task: usize) -> TaskScores {
        TaskScores {
            task,
            entries: vec![None; self.batt.entries.len()],
            failed_runs: 0,
            values: Vec::new(),
        }
    }

    fn add_scores(&self, scores: &mut TaskScores, rows: &[Vec<Outcome>], keep: bool) {
        for row in rows {
            let mut values = [None, None];
            for (run, values) in values.iter_mut().enumerate() {
                let needed = self.entries[run].iter().chain(&self.checks[run]);
                if !needed.clone().all(|output| row[*output as usize].defined) {
                    scores.failed_runs += 1;
                    continue;
                }
                let found = self.entries[run]
                    .iter()
                    .map(|output| &row[*output as usize]);
                if keep {
                    *values = Some(found.clone().map(|outcome| outcome.value.clone()).collect());
                }
                let entries = self.batt.entries.iter().zip(&mut scores.entries);
                for ((entry, score), outcome) in entries.zip(found) {
                    let points = match &entry.list {
                        // The answers of the second run are not used.
                        EntryList::Answer { .. } if run == 1 => continue,
                        EntryList::Answer { .. } => u64::from(outcome.right) * POINTS as u64,
                        EntryList::Difference { solver, .. } => match outcome.points {
                            Some(_) if &**solver == NO_SOLVER => POINTS as u64,
                            points => points.map_or(0, u64::from),
                        },
                    };
                    *score.get_or_insert(0) += points;
                }
            }
            if keep {
                scores.values.push(values);
            }
        }
    }

    /// The o-score of every solver.
    #[must_use]
    pub fn solver_scores(&self, scores: &TaskScores) -> BTreeMap<&str, u64> {
        let mut found = BTreeMap::new();
        for (entry, score) in self.batt.entries.iter().zip(&scores.entries) {
            if let (EntryList::Answer { solver, .. }, Some(score)) = (&entry.list, score) {
                *found.entry(&**solver).or_default() += score;
            }
        }
        found
    }

    /// The s-scores of every differ, by solver.
    #[must_use]
    pub fn differ_scores(&self, scores: &TaskScores) -> BTreeMap<&str, BTreeMap<&str, u64>> {
        let mut found: BTreeMap<_, BTreeMap<_, u64>> = BTreeMap::new();
        for (entry, score) in self.batt.entries.iter().zip(&scores.entries) {
            if let (EntryList::Difference { solver, differ }, Some(score)) = (&entry.list, score) {
                let of_differ = found.entry(&**differ).or_default();
                *of_differ.entry(&**solver).or_default() += score;
            }
        }
        found
    }
}
