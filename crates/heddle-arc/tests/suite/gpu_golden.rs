//! The kernel gives the same result as the CPU engine for every golden vector.
//!
//! Each vector is a program of one line, run on the emulated GPU; all vectors of a
//! primitive are one launch. `HEDDLE_GPU_PRIMS=add,fill` selects primitives, and
//! `HEDDLE_GPU_DIFFERENCES=5` shows more than the first difference of each.

#![allow(clippy::unwrap_used, reason = "a test says so by failing")]
#![allow(clippy::print_stdout, reason = "the test prints a report")]

use heddle_arc::batt::{BattPlan, read as read_batt};
use heddle_arc::engine::{Evaluation, Example, Tile, evaluate};
use heddle_arc::fault::Fault;
use heddle_arc::golden::{self, GoldenVector};
use heddle_arc::gpu::{
    Answer, Batch, Flags, Interpret, LaunchSettings, ResultError, Singles, alone, check_vectors,
};
use heddle_arc::meter::Budget;
use heddle_arc::operations::TileExample;
use heddle_arc::prim::Prim;
use heddle_arc::reading::Cells;
use heddle_arc::tasks::dataset;
use heddle_runtime::Runtime;
use heddle_runtime::device::DeviceId;
use heddle_runtime::units::Bytes;
use heddle_testing::depth::{TestDepth, depth, pick};
use heddle_testing::several_gpus::cpu_and_gpu;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The largest share of a primitive's vectors that may be flagged.
const MAX_FLAGGED: f64 = 0.34;

#[derive(Default)]
struct Tally {
    agreed: usize,
    out_of_budget: usize,
    flags: Flags,
    skipped: usize,
    differences: Vec<String>,
    /// The error of a failed launch.
    failure: Option<String>,
}

fn written(vector: &GoldenVector) -> String {
    let mut text = heddle_arc::golden::notation::write(vector);
    if text.len() > 400 {
        let mut end = 400;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push_str(" ...");
    }
    format!(
        "{} ({})",
        text,
        vector.location.rsplit('/').next().unwrap_or("")
    )
}

fn check(runtime: &Runtime, vectors: &[GoldenVector], budget: Budget) -> Tally {
    let mut tally = Tally::default();
    let singles = Singles::new(vectors);
    tally.skipped = vectors.len() - singles.places().len();
    let settings = LaunchSettings::default().with(|it| {
        it.warps = 4;
        it.budget = budget;
        it.dump = Bytes(128 << 10);
    });
    let ran = match runtime.run_on(DeviceId::simt(0), Interpret::new(singles.job(), settings)) {
        Ok(ran) => ran,
        Err(error) => {
            tally.failure = Some(error.to_string());
            return tally;
        }
    };
    for (number, place) in singles.places().iter().enumerate() {
        let vector = &vectors[*place];
        let answer = ran.answer(number);
        if let Answer::Flagged(flag) = answer {
            tally.flags.add(flag);
            continue;
        }
        let expected = alone(vector, budget).unwrap();
        if let (Evaluation::Undefined(why), _) = &expected {
            tally.out_of_budget += usize::from(matches!(why.fault, Fault::Budget(_)));
        }
        match Singles::evaluation(&answer, ran.dump(number)) {
            Ok(found) if found == expected => tally.agreed += 1,
            Ok(found) => {
                let (found, expected) = (format!("{found:?}"), format!("{expected:?}"));
                tally.differences.push(format!(
                    "{}\n        cpu  {expected:.900}\n        simt {found:.900}",
                    written(vector)
                ));
            }
            Err(problem) => {
                tally
                    .differences
                    .push(format!("{}\n        {problem}", written(vector)));
            }
        }
    }
    tally
}

