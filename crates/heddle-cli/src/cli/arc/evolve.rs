//! `heddle arc evolve`: evolves a store of programs on tasks.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use heddle::Runtime;
use heddle::arc::assess::{Pairing, assess};
use heddle::arc::data::Task;
use heddle::arc::evolve::{Evolution, EvolutionSettings, EvolveError, PAIR_BUDGET, Round, Store};
use heddle::arc::gpu::LaunchSettings;
use heddle::arc::operations::{EvaluationSettings, WorkerPool};
use heddle::arc::program::Program;
use heddle::config::Config;
use heddle::units::Nanos;
use serde_json::{Value, json};

use super::eval::{draw, page};
use super::inputs::{Inputs, failure};
use super::{grouped, open, print_notes, refuse_above};
use crate::cli::output::{FAINT, Output};
use crate::cli::progress::{EvaluationBar, RoundBar};
use crate::cli::table::table;
use crate::cli::{Failure, interrupt};

/// The most mutants of a round. They are one plan.
const MAX_MUTANTS: usize = 100_000;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The programs of a new store (default: Heddle's own for the tasks). An old store takes
    /// those that are named.
    #[command(flatten)]
    inputs: Inputs,

    /// The folder of the store; created if it does not exist.
    #[arg(long, value_name = "DIR")]
    store: PathBuf,

    /// Make this many rounds, after those that the store has had.
    #[arg(long, default_value_t = 10, value_name = "N")]
    rounds: u64,

    /// Seed of draws and mutations.
    #[arg(long, default_value_t = 0, value_name = "S")]
    seed: u64,

    /// Programs drawn in a round.
    #[arg(short = 'c', long, default_value_t = 32, value_name = "N")]
    count: usize,

    /// Mutants of each drawn program.
    #[arg(long, default_value_t = 1, value_name = "N")]
    mutants: usize,

    /// Probability that a callee or an argument is mutated; a mutant has at least one mutation.
    #[arg(long, default_value_t = 0.01, value_name = "P", value_parser = probability)]
    mutation_rate: f64,

    /// Write an HTML page of the tasks that scored more than before, with the programs.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

fn probability(text: &str) -> Result<f64, String> {
    let number = text
        .parse()
        .ok()
        .filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "a probability is a number from 0 to 1, such as 0.01".to_owned())
}

/// What the command found.
#[derive(Default)]
struct Found {
    rounds: u64,
    programs: usize,
    evaluations: u64,
    time: Duration,
    kept: usize,
    /// For each task that scored more than before: the best score before, the best now and the
    /// program that has it.
    improved: BTreeMap<Arc<str>, Improvement>,
}

struct Improvement {
    before: u64,
    score: u64,
    digest: Arc<str>,
}

impl Found {
    fn add(&mut self, round: &Round) {
        self.programs += round.programs;
        self.evaluations += round.evaluations;
        self.time += round.time;
        self.kept += round.kept.len();
        for kept in round.kept.iter().filter(|kept| kept.score > kept.before) {
            let improved = self.improved.entry(Arc::clone(&kept.task));
            let improved = improved.or_insert_with(|| Improvement {
                before: kept.before,
                score: 0,
                digest: Arc::clone(&kept.digest),
            });
            if kept.score > improved.score {
                improved.score = kept.score;
                improved.digest = Arc::clone(&kept.digest);
            }
        }
    }

    /// The tasks that no program solved before.
    fn newly_solved(&self, tasks: &[&Task]) -> usize {
        let is_new = |task: &&&Task| {
            let full = full_score(task);
            let improved = self.improved.get(&task.id);
            improved.is_some_and(|it| it.before < full && it.score >= full)
        };
        tasks.iter().filter(is_new).count()
    }

