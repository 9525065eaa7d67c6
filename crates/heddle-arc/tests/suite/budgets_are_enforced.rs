//! Every program ends within its budget, or with the fault that names the limit.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test says so by failing"
)]

use heddle_arc::engine::{EvaluationRef, Example, Grid, Undefined, Worker};
use heddle_arc::fault::{BudgetLimit, Fault};
use heddle_arc::meter::Budget;
use heddle_arc::plan::Plan;
use heddle_arc::program::load;
use std::fmt::Write;
use std::time::{Duration, Instant};

fn run(body: &str, budget: Budget) -> Result<(), Undefined> {
    let text = format!("def solve_a(I):\n{body}\n    return O");
    let loaded = load(&text, "ours.py");
    assert_eq!(loaded.errors, []);
    let plan = Plan::new(&loaded.programs);
    let grid = Grid::new(&[[1_i8, 0, 2], [0, 3, 3]]).unwrap();
    let mut worker = Worker::new(budget);
    let mut outcome = Ok(());
    worker.run(&plan, &[Example::new(&grid)], |_, _, evaluation| {
        if let EvaluationRef::Undefined(undefined) = evaluation {
            outcome = Err(undefined);
        }
    });
    assert!(
        worker.held_bytes() < 4 * budget.bytes as usize + (1 << 20),
        "held {} bytes",
        worker.held_bytes()
    );
    outcome
}

fn limit(body: &str) -> BudgetLimit {
    let budget = Budget::default().with(|it| {
        it.steps = 2_000_000;
        it.bytes = 4 << 20;
    });
    match run(body, budget) {
        Err(Undefined {
            fault: Fault::Budget(limit),
            ..
        }) => limit,
        other => panic!("{body}: {other:?}"),
    }
}

#[test]
fn a_long_power_ends() {
    let body = "    x1 = multiply(TEN, TEN)
    x2 = multiply(x1, x1)
    x3 = multiply(x2, x2)
    x4 = power(rot90, x3)
    O = x4(I)";
    assert!(matches!(
        limit(body),
        BudgetLimit::Steps | BudgetLimit::Bytes
    ));
}

#[test]
fn a_grid_that_grows_ends() {
    let body = "    x1 = upscale(I, TEN)
    x2 = upscale(x1, TEN)
    x3 = upscale(x2, TEN)
    x4 = upscale(x3, TEN)
    O = upscale(x4, TEN)";
    assert_eq!(limit(body), BudgetLimit::Bytes);
}

#[test]
fn a_huge_product_ends() {
    let body = "    x1 = multiply(TEN, TEN)
    x2 = multiply(x1, TEN)
    x3 = interval(ZERO, x2, ONE)
    x4 = product(x3, x3)
    O = product(x4, x4)";
    assert_eq!(limit(body), BudgetLimit::Bytes);
}

#[test]
fn sizes_beyond_memory_end_at_once() {
    let grow = "    x1 = multiply(TEN, TEN)
    x2 = multiply(x1, x1)
    x3 = multiply(x2, x2)
    x4 = multiply(x3, x3)\n";
    for last in [
        "repeat(I, x4)",
        "interval(ZERO, x4, ONE)",
        "canvas(ONE, x5)",
        "hsplit(I, x4)",
        "upscale(I, x4)",
        "connect(ORIGIN, x6)",
        "shoot(ORIGIN, x6)",
        "backdrop(x7)",
        "box(x7)",
    ] {
        let body = format!(
            "{grow}    x5 = astuple(x4, x4)\n    x6 = tojvec(x4)\n    x8 = initset(ORIGIN)\n    x7 = insert(x5, x8)\n    O = {last}"
        );
        let start = Instant::now();
        assert_eq!(limit(&body), BudgetLimit::Bytes, "{last}");
        assert!(start.elapsed() < Duration::from_secs(2), "{last}");
    }
}

#[test]
fn self_application_ends() {
    // x maps f to {f(f)}; applied to itself it never returns.
    let body = "    x1 = fork(rapply, initset, identity)
    O = x1(x1)";
    assert_eq!(limit(body), BudgetLimit::Depth);
}

#[test]
fn deep_values_end() {
    let body = "    x1 = multiply(TEN, TEN)
    x2 = multiply(x1, x1)
    x3 = power(initset, x2)
    O = x3(I)";
    assert_eq!(limit(body), BudgetLimit::Depth);
}

#[test]
fn functions_that_double_end() {
    let mut body = String::from("    x0 = compose(rot90, rot90)\n");
    for line in 1..60 {
        let _ = writeln!(body, "    x{line} = compose(x{0}, x{0})", line - 1);
    }
    body.push_str("    O = x59(I)");
    assert!(matches!(
        limit(&body),
        BudgetLimit::Steps | BudgetLimit::Bytes
    ));
}

#[test]
fn long_programs_do_not_exhaust_the_stack() {
    let mut body = String::from("    x0 = compose(rot90, rot90)\n");
    for line in 1..5_000 {
        let _ = writeln!(body, "    x{line} = compose(x{}, rot90)", line - 1);
    }
    body.push_str("    O = x4999(I)");
    assert_eq!(run(&body, Budget::default()), Ok(()));
}

#[test]
fn wall_time_is_a_budget_too() {
    let body = "    x1 = multiply(TEN, TEN)
    x2 = multiply(x1, x1)
    x3 = multiply(x2, x2)
    x4 = power(size, x3)
    x5 = fork(subtract, identity, identity)
    x6 = power(x5, x3)
    O = x6(ONE)";
    let budget = Budget::default().with(|it| {
        it.steps = u64::MAX;
        it.bytes = 1 << 20;
        it.time = Some(Duration::from_millis(50));
    });
    let start = Instant::now();
    let undefined = run(body, budget).unwrap_err();
    assert_eq!(undefined.fault, Fault::Budget(BudgetLimit::Time));
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[test]
fn numbers_beyond_64_bits_are_faults() {
    let mut body = String::from("    x0 = multiply(TEN, TEN)\n");
    for line in 1..8 {
        let _ = writeln!(body, "    x{line} = multiply(x{0}, x{0})", line - 1);
    }
    body.push_str("    O = initset(x7)");
    let undefined = run(&body, Budget::default()).unwrap_err();
    assert_eq!(undefined.fault, Fault::Overflow);
}

#[test]
fn cost_does_not_depend_on_other_programs() {
    let text = "def solve_a(I):
    x1 = upscale(I, TEN)
    O = rot90(x1)
    return O
def solve_b(I):
    x1 = upscale(I, TEN)
    x2 = rot90(x1)
    O = hconcat(x2, x2)
    return O";
    let programs = load(text, "ours.py").programs;
    let grid = Grid::new(&[[1_i8; 8]; 8]).unwrap();
    // Too little for the second program, enough for the first.
    let budget = Budget::default().with(|it| {
        it.steps = 1_000_000;
        it.bytes = 20_000;
    });
    let outcomes = |plan: &Plan| {
        let mut found = Vec::new();
        Worker::new(budget).run(plan, &[Example::new(&grid)], |_, _, evaluation| {
            found.push(matches!(evaluation, EvaluationRef::Defined { .. }));
        });
        found
    };
    assert_eq!(outcomes(&Plan::new(&programs)), [true, false]);
    assert_eq!(outcomes(&Plan::new(&programs[..1])), [true]);
    assert_eq!(outcomes(&Plan::new(&programs[1..])), [false]);
}
