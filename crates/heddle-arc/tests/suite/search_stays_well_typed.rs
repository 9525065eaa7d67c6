//! Generated programs and mutants are well typed, read back unchanged, and are determined
//! by their seed.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test says so by failing"
)]

use heddle_arc::assess::Grade;
use heddle_arc::engine::{Evaluation, Example, Grid, Undefined, evaluate};
use heddle_arc::fault::Fault;
use heddle_arc::meter::Budget;
use heddle_arc::operations::{EvaluationSettings, WorkerPool};
use heddle_arc::plain::Plain;
use heddle_arc::plan::Plan;
use heddle_arc::program::{Form, Program, load};
use heddle_arc::rng::Rng;
use heddle_arc::search::{Mutation, ProgramShape, Score, generate, mutate, scores};
use heddle_arc::solvers::FILES;
use heddle_arc::tasks::{PROGRAMS, dataset};
use heddle_arc::types::{Type, infer};
use heddle_runtime::Runtime;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn reads_back(program: &Program) {
    let again = load(&program.to_string(), "again.py");
    assert!(again.errors.is_empty(), "{:?}\n{program}", again.errors);
    assert_eq!(again.programs, std::slice::from_ref(program), "{program}");
}

fn solvers() -> Vec<Program> {
    let texts = FILES.iter().map(|(_, text)| *text).chain([PROGRAMS]);
    texts
        .flat_map(|text| load(text, "ours.py").programs)
        .collect()
}

proptest! {
    #![proptest_config(heddle_testing::depth::cases(300))]

    #[test]
    fn generated_programs_are_well_typed(seed: u64, lines in 1_usize..20, sees_examples: bool) {
        let form = if sees_examples { Form::Examples } else { Form::Input };
        let shape = ProgramShape { lines, form };
        let program = generate("solve_random", shape, &mut Rng::new(seed));
        let inferred = infer(&program);
        prop_assert!(inferred.warnings.is_empty(), "{program}{inferred:?}");
        prop_assert_eq!(inferred.types.get(program.result as usize), Some(&Type::Grid));
        reads_back(&program);
        prop_assert_eq!(generate("solve_random", shape, &mut Rng::new(seed)), program);
    }

    #[test]
    fn mutants_of_mutants_are_well_typed(seed: u64, generations in 1_usize..6) {
        let solvers = solvers();
        let mut rng = Rng::new(seed);
        let mut program = rng.pick(&solvers).unwrap().clone();
        let before = infer(&program);
        let result = before.types[program.result as usize].clone();
        for _ in 0..generations {
            let Some((mutant, _)) = mutate(&program, &[], &mut rng) else {
                break;
            };
            let found = infer(&mutant);
            prop_assert!(found.warnings.is_empty(), "{mutant}{:?}", found.warnings);
            prop_assert_eq!(&found.types[mutant.result as usize], &result);
            prop_assert_ne!(&mutant, &program);
            reads_back(&mutant);
            program = mutant;
        }
    }
}

#[test]
fn programs_differ_and_use_the_whole_language() {
    let mut texts = BTreeSet::new();
    let mut used = BTreeSet::new();
    let mut lines = 0;
    for seed in 0..600 {
        let program = generate("solve_random", ProgramShape::default(), &mut Rng::new(seed));
        lines += program.calls.len();
        for call in &program.calls {
            if let heddle_arc::program::Callee::Prim(prim) = call.callee {
                used.insert(prim);
            }
        }
        texts.insert(program.to_string());
    }
    assert!(texts.len() > 560, "{} different", texts.len());
    assert!(used.len() > 120, "{} primitives used", used.len());
    assert!(lines > 600 * 3, "{lines} lines in 600 programs");
}

#[test]
fn every_kind_of_mutation_happens() {
    let solvers = solvers();
    let mut seen = BTreeSet::new();
    for seed in 0..200 {
        let mut rng = Rng::new(seed);
        let program = rng.pick(&solvers).unwrap();
        if let Some((_, kind)) = mutate(program, &[], &mut rng) {
            seen.insert(kind);
        }
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), Mutation::ALL);
}