    fn rate(&self) -> f64 {
        self.evaluations as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

/// The score of a task whose pairs are all right.
fn full_score(task: &Task) -> u64 {
    1000 * task.pairs().count() as u64
}

impl From<EvolveError> for Failure {
    fn from(error: EvolveError) -> Self {
        match error {
            EvolveError::Runtime(error) => Failure::Heddle(error),
            error => failure(&error),
        }
    }
}

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
    if let Some(file) = &arguments.html {
        output.leave_standard_output_to(file);
    }
    refuse_above("--count", arguments.count, MAX_MUTANTS)?;
    let mutants = arguments.count.saturating_mul(arguments.mutants);
    refuse_above("--count times --mutants,", mutants, MAX_MUTANTS)?;
    let token = interrupt::token();
    let store = Store::open(&arguments.store).map_err(|error| failure(&error))?;
    let is_new = store.tasks().is_empty();
    let (programs, errors, dataset) = if is_new || arguments.inputs.names_programs() {
        let found = arguments.inputs.read(config)?;
        (found.programs, found.errors, found.dataset)
    } else {
        (Vec::new(), Vec::new(), arguments.inputs.read_tasks()?)
    };
    let mut notes = dataset.notes.clone();
    notes.extend(errors.iter().map(ToString::to_string));
    let runtime = open(config, &mut notes)?;
    let tasks: Vec<&Task> = dataset.tasks.iter().collect();
    let worker_pool = WorkerPool::new(PAIR_BUDGET);
    let settings = EvolutionSettings::default().with(|it| {
        it.seed = arguments.seed;
        it.programs = arguments.count;
        it.mutants = arguments.mutants;
        it.mutation_rate = arguments.mutation_rate;
    });
    let cells = arguments.inputs.cells(config)?;
    let mut evolution = Evolution::new(
        &runtime,
        &tasks,
        store,
        settings.with(|it| it.cells = cells),
    );
    let seeded = {
        let bar = EvaluationBar::new(programs.len() as u64 * evolution.pairs());
        let progress = |evaluations| bar.add(evaluations);
        let settings = EvaluationSettings::of(&worker_pool).with(|it| {
            it.token = token.clone();
            it.progress = &progress;
        });
        evolution.seed(&programs, &settings)?
    };
    notes.extend(evolution.take_notes());
    let mut found = Found::default();
    let evaluation = EvaluationSettings::of(&worker_pool).with(|it| it.token = token.clone());
    let bar = RoundBar::new(arguments.rounds);
    while found.rounds < arguments.rounds && !token.is_stopped() {
        let Some(round) = evolution.round(&evaluation)? else {
            break;
        };
        found.rounds += 1;
        found.add(&round);
        bar.round(format!(
            "{} evaluations per second, {} tasks scored more, {} newly solved",
            grouped(found.rate() as u64),
            grouped(found.improved.len() as u64),
            grouped(found.newly_solved(evolution.tasks()) as u64)
        ));
        notes.extend(evolution.take_notes());
    }
    drop(bar);
    print_notes(&notes);
    let programs: BTreeMap<&str, Program> = found
        .improved
        .iter()
        .filter_map(|(task, improved)| Some((&**task, evolution.program(&improved.digest)?)))
        .collect();
    let report = Report {
        seeded: &seeded,
        found: &found,
        evolution: &evolution,
        programs: &programs,
    };
    if output.is_json() {
        let mut object = report.object();
        object["notes"] = json!(notes);
        output.object(&object)?;
    } else {
        report.print(output)?;
    }
    if let Some(file) = &arguments.html {
        let settings = EvaluationSettings::of(&worker_pool);
        let drawn = report.drawn(&runtime, &settings)?;
        page::write(file, "ARC evolution", &report.summary(), &drawn)?;
    }
    if token.is_stopped() {
        return Err(Failure::Interrupted {
            done: found.evaluations,
            of: found.evaluations / found.rounds.max(1) * arguments.rounds,
        });
    }
    Ok(())
}

struct Report<'a> {
    seeded: &'a Round,
    found: &'a Found,
    evolution: &'a Evolution<'a>,
    /// The best program of each task that scored more than before.
    programs: &'a BTreeMap<&'a str, Program>,
}

