//! The typed dialect gives the known results, and costs nothing where it is the classic language.

#![allow(clippy::unwrap_used, reason = "a test says so by failing")]

use heddle_arc::constant;
use heddle_arc::engine::{Evaluation, Example, Grid, evaluate};
use heddle_arc::evaluators::CompactEvaluator;
use heddle_arc::golden::{self, GoldenVector, NOTATION};
use heddle_arc::meter::Budget;
use heddle_arc::plain::Plain;
use heddle_arc::plan::Plan;
use heddle_arc::prim::Prim;
use heddle_arc::program::{Call, CallArgument, Callee, Form, Input, Program, load_as};
use heddle_arc::reading::{Cells, Reading};
use std::path::Path;
use std::sync::Arc;

const STRICT: Reading = Reading::Strict(Cells::Triple);
const GUARDED: Reading = Reading::Guarded(Cells::Triple);

fn vectors(file: &str) -> Vec<GoldenVector> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/golden_dialect");
    golden::read(&folder.join(file)).unwrap()
}

fn assert_all_pass(vectors: &[GoldenVector], reading: Option<Reading>) {
    let report = golden::check_in(vectors, &mut CompactEvaluator::default(), reading);
    let tallies = report.by_primitive.values();
    let differences: Vec<&String> = tallies.flat_map(|tally| &tally.differences).collect();
    assert_eq!(report.failed, 0, "{differences:#?}");
}

#[test]
fn typed_names_match_vectors_in_both_readings() {
    let vectors = vectors("strict.vectors");
    assert!(
        vectors
            .iter()
            .filter(|vector| vector.soft.is_some())
            .count()
            > 500
    );
    let names: std::collections::BTreeSet<&str> =
        vectors.iter().map(|vector| vector.name).collect();
    assert!(Prim::typed_names().all(|name| names.contains(name)));
    assert_all_pass(&vectors, None);
}

#[test]
fn shared_names_match_vectors_in_the_soft_reading() {
    let vectors = vectors("soft.vectors");
    assert_all_pass(&vectors, Some(NOTATION));
    // They are none of the classic language.
    let classic = golden::check(&vectors, &mut CompactEvaluator::default());
    assert!(classic.failed > 1_000, "{}", classic.failed);
}

/// A program of lines `x = f(a, b)`, read without the checks of files.
fn program(name: &str, lines: &str, reading: Reading) -> Program {
    let mut calls: Vec<Call> = Vec::new();
    for line in lines.split(';') {
        let (variable, call) = line.trim().split_once(" = ").unwrap();
        let (callee, arguments) = call.trim_end_matches(')').split_once('(').unwrap();
        let operand = |name: &str| {
            let inputs = [Input::Grid, Input::Examples, Input::Candidate];
            if let Some(call) = calls.iter().position(|call| &*call.variable == name) {
                CallArgument::Call(call as u32)
            } else if let Some(input) = inputs.into_iter().find(|input| input.name() == name) {
                CallArgument::Input(input)
            } else if let Some(prim) = Prim::read(name, reading) {
                CallArgument::Prim(prim)
            } else {
                let value = constant::read(name, reading);
                CallArgument::Constant(name.into(), value.unwrap())
            }
        };
        let callee = match operand(callee) {
            CallArgument::Call(call) => Callee::Call(call),
            CallArgument::Input(input) => Callee::Input(input),
            CallArgument::Prim(prim) => Callee::Prim(prim),
            CallArgument::Constant(_, value) => Callee::Constant(value),
        };
        let arguments = arguments.split(", ").map(operand).collect();
        calls.push(Call {
            variable: variable.into(),
            callee,
            arguments,
        });
    }
    Program {
        name: name.into(),
        form: Form::Examples,
        reading,
        result: calls.len() as u32 - 1,
        line_numbers: (1..=calls.len() as u32).collect(),
        calls,
        file: Arc::from("made.py"),
    }
}

