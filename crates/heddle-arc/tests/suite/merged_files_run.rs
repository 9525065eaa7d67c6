//! Merged files of the typed dialect give the answers, differences and scores that their system
//! gives.
//!
//! `golden/batt` has two files, their scores on twelve ARC tasks, and digests of their entries,
//! which hold parts of the tasks.

#![allow(clippy::unwrap_used, reason = "a test says so by failing")]

use heddle_arc::assess::{Grade, Pairing, assess};
use heddle_arc::batt::{
    BattPlan, BattRun, CallTable, EntryList, EntryValues, RUN_BUDGET, read, write,
};
use heddle_arc::data::{Dataset, Task, load as load_data};
use heddle_arc::engine::Grid;
use heddle_arc::golden::notation::show;
use heddle_arc::gpu::LaunchSettings;
use heddle_arc::operations::{EvaluationSettings, WorkerPool};
use heddle_arc::program::load_as;
use heddle_arc::reading::{Cells, Reading};
use heddle_runtime::Runtime;
use heddle_testing::arc_tasks;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

const FILES: [(&str, &str, &str); 2] = [
    (
        "guarded_batt",
        include_str!("golden/batt/guarded_batt.py"),
        include_str!("golden/batt/guarded_batt_call.py"),
    ),
    (
        "plain_batt",
        include_str!("golden/batt/plain_batt.py"),
        include_str!("golden/batt/plain_batt_call.py"),
    ),
];

fn runtime() -> Runtime {
    let builder = Runtime::builder().without_model_cache();
    builder.build().unwrap()
}

fn plan(text: &str) -> BattPlan {
    let loaded = read(text, "batt.py", Cells::Triple);
    assert_eq!(loaded.errors, []);
    BattPlan::new(loaded.batt).unwrap()
}

fn run(plan: &BattPlan, tasks: &[&Task], keep: bool) -> BattRun {
    let worker_pool = WorkerPool::new(RUN_BUDGET);
    let settings = EvaluationSettings::of(&worker_pool);
    plan.run(&runtime(), tasks, &settings, keep).unwrap()
}

#[test]
fn call_tables_agree_with_their_files() {
    for (name, text, calls) in FILES {
        let calls = CallTable::read(calls, name).unwrap();
        assert_eq!(plan(text).batt().calls(), calls, "{name}");
    }
}

/// The entries of one run as text, `o` before `s`.
fn listed(plan: &BattPlan, values: &EntryValues) -> String {
    let mut lists = [String::new(), String::new()];
    for (entry, value) in plan.batt().entries.iter().zip(values) {
        let value = value.as_deref().map_or("too large".to_owned(), show);
        let number = entry.number;
        match &entry.list {
            EntryList::Answer { solver, mutated } => {
                let mutated = if *mutated { "True" } else { "False" };
                writeln!(lists[0], "o {number} {mutated} {solver} {value}").unwrap();
            }
            EntryList::Difference { solver, differ } => {
                writeln!(lists[1], "s {number} {solver} {differ} {value}").unwrap();
            }
        }
    }
    lists.concat()
}

/// The 64-bit FNV-1a hash of a text.
fn digest(text: &str) -> u64 {
    let offset = 0xcbf2_9ce4_8422_2325;
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    text.bytes().fold(offset, step)
}

