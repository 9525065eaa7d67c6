//! Merged plans compute the results of their programs, are written and read without loss,
//! and can be sliced into their programs.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test says so by failing"
)]
#![allow(clippy::cast_possible_wrap, reason = "the numbers are small")]

use heddle_arc::engine::{Evaluation, Example, Grid, evaluate};
use heddle_arc::fault::Fault;
use heddle_arc::meter::Budget;
use heddle_arc::plain::Plain;
use heddle_arc::plan::{CallGraph, PatternKind, Plan, patterns, read, write};
use heddle_arc::program::{Program, load};
use heddle_testing::plain_evaluation::{holds_function, plain_evaluation};

fn programs() -> Vec<Program> {
    let text = heddle_testing::programs(&[
        "largest",
        "largest_turned",
        "modes",
        "closures",
        "functions",
        "dead",
        "powers",
        "samples",
        "wrong_arity",
    ]);
    let loaded = load(&text, "ours.py");
    assert_eq!(loaded.errors, []);
    loaded.programs
}

fn grids() -> Vec<Grid> {
    [
        vec![vec![0, 0, 3], vec![0, 3, 3], vec![1, 0, 0]],
        vec![vec![7]],
        vec![vec![1, 2, 1, 2], vec![2, 2, 0, 0]],
        vec![vec![0; 5]; 6],
    ]
    .iter()
    .map(|rows| Grid::new(rows).unwrap())
    .collect()
}

fn pairs() -> Vec<(Grid, Grid)> {
    let grids = grids();
    vec![
        (grids[0].clone(), grids[1].clone()),
        (grids[2].clone(), grids[3].clone()),
    ]
}

/// The result of a program by the reference.
fn by_plain_evaluation(
    program: &Program,
    input: &Grid,
    pairs: &[(Grid, Grid)],
) -> Result<Plain, Fault> {
    let example = Example {
        input,
        pairs,
        candidate: None,
    };
    plain_evaluation(program, &example, Budget::default())
}

fn defined(evaluation: &Evaluation) -> Option<&Plain> {
    match evaluation {
        Evaluation::Defined(value) => Some(value),
        Evaluation::Undefined(_) => None,
    }
}

fn results(plan: &Plan) -> Vec<Vec<Evaluation>> {
    let (grids, pairs) = (grids(), pairs());
    let examples: Vec<Example<'_>> = grids
        .iter()
        .map(|input| Example {
            input,
            pairs: &pairs,
            candidate: None,
        })
        .collect();
    evaluate(plan, &examples, Budget::default())
}

#[test]
fn merged_programs_equal_plain_evaluation() {
    let programs = programs();
    let plan = Plan::new(&programs);
    for (row, input) in results(&plan).iter().zip(&grids()) {
        for (evaluation, program) in row.iter().zip(&programs) {
            let expected = by_plain_evaluation(program, input, &pairs()).ok();
            assert_eq!(defined(evaluation), expected.as_ref(), "{}", program.name);
        }
    }
}

#[test]
fn merging_changes_no_result_or_fault() {
    let programs = programs();
    let merged = results(&Plan::new(&programs));
    for (place, program) in programs.iter().enumerate() {
        let alone = results(&Plan::new(std::slice::from_ref(program)));
        for (merged, alone) in merged.iter().zip(alone) {
            assert_eq!(merged[place], alone[0], "{}", program.name);
        }
    }
}

#[test]
fn shared_calls_are_merged() {
    let plan = Plan::new(&programs()[..2]);
    let sharing = plan.sharing();
    assert_eq!((sharing.calls, sharing.distinct_calls), (8, 5));
}

#[test]
fn known_functions_become_bodies() {
    let text = "def solve_a(I):
    x1 = objects(I, T, F, T)
    x2 = compose(invert, size)
    x3 = lbind(recolor, FIVE)
    x4 = fork(shift, x3, ulcorner)
    x5 = order(x1, x2)
    x6 = mapply(x4, x5)
    O = paint(I, x6)
    return O";
    let plan = Plan::new(&load(text, "ours.py").programs);
    // The steps are objects, the key, order, the function, mapply and paint.
    assert_eq!(plan.sharing().distinct_steps, 6);
    assert_eq!(plan.sharing().bodies, 2);
}