/// The values of programs on one grid, merged.
fn values(programs: &[Program]) -> Vec<Result<String, String>> {
    let grid = Grid::new(&[[0, 1, 1], [2, 0, 0], [0, 0, 3]]).unwrap();
    let found = evaluate(
        &Plan::new(programs),
        &[Example::new(&grid)],
        Budget::default(),
    );
    let text = |evaluation: &Evaluation| match evaluation {
        Evaluation::Defined(value) => Ok(value.to_string()),
        Evaluation::Undefined(undefined) => Err(undefined.fault.to_string()),
    };
    found[0].iter().map(text).collect()
}

#[test]
fn aliases_have_the_plan_of_the_plain_name() {
    for (typed, classic) in [
        (
            "x = height_t(I); O = canvas(FIVE, UNITY)",
            "x = height(I); O = canvas(FIVE, UNITY)",
        ),
        (
            "x = f_ofcolor(I, TWO); O = fill(I, RED, x)",
            "x = ofcolor(I, TWO); O = fill(I, TWO, x)",
        ),
        (
            "x = hmirror_t(I); O = shape_t(x)",
            "x = hmirror(I); O = shape(x)",
        ),
        (
            "x = objects(I, T, F, T); O = size_f(x)",
            "x = objects(I, T, F, T); O = size(x)",
        ),
    ] {
        let sharing = |programs: &[Program]| Plan::new(programs).sharing().distinct_steps;
        let plain = program("plain", classic, Reading::Classic);
        let alone = sharing(std::slice::from_ref(&plain));
        let same = program("typed", typed, STRICT);
        // The last line of the fourth has an argument whose form is not known, so it stays typed.
        let of_set = usize::from(typed.contains("size_f"));
        assert_eq!(sharing(&[plain, same]), alone + of_set, "{typed}");
    }
    for (alias, plain) in [
        ("size_t", "size"),
        ("merge_f", "merge"),
        ("c_branch", "branch"),
    ] {
        assert_eq!(Prim::read(alias, STRICT), Prim::named(plain));
    }
}

#[test]
fn a_call_of_another_meaning_is_not_shared() {
    let cell = "x = asobject(I); y = last(x); O = first(y)";
    let [classic, typed] =
        [Reading::Classic, STRICT].map(|reading| program("solve_a", cell, reading));
    // The greatest cell is (3, (2, 2)): its first part is the colour, or the row.
    assert_eq!(
        values(&[classic, typed]),
        [Ok("3".to_owned()), Ok("2".to_owned())]
    );
    let kept = program("solve_a", cell, Reading::Strict(Cells::Classic));
    assert_eq!(values(&[kept]), [Ok("3".to_owned())]);
}

#[test]
fn conditions_and_keys_see_triples() {
    let filtered = "x = asobject(I); c = matcher(last, ONE); y = sfilter_f(x, c); O = size_f(y)";
    let greatest = "x = asobject(I); O = maximum(x)";
    let colours = "x = asobject(I); y = apply(last, x); O = size(y)";
    // A cell counts as its location, and as three parts.
    let around = "x = asobject(I); y = last(x); z = ineighbors(y); O = ulcorner(z)";
    let sized = "x = asobject(I); y = sizefilter(x, THREE); O = size(y)";
    let programs =
        [filtered, greatest, colours, around, sized].map(|lines| program("solve_a", lines, STRICT));
    let expected = ["2", "(3, (2, 2))", "4", "(1, 1)", "9"].map(|text| Ok(text.to_owned()));
    assert_eq!(values(&programs), expected);
}

