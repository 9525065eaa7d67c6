//! Slow programs do not delay the others, and results do not depend on the order of
//! evaluations.

#![allow(clippy::unwrap_used, reason = "a test says so by failing")]

use heddle_arc::engine::{Evaluation, Example, Grid, Worker, evaluate};
use heddle_arc::fault::{BudgetLimit, Fault};
use heddle_arc::meter::Budget;
use heddle_arc::plan::Plan;
use heddle_arc::program::{Program, load};
use std::fmt::Write;
use std::time::Duration;

/// `count` programs: in turn a long `power`, a growing grid and a huge product.
fn expensive_program(count: usize) -> String {
    const NUMBERS: [&str; 10] = [
        "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN",
    ];
    let mut text = String::new();
    for n in 0..count {
        let (a, b) = (NUMBERS[n % 10], NUMBERS[n / 10 % 10]);
        let body = match n % 3 {
            0 => format!(
                "    x1 = multiply(TEN, TEN)\n    x2 = multiply(x1, x1)\n    x3 = multiply(x2, x2)
    x4 = add(x3, {a})\n    x5 = multiply(x4, {b})\n    x6 = power(rot90, x5)\n    O = x6(I)"
            ),
            1 => format!(
                "    x1 = upscale(I, {a})\n    x2 = upscale(x1, TEN)\n    x3 = upscale(x2, {b})
    x4 = upscale(x3, TEN)\n    x5 = upscale(x4, TEN)\n    O = upscale(x5, TEN)"
            ),
            _ => format!(
                "    x1 = multiply(TEN, TEN)\n    x2 = add(x1, {a})\n    x3 = interval({b}, x2, ONE)
    x4 = product(x3, x3)\n    x5 = product(x4, x3)\n    O = product(x5, x5)"
            ),
        };
        let _ = write!(text, "def solve_h{n}(I):\n{body}\n    return O\n");
    }
    text
}

fn grids() -> Vec<Grid> {
    (0..18_i8)
        .map(|n| {
            let rows: Vec<Vec<i8>> = (0..3 + n % 4)
                .map(|i| (0..4 + n % 3).map(|j| (i * j + n) % 3).collect())
                .collect();
            Grid::new(&rows).unwrap()
        })
        .collect()
}

/// Expensive programs first, so that the order in the plan does not help.
fn mixed(count: usize) -> Vec<Program> {
    let mut programs = load(&expensive_program(count), "expensive.py").programs;
    assert_eq!(programs.len(), count);
    let ordinary = heddle_testing::programs(&["largest", "mirror", "faulty"]);
    programs.extend(load(&ordinary, "ours.py").programs);
    programs
}

#[test]
fn slow_evaluations_run_last() {
    let programs = mixed(30);
    let plan = Plan::new(&programs);
    let grids = grids();
    let examples: Vec<Example<'_>> = grids.iter().map(Example::new).collect();
    let mut order = Vec::new();
    Worker::new(Budget::default()).run(&plan, &examples, |example, program, evaluation| {
        order.push((example, program, evaluation.is_out_of_budget()));
    });
    assert_eq!(order.len(), plan.len() * examples.len());
    let last_ordinary = order.iter().rposition(|(_, program, _)| *program >= 30);
    // The first evaluation of an expensive program may run out of budget early; all its
    // other evaluations come last.
    let mut early: Vec<usize> = order[..=last_ordinary.unwrap()]
        .iter()
        .filter(|(_, _, out_of_budget)| *out_of_budget)
        .map(|(_, program, _)| *program)
        .collect();
    early.sort_unstable();
    let count = early.len();
    early.dedup();
    assert_eq!(early.len(), count, "{early:?}");
    let mut pairs: Vec<(usize, usize)> = order.iter().map(|(e, p, _)| (*e, *p)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    assert_eq!(pairs.len(), order.len(), "each evaluation is reported once");
}

#[test]
fn results_do_not_depend_on_other_programs() {
    let programs = mixed(9);
    let grids = grids();
    let examples: Vec<Example<'_>> = grids.iter().take(3).map(Example::new).collect();
    let together = evaluate(&Plan::new(&programs), &examples, Budget::default());
    for (place, program) in programs.iter().enumerate() {
        let alone = Plan::new(std::slice::from_ref(program));
        let alone = evaluate(&alone, &examples, Budget::default());
        for (row, own) in together.iter().zip(&alone) {
            assert_eq!(row[place], own[0], "{}", program.name);
            if place < 9 {
                assert!(matches!(&row[place], Evaluation::Undefined(undefined)
                    if matches!(undefined.fault, Fault::Budget(_))));
            }
        }
    }
}

#[test]
fn reusing_a_worker_changes_no_result() {
    let programs = mixed(6);
    let plan = Plan::new(&programs);
    let grids = grids();
    let examples: Vec<Example<'_>> = grids.iter().map(Example::new).collect();
    let examples = &examples[..3];
    let mut worker = Worker::new(Budget::default());
    let run = |worker: &mut Worker| {
        let mut found = vec![None; plan.len() * examples.len()];
        worker.run(&plan, examples, |example, program, evaluation| {
            found[example * plan.len() + program] = Some(evaluation.to_evaluation());
        });
        found
    };
    let first = run(&mut worker);
    assert!(first.iter().all(Option::is_some));
    assert_eq!(run(&mut worker), first);
    assert_eq!(run(&mut Worker::new(Budget::default())), first);
}

#[test]
fn wall_time_accumulates_over_passes() {
    // Each line is fast; all of them together exceed the time limit.
    let mut body = String::from("    x0 = canvas(ONE, x)\n");
    for line in 1..400 {
        let _ = writeln!(body, "    x{line} = rot90(x{})", line - 1);
    }
    let text = format!(
        "def solve_a(I):\n    y = multiply(TEN, TEN)\n    x = astuple(y, y)\n{body}    return x399"
    );
    let loaded = load(&text, "ours.py");
    assert_eq!(loaded.errors, []);
    let plan = Plan::new(&loaded.programs);
    let grid = Grid::new(&[[1_i8]]).unwrap();
    let budget = Budget::default().with(|it| {
        it.steps = u64::MAX;
        it.bytes = 1 << 30;
        it.time = Some(Duration::from_micros(200));
    });
    let found = evaluate(&plan, &[Example::new(&grid)], budget);
    assert!(matches!(&found[0][0], Evaluation::Undefined(undefined)
        if undefined.fault == Fault::Budget(BudgetLimit::Time)));
}
