//! Program files: valid programs load, errors have a location and a hint, and programs
//! print as text that reads back.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test says so by failing"
)]

use heddle_arc::constant;
use heddle_arc::prim::Prim;
use heddle_arc::program::{Call, CallArgument, Callee, Form, Input, Program, files, load};
use heddle_arc::solvers::FILES;
use heddle_arc::types::infer;
use proptest::prelude::*;
use std::fs;
use std::sync::Arc;
use tempfile::TempDir;

const FILE: &str = r#"
"""Solvers of
ours."""
from constants import *
import dsl

def solve_a(I):
    """What it does."""
    x1 = objects(I, T, F, T)  # all of them

    # the largest
    x2 = argmax(x1, size)
    O = subgrid(x2, I)
    return O

def solve_b(S, I, C):
	x1 = apply(first, S)
	x2 = rbind(get_nth_t, F0)
	O = x2(x1)
	return O
"#;

#[test]
fn comments_imports_and_docstrings_are_skipped() {
    let loaded = load(FILE, "ours.py");
    assert_eq!(loaded.errors, []);
    let names: Vec<&str> = loaded.programs.iter().map(Program::task).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(loaded.programs[0].line_numbers, [9, 12, 13]);
    assert_eq!(loaded.programs[1].form, Form::Examples);
}

/// The message of a program's only error.
fn error_of(body: &str) -> String {
    let loaded = load(&format!("def solve_a(I):\n{body}"), "ours.py");
    assert_eq!(loaded.programs, []);
    assert_eq!(loaded.errors.len(), 1, "{:?}", loaded.errors);
    loaded.errors[0].to_string()
}

#[test]
fn errors_state_location_and_hint() {
    let cases = [
        (
            "    O = rot09(I)\n    return O",
            "ours.py:2:9: `rot09` is not known; did you mean `rot90`?",
        ),
        (
            "    O = rot90(I, I)\n    return O",
            "ours.py:2:9: `rot90` called with 2 arguments; rot90 takes 1: Grid -> Grid",
        ),
        (
            "    O = fill(I, 5, I)\n    return O",
            "ours.py:2:17: `5` was not expected here; there are no literals; use a constant such as FIVE or F5",
        ),
        (
            "    O = rot90(rot90(I))\n    return O",
            "ours.py:2:20: `(` was not expected here; calls do not nest; give the inner call a line of its own",
        ),
        (
            "    O = rot90(I\n    return O",
            "ours.py:2:16: the line ends too early; each line is variable = callee(argument, ...)",
        ),
        (
            "    I = rot90(I)\n    return I",
            "ours.py:2:5: `I` is a parameter of the program; give this line a variable of its own, such as x1",
        ),
        (
            "    x1 = rot90(I)\n    x1 = rot90(I)\n    return x1",
            "ours.py:3:5: `x1` is assigned twice; give this line a variable of its own, such as x1",
        ),
        (
            "    O = rot90(S)\n    return O",
            "ours.py:2:15: `S` is not known; take the examples as parameters: def solve_NAME(S, I, C):",
        ),
        (
            "    O = FIVE(I)\n    return O",
            "ours.py:2:9: `FIVE` is not a function; call a primitive, or a variable that holds a function",
        ),
        (
            "    O = rot90(I)\n    return x9",
            "ours.py:3:12: return needs a variable assigned above; end the program with return O",
        ),
        (
            "    O = rot90(I)\n",
            "ours.py:3:1: `solve_a` has no return; end the program with return O",
        ),
        (
            "    if I:\n    return O",
            "ours.py:2:8: `I` was not expected here; each line is variable = callee(argument, ...)",
        ),
        (
            "    O = rot90(I)\n    return O\n    x = rot90(I)",
            "ours.py:4:5: a line after return; return is the last line of a program",
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(error_of(body), expected, "{body}");
    }
}

#[test]
fn a_bad_program_does_not_keep_the_others_from_loading() {
    let text = "def solve_a(I):\n    O = nonsense(I)\n    return O\nprint(1)\ndef solve_b(I):\n    O = rot90(I)\n    return O\ndef solve_b(I):\n    O = rot90(I)\n    return O\ndef solve_c(x):\n    O = rot90(x)\n";
    let loaded = load(text, "ours.py");
    assert_eq!(loaded.programs.len(), 1);
    let found: Vec<(u32, Option<&str>)> = loaded
        .errors
        .iter()
        .map(|error| (error.line, error.program.as_deref()))
        .collect();
    assert_eq!(
        found,
        [
            (2, Some("solve_a")),
            (4, None),
            (8, Some("solve_b")),
            (11, Some("solve_c"))
        ]
    );
}

#[test]
fn types_flow_through_functions() {
    let text = "def solve_a(I):
    x1 = objects(I, T, F, T)
    x2 = lbind(recolor, FIVE)
    x3 = compose(x2, backdrop)
    x4 = apply(x3, x1)
    x5 = merge(x4)
    x6 = fork(astuple, ulcorner, shape)
    x7 = x6(x5)
    x8 = rbind(greater, TWO)
    x9 = chain(x8, size, toindices)
    x10 = sfilter(x1, x9)
    x11 = first(x10)
    O = paint(I, x11)
    return O";
    let program = &load(text, "ours.py").programs[0];
    let inference = infer(program);
    let types: Vec<String> = inference.types.iter().map(ToString::to_string).collect();
    assert_eq!(
        types,
        [
            "Set[Object]",
            "Fn",
            "Fn",
            "Set[Object]",
            "Object",
            "Fn",
            "(Pair, Pair)",
            "Fn",
            "Fn",
            "Set[Object]",
            "Object",
            "Grid"
        ]
    );
    assert_eq!(inference.warnings, []);
}

#[test]
fn lines_bound_to_fail_are_warned_about() {
    let text = "def solve_a(I):
    x1 = height(I)
    x2 = first(x1)
    x3 = lbind(add, ONE)
    O = x3(x1, x1)
    return O";
    let program = &load(text, "ours.py").programs[0];
    let warnings: Vec<String> = infer(program)
        .warnings
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        warnings,
        [
            "ours.py:3:1: first fails: argument 1 is Int, not Cont[a]; first takes Cont[a] -> a",
            "ours.py:5:1: a function of arity 1 is called with 2 arguments; pass 1"
        ]
    );
}