#[test]
fn a_guarded_line_that_fails_gives_the_empty_tuple() {
    for (lines, guarded) in [
        // A grid, a number and a function that holds no function are called.
        ("x = I(I); O = astuple(x, ONE)", "((), 1)"),
        ("x = FIVE(I); O = astuple(x, ONE)", "((), 1)"),
        (
            "f = compose(size, I); x = f(I); O = astuple(x, ONE)",
            "((), 1)",
        ),
        (
            "f = chain(size, size, size); x = f(I, I); O = astuple(x, ONE)",
            "((), 1)",
        ),
    ] {
        let programs = [GUARDED, Reading::Soft(Cells::Triple)]
            .map(|reading| program("solve_a", lines, reading));
        let found = values(&programs);
        assert_eq!(found[0], Ok(guarded.to_owned()), "{lines}");
        assert!(found[1].is_err(), "{lines}: {:?}", found[1]);
    }
}

#[test]
fn the_callee_of_a_call_is_an_input_that_the_plan_reads() {
    let found = values(&[program("solve_a", "O = S(I)", Reading::Soft(Cells::Triple))]);
    let why = found[0].as_ref().unwrap_err();
    assert!(why.contains("found a tuple"), "{why}");
}

#[test]
fn a_primitive_that_fails_gives_its_default() {
    for (lines, soft) in [
        ("O = height_f(ONE)", "0"),
        ("O = rot90(I, I)", "()"),
        (
            "x = objects(I); O = astuple(x, I)",
            "({}, ((0, 1, 1), (2, 0, 0), (0, 0, 3)))",
        ),
        ("f = lbind(I, ONE); O = f(I)", "()"),
        ("x = difference(I, I); O = uppermost_i(x)", "nan"),
        ("x = apply(divide, I); O = size(x)", "3"),
        ("x = apply(size, ONE); O = size(x)", "0"),
    ] {
        assert_eq!(
            values(&[program("solve_a", lines, GUARDED)]),
            [Ok(soft.to_owned())],
            "{lines}"
        );
    }
}

#[test]
fn patches_without_locations_and_repeated_elements_count_as_the_dialect_says() {
    let grid = "((0, 1, 1), (2, 0, 0), (0, 0, 3))";
    for (lines, strict) in [
        // No container, and containers whose first element is none.
        ("O = fill(I, FIVE, ONE)", grid),
        ("O = fill(I, FIVE, UNITY)", grid),
        ("x = initset(FIVE); O = underfill(I, FIVE, x)", grid),
        ("O = cover(I, ONE)", grid),
        ("x = initset(FIVE); O = cover(I, x)", grid),
        ("O = toobject(ONE, I)", "{}"),
        // Four elements, of which two are different, fill a box of two by two.
        (
            "x = astuple(ORIGIN, UNITY); y = combine(x, x); O = square_f(y)",
            "True",
        ),
        ("x = repeat(UNITY, TWO); O = square_f(x)", "False"),
        ("x = repeat(UNITY, TWO); O = vline_i(x)", "False"),
        ("x = repeat(UNITY, TWO); O = hline_i(x)", "False"),
        // The empty set.
        (
            "x = difference(I, I); y = palette_t(x); O = width_t(y)",
            "0",
        ),
        (
            "x = difference(I, I); y = palette_t(x); O = shape_t(y)",
            "(0, 0)",
        ),
        (
            "x = difference(I, I); y = palette_t(x); O = portrait_t(y)",
            "False",
        ),
        ("x = initset(THREE); O = get_nth_by_key_t(x, F0)", "3"),
        ("x = palette_t(I); O = get_nth_by_key_f(x, L1)", "0"),
    ] {
        let found = [STRICT, GUARDED].map(|reading| program("solve_a", lines, reading));
        let expected = [(); 2].map(|()| Ok(strict.to_owned()));
        assert_eq!(values(&found), expected, "{lines}");
    }
    // Sets and `()` are no grids.
    for lines in [
        "x = difference(I, I); y = palette_t(x); O = square_t(y)",
        "x = palette_t(I); O = width_t(x)",
    ] {
        assert!(
            values(&[program("a", lines, STRICT)])[0].is_err(),
            "{lines}"
        );
    }
}

