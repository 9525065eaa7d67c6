//! Evolution: programs of a store are drawn, mutated, run on every task and kept where they
//! score.
//!
//! A round draws tasks and for each a stored program, in proportion to its score. Every drawn
//! program is mutated ([`search::mutate`](crate::search::mutate): each mutant is well typed), and
//! all of them that did not run on these tasks before are merged into one plan that runs on all
//! pairs of all tasks. A program is stored under every task that it scores on. Programs are of the
//! typed dialect in the soft reading, so scores are those of the system that the store's layout is
//! from.
//!
//! Invariant: what a round makes depends on the store, the seed, the settings and the tasks, and
//! on nothing else; not on the number of threads and not on time. The speed of a program is
//! therefore counted in steps.

mod draw;
mod store;
mod text;

pub use store::{MAX_STORED, Store, StoreError, StoredProgram};

use self::text::{StoredText, stored_text};
use crate::data::Task;
use crate::engine::{EvaluationRef, Example, Grid, Tile};
use crate::limits::MAX_PROGRAM_ERRORS;
use crate::meter::Budget;
use crate::operations::{EvaluationSettings, evaluate_all};
use crate::plan::Plan;
use crate::program::{Program, load_as, read_text};
use crate::reading::{Cells, Reading};
use crate::rng::Rng;
use heddle_runtime::{Error, Runtime};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use thiserror::Error;

/// The score of a right pair.
const POINTS: u64 = 1000;

/// What a step takes in the system that the layout is from, in seconds: `CPython` makes about
/// 1,100 evaluations of a solver in a second, of 91 steps each.
const SECONDS_PER_STEP: f64 = 1e-5;

/// The limits of a program on a pair. The system that the layout is from allows a pair 20 seconds
/// for all of its 32 programs, 0.6 each, in which it makes 60,000 steps. They do not depend on the
/// machine.
pub const PAIR_BUDGET: Budget = Budget {
    steps: 200_000,
    bytes: 2 << 20,
    time: None,
};

/// The most seeds in one plan. A plan of all takes no less time and more memory.
const SEEDS_TOGETHER: usize = 128;

/// An evolution cannot go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EvolveError {
    /// The store could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The evaluation failed.
    #[error(transparent)]
    Runtime(#[from] Error),
}

/// How an evolution goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct EvolutionSettings {
    /// The seed of all draws and mutations.
    pub seed: u64,
    /// The programs drawn in a round.
    pub programs: usize,
    /// The mutants of each drawn program.
    pub mutants: usize,
    /// The probability that a callee or an argument is mutated. A mutant has at least one
    /// mutation, because its original is evaluated too.
    pub mutation_rate: f64,
    /// How programs see cells.
    pub cells: Cells,
}

impl Default for EvolutionSettings {
    fn default() -> Self {
        EvolutionSettings {
            seed: 0,
            programs: 32,
            mutants: 1,
            mutation_rate: 0.01,
            cells: Cells::Triple,
        }
    }
}

impl EvolutionSettings {
    /// Changes settings.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

/// What was evaluated and kept.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Round {
    /// The programs that were evaluated on all tasks.
    pub programs: usize,
    /// The evaluations: programs times pairs.
    pub evaluations: u64,
    /// The time of drawing, mutating, planning and evaluating.
    pub time: Duration,
    /// What was kept, in the order of programs and tasks.
    pub kept: Vec<KeptProgram>,
}

/// A program that was stored under a task.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeptProgram {
    /// The task.
    pub task: Arc<str>,
    /// The digest that the program is stored by.
    pub digest: Arc<str>,
    /// Its score on the task.
    pub score: u64,
    /// The best score of the task before.
    pub before: u64,
}

/// An evolution of a store on tasks.
pub struct Evolution<'a> {
    runtime: &'a Runtime,
    tasks: Vec<&'a Task>,
    by_name: HashMap<&'a str, &'a Task>,
    store: Store,
    settings: EvolutionSettings,
    /// Programs that were read from the store; `None` for those that could not be.
    programs: HashMap<Arc<str>, Option<Program>>,
}

/// A program and its text, not yet in the store.
struct NewProgram {
    program: Program,
    stored: StoredText,
}

/// The right pairs of a program on a task, and the steps of all.
#[derive(Clone, Copy, Debug, Default)]
struct PairCount {
    right: u64,
    steps: u64,
}