/// A random program whose calls have the right number of arguments, of any type.
fn any_program() -> impl Strategy<Value = Program> {
    let line = (
        any::<usize>(),
        prop::collection::vec(any::<usize>(), 4),
        any::<bool>(),
    );
    (prop::collection::vec(line, 1..30), any::<bool>()).prop_map(|(lines, examples)| {
        let names: Vec<String> = constant::names().collect();
        let inputs: &[Input] = if examples {
            &[Input::Grid, Input::Examples, Input::Candidate]
        } else {
            &[Input::Grid]
        };
        let mut calls: Vec<Call> = Vec::new();
        for (choice, picks, by_variable) in lines {
            let known = calls.len();
            let operand = |pick: usize| match pick % 4 {
                0 if known > 0 => CallArgument::Call((pick / 4 % known) as u32),
                1 => CallArgument::Prim(Prim::ALL[pick / 4 % Prim::ALL.len()]),
                2 => {
                    let name = &names[pick / 4 % names.len()];
                    CallArgument::Constant(name.as_str().into(), constant::constant(name).unwrap())
                }
                _ => CallArgument::Input(inputs[pick / 4 % inputs.len()]),
            };
            let (callee, count) = if by_variable && known > 0 {
                (Callee::Call((choice % known) as u32), 1 + choice % 2)
            } else {
                let prim = Prim::ALL[choice % Prim::ALL.len()];
                (Callee::Prim(prim), prim.arity())
            };
            calls.push(Call {
                variable: format!("x{}", known + 1).into(),
                callee,
                arguments: picks.into_iter().take(count).map(operand).collect(),
            });
        }
        Program {
            name: "solve_made".into(),
            form: if examples {
                Form::Examples
            } else {
                Form::Input
            },
            reading: heddle_arc::reading::Reading::Classic,
            result: calls.len() as u32 - 1,
            line_numbers: (0..calls.len() as u32).map(|line| line + 2).collect(),
            calls,
            file: Arc::from("made.py"),
        }
    })
}