#[test]
fn a_program_may_leave_the_key_of_a_rank_out() {
    let text = "def solve_a(S, I, C):\n    x1 = palette_t(I)\n    \
                x2 = get_nth_by_key_t(x1, F1)\n    O = get_nth_by_key_f(x1, x2)\n    return O\n\
                def solve_b(S, I, C):\n    O = get_nth_by_key_f(I)\n    return O\n";
    let loaded = load_as(text, "a.py", STRICT);
    assert_eq!(loaded.programs.len(), 1);
    assert_eq!(loaded.errors.len(), 1, "{:?}", loaded.errors);
    assert_eq!(values(&loaded.programs), [Ok("1".to_owned())]);
}

#[test]
fn every_alias_has_the_plan_of_the_plain_name() {
    let aliases = "size_t size_f = size; merge_t merge_f = merge; apply_f = apply; \
        rapply_f = rapply; mapply_f = mapply; mfilter_f = mfilter; remove_f = remove; \
        valmax_t valmax_f = valmax; valmin_t valmin_f = valmin; argmax_t argmax_f = argmax; \
        argmin_t argmin_f = argmin; mostcommon_t = mostcommon; leastcommon_t = leastcommon; \
        c_branch = branch; f_ofcolor = ofcolor; difference_t = difference_tuple";
    let mut count = 0;
    for group in aliases.split(';') {
        let (names, plain) = group.trim().split_once(" = ").unwrap();
        let arity = Prim::named(plain).unwrap().arity();
        let called = |name: &str| format!("O = {name}({})", vec!["I"; arity].join(", "));
        for alias in names.split(' ') {
            count += 1;
            for reading in [STRICT, Reading::Strict(Cells::Classic), GUARDED] {
                // These four have defaults of their own, for which they need a step.
                let is_other = reading.is_soft()
                    && ["apply_f", "rapply_f", "mapply_f", "remove_f"].contains(&alias);
                let both = [alias, plain].map(|name| program("solve_a", &called(name), reading));
                let steps = |programs| Plan::new(programs).sharing().distinct_steps;
                let together = 1 + usize::from(is_other);
                assert_eq!(steps(&both), together, "{alias} {reading:?}");
                assert_eq!(steps(&both[..1]), 1, "{alias} {reading:?}");
            }
        }
    }
    assert_eq!(count, 22);
}

#[test]
fn types_of_typed_names_follow_the_view_of_cells() {
    use heddle_arc::types::Type;
    for (lines, triple, classic) in [
        (
            "x = asobject(I); y = last(x); O = last(y)",
            Type::Int,
            Type::Pair,
        ),
        (
            "x = asobject(I); y = last_f(x); O = first_f(y)",
            Type::Int,
            Type::Int,
        ),
        (
            "x = o_g_t(I, R5); y = first_t(x); O = first_t(y)",
            Type::Cell,
            Type::Cell,
        ),
        (
            "x = apply_t(size, I); O = get_rank(x, F0)",
            Type::Int,
            Type::Int,
        ),
        (
            "x = c_zo(S, p_g); O = get_rank(x, F0)",
            Type::Int,
            Type::Int,
        ),
        (
            "x = o_g_t(I, R5); y = first_t(x); O = hmirror_f(y)",
            Type::Object,
            Type::Object,
        ),
    ] {
        for (cells, wanted) in [(Cells::Triple, triple), (Cells::Classic, classic)] {
            let program = program("solve_a", lines, Reading::Strict(cells));
            let found = heddle_arc::types::infer(&program).types.pop();
            assert_eq!(found, Some(wanted), "{lines}");
        }
    }
}

#[test]
fn without_a_candidate_typed_programs_see_none() {
    let programs =
        [Reading::Classic, STRICT].map(|reading| program("a", "O = identity(C)", reading));
    // The identity of the candidate is the candidate itself: no step is left.
    let found = values(&programs);
    assert_eq!(found, [Ok("()".to_owned()), Ok(Plain::None.to_string())]);
}
