//! `heddle arc batt`: runs a merged file of the typed dialect on tasks.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use heddle::arc::batt::{
    BattPlan, BattRun, CallTable, EntryList, RUN_BUDGET, SolverCandidate, read,
};
use heddle::arc::data::Task;
use heddle::arc::golden::notation;
use heddle::arc::operations::{EvaluationSettings, WorkerPool};
use heddle::config::Config;
use heddle::profile::write_whole;
use heddle::units::Nanos;
use serde_json::{Value, json};

use super::inputs::{CellsInput, TaskInputs, failure, read_text};
use super::{grouped, open, print_notes};
use crate::cli::output::Output;
use crate::cli::progress::EvaluationBar;
use crate::cli::table::table;
use crate::cli::{Failure, interrupt};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The merged file: a Python function batt(…) with five parameters.
    file: PathBuf,

    #[command(flatten)]
    tasks: TaskInputs,

    #[command(flatten)]
    cells: CellsInput,

    /// Cut solvers out of this call table (default: out of the merged file).
    #[arg(long, value_name = "FILE")]
    calls: Option<PathBuf>,

    /// Stop a line after this many seconds (default: after 100 million steps, which is longer
    /// than ten seconds of Python and the same on every machine).
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,

    /// With --json, print the value of every entry of o and s.
    #[arg(long)]
    entries: bool,

    /// Write the solvers, each cut out as a program of its own, to this file.
    #[arg(short = 'o', long, value_name = "FILE")]
    save: Option<PathBuf>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse().ok().filter(|number| *number > 0.0);
    let time = number.and_then(|number| Duration::try_from_secs_f64(number).ok());
    time.ok_or_else(|| "a time is a number of seconds, such as 10 or 0.5".to_owned())
}

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
    if let Some(file) = &arguments.save {
        output.leave_standard_output_to(file);
    }
    let token = interrupt::token();
    let name = arguments.file.display().to_string();
    let loaded = read(
        &read_text(&arguments.file)?,
        &name,
        arguments.cells.cells(config)?,
    );
    if loaded.batt.entries.is_empty() {
        let first = loaded.errors.first();
        return Err(Failure::Arc {
            message: first.map_or(
                format!("{name} appends nothing to o or s"),
                ToString::to_string,
            ),
            hint: Some("name a merged file: def batt(task_id, S, I, C, log_path):".to_owned()),
        });
    }
    let calls = match &arguments.calls {
        Some(file) => CallTable::read(&read_text(file)?, &file.display().to_string())
            .map_err(|error| failure(&error))?,
        None => loaded.batt.calls(),
    };
    let mut notes: Vec<String> = loaded.errors.iter().map(ToString::to_string).collect();
    let mut candidates = Vec::new();
    for found in loaded.batt.candidates(&calls) {
        match found {
            Ok(candidate) => candidates.push(candidate),
            Err(missing) => notes.push(missing.to_string()),
        }
    }
    let dataset = arguments.tasks.read()?;
    notes.extend(dataset.notes.iter().cloned());
    let tasks: Vec<&Task> = dataset.tasks.iter().collect();
    let plan = BattPlan::new(loaded.batt).map_err(|error| failure(&error))?;
    let runtime = open(config, &mut notes)?;
    let budget = RUN_BUDGET.with(|it| it.time = arguments.time);
    let worker_pool = WorkerPool::new(budget);
    let pairs: usize = tasks.iter().map(|task| task.pairs().count()).sum();
    let evaluations = (pairs * plan.plan().len()) as u64;
    let found = {
        let bar = EvaluationBar::new(evaluations);
        let progress = |evaluations| bar.add(evaluations);
        let settings = EvaluationSettings::of(&worker_pool).with(|it| {
            it.token = token;
            it.progress = &progress;
        });
        plan.run(&runtime, &tasks, &settings, arguments.entries)?
    };
    print_notes(&notes);
    if found.values_too_large {
        return Err(Failure::Arc {
            message: "the values of all entries have more than 16,777,216 parts".to_owned(),
            hint: Some("name fewer tasks with --tasks, or leave --entries out".to_owned()),
        });
    }
    if let Some(file) = &arguments.save {
        write_whole(file, |to| to.write_all(named(&candidates).as_bytes()))?;
    }
    let report = Report {
        plan: &plan,
        found: &found,
        tasks: &tasks,
        candidates: &candidates,
    };
    if output.is_json() {
        let mut object = report.object();
        object["file"] = json!(name);
        object["notes"] = json!(notes);
        output.object(&object)?;
    } else {
        report.print(output)?;
    }
    if found.stopped {
        return Err(Failure::Interrupted {
            done: found.runs,
            of: 2 * pairs as u64,
        });
    }
    Ok(())
}