#[test]
fn different_results_are_detected() {
    let vectors = |text: &str| golden::read_text(text, Path::new("made.vectors")).unwrap();
    // The vectors that the device runs, and others with different results.
    let own = vectors("add 1 2 -> 3\nfirst {} -> !\nrot90 [12/34] -> [31/42]\ninitset 5 -> {5}");
    let other = vectors("add 1 3 -> 4\nlast {} -> !\nrot180 [12/34] -> [43/21]\ninitset 6 -> {6}");
    let singles = Singles::new(&own);
    let settings = LaunchSettings::default().with(|it| {
        it.warps = 4;
        it.dump = Bytes(4 << 10);
    });
    let runtime = cpu_and_gpu();
    let traced = runtime.run_traced(
        Interpret::new(singles.job(), settings),
        Some(DeviceId::simt(0)),
    );
    let traced = traced.unwrap();
    assert_eq!(traced.decision.device, DeviceId::simt(0));
    assert!(traced.timing.device.unwrap().0 > 0);
    for (number, (own, other)) in own.iter().zip(&other).enumerate() {
        let found = Singles::evaluation(&traced.output.answer(number), traced.output.dump(number));
        let found = found.unwrap();
        assert_eq!(Some(&found), alone(own, Budget::default()).as_ref());
        assert_ne!(Some(&found), alone(other, Budget::default()).as_ref());
    }
}

fn selected_primitives() -> Vec<Prim> {
    match std::env::var("HEDDLE_GPU_PRIMS") {
        Ok(names) => names
            .split(',')
            .map(|name| Prim::named(name.trim()).unwrap())
            .collect(),
        Err(_) => Prim::ALL.to_vec(),
    }
}

/// The results of all vectors under a budget, by primitive.
fn check_all(budget: Budget) -> BTreeMap<Prim, Tally> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/golden");
    let mut by_prim: BTreeMap<Prim, Vec<GoldenVector>> = BTreeMap::new();
    for vector in golden::read(&folder).unwrap() {
        by_prim.entry(vector.prim).or_default().push(vector);
    }
    let prims: Vec<Prim> = selected_primitives()
        .into_iter()
        .filter(|prim| by_prim.contains_key(prim))
        .collect();
    let next = AtomicUsize::new(0);
    let tallies: Mutex<BTreeMap<Prim, Tally>> = Mutex::new(BTreeMap::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                // Made again after a failure: the device may be in a bad state.
                let mut runtime = cpu_and_gpu();
                while let Some(prim) = prims.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let tally = check(&runtime, &by_prim[prim], budget);
                    if tally.failure.is_some() {
                        runtime = cpu_and_gpu();
                    }
                    tallies.lock().unwrap().insert(*prim, tally);
                }
            });
        }
    });
    tallies.into_inner().unwrap()
}

#[test]
fn kernel_results_equal_cpu_results() {
    report(&check_all(Budget::default()));
}

/// The line at which a budget ends depends on every charge of a primitive.
#[test]
fn kernel_budgets_equal_cpu_budgets() {
    let budget = |steps, bytes| {
        Budget::default().with(|it| {
            it.steps = steps;
            it.bytes = bytes;
        })
    };
    let mut out_of_budget = 0;
    let mut budgets = vec![
        budget(9, 2 << 20),
        budget(200_000, 40),
        // More than the kernel can count: it limits what a step may take.
        budget(70, 1 << 40),
    ];
    if depth() == TestDepth::Thorough {
        budgets.extend([
            budget(1, 2 << 20),
            budget(3, 2 << 20),
            budget(25, 2 << 20),
            budget(70, 2 << 20),
            budget(200_000, 0),
            budget(200_000, 200),
            budget(200_000, 1_000),
        ]);
    }
    for budget in budgets {
        println!("{budget:?}");
        let tallies = check_all(budget);
        out_of_budget += tallies
            .values()
            .map(|tally| tally.out_of_budget)
            .sum::<usize>();
        report(&tallies);
    }
    println!("{out_of_budget} out of budget");
    if std::env::var_os("HEDDLE_GPU_PRIMS").is_none() {
        let least = pick(1_500, 5_000);
        assert!(out_of_budget > least, "{out_of_budget} out of budget");
    }
}