impl Report<'_> {
    fn task(&self, id: &str) -> Option<&Task> {
        let mut tasks = self.evolution.tasks().iter();
        tasks.find(|task| *task.id == *id).copied()
    }

    fn solved(&self) -> usize {
        let tasks = self.evolution.tasks().iter();
        let store = self.evolution.store();
        tasks
            .filter(|task| store.best(&task.id) >= full_score(task))
            .count()
    }

    fn summary(&self) -> String {
        let found = self.found;
        format!(
            "{} rounds: {} programs on {} tasks, {} evaluations in {}, {} per second; {} kept; \
             {} tasks scored more than before, {} newly solved",
            grouped(found.rounds),
            grouped(found.programs as u64),
            grouped(self.evolution.tasks().len() as u64),
            grouped(found.evaluations),
            Nanos::from(found.time),
            grouped(found.rate() as u64),
            grouped(found.kept as u64),
            grouped(found.improved.len() as u64),
            grouped(found.newly_solved(self.evolution.tasks()) as u64),
        )
    }

    fn print(&self, output: &mut Output) -> Result<(), Failure> {
        if !self.found.improved.is_empty() {
            let mut list = table(&["task ", "before", "now", "of", "program "]);
            for (task, improved) in &self.found.improved {
                let full = self.task(task).map_or(0, full_score);
                list.add_row([
                    task.to_string(),
                    grouped(improved.before),
                    grouped(improved.score),
                    grouped(full),
                    improved.digest.to_string(),
                ]);
            }
            output.line(list)?;
            output.line("")?;
        }
        if self.seeded.programs > 0 {
            output.line(format_args!(
                "{} programs seeded the store in {}",
                grouped(self.seeded.programs as u64),
                Nanos::from(self.seeded.time),
            ))?;
        }
        output.line(self.summary())?;
        let store = self.evolution.store();
        let programs: usize = store.tasks().values().map(Vec::len).sum();
        output.line(format_args!(
            "{FAINT}the store has had {} rounds and holds {} programs; {} of {} tasks are \
             solved{FAINT:#}",
            grouped(store.rounds()),
            grouped(programs as u64),
            grouped(self.solved() as u64),
            grouped(self.evolution.tasks().len() as u64),
        ))?;
        Ok(())
    }

    fn object(&self) -> Value {
        let found = self.found;
        let improved = found.improved.iter().map(|(task, improved)| {
            json!({
                "task": &**task,
                "before": improved.before,
                "score": improved.score,
                "full_score": self.task(task).map(full_score),
                "digest": &*improved.digest,
                "program": self.programs.get(&**task).map(ToString::to_string),
            })
        });
        let store = self.evolution.store();
        json!({
            "rounds": found.rounds,
            "programs": found.programs,
            "evaluations": found.evaluations,
            "seconds": found.time.as_secs_f64(),
            "evaluations_per_second": found.rate(),
            "kept": found.kept,
            "newly_solved": found.newly_solved(self.evolution.tasks()),
            "improved": improved.collect::<Vec<Value>>(),
            "seeded": {
                "programs": self.seeded.programs,
                "evaluations": self.seeded.evaluations,
                "seconds": self.seeded.time.as_secs_f64(),
            },
            "store": {
                "rounds": store.rounds(),
                "programs": store.tasks().values().map(Vec::len).sum::<usize>(),
                "tasks": store.tasks().len(),
                "solved": self.solved(),
            },
        })
    }

    /// The tasks that scored more, drawn with their best programs.
    fn drawn(
        &self,
        runtime: &Runtime,
        settings: &EvaluationSettings<'_>,
    ) -> Result<Vec<draw::TaskDrawing>, Failure> {
        let named = |(task, program): (&&str, &Program)| Program {
            name: format!("solve_{task}").into(),
            ..program.clone()
        };
        let programs: Vec<Program> = self.programs.iter().map(named).collect();
        let tasks = self.evolution.tasks();
        let launch = LaunchSettings::default();
        let assessment = assess(runtime, &programs, tasks, Pairing::Own, settings, launch)?;
        draw::draw(runtime, &programs, tasks, &assessment, settings, |_| true)
    }
}
