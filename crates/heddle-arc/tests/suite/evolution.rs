//! An evolution depends on its seed and store alone, and its store is what other readers of the
//! layout expect.

#![allow(clippy::unwrap_used, reason = "a test says so by failing")]

use heddle_arc::batt::{BattPlan, RUN_BUDGET, read, write};
use heddle_arc::data::Task;
use heddle_arc::evolve::{Evolution, EvolutionSettings, MAX_STORED, Round, Store};
use heddle_arc::meter::Budget;
use heddle_arc::operations::{EvaluationSettings, WorkerPool};
use heddle_arc::program::{Dialect, Program, load, read as read_program};
use heddle_arc::reading::{Cells, Reading};
use heddle_arc::tasks;
use heddle_runtime::batch::CancelToken;
use heddle_runtime::{Config, Runtime};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn runtime(threads: usize) -> Runtime {
    let config = Config::default().with(|it| it.threads = Some(threads));
    let builder = Runtime::builder().config(config);
    builder.without_model_cache().build().unwrap()
}

fn seeds() -> Vec<Program> {
    load(tasks::PROGRAMS, "built-in").programs
}

fn tasks_of(dataset: &heddle_arc::data::Dataset) -> Vec<&Task> {
    dataset.tasks.iter().collect()
}

/// Makes rounds in a store, seeded with the built-in programs if it is new.
fn evolve(
    folder: &Path,
    threads: usize,
    rounds: usize,
    change: fn(&mut EvolutionSettings),
) -> Vec<Round> {
    let runtime = runtime(threads);
    let dataset = tasks::dataset(1);
    let store = Store::open(folder).unwrap();
    let is_new = store.tasks().is_empty();
    let settings = EvolutionSettings::default().with(change);
    let mut evolution = Evolution::new(&runtime, &tasks_of(&dataset), store, settings);
    let worker_pool = WorkerPool::new(Budget::default());
    let evaluation = EvaluationSettings::of(&worker_pool);
    if is_new {
        let seeded = evolution.seed(&seeds(), &evaluation).unwrap();
        assert!(seeded.kept.len() >= 30, "{}", seeded.kept.len());
    }
    let round = |_| evolution.round(&evaluation).unwrap().unwrap();
    (0..rounds).map(round).collect()
}

/// The files and links of a store with what they hold.
fn contents(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(path) = folders.pop() {
        for entry in fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_owned();
                found.insert(name, fs::read_to_string(path).unwrap());
            }
        }
    }
    found
}

#[test]
fn stores_depend_on_the_seed_and_not_on_threads_or_interruptions() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two, other] = ["one", "two", "other"].map(|name| folder.path().join(name));
    let rounds = evolve(&one, 1, 4, |it| it.seed = 7);
    assert!(rounds.iter().all(|round| round.programs > 16));
    assert!(rounds.iter().map(|round| round.kept.len()).sum::<usize>() > 10);
    evolve(&two, 2, 1, |it| it.seed = 7);
    evolve(&two, 3, 3, |it| it.seed = 7);
    assert_eq!(contents(&one), contents(&two));
    evolve(&other, 2, 4, |it| it.seed = 8);
    assert_ne!(contents(&one), contents(&other));
}

#[test]
fn stored_programs_score_what_their_path_says_where_a_merged_file_runs_them() {
    let folder = tempfile::tempdir().unwrap();
    evolve(folder.path(), 2, 3, |it| it.mutation_rate = 0.2);
    let dataset = tasks::dataset(1);
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(store.rounds(), 3);
    let mut compared = 0;
    for (task, stored) in store.tasks() {
        assert!(stored.len() <= MAX_STORED);
        let programs: Vec<Program> = stored
            .iter()
            .map(|stored| {
                // The link as another reader finds it.
                let link = folder.path().join(format!(
                    "solver_dir/solve_{task}/{}/{}/{}.py",
                    stored.score, stored.speed, stored.digest
                ));
                let loaded = read_program(&link, Dialect::Auto, Cells::Triple).unwrap();
                assert_eq!(loaded.errors, []);
                assert_eq!(loaded.programs[0].reading, Reading::Strict(Cells::Triple));
                assert_eq!(loaded.programs[0].task(), &**task);
                Program {
                    name: format!("solve_{}", stored.digest).into(),
                    ..loaded.programs[0].clone()
                }
            })
            .collect();
        let written = write(&programs);
        assert_eq!(written.errors, []);
        let plan = BattPlan::new(read(&written.text, "batt.py", Cells::Triple).batt).unwrap();
        let worker_pool = WorkerPool::new(RUN_BUDGET);
        let settings = EvaluationSettings::of(&worker_pool);
        let task = dataset.task(task).unwrap();
        let run = plan.run(&runtime(2), &[task], &settings, false).unwrap();
        let scores = plan.solver_scores(&run.tasks[0]);
        for stored in stored {
            assert_eq!(scores[&*stored.digest], stored.score, "{}", stored.digest);
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared}");
}

#[test]
fn more_programs_than_a_task_has_room_for_push_out_the_least() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = tasks::dataset(1);
    let task = &dataset.tasks[0];
    let settings = |it: &mut EvolutionSettings| {
        it.programs = 64;
        it.mutants = 4;
    };
    evolve(folder.path(), 2, 6, settings);
    let store = Store::open(folder.path()).unwrap();
    let most = store.tasks().values().map(Vec::len).max().unwrap();
    assert_eq!(most, MAX_STORED);
    let full = 1000 * task.pairs().count() as u64;
    assert_eq!(store.best(&task.id), full);
    let files = contents(folder.path());
    let stored = files
        .keys()
        .filter(|path| path.starts_with("solver_md5"))
        .count();
    let mut digests: Vec<_> = store
        .tasks()
        .values()
        .flatten()
        .map(|it| &it.digest)
        .collect();
    digests.sort_unstable();
    digests.dedup();
    assert_eq!(stored, digests.len(), "a program without a link stays");
}