#[test]
fn text_reads_back_to_the_same_plan() {
    let graph = CallGraph::merge(&programs());
    let text = write(&graph);
    let again = read(&text, "plan.py").unwrap();
    assert_eq!(again.nodes, graph.nodes);
    let outputs = |graph: &CallGraph| -> Vec<(String, u32)> {
        let outputs = graph.outputs.iter();
        outputs.map(|o| (o.name.to_string(), o.result)).collect()
    };
    assert_eq!(outputs(&again), outputs(&graph));
    assert_eq!(write(&again), text);
    let first: Vec<Vec<Option<Plain>>> = results(&Plan::of(graph))
        .iter()
        .map(|row| row.iter().map(|e| defined(e).cloned()).collect())
        .collect();
    let second: Vec<Vec<Option<Plain>>> = results(&Plan::of(again))
        .iter()
        .map(|row| row.iter().map(|e| defined(e).cloned()).collect())
        .collect();
    assert_eq!(first, second);
}

#[test]
fn other_texts_are_refused() {
    let errors = [
        (
            "def plan(S, I, C):",
            "plan.py: not a plan; its first line must begin with `# heddle plan 1`",
        ),
        (
            "# heddle plan 1\ndef plan(S, I, C):\n    t1 = rot09(I)\n",
            "plan.py:3:10: `rot09` is not known; did you mean `rot90`?",
        ),
        (
            "# heddle plan 1\ndef plan(S, I, C):\n    t1 = rot90(I)\n    solve_a = program(I, t2)\n",
            "plan.py:4: `solve_a = program(I, t2)` is no program of a plan; write NAME = program(I, tN) or NAME = program(S, I, C, tN)",
        ),
    ];
    for (text, expected) in errors {
        assert_eq!(read(text, "plan.py").unwrap_err().to_string(), expected);
    }
}

/// The text of a program without dead lines, with the variable names of a slice.
fn renamed(program: &Program) -> String {
    CallGraph::merge(std::slice::from_ref(program))
        .slice(0)
        .to_string()
}

#[test]
fn slicing_returns_every_program() {
    let programs = programs();
    let graph = CallGraph::merge(&programs);
    for (place, program) in programs.iter().enumerate() {
        let sliced = graph.slice(place);
        assert_eq!(sliced.to_string(), renamed(program));
        if &*program.name == "solve_largest_turned" {
            // It has no dead lines and the usual names, so the text is the same.
            assert_eq!(sliced.to_string(), program.to_string());
        }
    }
}

#[test]
fn batch_patterns_are_found_and_marked() {
    let graph = CallGraph::merge(&programs());
    let kinds: Vec<PatternKind> = patterns(&graph).iter().map(|p| p.kind).collect();
    for kind in [
        PatternKind::OverSamples,
        PatternKind::ObjectModes,
        PatternKind::TransformRun,
    ] {
        assert!(kinds.contains(&kind), "{kind:?} in {kinds:?}");
    }
    let text = write(&graph);
    assert!(
        text.contains("objects(I, T, F, T)  # object-modes 1"),
        "{text}"
    );
    assert!(text.contains("# object-modes: 1 group, 3 lines"), "{text}");
}

#[test]
fn faults_name_primitive_and_line() {
    let text = "\n\ndef solve_a(I):
    x1 = objects(I, T, F, T)
    x2 = compose(first, first)
    x3 = size(x1)
    x4 = astuple(x3, x3)
    O = apply(x2, x4)
    return O";
    let plan = Plan::new(&load(text, "ours.py").programs);
    let Evaluation::Undefined(undefined) = &results(&plan)[0][0] else {
        panic!("must fail");
    };
    assert_eq!(
        undefined.to_string(),
        "line 8: first: needs a container, found an Int"
    );
}

/// Random programs whose types mostly fit: each argument has the type of its parameter if
/// such a line exists.
mod generated {
    use super::{Call, Form, Program};
    use heddle_arc::constant::Constant;
    use heddle_arc::prim::Prim;
    use heddle_arc::program::{CallArgument, Callee, Input};
    use heddle_arc::types::{Type, infer};
    use heddle_testing::Random;
    use std::sync::Arc;

    fn suits(parameter: &str, known: &Type) -> bool {
        let text = known.to_string();
        match parameter {
            "Int" | "Bool" => text == "Int" || text == "Bool",
            "Pair" => text == "Pair",
            "Num" | "n" => text == "Int" || text == "Pair",
            "Grid" => text == "Grid",
            "Object" => text == "Object",
            "Patch" | "Indices" => text == "Object" || text == "Indices",
            "Piece" | "Elem" => text == "Object" || text == "Grid",
            _ if parameter.starts_with("Fn[") => text.starts_with("Fn"),
            _ if parameter.contains('[') => {
                text.starts_with("Set")
                    || text.starts_with("Tuple")
                    || text == "Object"
                    || text == "Indices"
            }
            _ => true,
        }
    }

