//! `heddle arc eval`: runs programs on tasks and lists which are solved.

mod budget;
pub(super) mod draw;
pub(super) mod page;
mod show;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use heddle::arc::assess::{Assessment, Attempt, Grade, Pairing, Status, TaskResult, assess};
use heddle::arc::data::Task;
use heddle::arc::meter::Budget;
use heddle::arc::operations::{EvaluationSettings, WorkerPool, by_device};
use heddle::arc::plan::CallGraph;
use heddle::arc::program::Program;
use heddle::config::Config;
use heddle::profile::RoutingLog;
use heddle::recording;
use heddle::units::Nanos;
use serde_json::{Value, json};

use super::inputs::{Inputs, LoadedInputs};
use super::{gpu, grouped, open, print_notes};
use crate::cli::output::{FAINT, Output};
use crate::cli::progress::EvaluationBar;
use crate::cli::table::table;
use crate::cli::{Failure, interrupt, save_models};

/// Up to this many tasks, all are listed; beyond, only those that are not solved.
const LISTED_TASKS: usize = 60;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    inputs: Inputs,

    /// Run every program on every task, not only on the task it is named after.
    #[arg(long)]
    all_pairs: bool,

    /// Limits of one evaluation, such as steps=1M,bytes=8M,time=50ms.
    #[arg(long, value_name = "LIMITS", value_parser = budget::parse)]
    budget: Option<Budget>,

    #[command(flatten)]
    caps: gpu::Caps,

    /// Draw these tasks: input, expected and output side by side.
    #[arg(long, value_name = "ID", num_args = 1.., value_delimiter = ',')]
    show: Vec<String>,

    /// Write an HTML page that draws every task.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Write the spans of the run to this file, for `heddle profile`.
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
}

pub(super) fn run(
    config: &Config,
    arguments: &Arguments,
    output: &mut Output,
) -> Result<(), Failure> {
    for file in [&arguments.html, &arguments.profile].into_iter().flatten() {
        output.leave_standard_output_to(file);
    }
    let token = interrupt::token();
    let found = arguments.inputs.read(config)?;
    let mut notes = found.dataset.notes.clone();
    notes.extend(found.errors.iter().map(ToString::to_string));
    let runtime = open(config, &mut notes)?;
    let tasks = found.tasks();
    refuse_unknown(&arguments.show, &tasks)?;
    let pairing = if arguments.all_pairs {
        Pairing::All
    } else {
        Pairing::Own
    };
    let evaluations = expected(&found.programs, &tasks, pairing);
    let measured = gpu::measure_unknown(&runtime, config, evaluations, &mut notes)?;
    let worker_pool = WorkerPool::new(arguments.budget.unwrap_or_default());
    let assessment = {
        let bar = EvaluationBar::new(evaluations);
        let progress = |evaluations| bar.add(evaluations);
        let settings = EvaluationSettings::of(&worker_pool).with(|it| {
            it.token = token;
            it.progress = &progress;
        });
        let launch = arguments.caps.launch(config)?;
        assess(
            &runtime,
            &found.programs,
            &tasks,
            pairing,
            &settings,
            launch,
        )?
    };
    if let Some(file) = &arguments.profile {
        recording::take(&runtime, "heddle arc eval", &RoutingLog::default()).write(file)?;
    }
    let devices = by_device(&runtime);
    let gpu = gpu::GpuReport::new(
        &runtime,
        config,
        &assessment.flags,
        assessment.on_cpu.as_ref(),
    );
    if runtime.has_models() || measured {
        save_models(&runtime);
    }
    if assessment.results.is_empty() && !assessment.stopped {
        notes
            .push("no program is named after one of the tasks; --all-pairs runs every program on every task".into());
    }
    print_notes(&notes);
    if output.is_json() {
        let mut object = object(&found, &tasks, &assessment, &devices, &notes);
        object["gpu"] = json!(gpu);
        output.object(&object)?;
    } else {
        print(&found, &tasks, &assessment, &devices, output)?;
        if let Some(gpu) = &gpu {
            gpu.print(output)?;
        }
    }
    if assessment.stopped {
        return Err(Failure::Interrupted {
            done: assessment.evaluations,
            of: evaluations,
        });
    }
    let settings = EvaluationSettings::of(&worker_pool);
    let draw = |wanted: &dyn Fn(&TaskResult) -> bool| {
        draw::draw(
            &runtime,
            &found.programs,
            &tasks,
            &assessment,
            &settings,
            wanted,
        )
    };
    if !arguments.show.is_empty() && !output.is_json() {
        let drawn = draw(&|result| {
            let id = &*tasks[result.task].id;
            arguments.show.iter().any(|asked| asked == id)
        })?;
        show::print(&drawn, output)?;
    }
    if let Some(file) = &arguments.html {
        let drawn = draw(&|_| true)?;
        page::write(file, "ARC evaluation", &summary(&assessment), &drawn)?;
        if !output.is_json() {
            output.line(format_args!(
                "{}: {} tasks drawn",
                file.display(),
                drawn.len()
            ))?;
        }
    }
    Ok(())
}

