//! Every form of merged files and call tables, and their errors.

use super::*;
use crate::program::{Callee, Dialect, load_as};
use crate::reading::Reading;
use std::fmt::Write;

/// A merged file with these lines.
fn batt(lines: &str) -> LoadedBatt {
    let text = format!("from pile import *\ndef batt(task_id, S, I, C, log_path):\n{lines}");
    read(&text, "ours.py", Cells::Triple)
}

fn errors(lines: &str) -> Vec<String> {
    batt(lines).errors.iter().map(ToString::to_string).collect()
}

const GUARDED: &str = "    # a comment
    s = []
    o = []
    try:
        t1 = identity(palette_t)  # another
    except (TypeError, AttributeError, ValueError):
        t1 = _get_safe_default(identity)
# solver of a
    try:
        t2 = t1(C)
    except Exception as e:
        t2 = _get_safe_default(t1)
    try:
        t3 = I(t2)
    except:
        t3 = _get_safe_default(I)
    t4 = FIVE(S, t3)
    s.append((2, 'None', 'differ_a', t2))
    o.append((3, True, 'abc', t3))
    o.append((4, False, \"abc\", t4))
    return o, s
";

#[test]
fn guarded_and_plain_lines_call_anything() {
    let loaded = batt(GUARDED);
    assert_eq!(loaded.errors, []);
    let lines = &loaded.batt.lines;
    let guarded: Vec<bool> = lines.iter().map(|line| line.guarded).collect();
    assert_eq!(guarded, [true, true, true, false]);
    assert!(matches!(lines[1].call.callee, Callee::Call(0)));
    assert!(matches!(lines[2].call.callee, Callee::Input(_)));
    assert!(matches!(lines[3].call.callee, Callee::Constant(_)));
    let answer = |mutated| EntryList::Answer {
        solver: "abc".into(),
        mutated,
    };
    let entry = |number, list| Entry {
        number,
        value: number - 1,
        list,
    };
    let difference = EntryList::Difference {
        solver: NO_SOLVER.into(),
        differ: "differ_a".into(),
    };
    let wanted = [
        entry(2, difference),
        entry(3, answer(true)),
        entry(4, answer(false)),
    ];
    assert_eq!(loaded.batt.entries, wanted);
}

#[test]
fn samples_are_four_lines() {
    let loaded = batt("    t7, t8, t9, t10 = batch_process_samples_gpu(S)\n");
    assert_eq!(loaded.errors, []);
    let names: Vec<&str> = loaded.batt.lines.iter().map(|line| &*line.names).collect();
    let wanted = [
        "apply, first, S",
        "apply, second, S",
        "mapply, p_g, t7",
        "mapply, p_g, t8",
    ];
    assert_eq!(names, wanted);
}

#[test]
fn a_line_that_cannot_be_read_is_an_error_with_its_place_and_the_rest_loads() {
    let lines = "    t1 = palete_t(I)
    t2 = size(t1)
    t3 = size(I)
    x = size(I)
    t3 = size(I)
    t4 = merge(apply(first, S))
    s.append((3, 'None', differ, t3))
    o.append((3, Maybe, 'a', t3))
    o.append((2, False, 'a', t2))
    o.append((3, False, 'a', t3))
    try:
        t5 = size(I)
    except ValueError:
        t5 = _get_safe_default(first)
";
    let wanted = [
        "ours.py:3:10: `palete_t` is not known; did you mean `palette_t`?",
        "ours.py:4:15: the line of `t1` was not read; correct that line first",
        "ours.py:6:5: `x` is no line of a merged file; they are called t1, t2, …",
        "ours.py:7:5: `t3` is assigned twice; give this line a variable of its own, such as x1",
        "ours.py:8:21: `(` was not expected here; calls do not nest; give the inner call a line of its own",
        "ours.py:9:26: `differ` was not expected here; write s.append((N, 'ID', 'DIFFER', tN))",
        "ours.py:10:18: `Maybe` was not expected here; write o.append((N, False, 'ID', tN))",
        "ours.py:11:30: the line of `t2` was not read; correct that line first",
        "ours.py:16:32: `first` was not expected here; an except clause has tN = \
         _get_safe_default(callee) with N and callee of its try",
    ];
    assert_eq!(errors(lines), wanted);
    let loaded = batt(lines);
    assert_eq!(loaded.batt.lines.len(), 2);
    assert_eq!(loaded.batt.entries.len(), 1);
}

#[test]
fn call_tables_of_all_forms_are_read() {
    let new = "from collections import namedtuple\nHintValue = namedtuple('HintValue', ['hint', \
               'value'])\nt_call = {1: HintValue(hint=('Any', Callable[[int], 'x)']), \
               value=('first', 'I',)),\n 2: HintValue(hint=None, value=('rbind', 't1', 'F0'))}";
    let old = "# old\nt_call = {\n    1: 'first, I',\n    2: \"rbind(t1, F0)\",\n}\n";
    let [new, old] = [new, old].map(|text| CallTable::read(text, "ours_call.py").unwrap());
    assert_eq!(new, old);
    assert_eq!(
        new.call(2).unwrap().collect::<Vec<_>>(),
        ["rbind", "t1", "F0"]
    );
    assert_eq!(CallTable::read(&new.write(), "again.py").unwrap(), new);
    for (text, place) in [
        ("t = {}", "1:7: there is no t_call"),
        ("t_call = {1: 'a', 1: 'b'}", "1:25: line 1 is here twice"),
        ("t_call = {\n1: 'a' 2: 'b'}", "2:7: `,` is missing here"),
        (
            "t_call = {1: HintValue(hint=None)}",
            "1:34: a HintValue without its value",
        ),
        ("t_call = {-1: 'a'}", "1:11: no line number begins here"),
        ("t_call = {1: 'a", "1:16: `,` is missing here"),
    ] {
        let error = CallTable::read(text, "c.py").unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("c.py:{place}; a call table is")),
            "{error}"
        );
    }
}

