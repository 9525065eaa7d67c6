//! Random inputs for the parser and the engine.
//!
//! No text or program causes a panic, and no evaluation exceeds its budget. The cases are
//! determined by a seed (`FUZZ_SEED`, default 1); their number depends on the time
//! (`FUZZ_SECONDS`, default 5, or 60 when thorough). Each test prints how many cases it ran.
//! A failing case is named by seed and number; `FUZZ_CASE` runs and prints that case alone.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test says so by failing"
)]

use heddle_arc::constant;
use heddle_arc::engine::{EvaluationRef, Example, Grid, Worker};
use heddle_arc::fault::{BudgetLimit, Fault};
use heddle_arc::meter::Budget;
use heddle_arc::plan::{self, CallGraph, Plan};
use heddle_arc::prim::Prim;
use heddle_arc::program::{CallArgument, Callee, Form, Program, load};
use heddle_arc::rng::Rng;
use heddle_arc::search::{ProgramShape, generate, mutate};
use heddle_arc::solvers::FILES;
use heddle_arc::tasks::{self, dataset};
use heddle_testing::depth::pick;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

/// Runs cases until the time is up and prints their number, to stderr because the test
/// harness captures stdout.
fn run_cases(target: &str, mut case: impl FnMut(&mut Rng)) {
    let seed = variable("FUZZ_SEED", 1);
    let end = Instant::now() + Duration::from_secs(variable("FUZZ_SECONDS", pick(5, 60)));
    let only = std::env::var("FUZZ_CASE")
        .ok()
        .and_then(|text| text.parse().ok());
    let mut count: u64 = only.unwrap_or(0);
    while Instant::now() < end {
        let result = catch_unwind(AssertUnwindSafe(|| case(&mut Rng::of(seed, count))));
        assert!(
            result.is_ok(),
            "case {count} of FUZZ_SEED={seed} failed in the {target}"
        );
        count += 1;
        if only.is_some() {
            return;
        }
    }
    assert!(count > 0);
    let _ = writeln!(
        std::io::stderr(),
        "fuzz: {count} cases of the {target}, none failed"
    );
}

fn texts() -> Vec<&'static str> {
    FILES
        .iter()
        .map(|(_, text)| *text)
        .chain([tasks::PROGRAMS])
        .collect()
}

/// Consecutive lines of a program text.
fn excerpt(texts: &[&str], rng: &mut Rng) -> String {
    let lines: Vec<&str> = rng.pick(texts).unwrap().lines().collect();
    let start = rng.below(lines.len());
    let count = rng.between(1, 40).min(lines.len() - start);
    lines[start..start + count].join("\n")
}

const TOKENS: &[&str] = &[
    "def ",
    "solve_",
    "(S, I, C):",
    "(I):",
    "return ",
    "O",
    " = ",
    "(",
    ")",
    ",",
    ":",
    "\"\"\"",
    "'''",
    "'",
    "\"",
    "#",
    "\n",
    "\r\n",
    "\t",
    "    ",
    "\u{feff}",
    "é",
    "名",
    "\0",
    "x1",
    "x2",
    "I",
    "S",
    "C",
    "F5",
    "L10",
    "9",
    "1e9",
    "import x",
    "from y import z",
    "identity",
    "=",
    "==",
    "lambda",
    "\\",
    "T",
    "program(",
    "return",
];

