//! Generated programs and mutants are well typed, read back unchanged, and are determined
//! by their seed.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test says so by failing"
)]

use heddle_arc::assess::Grade;
use heddle_arc::constant::Constant;
use heddle_arc::engine::{Evaluation, Example, Grid, Undefined, evaluate};
use heddle_arc::fault::Fault;
use heddle_arc::meter::Budget;
use heddle_arc::operations::{EvaluationSettings, WorkerPool};
use heddle_arc::plain::Plain;
use heddle_arc::plan::Plan;
use heddle_arc::prim::Prim;
use heddle_arc::program::{CallArgument, Callee, Form, Input, Program, load, load_as};
use heddle_arc::reading::{Cells, Reading};
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

/// Programs of the typed dialect: the built-in ones in its names.
fn typed_solvers() -> Vec<Program> {
    let own = "def solve_a(S, I, C):
    x1 = o_g_t(I, R5)
    x2 = first_t(x1)
    x3 = first_t(x2)
    x4 = last_t(x3)
    x5 = toij(x3)
    x6 = ascell(x5, x4)
    x7 = apply_t(size_f, x1)
    x8 = get_rank(x7, F0)
    x9 = c_zo_n(S, p_g, first_t)
    x10 = corner(x2, F1)
    x11 = hmirror_f(x2)
    x12 = col_row(x11, F2)
    x13 = remove_t(x8, x7)
    x14 = get_common_rank_t(x13, F0)
    x15 = astuple(x12, x14)
    x16 = astuple(x9, x4)
    x17 = add(x15, x16)
    x18 = add(x17, x10)
    x19 = canvas(RED, x18)
    x20 = height_t(x19)
    x21 = o_g(I, R5)
    x22 = get_arg_rank_f(x21, size_f, L1)
    x23 = normalize_o(x22)
    x24 = recolor_o(x20, x23)
    O = paint(x19, x24)
    return O
";
    let typed = Reading::Soft(Cells::Triple);
    let written = heddle_arc::batt::write(&load(PROGRAMS, "ours.py").programs);
    let read = heddle_arc::batt::read(&written.text, "batt.py", Cells::Triple);
    let candidates = read.batt.candidates(&written.calls);
    let texts = candidates
        .into_iter()
        .map(|found| found.unwrap().text.to_string());
    let programs = texts.chain([own.to_owned()]).flat_map(|text| {
        let loaded = load_as(&text, "typed.py", typed);
        assert!(loaded.errors.is_empty(), "{:?}", loaded.errors);
        loaded.programs
    });
    programs.collect()
}

/// The types of the arguments of a line.
fn arguments(program: &Program, types: &[Type], line: usize) -> Vec<Type> {
    let both = Type::tuple(Type::both(Type::Grid, Type::Grid));
    let arguments = program.calls[line].arguments.iter();
    let of = |argument: &CallArgument| match argument {
        CallArgument::Input(Input::Examples) => both.clone(),
        CallArgument::Input(_) => Type::Grid,
        CallArgument::Call(call) => types[*call as usize].clone(),
        CallArgument::Constant(_, Constant::Bool(_)) => Type::Bool,
        CallArgument::Constant(_, Constant::Int(_)) => Type::Int,
        CallArgument::Constant(_, Constant::Pair(..)) => Type::Pair,
        CallArgument::Prim(_) => Type::Any,
    };
    arguments.map(of).collect()
}

#[test]
fn mutants_of_typed_programs_are_well_typed() {
    let solvers = typed_solvers();
    assert!(solvers.len() > 30, "{}", solvers.len());
    let (mut changed, mut own) = (BTreeSet::new(), 0);
    for seed in 0..4_000 {
        let mut rng = Rng::new(seed);
        // Half of them of the program that uses the names of the dialect alone.
        let of = if seed % 2 == 0 {
            solvers.last()
        } else {
            rng.pick(&solvers)
        };
        let program = of.unwrap();
        let before = infer(program);
        let Some((mutant, kind)) = mutate(program, &[], &mut rng) else {
            continue;
        };
        let after = infer(&mutant);
        assert!(after.doubts <= before.doubts, "{mutant}");
        assert_eq!(after.types.last(), before.types.last(), "{mutant}");
        if kind != Mutation::Primitive || mutant.calls.len() != program.calls.len() {
            continue;
        }
        for (line, (old, new)) in program.calls.iter().zip(&mutant.calls).enumerate() {
            let (Callee::Prim(_), Callee::Prim(prim)) = (old.callee, new.callee) else {
                continue;
            };
            if old.callee == new.callee {
                continue;
            }
            // What is not known can be anything, and a plain type is the one written.
            let types = arguments(&mutant, &after.types, line);
            for (parameter, found) in prim.parameters().iter().zip(&types) {
                assert!(*found != Type::Any, "{prim} {mutant}");
                let plain = ["Int", "Bool", "Cell", "Grid", "Object", "Indices"];
                if plain.contains(parameter) {
                    assert_eq!(found.to_string(), *parameter, "{prim}: {mutant}");
                }
            }
            assert_eq!(after.types[line], before.types[line], "{mutant}");
            own += usize::from(Prim::TYPED.contains(&prim));
            changed.insert(prim);
        }
    }
    assert!(own > 200 && changed.len() > 60, "{own} {changed:?}");
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