#[test]
fn candidates_are_the_lines_they_use_in_rising_order_and_equal_ones_are_kept_once() {
    let loaded = batt(
        "    t1 = rbind(o_g, R5)
    t2 = size(I)
    t3 = t1(I)
    t4 = get_nth_f(t3, F0)
    o.append((4, True, 'a', t4))
    o.append((4, False, 'b', t4))
    o.append((2, False, 'c', t2))
",
    );
    let found = loaded.batt.candidates(&loaded.batt.calls());
    let found: Vec<SolverCandidate> = found.into_iter().map(Result::unwrap).collect();
    let texts: Vec<(&str, bool, &str)> = found
        .iter()
        .map(|it| (&*it.solver, it.mutated, &*it.text))
        .collect();
    let first = "def solve(S, I, C):\n    x1 = rbind(o_g, R5)\n    x2 = x1(I)\n    O = \
                 get_nth_f(x2, F0)\n    return O\n";
    let second = "def solve(S, I, C):\n    O = size(I)\n    return O\n";
    assert_eq!(texts, [("a", true, first), ("c", false, second)]);
    let short: CallTable = [(4, "get_nth_f, t3, F0".into())].into_iter().collect();
    let wanted = CandidateError::MissingCall {
        solver: "a".into(),
        number: 4,
        missing: 3,
    };
    assert_eq!(loaded.batt.candidates(&short)[0], Err(wanted));
}

#[test]
fn candidates_that_use_all_lines_before_them_are_bounded_in_time_and_text() {
    let lines = 20_000;
    let mut text = String::from("    t1 = vmirror_t(I)\n");
    for line in 2..=lines {
        let mirror = ["vmirror_t", "hmirror_t"][line % 2];
        writeln!(text, "    t{line} = {mirror}(t{})", line - 1).unwrap();
    }
    for line in 1..=lines {
        writeln!(text, "    o.append(({line}, False, 'a{line}', t{line}))").unwrap();
    }
    let loaded = batt(&text);
    assert_eq!(loaded.batt.entries.len(), lines);
    let calls = loaded.batt.calls();
    let found = loaded.batt.candidates(&calls);
    let bytes = found
        .iter()
        .flatten()
        .map(|it| it.text.len())
        .sum::<usize>();
    assert!((32 << 20..=64 << 20).contains(&bytes), "{bytes}");
    assert!(matches!(
        found.last(),
        Some(Err(CandidateError::TooLarge { .. }))
    ));
    // The first line is missing, so that every search ends in vain.
    let table = (2..=lines as u32).map(|line| {
        let names = calls.call(line).unwrap().collect::<Vec<_>>();
        (line, names.join(", ").into())
    });
    let found = loaded.batt.candidates(&table.collect());
    assert!(found.len() < 5_000, "{}", found.len());
}

