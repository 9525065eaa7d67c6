//! Conformance cases for evaluations, for [`heddle_runtime::conformance`].

use super::launch::LaunchSettings;
use super::sample::{Sample, pairs, programs, tasks};
use crate::meter::Budget;
use crate::operations::EVALUATE;
use crate::plan::Plan;
use crate::program::{Form, Program};
use crate::rng::Rng;
use crate::search::{ProgramShape, generate};
use heddle_runtime::DType;
use heddle_runtime::conformance::Case;

/// The share that may be flagged where a warp has room.
const FLAGGED_SHARE: f64 = 0.05;
/// Cases that share the tasks among them.
const GROUPS: usize = 4;
/// Generated programs of one case, the pairs they are run on, and cases.
const GENERATED: usize = 64;
const GENERATED_PAIRS: usize = 2;
const GENERATED_CASES: u64 = 6;

/// The conformance cases: built-in programs on their own and on other tasks, and generated
/// programs, also with small budgets and with little memory. A device must give the same
/// grades as the CPU, including the faults of undefined evaluations.
#[must_use]
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for group in 0..GROUPS {
        let what = format!("programs on their own tasks, {} of {GROUPS}", group + 1);
        cases.push(case(what, move |_| {
            whole(own(group), Budget::default(), LaunchSettings::default())
        }));
    }
    for kind in 0..GENERATED_CASES {
        let what = format!("{GENERATED} generated programs, {}", kind + 1);
        cases.push(case(what, move |seed| {
            let launch = LaunchSettings::default();
            whole(generated(kind, seed), Budget::default(), launch)
        }));
    }
    cases.push(case("programs on other tasks", |seed| {
        whole(foreign(seed), Budget::default(), LaunchSettings::default())
    }));
    cases.push(case("few steps to spend", |seed| {
        let budget = Budget {
            steps: 400,
            ..Budget::default()
        };
        whole(foreign(seed), budget, LaunchSettings::default())
    }));
    cases.push(case("few bytes to spend", |seed| {
        let budget = Budget {
            bytes: 3_000,
            ..Budget::default()
        };
        whole(foreign(seed), budget, LaunchSettings::default())
    }));
    cases.push(case("hardly any room", |seed| {
        let mut launch = LaunchSettings::default();
        launch.caps.rows = 64;
        launch.caps.values = 64;
        // Most are flagged, and what is not is right.
        Sample::new(foreign(seed), Budget::default()).launched(launch, 1.0)
    }));
    cases
}

type PlanPairs = Vec<(Plan, Vec<(usize, usize)>)>;

fn case(what: impl Into<String>, make: impl Fn(u64) -> Sample + Send + Sync + 'static) -> Case {
    Case::new(&EVALUATE, DType::U8, what, move |trial| {
        let seed = trial.seed(0);
        Ok(trial.check(|_| Ok(make(seed))))
    })
    .on_host_only()
}

fn whole(teams: PlanPairs, budget: Budget, launch: LaunchSettings) -> Sample {
    Sample::new(teams, budget).launched(launch, FLAGGED_SHARE)
}

/// A group of tasks, each with the programs named after it.
fn own(group: usize) -> PlanPairs {
    let mut teams = Vec::new();
    for (number, task) in tasks().iter().enumerate().skip(group).step_by(GROUPS) {
        let named = |program: &&Program| program.task() == &*task.id;
        let own: Vec<Program> = programs().iter().filter(named).cloned().collect();
        if !own.is_empty() {
            let pairs = (0..task.pairs().count()).map(|pair| (number, pair));
            teams.push((Plan::new(&own), pairs.collect()));
        }
    }
    teams
}

/// All programs on a few pairs.
fn foreign(seed: u64) -> PlanPairs {
    vec![(Plan::new(programs()), some(seed, 4))]
}

/// Generated programs on a few pairs; every other time they look at examples.
fn generated(kind: u64, seed: u64) -> PlanPairs {
    let shape = ProgramShape {
        lines: 6 + 3 * (kind as usize / 2),
        form: if kind.is_multiple_of(2) {
            Form::Input
        } else {
            Form::Examples
        },
    };
    let program = |number: usize| {
        let name = format!("solve_random_{number}");
        generate(&name, shape, &mut Rng::of(seed, number as u64))
    };
    let programs: Vec<Program> = (0..GENERATED).map(program).collect();
    vec![(Plan::new(&programs), some(seed, GENERATED_PAIRS))]
}

/// Pairs at random.
fn some(seed: u64, count: usize) -> Vec<(usize, usize)> {
    let all = pairs();
    let mut rng = Rng::new(seed);
    (0..count).map(|_| all[rng.below(all.len())]).collect()
}