fn refuse_unknown(show: &[String], tasks: &[&Task]) -> Result<(), Failure> {
    let unknown = show
        .iter()
        .find(|id| !tasks.iter().any(|task| *task.id == ***id));
    match unknown {
        None => Ok(()),
        Some(id) => Err(Failure::Usage {
            message: format!("no task is called {id}"),
            hint: "--show draws tasks of --data, or built-in ones".to_owned(),
        }),
    }
}

/// Returns the number of evaluations to run.
fn expected(programs: &[Program], tasks: &[&Task], pairing: Pairing) -> u64 {
    let mut count = 0;
    for task in tasks {
        let own = match pairing {
            Pairing::All => programs.len(),
            Pairing::Own => {
                let own = programs
                    .iter()
                    .filter(|program| program.task() == &*task.id);
                own.count()
            }
        };
        count += own * task.pairs().count();
    }
    count as u64
}

/// Counts tasks by status.
fn counts(assessment: &Assessment) -> [usize; 3] {
    let mut counts = [0; 3];
    for status in assessment.results.iter().filter_map(TaskResult::status) {
        counts[status as usize] += 1;
    }
    counts
}

/// Returns the figures of an assessment in a line.
fn summary(assessment: &Assessment) -> String {
    let [solved, wrong, undefined] = counts(assessment);
    format!(
        "{solved} solved, {wrong} wrong, {undefined} undefined; {} evaluations, {} per second",
        grouped(assessment.evaluations),
        grouped(rate(assessment) as u64)
    )
}

/// Returns why an attempt did not solve its task: its first pair that is not right.
fn reason(attempt: &Attempt, task: &Task) -> Option<String> {
    let (at, graded) = attempt
        .grades
        .iter()
        .enumerate()
        .find(|(_, graded)| **graded != Grade::Right)?;
    let pair = pair_name(at, task);
    Some(match graded {
        Grade::Undefined(why) => format!("{pair}: {why}"),
        Grade::Wrong { cells: 0 } => format!("{pair}: wrong shape, or no cell right"),
        Grade::Wrong { cells } => {
            let area = task
                .pairs()
                .nth(at)
                .map_or(0, |(_, grid)| grid.cells().len());
            format!("{pair}: {cells} of {area} cells right")
        }
        Grade::Right => return None,
    })
}

/// Returns the name of a pair: `train 2`, `test 1`.
fn pair_name(at: usize, task: &Task) -> String {
    match at.checked_sub(task.train.len()) {
        None => format!("train {}", at + 1),
        Some(at) => format!("test {}", at + 1),
    }
}

/// Returns the best attempt at a task, the first of equal ones.
fn best(result: &TaskResult) -> Option<&Attempt> {
    result.attempts.iter().min_by_key(|attempt| {
        let right = attempt.grades.iter().filter(|j| **j == Grade::Right);
        (attempt.status(), std::cmp::Reverse(right.count()))
    })
}

fn right_pairs(attempt: &Attempt) -> usize {
    let right = attempt.grades.iter().filter(|j| **j == Grade::Right);
    right.count()
}

fn rate(assessment: &Assessment) -> f64 {
    assessment.evaluations as f64 / assessment.time.as_secs_f64().max(1e-9)
}

fn status_name(status: Status) -> &'static str {
    match status {
        Status::Solved => "solved",
        Status::Wrong => "wrong",
        _ => "undefined",
    }
}

/// Returns the names of tasks that no program was run on.
fn unattempted_tasks<'a>(tasks: &[&'a Task], assessment: &Assessment) -> Vec<&'a str> {
    let tried: BTreeSet<usize> = assessment
        .results
        .iter()
        .map(|result| result.task)
        .collect();
    tasks
        .iter()
        .enumerate()
        .filter(|(at, _)| !tried.contains(at))
        .map(|(_, task)| &*task.id)
        .collect()
}