/// The text with random changes of bytes, tokens and lines.
fn damaged(text: &str, rng: &mut Rng) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..rng.between(1, 8) {
        let at = rng.below(bytes.len() + 1);
        match rng.below(6) {
            0 if at < bytes.len() => bytes[at] = rng.next_u64() as u8,
            1 if at < bytes.len() => {
                bytes.remove(at);
            }
            2 => {
                let end = (at + rng.below(30)).min(bytes.len());
                bytes.drain(at..end);
            }
            3 => {
                let end = (at + rng.below(60)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = rng.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            4 => {
                let name = constant::names().nth(rng.below(64)).unwrap_or_default();
                bytes.splice(at..at, name.into_bytes());
            }
            _ => {
                let token = rng.pick(TOKENS).unwrap();
                bytes.splice(at..at, token.bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn the_parser_never_panics() {
    let texts = texts();
    run_cases("parser", |rng| {
        let text = damaged(&excerpt(&texts, rng), rng);
        let loaded = load(&text, "fuzz.py");
        let lines = text.lines().count() as u32 + 1;
        for error in &loaded.errors {
            assert!((1..=lines).contains(&error.line), "{error} in {text:?}");
            assert!(error.column >= 1, "{error}");
        }
        for program in &loaded.programs {
            let again = load(&program.to_string(), "again.py");
            assert_eq!(again.programs, std::slice::from_ref(program), "{text:?}");
        }
        // The text of a merged plan reads back; a damaged text is read or refused, without
        // a panic.
        if !loaded.programs.is_empty() && rng.one_in(8) {
            let graph = CallGraph::merge(&loaded.programs);
            let written = plan::write(&graph);
            let read = plan::read(&written, "plan.py").expect("a plan reads back");
            assert_eq!(read.nodes, graph.nodes);
            let _ = plan::read(&damaged(&written, rng), "plan.py");
        }
    });
}

/// A random program without regard to types.
fn random_program(rng: &mut Rng) -> Program {
    let mut text = vec!["def solve_random(S, I, C):".to_owned()];
    let lines = rng.between(1, 14);
    let operand = |rng: &mut Rng, line: usize| match rng.below(6) {
        0 => "I".to_owned(),
        1 => ["S", "C"][rng.below(2)].to_owned(),
        2 | 3 if line > 0 => format!("x{}", rng.below(line)),
        4 => Prim::ALL[rng.below(Prim::ALL.len())].name().to_owned(),
        _ => constant::names().nth(rng.below(64)).unwrap_or_default(),
    };
    for line in 0..lines {
        let (callee, arity) = if line > 0 && rng.one_in(6) {
            (format!("x{}", rng.below(line)), rng.between(1, 3))
        } else {
            let prim = Prim::ALL[rng.below(Prim::ALL.len())];
            (prim.name().to_owned(), prim.arity())
        };
        let arguments: Vec<String> = (0..arity).map(|_| operand(rng, line)).collect();
        text.push(format!("    x{line} = {callee}({})", arguments.join(", ")));
    }
    text.push(format!("    return x{}", lines - 1));
    load(&text.join("\n"), "random.py").programs.remove(0)
}

/// A program made to be expensive, with powers, growth and products.
fn expensive_program(rng: &mut Rng) -> Program {
    let mut program = generate(
        "solve_expensive",
        ProgramShape {
            lines: 8,
            form: Form::Input,
        },
        rng,
    );
    let names = [
        "upscale", "hupscale", "product", "interval", "power", "repeat", "prapply",
    ];
    let prim = Prim::named(names[rng.below(names.len())]).unwrap();
    let ten = CallArgument::Constant("TEN".into(), constant::constant("TEN").unwrap());
    for _ in 0..rng.between(1, 8) {
        let last = CallArgument::Call(program.calls.len() as u32 - 1);
        let arguments =
            (0..prim.arity()).map(|at| if at == 0 { last.clone() } else { ten.clone() });
        let number = program.calls.len();
        program.calls.push(heddle_arc::program::Call {
            variable: format!("h{number}").into(),
            callee: Callee::Prim(prim),
            arguments: arguments.collect(),
        });
        program.line_numbers.push(number as u32 + 2);
    }
    program.result = program.calls.len() as u32 - 1;
    program
}

/// Prints a case that runs alone.
fn show(programs: &[Program]) {
    if std::env::var_os("FUZZ_CASE").is_some() {
        for program in programs {
            let _ = writeln!(std::io::stderr(), "{program}");
        }
    }
}

#[test]
fn the_engine_keeps_its_budget() {
    let tasks = dataset(7).tasks;
    let solvers: Vec<Program> = texts()
        .into_iter()
        .flat_map(|text| load(text, "ours.py").programs)
        .collect();
    let mut worker_of: Vec<(Budget, Worker)> = [
        (100, 10_000, None),
        (20_000, 100_000, None),
        (1_000_000, 8 << 20, None),
        (u64::MAX, 8 << 20, Some(Duration::from_millis(2))),
    ]
    .into_iter()
    .map(|(steps, bytes, time)| {
        let budget = Budget::default().with(|it| {
            it.steps = steps;
            it.bytes = bytes;
            it.time = time;
        });
        (budget, Worker::new(budget))
    })
    .collect();
    run_cases("engine", |rng| {
        let programs: Vec<Program> = (0..rng.between(1, 6))
            .map(|_| match rng.below(4) {
                0 => generate("solve_g", ProgramShape::default(), rng),
                1 => expensive_program(rng),
                2 => {
                    let program = rng.pick(&solvers).unwrap();
                    mutate(program, &[], rng).map_or_else(|| program.clone(), |(p, _)| p)
                }
                _ => random_program(rng),
            })
            .collect();
        show(&programs);
        let plan = Plan::new(&programs);
        let task = rng.pick(&tasks).unwrap();
        let candidate = Grid::new(&[[0, 1], [2, 3]]).unwrap();
        let mut example: Example<'_> = task.examples().next().unwrap();
        if rng.one_in(2) {
            example.candidate = Some(&candidate);
        }
        let which = rng.below(worker_of.len());
        let (budget, worker) = &mut worker_of[which];
        let start = Instant::now();
        let mut reported = 0;
        worker.run(&plan, &[example], |_, _, evaluation| {
            reported += 1;
            match evaluation {
                EvaluationRef::Defined { steps, .. } => {
                    assert!(steps <= budget.steps, "{steps} steps of {}", budget.steps);
                    let _ = evaluation.to_plain();
                }
                EvaluationRef::Undefined(why) => {
                    let ran_out = why.fault == Fault::Budget(BudgetLimit::Time);
                    assert!(!ran_out || budget.time.is_some(), "time without a limit");
                }
            }
        });
        assert_eq!(reported, programs.len());
        // The memory is at most a program's budget and the limit of shared values, in vectors
        // that have at most doubled.
        let most = 2 * (budget.bytes as usize + (64 << 20)) + (16 << 20);
        assert!(
            worker.held_bytes() < most,
            "{} bytes held",
            worker.held_bytes()
        );
        // A generous bound: an evaluation without a working budget takes minutes.
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "took {:?}",
            start.elapsed()
        );
    });
}