#[test]
fn a_colour_becomes_an_expression_for_it() {
    let program = load(
        "def solve_green_is_erased(I):
    x1 = ofcolor(I, THREE)
    x2 = replace(I, THREE, ZERO)
    O = fill(x2, ZERO, x1)
    return O",
        "ours.py",
    )
    .programs
    .remove(0);
    let data = dataset(1);
    let task = data.task("green_is_erased").unwrap();
    let examples: Vec<Example<'_>> = task.examples().collect();
    let run = |program: &Program| {
        let plan = Plan::new(std::slice::from_ref(program));
        evaluate(&plan, &examples, Budget::default())
    };
    let expected = run(&program);
    let mut found = 0;
    for seed in 0..400 {
        let changed = mutate(&program, &task.train, &mut Rng::new(seed));
        if let Some((mutant, Mutation::Colour)) = changed {
            assert_eq!(mutant.form, Form::Examples);
            // The results are equal because the expression computes the same colour.
            assert_eq!(run(&mutant), expected, "{mutant}");
            found += 1;
        }
    }
    assert!(found > 20, "{found} colours replaced");
}

#[test]
fn examples_count_before_cells() {
    let wanted = Grid::new(&[[1, 2], [3, 4]]).unwrap();
    let none = Grade::Undefined(Undefined {
        fault: Fault::DivideByZero,
        primitive: None,
        line: 0,
    });
    let score = |graded: &[Grade]| {
        let start = Score::default();
        graded.iter().fold(start, |score, j| score.and(j, &wanted))
    };
    let one_right = score(&[Grade::Right, none]);
    let nearly = score(&[Grade::Wrong { cells: 3 }, Grade::Wrong { cells: 3 }]);
    let far = score(&[Grade::Wrong { cells: 1 }, none]);
    assert!(one_right > nearly && nearly > far && far > score(&[none, none]));
    assert_eq!(
        one_right,
        Score {
            examples: 1,
            cells: 4
        }
    );
}

#[test]
fn the_solver_scores_best_among_its_mutants() {
    let data = dataset(1);
    let task = data.task("largest_alone").unwrap();
    let solver = load(PROGRAMS, "programs.py")
        .programs
        .into_iter()
        .find(|program| program.task() == "largest_alone")
        .unwrap();
    let mut candidates = vec![solver.clone()];
    for seed in 0..50 {
        let changed = mutate(&solver, &task.train, &mut Rng::new(seed));
        candidates.extend(changed.map(|(mutant, _)| mutant));
    }
    let runtime = Runtime::builder().build().unwrap();
    let worker_pool = WorkerPool::new(Budget::default());
    let found = scores(
        &runtime,
        &candidates,
        task,
        &EvaluationSettings::of(&worker_pool),
    )
    .unwrap();
    let area: usize = task
        .train
        .iter()
        .map(|(_, output)| output.cells().len())
        .sum();
    assert_eq!(
        found[0],
        Score {
            examples: 4,
            cells: area
        }
    );
    assert!(found.iter().all(|score| *score <= found[0]));
    assert!(found.iter().any(|score| *score < found[0]));
}

#[test]
fn random_programs_run() {
    let data = dataset(2);
    let programs: Vec<Program> = (0..200)
        .map(|n| {
            generate(
                &format!("solve_{n}"),
                ProgramShape::default(),
                &mut Rng::of(9, n),
            )
        })
        .collect();
    let plan = Plan::new(&programs);
    let examples: Vec<Example<'_>> = data
        .tasks
        .iter()
        .flat_map(|t| t.examples().take(1))
        .collect();
    let found = evaluate(&plan, &examples, Budget::default());
    let defined = |e: &&Evaluation| matches!(e, Evaluation::Defined(Plain::Tuple(_)));
    let count = found.iter().flatten().filter(defined).count();
    let all = programs.len() * examples.len();
    assert!(count * 3 > all, "{count} of {all} defined");
}