#[test]
fn what_is_no_part_of_a_store_is_left_out_with_a_note() {
    let folder = tempfile::tempdir().unwrap();
    evolve(folder.path(), 2, 0, |_| {});
    let task = Store::open(folder.path())
        .unwrap()
        .tasks()
        .keys()
        .next()
        .unwrap()
        .clone();
    let of_task = folder.path().join(format!("solver_dir/solve_{task}"));
    let digest = "0123456789abcdef0123456789abcdef";
    for (path, text) in [
        (of_task.join("9000/20/../20/readme.txt"), "no program"),
        (
            of_task.join("many/20").join(format!("{digest}.py")),
            "no score",
        ),
        (
            of_task.join("9000/20").join(format!("{digest}.py")),
            "x = 1\n",
        ),
        (
            folder
                .path()
                .join("solver_md5")
                .join(format!("{digest}.py")),
            "x = 1\n",
        ),
        (folder.path().join("evolve.json"), "[]"),
        (folder.path().join("solver_dir/notes"), "no task"),
    ] {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let mut store = Store::open(folder.path()).unwrap();
    assert_eq!(store.best(&task), 9000);
    assert_eq!(store.take_notes().len(), 3);
    let runtime = runtime(2);
    let dataset = tasks::dataset(1);
    let settings = EvolutionSettings::default().with(|it| it.programs = 200);
    let mut evolution = Evolution::new(&runtime, &tasks_of(&dataset), store, settings);
    let worker_pool = WorkerPool::new(Budget::default());
    let round = evolution
        .round(&EvaluationSettings::of(&worker_pool))
        .unwrap()
        .unwrap();
    assert!(round.programs > 0);
    let notes = evolution.take_notes();
    assert!(notes.iter().any(|note| note.contains(digest)), "{notes:?}");
    // A file where a folder should be.
    let error = Store::open(&folder.path().join("evolve.json")).unwrap_err();
    assert!(
        error.to_string().starts_with("cannot create the folder"),
        "{error}"
    );
}

#[test]
fn a_cancelled_round_leaves_the_store_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    evolve(folder.path(), 2, 1, |_| {});
    let before = contents(folder.path());
    let runtime = runtime(2);
    let dataset = tasks::dataset(1);
    let store = Store::open(folder.path()).unwrap();
    let settings = EvolutionSettings::default();
    let mut evolution = Evolution::new(&runtime, &tasks_of(&dataset), store, settings);
    let worker_pool = WorkerPool::new(Budget::default());
    let evaluation = EvaluationSettings::of(&worker_pool);
    evaluation.token.cancel();
    assert!(evolution.round(&evaluation).unwrap().is_none());
    assert_eq!(contents(folder.path()), before);
}

#[test]
fn an_interrupted_seeding_is_made_again_from_its_start() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, stopped] = ["whole", "stopped"].map(|name| folder.path().join(name));
    evolve(&whole, 2, 1, |_| {});
    let runtime = runtime(2);
    let dataset = tasks::dataset(1);
    let tasks = tasks_of(&dataset);
    // Only every other program is new to the store where the seeding is stopped.
    let seeds = seeds();
    let store = Store::open(&stopped).unwrap();
    let mut evolution = Evolution::new(&runtime, &tasks, store, EvolutionSettings::default());
    let worker_pool = WorkerPool::new(Budget::default());
    let token = CancelToken::new();
    let cancel = |_| token.cancel();
    let evaluation = EvaluationSettings::of(&worker_pool).with(|it| {
        it.token = token.clone();
        it.progress = &cancel;
    });
    let seeded = evolution.seed(&seeds, &evaluation).unwrap();
    assert!(seeded.kept.is_empty());
    assert!(Store::open(&stopped).unwrap().tasks().is_empty());
    evolve(&stopped, 2, 1, |_| {});
    assert_eq!(contents(&stopped), contents(&whole));
}