impl<'a> Evolution<'a> {
    /// An evolution of a store on tasks. A task whose name cannot be part of a path is left out
    /// with a note.
    #[must_use]
    pub fn new(
        runtime: &'a Runtime,
        tasks: &[&'a Task],
        mut store: Store,
        settings: EvolutionSettings,
    ) -> Self {
        let (tasks, left_out): (Vec<&Task>, Vec<&Task>) =
            tasks.iter().partition(|task| is_name(&task.id));
        if let Some(task) = left_out.first() {
            store.note(format!(
                "{} tasks are left out, such as {}: a store has folders for letters, digits, - \
                 and _",
                left_out.len(),
                task.id
            ));
        }
        store.set_tasks(digest(&tasks));
        Evolution {
            runtime,
            by_name: tasks.iter().map(|task| (&*task.id, *task)).collect(),
            tasks,
            store,
            settings,
            programs: HashMap::new(),
        }
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// What was found and could not be used since this was last asked.
    pub fn take_notes(&mut self) -> Vec<String> {
        self.store.take_notes()
    }

    /// The tasks that programs run on.
    #[must_use]
    pub fn tasks(&self) -> &[&'a Task] {
        &self.tasks
    }

    /// The evaluations of one program.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        let pairs = self.tasks.iter().map(|task| task.pairs().count() as u64);
        pairs.sum()
    }

    fn reading(&self) -> Reading {
        Reading::Soft(self.settings.cells)
    }

    /// Runs programs on all tasks and stores those that score. Programs that are stored already
    /// and ran on all tasks are skipped, and so are those that the typed dialect has no names for,
    /// with a note. If the job is cancelled, the store is as it was.
    pub fn seed(
        &mut self,
        programs: &[Program],
        settings: &EvaluationSettings<'_>,
    ) -> Result<Round, EvolveError> {
        let start = Instant::now();
        let mut taken = HashSet::new();
        let mut candidates = Vec::new();
        let mut left_out = Vec::new();
        for program in programs {
            match stored_text(program) {
                Err(error) => left_out.push(error.to_string()),
                Ok(None) => left_out.push(format!("{} is too long for a store", program.name)),
                Ok(Some(stored)) => candidates.extend(self.candidate(stored, &mut taken)),
            }
        }
        if let Some(first) = left_out.first() {
            self.store.note(format!(
                "{} of {} programs are left out: {first}",
                left_out.len(),
                programs.len()
            ));
        }
        let mut scores = vec![Vec::new(); self.tasks.len()];
        for some in candidates.chunks(SEEDS_TOGETHER) {
            let Some(found) = self.scores(some, settings)? else {
                return Ok(Round::default());
            };
            for (all, found) in scores.iter_mut().zip(found) {
                all.extend(found);
            }
        }
        let mut seeded = self.keep(&candidates, &scores);
        self.store.commit()?;
        seeded.time = start.elapsed();
        Ok(seeded)
    }

    /// Makes one round; `None` if the job was cancelled, and then the store is as it was.
    pub fn round(
        &mut self,
        settings: &EvaluationSettings<'_>,
    ) -> Result<Option<Round>, EvolveError> {
        let start = Instant::now();
        let mut rng = Rng::of(self.settings.seed, self.store.rounds());
        let mut taken = HashSet::new();
        let mut candidates = Vec::new();
        for (task, digest) in draw::programs(&self.store, self.settings.programs, &mut rng) {
            // A program of another system, or one that ran on other tasks.
            if self.is_new(&digest, &mut taken)
                && let Some(program) = self.program(&digest)
            {
                // Its file is there.
                let (digest, text) = (Arc::clone(&digest), String::new());
                let stored = StoredText { digest, text };
                candidates.push(NewProgram { program, stored });
            }
            for _ in 0..self.settings.mutants {
                let Some(program) = self.program(&digest) else {
                    break;
                };
                let examples = self.by_name.get(&*task).map_or(&[][..], |task| &task.train);
                let rate = self.settings.mutation_rate;
                let mutant = draw::mutant(&program, examples, rate, &mut rng);
                candidates.extend(mutant.and_then(|stored| self.candidate(stored, &mut taken)));
            }
        }
        let Some(scores) = self.scores(&candidates, settings)? else {
            return Ok(None);
        };
        let mut round = self.keep(&candidates, &scores);
        self.store.finish_round(self.settings.seed)?;
        round.time = start.elapsed();
        Ok(Some(round))
    }

    /// A stored program.
    pub fn program(&mut self, digest: &Arc<str>) -> Option<Program> {
        if let Some(known) = self.programs.get(digest) {
            return known.clone();
        }
        let file = self.store.file(digest);
        // A pipe would be waited for.
        let read = file.is_file().then(|| read_text(&file));
        let program = match read {
            None => {
                self.store.note(format!("{} is no file", file.display()));
                None
            }
            Some(Ok(text)) => {
                let mut loaded = load_as(&text, &file.display().to_string(), self.reading());
                for error in loaded.errors.iter().take(MAX_PROGRAM_ERRORS) {
                    self.store.note(error.to_string());
                }
                loaded.programs.pop()
            }
            Some(Err(error)) => {
                self.store.note(error.to_string());
                None
            }
        };
        self.programs.insert(Arc::clone(digest), program.clone());
        program
    }

    /// The program of a text, if it is new.
    fn candidate(&self, stored: StoredText, taken: &mut HashSet<Arc<str>>) -> Option<NewProgram> {
        self.is_new(&stored.digest, taken).then_some(())?;
        // The name stands for all programs without one.
        let file = format!("{}.py", stored.digest);
        let program = load_as(&stored.text, &file, self.reading())
            .programs
            .pop()?;
        Some(NewProgram { program, stored })
    }

    /// Whether a program did not run on all tasks yet and is not among those taken.
    fn is_new(&self, digest: &Arc<str>, taken: &mut HashSet<Arc<str>>) -> bool {
        !self.store.is_evaluated(digest) && taken.insert(Arc::clone(digest))
    }

    /// Stores those candidates that score.
    fn keep(&mut self, candidates: &[NewProgram], scores: &[Vec<PairCount>]) -> Round {
        let mut round = Round {
            programs: candidates.len(),
            evaluations: candidates.len() as u64 * self.pairs(),
            ..Round::default()
        };
        let before: BTreeMap<Arc<str>, u64> = self
            .tasks
            .iter()
            .map(|task| (Arc::clone(&task.id), self.store.best(&task.id)))
            .collect();
        for (index, candidate) in candidates.iter().enumerate() {
            for (task, of_task) in self.tasks.iter().zip(scores) {
                let PairCount { right, steps } = of_task[index];
                if right == 0 {
                    continue;
                }
                let stored = StoredProgram {
                    score: right * POINTS,
                    speed: speed(steps),
                    digest: Arc::clone(&candidate.stored.digest),
                };
                let score = stored.score;
                if self.store.add(&task.id, &stored, &candidate.stored.text) {
                    round.kept.push(KeptProgram {
                        task: Arc::clone(&task.id),
                        digest: Arc::clone(&candidate.stored.digest),
                        score,
                        before: before[&task.id],
                    });
                    let digest = Arc::clone(&candidate.stored.digest);
                    self.programs
                        .insert(digest, Some(candidate.program.clone()));
                }
            }
            self.store.set_evaluated(&candidate.stored.digest);
        }
        round
    }

    /// The right pairs of each candidate, by task.
    fn scores(
        &self,
        candidates: &[NewProgram],
        settings: &EvaluationSettings<'_>,
    ) -> Result<Option<Vec<Vec<PairCount>>>, Error> {
        let programs: Vec<Program> = candidates.iter().map(|it| it.program.clone()).collect();
        let plan = Plan::new(&programs);
        let examples: Vec<Vec<Example<'_>>> = self
            .tasks
            .iter()
            .map(|task| task.examples().collect())
            .collect();
        let wanted: Vec<Vec<&Grid>> = self
            .tasks
            .iter()
            .map(|task| task.pairs().map(|(_, output)| output).collect())
            .collect();
        let tiles: Vec<Tile<'_>> = examples
            .iter()
            .map(|examples| Tile {
                plan: &plan,
                examples,
            })
            .collect();
        let rows = evaluate_all(self.runtime, &tiles, settings, |part, _, evaluation| {
            PairCount {
                right: u64::from(evaluation.is(wanted[part.tile][part.example])),
                steps: match evaluation {
                    EvaluationRef::Defined { steps, .. } => steps,
                    EvaluationRef::Undefined(_) => 0,
                },
            }
        })?;
        let mut scores = vec![vec![PairCount::default(); candidates.len()]; self.tasks.len()];
        for (part, row) in rows {
            let Some(row) = row else {
                return Ok(None);
            };
            for (sum, pair) in scores[part.tile].iter_mut().zip(row) {
                sum.right += pair.right;
                sum.steps += pair.steps;
            }
        }
        Ok(Some(scores))
    }
}

/// Whether the name of a task can be part of a path.
fn is_name(id: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    !id.is_empty() && id.chars().all(is_letter)
}

/// The digest of tasks, in any order.
fn digest(tasks: &[&Task]) -> String {
    let mut sorted = tasks.to_vec();
    sorted.sort_by_key(|task| &task.id);
    let mut all = md5::Context::new();
    for task in sorted {
        all.consume(format!("{} {}", task.id, task.train.len()));
        for grid in task.pairs().flat_map(|(input, output)| [input, output]) {
            all.consume(format!(" {} {} ", grid.height(), grid.width()));
            all.consume(
                grid.cells()
                    .iter()
                    .map(|cell| *cell as u8)
                    .collect::<Vec<u8>>(),
            );
        }
    }
    format!("{:x}", all.finalize())
}

/// The speed of a program that takes so many steps on a task.
fn speed(steps: u64) -> i32 {
    let seconds = steps.max(1) as f64 * SECONDS_PER_STEP;
    11 - seconds.ln() as i32
}