#[test]
#[ignore = "needs ARC tasks: HEDDLE_ARC_DATA"]
fn golden_files_have_their_entries_and_scores_on_arc_tasks() {
    let data = load_data(&arc_tasks()).unwrap();
    let scores: Value = serde_json::from_str(include_str!("golden/batt/scores.json")).unwrap();
    let mut wrong = Vec::new();
    for (name, text, _) in FILES {
        let plan = plan(text);
        let wanted = scores[name].as_object().unwrap();
        let tasks: Vec<&Task> = wanted.keys().map(|id| data.task(id).unwrap()).collect();
        let found = run(&plan, &tasks, true);
        let mut digests = BTreeMap::new();
        for (of_task, task) in found.tasks.iter().zip(&tasks) {
            let found = json!({
                "o": plan.solver_scores(of_task),
                "s": plan.differ_scores(of_task),
            });
            if found != wanted[&*task.id] {
                wrong.push(format!("{name} {}: other scores", task.id));
            }
            for (place, pair) in [("train0", 0), ("test0", task.train.len())] {
                for (run, values) in ["none", "output"].iter().zip(&of_task.values[pair]) {
                    let text = listed(&plan, values.as_ref().unwrap());
                    digests.insert(format!("{name} {} {place} {run}", task.id), text);
                }
            }
        }
        for line in include_str!("golden/batt/expected.digests").lines() {
            let (run, wanted) = line.rsplit_once(' ').unwrap();
            if !run.starts_with(name) {
                continue;
            }
            if format!("{:016x}", digest(&digests[run])) != wanted {
                if let Some(folder) = std::env::var_os("HEDDLE_WRITE_ENTRIES") {
                    let file = std::path::Path::new(&folder).join(run.replace(' ', "_"));
                    std::fs::write(file, &digests[run]).unwrap();
                }
                wrong.push(format!("{run}: other entries"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A task whose answer is the input mirrored, and a task whose answer is another grid.
fn tasks() -> Dataset {
    let grid = |rows: &[[i8; 2]]| Grid::new(rows).unwrap();
    let task = |id: &str, output: &[[i8; 2]]| Task {
        id: id.into(),
        train: vec![(grid(&[[1, 2], [3, 4]]), grid(output))],
        test: vec![(grid(&[[1, 2], [3, 4]]), grid(output))],
    };
    let mut data = Dataset::default();
    data.tasks = vec![task("a", &[[2, 1], [4, 3]]), task("b", &[[0, 0], [0, 0]])];
    data
}

const PROGRAMS: &str = "def solve_a(S, I, C):
    O = vmirror_t(I)
    return O
def solve_b(S, I, C):
    x1 = vmirror_t(I)
    x2 = palette_t(x1)
    x3 = get_rank(x2, F0)
    O = replace(x1, x3, ZERO)
    return O
def differ_size(S, I, C):
    x1 = palette_t(I)
    x2 = palette_t(C)
    x3 = intersection(x1, x2)
    x4 = size_f(x3)
    x5 = astuple(x4, F0)
    return x5
";

#[test]
fn written_files_have_the_answers_of_their_programs_and_the_scores_of_their_differs() {
    let programs = load_as(PROGRAMS, "ours.py", Reading::Strict(Cells::Triple)).programs;
    let plan = plan(&write(&programs).text);
    let data = tasks();
    let tasks: Vec<&Task> = data.tasks.iter().collect();
    let found = run(&plan, &tasks, false);
    let worker_pool = WorkerPool::new(RUN_BUDGET);
    let settings = EvaluationSettings::of(&worker_pool);
    let launch = LaunchSettings::default();
    let solvers = &programs[..2];
    let direct = assess(&runtime(), solvers, &tasks, Pairing::All, &settings, launch).unwrap();
    for (scores, result) in found.tasks.iter().zip(&direct.results) {
        let of = plan.solver_scores(scores);
        for attempt in &result.attempts {
            let right = attempt
                .grades
                .iter()
                .filter(|it| **it == Grade::Right)
                .count() as u64;
            assert_eq!(of[solvers[attempt.program].task()], 1000 * right);
        }
    }
    let differs = |task: usize| json!(plan.differ_scores(&found.tasks[task]));
    // Without C the common colours are none, and 'None' has 1000 for every run with a number.
    assert_eq!(
        differs(0),
        json!({"differ_size": {"None": 4000, "a": 8, "b": 6}})
    );
    assert_eq!(
        differs(1),
        json!({"differ_size": {"None": 4000, "a": 0, "b": 2}})
    );
    assert_eq!(found.runs, 8);
}

#[test]
fn a_plain_line_that_fails_leaves_its_run_without_entries() {
    let text = "def batt(task_id, S, I, C, log_path):
    t1 = vmirror_t(I)
    t2 = identity(size)
    t3 = size(C)
    t4 = branch(t3, t1, t2)
    t5 = t4(I)
    o.append((1, False, 'a', t1))
    s.append((3, 'None', 'differ', t3))
    return o, s
";
    let plan = plan(text);
    let data = tasks();
    let found = run(&plan, &[&data.tasks[0]], true);
    // With C the line t5 calls a grid.
    assert_eq!(found.tasks[0].failed_runs, 2);
    assert!(
        found.tasks[0]
            .values
            .iter()
            .all(|[none, output]| none.is_some() && output.is_none())
    );
    assert_eq!(found.tasks[0].entries, [Some(2000), Some(0)]);
}