const DIGEST: &str = "0123456789abcdef0123456789abcdef";

/// Two tasks of one answer, and a store with a program for both that is stored under the first.
fn stored_under_one_task(folder: &Path) -> heddle_arc::data::Dataset {
    let grid = |rows: &[[i8; 2]]| heddle_arc::engine::Grid::new(rows).unwrap();
    let pair = || (grid(&[[1, 2], [3, 4]]), grid(&[[2, 1], [4, 3]]));
    let task = |id: &str| Task {
        id: id.into(),
        train: vec![pair()],
        test: vec![pair()],
    };
    let mut data = heddle_arc::data::Dataset::default();
    data.tasks = vec![task("a"), task("b")];
    let text = "def solve(S, I, C):\n    O = vmirror_t(I)\n    return O\n";
    for path in ["solver_md5", "solver_dir/solve_a/2000/20"] {
        let path = folder.join(path);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join(format!("{DIGEST}.py")), text).unwrap();
    }
    data
}

fn round(folder: &Path, tasks: &[&Task]) -> (Round, Store, Vec<String>) {
    let runtime = runtime(2);
    let settings = EvolutionSettings::default().with(|it| it.mutants = 0);
    let store = Store::open(folder).unwrap();
    let mut evolution = Evolution::new(&runtime, tasks, store, settings);
    let worker_pool = WorkerPool::new(Budget::default());
    let evaluation = EvaluationSettings::of(&worker_pool);
    let round = evolution.round(&evaluation).unwrap().unwrap();
    let notes = evolution.take_notes();
    (round, Store::open(folder).unwrap(), notes)
}

#[test]
fn a_drawn_program_runs_on_tasks_that_it_was_not_stored_under() {
    let folder = tempfile::tempdir().unwrap();
    let data = stored_under_one_task(folder.path());
    let (first, store, _) = round(folder.path(), &tasks_of(&data));
    assert_eq!((first.programs, first.kept.len()), (1, 1));
    assert_eq!(&*first.kept[0].task, "b");
    assert_eq!(&*store.tasks()["b"][0].digest, DIGEST);
    // It is known to have run on these tasks, and not on fewer.
    let (second, ..) = round(folder.path(), &tasks_of(&data));
    assert_eq!((second.programs, second.kept.len()), (0, 0));
    let (third, store, _) = round(folder.path(), &tasks_of(&data)[..1]);
    assert_eq!((third.programs, third.kept.len()), (1, 0));
    assert_eq!(store.rounds(), 3);
}

#[test]
#[cfg(unix)]
fn pipes_and_extreme_numbers_in_a_store_do_not_stop_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = stored_under_one_task(folder.path());
    let state = folder.path().join("evolve.json");
    fs::write(&state, format!("{{\"rounds\": {}}}", u64::MAX)).unwrap();
    let program = folder.path().join(format!("solver_md5/{DIGEST}.py"));
    let pipe = |path: &Path| {
        let _ = fs::remove_file(path);
        let made = std::process::Command::new("mkfifo").arg(path).status();
        assert!(made.unwrap().success());
    };
    pipe(&program);
    let (none, store, notes) = round(folder.path(), &tasks_of(&data));
    assert_eq!((none.programs, store.rounds()), (0, u64::MAX));
    assert!(notes[0].ends_with("is no file"), "{notes:?}");
    pipe(&state);
    let error = Store::open(folder.path()).unwrap_err();
    assert!(error.to_string().starts_with("cannot use"), "{error}");
}

#[test]
fn temporary_files_of_a_killed_run_are_collected_after_a_day() {
    let folder = tempfile::tempdir().unwrap();
    stored_under_one_task(folder.path());
    let [old, new, other] = [".heddle-old", "solver_md5/.heddle-new", "solver_md5/.other"]
        .map(|name| folder.path().join(name));
    for path in [&old, &new, &other] {
        let file = fs::File::create(path).unwrap();
        let days = if *path == new { 0 } else { 2 };
        let age = std::time::Duration::from_secs(days * 86_400);
        file.set_modified(std::time::SystemTime::now() - age)
            .unwrap();
    }
    Store::open(folder.path()).unwrap();
    assert_eq!(
        [old, new, other].map(|path| path.exists()),
        [false, true, true]
    );
}