fn report(tallies: &BTreeMap<Prim, Tally>) {
    let most: usize = std::env::var("HEDDLE_GPU_DIFFERENCES")
        .ok()
        .and_then(|most| most.parse().ok())
        .unwrap_or(1);
    let mut wrong = Vec::new();
    let mut flags = Flags::default();
    let (mut agreed, mut differ) = (0, 0);
    for (prim, tally) in tallies {
        let total = tally.agreed + tally.differences.len() + tally.flags.total() as usize;
        let skipped = match tally.skipped {
            0 => String::new(),
            skipped => format!(", {skipped} skipped"),
        };
        println!(
            "{prim}: {} agreed, {} differ, flagged: {}{skipped}",
            tally.agreed,
            tally.differences.len(),
            tally.flags
        );
        if let Some(failure) = &tally.failure {
            println!("    the launch failed: {failure}");
        }
        for difference in tally.differences.iter().take(most) {
            println!("    {difference}");
        }
        let flagged = tally.flags.total() as f64;
        if !tally.differences.is_empty()
            || tally.failure.is_some()
            || flagged > MAX_FLAGGED * total as f64
        {
            wrong.push(prim.name());
        }
        agreed += tally.agreed;
        differ += tally.differences.len();
        flags.add_all(&tally.flags);
    }
    println!("in all: {agreed} agreed, {differ} differ, flagged: {flags}");
    assert!(
        wrong.is_empty(),
        "different on the CPU: {}",
        wrong.join(",")
    );
}

/// The committed vectors of the typed dialect. What has a classic primitive that gives the same
/// runs on the device.
#[test]
fn typed_vectors_have_their_results_on_a_device() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/golden_dialect");
    for (file, reading, most) in [
        ("strict.vectors", None, 0.92),
        ("soft.vectors", Some(golden::NOTATION), 1.0),
    ] {
        let vectors = golden::read(&folder.join(file)).unwrap();
        let part: Vec<GoldenVector> = vectors.into_iter().step_by(pick(3, 1)).collect();
        let (report, flags) =
            check_vectors(&cpu_and_gpu(), DeviceId::simt(0), &part, reading).unwrap();
        println!("{file}: {} passed, flagged: {flags}", report.passed);
        let tallies = report.by_primitive.values();
        let differences: Vec<&String> = tallies.flat_map(|it| &it.differences).collect();
        assert_eq!(
            (report.failed, report.passed),
            (0, part.len()),
            "{differences:#?}"
        );
        let flagged = flags.total() as f64 / part.len() as f64;
        assert!(flagged <= most, "{file}: {flagged}");
    }
}

/// The lines of the two merged files, of which a device runs those that are classic.
#[test]
fn merged_files_have_their_results_on_a_device() {
    let files = [
        include_str!("golden/batt/guarded_batt.py"),
        include_str!("golden/batt/plain_batt.py"),
    ];
    let data = dataset(1);
    let budget = Budget::default();
    for text in files {
        let batt = read_batt(text, "batt.py", Cells::Triple).batt;
        let plan = BattPlan::new(batt).unwrap();
        let (mut agreed, mut flags) = (0, Flags::default());
        for task in data.tasks.iter().take(pick(4, 40)) {
            let outputs = task.pairs().map(|(_, output)| Some(output));
            let examples: Vec<Example<'_>> = task
                .examples()
                .zip(outputs)
                .map(|(example, candidate)| Example {
                    candidate,
                    ..example
                })
                .collect();
            let tile = Tile {
                plan: plan.plan(),
                examples: &examples,
            };
            let batch = Batch::new(std::slice::from_ref(&tile), budget, |_| None);
            let settings = LaunchSettings::default().with(|it| {
                it.warps = 4;
                it.budget = budget;
                it.dump = Bytes(200 << 10);
            });
            let job = Interpret::new(batch.job(), settings);
            let ran = cpu_and_gpu().run_on(DeviceId::simt(0), job).unwrap();
            let known = evaluate(plan.plan(), &examples, budget);
            for (example, row) in known.into_iter().enumerate() {
                for (output, known) in row.into_iter().enumerate() {
                    let part = TileExample { tile: 0, example };
                    match batch.evaluation(&ran, plan.plan(), part, output) {
                        Ok(found) => {
                            assert_eq!(found, known, "{} {example} {output}", task.id);
                            agreed += 1;
                        }
                        Err(ResultError::Flagged(flag)) => flags.add(flag),
                        Err(problem) => panic!("{} {example} {output}: {problem}", task.id),
                    }
                }
            }
        }
        println!("{agreed} agreed, flagged: {flags}");
        assert!(agreed + flags.total() as usize > 0);
    }
}
