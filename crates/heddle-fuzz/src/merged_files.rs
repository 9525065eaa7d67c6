//! Merged files of the typed dialect and their call tables, separated by a NUL.
//!
//! An error names a place; solvers that are cut out are read as programs; a call table reads
//! back; every entry of the plan has a value or a fault within its budget.

use heddle_arc::batt::{BattPlan, CallTable, read, write};
use heddle_arc::engine::{Example, Grid, Worker};
use heddle_arc::meter::Budget;
use heddle_arc::program::load_as;
use heddle_arc::reading::{Cells, Reading};

/// The most outputs of a plan that is run.
const MOST_OUTPUTS: usize = 64;

pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (text, calls) = text.split_once('\0').unwrap_or((&text, ""));
    let loaded = read(text, "fuzz.py", Cells::Triple);
    let lines = text.lines().count() as u32;
    for error in &loaded.errors {
        assert!(
            (1..=lines).contains(&error.line) && error.column >= 1,
            "{error}"
        );
    }
    let calls = match CallTable::read(calls, "fuzz_call.py") {
        Ok(calls) => {
            assert_eq!(
                CallTable::read(&calls.write(), "again.py"),
                Ok(calls.clone())
            );
            calls
        }
        Err(error) => {
            assert!(error.line >= 1 && error.column >= 1, "{error}");
            loaded.batt.calls()
        }
    };
    let _ = loaded.batt.candidates(&calls);
    for candidate in loaded
        .batt
        .candidates(&loaded.batt.calls())
        .into_iter()
        .flatten()
    {
        let again = load_as(&candidate.text, "solve_a.py", Reading::Soft(Cells::Triple));
        assert_eq!(again.errors, [], "{}", candidate.text);
    }
    let Ok(plan) = BattPlan::new(loaded.batt) else {
        return;
    };
    if plan.plan().len() <= MOST_OUTPUTS {
        let grid = Grid::new(&[[0, 1, 1], [2, 0, 1]]).expect("it is a grid");
        let pairs = [(grid.clone(), grid.clone())];
        let example = Example {
            input: &grid,
            pairs: &pairs,
            candidate: Some(&grid),
        };
        let budget = Budget::default().with(|it| it.steps = 20_000);
        let mut found = 0;
        Worker::new(budget).run(plan.plan(), &[example], |_, _, _| found += 1);
        assert_eq!(found, plan.plan().len());
    }
}

#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let programs = "def solve_a(S, I, C):\n    x1 = o_g(I, R5)\n    x2 = get_nth_f(x1, F0)\n    \
                    O = subgrid(x2, I)\n    return O\ndef differ_a(S, I, C):\n    x1 = \
                    palette_t(I)\n    x2 = size_f(x1)\n    x3 = astuple(x2, F0)\n    return x3";
    let programs = load_as(programs, "seed.py", Reading::Strict(Cells::Triple)).programs;
    let written = write(&programs);
    let plain = "def batt(task_id, S, I, C, log_path):\n    s = []\n    t1, t2, t3, t4 = \
                 batch_process_samples_gpu(S)\n    t5 = t3(I, C)\n    t6 = FIVE(t5)\n    \
                 s.append((6, 'None', 'differ', t6))\n    o.append((5, True, 'a', t5))\n    \
                 return o, s\n\0t_call = {5: 't3(I, C)', 6: 'FIVE, t5'}\n";
    let merged = format!("{}\0{}", written.text, written.calls.write());
    vec![merged.into_bytes(), plain.as_bytes().to_vec()]
}