#[test]
fn what_is_written_reads_back_and_binds_equal_calls_to_one_line() {
    let text = "def solve_a(S, I, C):
    x1 = o_g(I, R5)
    x2 = get_nth_f(x1, F0)
    O = subgrid(x2, I)
    return O
def solve_b(S, I, C):
    x1 = height_t(I)
    x2 = o_g(I, R5)
    x3 = get_nth_f(x2, F0)
    O = subgrid(x3, I)
    return O
def differ_c(S, I, C):
    x1 = palette_t(I)
    x2 = size_f(x1)
    x3 = astuple(x2, F0)
    return x3
";
    let programs = load_as(text, "ours.py", Reading::Strict(Cells::Triple)).programs;
    assert_eq!(programs.len(), 3);
    let written = write(&programs);
    assert_eq!(written.errors, []);
    let again = read(&written.text, "again.py", Cells::Triple);
    assert_eq!(again.errors, []);
    assert_eq!(again.batt.calls(), written.calls);
    let entries = again.batt.entries.iter();
    let numbers: Vec<u32> = entries.map(|entry| entry.number).collect();
    assert_eq!(numbers, [3, 6, 9, 6, 9]);
    assert_eq!(
        Dialect::Auto.reading(&written.text, Cells::Triple),
        Reading::Strict(Cells::Triple)
    );
    let classic = "def solve_a(I):\n    x1 = height(I)\n    x2 = objects(I, T, F, T)\n    x3 = \
                   argmax(x2, height)\n    O = canvas(x1, x3)\n    return O";
    let written = write(&load_as(classic, "ours.py", Reading::Classic).programs);
    assert_eq!(
        written.errors[0].to_string(),
        "ours.py:4:1: the typed dialect has no `height` for every value; write height_t or height_f"
    );
}

#[test]
fn a_plain_line_that_no_entry_needs_is_an_output_and_equal_entries_are_one() {
    let loaded = batt(
        "    t1 = identity(F0)
    t2 = t1(I)
    t3 = size(I)
    t4 = t3(C)
    try:
        t5 = t3(C)
    except ValueError:
        t5 = _get_safe_default(t3)
    o.append((3, False, 'a', t3))
    s.append((3, 'a', 'differ', t3))
    s.append((5, 'a', 'differ', t5))
",
    );
    let plan = BattPlan::new(loaded.batt).unwrap();
    assert_eq!(plan.entries, [[0, 0, 1], [0, 0, 4]]);
    assert_eq!(plan.checks, [[2, 3], [5, 3]]);
}

#[test]
fn a_byte_order_mark_and_docstrings_are_skipped() {
    let text =
        format!("\u{feff}\"\"\"A file.\n\"\"\"\ndef batt(task_id, S, I, C, log_path):\n{GUARDED}");
    let loaded = read(&text, "ours.py", Cells::Triple);
    assert_eq!(loaded.errors, []);
    assert_eq!(loaded.batt.lines[0].line, 8);
}

#[test]
fn classic_calls_that_differ_in_the_typed_dialect_are_noted() {
    let classic = "def solve_a(I):
    x1 = crop(I, ORIGIN, UNITY)
    x2 = asobject(x1)
    x3 = first(x2)
    x4 = last(x3)
    x5 = canvas(ONE, x4)
    x6 = compose(first, last)
    x7 = crop(x5, ORIGIN, UNITY)
    O = hconcat(x7, x5)
    return O
def solve_b(I):
    x1 = objects(I, T, F, T)
    x2 = first(x1)
    O = paint(I, x2)
    return O
";
    let written = write(&load_as(classic, "ours.py", Reading::Classic).programs);
    let note = "solve_a: calls that can have another result in the typed dialect: 5 (crop 2, first 1, last 2)";
    assert_eq!(written.notes, [note]);
    assert_eq!(written.errors, []);
}