/// Returns the texts of candidates as one file, each named after its solver.
fn named(candidates: &[SolverCandidate]) -> String {
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    let mut texts = Vec::new();
    for candidate in candidates {
        let count = names.entry(&candidate.solver).or_default();
        *count += 1;
        let letters = candidate.solver.chars();
        let mut name: String = letters
            .filter(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        if *count > 1 {
            // Writing to a string cannot fail.
            let _ = write!(name, "_t{}", candidate.number);
        }
        let text = &candidate.text;
        texts.push(text.replacen("solve", &format!("solve_{name}"), 1));
    }
    format!("from safe_dsl import *\n\n{}", texts.join("\n\n"))
}

struct Report<'a> {
    plan: &'a BattPlan,
    found: &'a BattRun,
    tasks: &'a [&'a Task],
    candidates: &'a [SolverCandidate],
}

impl Report<'_> {
    /// The number of runs in a second.
    fn rate(&self) -> f64 {
        self.found.runs as f64 / self.found.time.as_secs_f64().max(1e-9)
    }

    fn print(&self, output: &mut Output) -> Result<(), Failure> {
        let mut solvers: BTreeMap<&str, (u64, Vec<&str>)> = BTreeMap::new();
        let mut differs: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
        let mut failed = 0;
        for scores in &self.found.tasks {
            let task = self.tasks[scores.task];
            failed += scores.failed_runs;
            for (solver, score) in self.plan.solver_scores(scores) {
                let (sum, solved) = solvers.entry(solver).or_default();
                *sum += score;
                if score >= 1000 * task.pairs().count() as u64 {
                    solved.push(&task.id);
                }
            }
            for (differ, by_solver) in self.plan.differ_scores(scores) {
                let sums = differs.entry(differ).or_default();
                for (solver, score) in by_solver {
                    *sums.entry(solver).or_default() += score;
                }
            }
        }
        let mut titles = vec!["solver ".to_owned(), "o-score".to_owned()];
        titles.extend(differs.keys().map(ToString::to_string));
        titles.push("solved ".to_owned());
        let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
        let mut list = table(&titles);
        let judged = differs.values().flat_map(BTreeMap::keys);
        let names: BTreeSet<&&str> = solvers.keys().chain(judged).collect();
        for name in names {
            let answer = solvers.get(name);
            let mut row = vec![name.to_string()];
            row.push(answer.map_or(String::new(), |(score, _)| grouped(*score)));
            row.extend(differs.values().map(|by_solver| {
                by_solver
                    .get(name)
                    .map_or(String::new(), |score| grouped(*score))
            }));
            row.push(
                answer.map_or(String::new(), |(_, solved)| match solved[..] {
                    [.., _] if solved.len() > 3 => {
                        format!("{} tasks", grouped(solved.len() as u64))
                    }
                    _ => solved.join(", "),
                }),
            );
            list.add_row(row);
        }
        output.line(list)?;
        output.line("")?;
        output.line(format_args!(
            "{} runs on {} tasks in {}, {} per second; {} failed; {} candidates",
            grouped(self.found.runs),
            grouped(self.found.tasks.len() as u64),
            Nanos::from(self.found.time),
            grouped(self.rate() as u64),
            grouped(failed as u64),
            grouped(self.candidates.len() as u64),
        ))?;
        Ok(())
    }

    fn object(&self) -> Value {
        let tasks: Vec<Value> = self.found.tasks.iter().map(|it| self.task(it)).collect();
        let candidate = |candidate: &SolverCandidate| {
            json!({
                "solver": &*candidate.solver,
                "line": candidate.number,
                "mutated": candidate.mutated,
                "program": &*candidate.text,
            })
        };
        json!({
            "tasks": tasks,
            "candidates": self.candidates.iter().map(candidate).collect::<Vec<_>>(),
            "runs": self.found.runs,
            "runs_per_second": self.rate(),
            "seconds": self.found.time.as_secs_f64(),
        })
    }

    fn task(&self, scores: &heddle::arc::batt::TaskScores) -> Value {
        let mut object = json!({
            "task": &*self.tasks[scores.task].id,
            "failed_runs": scores.failed_runs,
            "o": self.plan.solver_scores(scores),
            "s": self.plan.differ_scores(scores),
        });
        if !scores.values.is_empty() {
            let lists = |values: &Option<_>| values.as_ref().map(|values| self.lists(values));
            let pairs = scores.values.iter();
            let pairs =
                pairs.map(|[none, output]| json!({"none": lists(none), "output": lists(output)}));
            object["entries"] = pairs.collect();
        }
        object
    }

    /// The lists `o` and `s` of one run.
    fn lists(&self, values: &heddle::arc::batt::EntryValues) -> Value {
        let mut lists = json!({"o": [], "s": []});
        for (entry, value) in self.plan.batt().entries.iter().zip(values) {
            let value = value.as_deref().map(notation::show);
            let (list, entry) = match &entry.list {
                EntryList::Answer { solver, mutated } => {
                    ("o", json!([entry.number, mutated, &**solver, value]))
                }
                EntryList::Difference { solver, differ } => {
                    ("s", json!([entry.number, &**solver, &**differ, value]))
                }
            };
            if let Some(list) = lists[list].as_array_mut() {
                list.push(entry);
            }
        }
        lists
    }
}