fn object(
    found: &LoadedInputs,
    tasks: &[&Task],
    assessment: &Assessment,
    devices: &BTreeMap<String, u64>,
    notes: &[String],
) -> Value {
    let graph = CallGraph::merge(&found.programs);
    let [solved, wrong, undefined] = counts(assessment);
    let sharing = assessment.sharing;
    let results: Vec<Value> = assessment
        .results
        .iter()
        .map(|result| entry(result, tasks[result.task], &found.programs))
        .collect();
    json!({
        "tasks": assessment.results.len(),
        "solved": solved,
        "wrong": wrong,
        "undefined": undefined,
        "evaluations": assessment.evaluations,
        "evaluations_per_second": rate(assessment),
        "by_device": devices,
        "programs": found.programs.len(),
        "programs_not_read": found.errors.len(),
        "tasks_without_a_program": unattempted_tasks(tasks, assessment).len(),
        "expressions": {"total": graph.calls(), "distinct": graph.nodes.len()},
        "steps": {"unmerged": sharing.steps, "merged": sharing.distinct_steps},
        "seconds": {
            "reading": found.time.as_secs_f64(),
            "planning": assessment.planning.as_secs_f64(),
            "evaluating": assessment.time.as_secs_f64(),
        },
        "notes": notes,
        "results": results,
    })
}

/// Returns one task as JSON, with its only attempt or else those that solve it.
fn entry(result: &TaskResult, task: &Task, programs: &[Program]) -> Value {
    let mut by_status: BTreeMap<&str, usize> = BTreeMap::new();
    for attempt in &result.attempts {
        *by_status.entry(status_name(attempt.status())).or_default() += 1;
    }
    let is_listed =
        |attempt: &&Attempt| result.attempts.len() == 1 || attempt.status() == Status::Solved;
    let attempts: Vec<Value> = result
        .attempts
        .iter()
        .filter(is_listed)
        .map(|attempt| {
            json!({
                "program": &*programs[attempt.program].name,
                "status": attempt.status(),
                "pairs_right": right_pairs(attempt),
                "reason": reason(attempt, task),
            })
        })
        .collect();
    json!({
        "task": &*task.id,
        "status": result.status(),
        "pairs": task.pairs().count(),
        "attempts": by_status,
        "programs": attempts,
        "reason": best(result).and_then(|attempt| reason(attempt, task)),
    })
}

fn print(
    found: &LoadedInputs,
    tasks: &[&Task],
    assessment: &Assessment,
    devices: &BTreeMap<String, u64>,
    output: &mut Output,
) -> std::io::Result<()> {
    let all = assessment.results.len() <= LISTED_TASKS;
    let listed: Vec<&TaskResult> = assessment
        .results
        .iter()
        .filter(|result| all || result.status() != Some(Status::Solved))
        .collect();
    if !listed.is_empty() {
        let mut list = table(&["task ", "result ", "pairs right", "reason "]);
        for result in &listed {
            let task = tasks[result.task];
            let Some(attempt) = best(result) else {
                continue;
            };
            list.add_row([
                task.id.to_string(),
                status_name(attempt.status()).to_owned(),
                format!("{}/{}", right_pairs(attempt), task.pairs().count()),
                reason(attempt, task).unwrap_or_default(),
            ]);
        }
        output.line(list)?;
        output.line("")?;
    }
    let [solved, wrong, undefined] = counts(assessment);
    output.line(format_args!(
        "{} tasks: {solved} solved, {wrong} wrong, {undefined} undefined",
        assessment.results.len()
    ))?;
    let on: Vec<String> = devices
        .iter()
        .map(|(device, count)| format!("{device} {}", grouped(*count)))
        .collect();
    output.line(format_args!(
        "{} evaluations in {}, {} per second; by device: {}",
        grouped(assessment.evaluations),
        Nanos::from(assessment.time),
        grouped(rate(assessment) as u64),
        on.join(", ")
    ))?;
    let graph = CallGraph::merge(&found.programs);
    let sharing = assessment.sharing;
    let merged = if sharing.distinct_steps < sharing.steps {
        format!(
            "; {} merged steps instead of {}",
            grouped(sharing.distinct_steps as u64),
            grouped(sharing.steps as u64),
        )
    } else {
        String::new()
    };
    output.line(format_args!(
        "{} programs: {} distinct expressions of {}{merged}",
        grouped(found.programs.len() as u64),
        grouped(graph.nodes.len() as u64),
        grouped(graph.calls() as u64),
    ))?;
    output.line(format_args!(
        "{FAINT}reading took {}, planning {}{FAINT:#}",
        Nanos::from(found.time),
        Nanos::from(assessment.planning)
    ))?;
    let without = unattempted_tasks(tasks, assessment);
    if !without.is_empty() {
        output.line(format_args!(
            "{FAINT}{} tasks have no program named after them, such as {}{FAINT:#}",
            grouped(without.len() as u64),
            without[0]
        ))?;
    }
    if !all && listed.len() < assessment.results.len() {
        output.line(format_args!(
            "{FAINT}solved tasks are not listed; --json lists them{FAINT:#}"
        ))?;
    }
    Ok(())
}