proptest! {
    #![proptest_config(heddle_testing::depth::cases(256))]

    #[test]
    fn printed_programs_read_back(program in any_program()) {
        let loaded = load(&program.to_string(), "made.py");
        prop_assert_eq!(&loaded.errors, &[]);
        prop_assert_eq!(&loaded.programs, std::slice::from_ref(&program));
        prop_assert_eq!(&loaded.programs[0].line_numbers, &program.line_numbers);
    }

    #[test]
    fn inference_accepts_any_program(program in any_program()) {
        prop_assert_eq!(infer(&program).types.len(), program.calls.len());
    }

    #[test]
    fn any_text_loads_without_panic(text in "(def solve_a\\(I\\):\n)?(.|\n){0,200}") {
        let loaded = load(&text, "made.py");
        for error in loaded.errors {
            prop_assert!(error.line >= 1 && error.column >= 1);
        }
    }
}

const UNNAMED: &str = "def solve(I):
    O = vmirror(I)
    return O
";

#[test]
fn a_folder_of_files_named_by_task_loads_completely() {
    let folder = TempDir::new().unwrap();
    let mut expected = Vec::new();
    for (file, text) in FILES {
        for program in load(text, file).programs {
            let named = format!("def {}(", program.name);
            let text = program.to_string().replacen(&named, "def solve(", 1);
            assert!(text.contains("def solve("), "{text}");
            let file = format!("{}.py", program.task());
            fs::write(folder.path().join(file), text).unwrap();
            expected.push(program);
        }
    }
    fs::write(folder.path().join("README.md"), "not a program").unwrap();
    fs::create_dir(folder.path().join("more.py")).unwrap();
    let found: Vec<_> = files(folder.path())
        .unwrap()
        .into_iter()
        .map(|file| load(&fs::read_to_string(&file).unwrap(), file.to_str().unwrap()))
        .collect();
    let errors: Vec<_> = found.iter().flat_map(|loaded| &loaded.errors).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let found: Vec<&Program> = found.iter().flat_map(|loaded| &loaded.programs).collect();
    expected.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(expected.len() >= 399);
    assert_eq!(found, expected.iter().collect::<Vec<_>>());
}

#[test]
fn unnamed_programs_take_the_name_of_their_file() {
    let name = |text: &str, file: &str| {
        let loaded = load(text, file);
        assert_eq!(loaded.errors, []);
        let names = loaded
            .programs
            .iter()
            .map(|program| program.name.to_string());
        names.collect::<Vec<_>>()
    };
    for file in [
        "007bbfb7.py",
        "a/b/007bbfb7.py",
        "solve_007bbfb7.py",
        "007bbfb7",
    ] {
        assert_eq!(name(UNNAMED, file), ["solve_007bbfb7"], "{file}");
    }
    // A written name is kept.
    let named = UNNAMED.replace("solve", "solve_a");
    assert_eq!(name(&named, "007bbfb7.py"), ["solve_a"]);
    let bare = UNNAMED.replace("solve", "a");
    assert_eq!(name(&bare, "007bbfb7.py"), ["a"]);
    let both = format!("{named}{UNNAMED}");
    assert_eq!(name(&both, "b.py"), ["solve_a", "solve_b"]);
}

#[test]
fn ambiguous_unnamed_programs_are_refused() {
    let two = load(&format!("{UNNAMED}{UNNAMED}"), "007bbfb7.py");
    assert_eq!(two.programs.len(), 1);
    assert_eq!(
        two.errors[0].to_string(),
        "007bbfb7.py:4:5: `solve` is already defined on line 1; a file holds one program \
         without a name; write def solve_NAME(I): or give it a file of its own"
    );
    let named = UNNAMED.replace("solve", "solve_a");
    let same = load(&format!("{UNNAMED}{named}"), "a.py");
    assert_eq!(same.programs.len(), 1);
    assert!(
        same.errors[0]
            .problem
            .contains("`solve_a` is already defined on line 1")
    );
    for file in ["my task.py", "a-b.py", "..", ""] {
        let found = load(UNNAMED, file);
        assert!(found.programs.is_empty(), "{file}");
        assert!(
            found.errors[0].hint.contains("name the file as its task"),
            "{file}"
        );
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_program() {
    let loaded = load(
        "\u{feff}def solve_a(I):\n    O = vmirror(I)\n    return O\n",
        "ours.py",
    );
    assert_eq!((loaded.programs.len(), loaded.errors), (1, vec![]));
}