    pub(super) fn program(seed: u64) -> Program {
        let mut random = Random::seeded(seed);
        let mut below = |bound: usize| random.index(bound);
        let mut program = Program {
            name: format!("solve_{seed}").into(),
            form: Form::Input,
            reading: heddle_arc::reading::Reading::Classic,
            calls: Vec::new(),
            result: 0,
            file: Arc::from("made.py"),
            line_numbers: Vec::new(),
        };
        let lines = 4 + below(16);
        for line in 0..lines {
            let types = infer(&program).types;
            let functions: Vec<usize> = (0..types.len())
                .filter(|place| types[*place].to_string().starts_with("Fn"))
                .collect();
            let (callee, parameters) = if !functions.is_empty() && below(6) == 0 {
                let place = functions[below(functions.len())];
                (Callee::Call(place as u32), vec!["a"])
            } else {
                let prim = Prim::ALL[below(Prim::ALL.len())];
                (Callee::Prim(prim), prim.parameters())
            };
            let arguments = parameters
                .iter()
                .map(|parameter| {
                    let suitable: Vec<usize> = (0..types.len())
                        .filter(|place| suits(parameter, &types[*place]))
                        .collect();
                    if !suitable.is_empty() && below(4) > 0 {
                        return CallArgument::Call(suitable[below(suitable.len())] as u32);
                    }
                    if parameter.starts_with("Fn[") || (*parameter == "Any" && below(2) == 0) {
                        let arity = 1 + parameter
                            .split("->")
                            .next()
                            .unwrap_or("")
                            .matches(',')
                            .count();
                        let fitting: Vec<Prim> = Prim::ALL
                            .iter()
                            .copied()
                            .filter(|prim| prim.arity() == arity)
                            .collect();
                        return CallArgument::Prim(fitting[below(fitting.len())]);
                    }
                    match *parameter {
                        "Int" | "Num" | "n" => {
                            let number = below(4) as i64;
                            let name = ["ZERO", "ONE", "TWO", "THREE"][number as usize];
                            CallArgument::Constant(name.into(), Constant::Int(number))
                        }
                        "Bool" => CallArgument::Constant("T".into(), Constant::Bool(true)),
                        "Pair" => CallArgument::Constant("UNITY".into(), Constant::Pair(1, 1)),
                        _ => CallArgument::Input(Input::Grid),
                    }
                })
                .collect();
            program.calls.push(Call {
                variable: format!("x{}", line + 1).into(),
                callee,
                arguments,
            });
            program.line_numbers.push(line as u32 + 2);
        }
        program.result = lines as u32 - 1;
        program
    }
}

use heddle_arc::program::{Call, Form};
use proptest::prelude::*;

proptest! {
    #![proptest_config(heddle_testing::depth::cases(64))]

    #[test]
    fn generated_programs_equal_plain_evaluation(seed in 1_u64..u64::MAX) {
        let programs: Vec<Program> = (0..40).map(|n| generated::program(seed.wrapping_add(n << 32))).collect();
        let plan = Plan::new(&programs);
        let again = Plan::of(read(&write(plan.graph()), "plan.py").unwrap());
        let mut defined_count = 0;
        for ((row, second), input) in results(&plan).iter().zip(results(&again)).zip(&grids()) {
            for ((evaluation, second), program) in row.iter().zip(&second).zip(&programs) {
                let expected = match by_plain_evaluation(program, input, &pairs()) {
                    // Budgets end evaluations at different points: plain values are far larger.
                    Err(Fault::Budget(_)) => continue,
                    other => other.ok(),
                };
                if expected.as_ref().is_some_and(holds_function) || is_budget(evaluation) {
                    continue;
                }
                defined_count += usize::from(expected.is_some());
                prop_assert_eq!(defined(evaluation), expected.as_ref(), "{}", program);
                prop_assert_eq!(defined(second), expected.as_ref(), "{}", program);
            }
        }
        prop_assert!(defined_count > 0, "a test of faults alone tests little");
    }

    #[test]
    fn generated_programs_slice_back(seed in 1_u64..u64::MAX) {
        let programs: Vec<Program> = (0..10).map(|n| generated::program(seed.wrapping_add(n << 32))).collect();
        let graph = CallGraph::merge(&programs);
        for (place, program) in programs.iter().enumerate() {
            prop_assert_eq!(graph.slice(place).to_string(), renamed(program));
        }
    }
}

fn is_budget(evaluation: &Evaluation) -> bool {
    matches!(evaluation, Evaluation::Undefined(undefined)
        if matches!(undefined.fault, Fault::Budget(_)))
}
