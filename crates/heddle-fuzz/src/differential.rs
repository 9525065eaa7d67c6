//! The engine compared with the reference.

use std::cell::RefCell;

use heddle_arc::engine::{EvaluationRef, Example, Grid, Worker};
use heddle_arc::fault::{BudgetLimit, Fault};
use heddle_arc::meter::Budget;
use heddle_arc::plan::Plan;
use heddle_arc::program::Program;
use heddle_testing::plain_evaluation::{holds_function, plain_evaluation};

/// Small enough for thousands of evaluations a second, large enough for most programs.
pub(crate) fn budget() -> Budget {
    Budget::default().with(|it| {
        it.steps = 20_000;
        it.bytes = 512 << 10;
    })
}

/// The values of shared calls may take this beside the budget, in vectors that have at most
/// doubled.
const MOST_HELD_BYTES: usize = 2 * ((512 << 10) + (64 << 20)) + (16 << 20);

thread_local! {
    static WORKER: RefCell<Worker> = RefCell::new(Worker::new(budget()));
}

/// The input, the pairs and the candidate of an evaluation.
pub(crate) struct Inputs {
    pub input: Grid,
    pub pairs: Vec<(Grid, Grid)>,
    pub candidate: Option<Grid>,
}

impl Inputs {
    pub(crate) fn example(&self) -> Example<'_> {
        Example {
            input: &self.input,
            pairs: &self.pairs,
            candidate: self.candidate.as_ref(),
        }
    }
}

fn grid(rows: &[&[i8]]) -> Grid {
    Grid::new(rows).expect("rows are equally long")
}

/// One of a few inputs, by number.
pub(crate) fn inputs(number: usize) -> Inputs {
    let pairs = vec![
        (grid(&[&[0, 0, 3], &[0, 3, 3], &[1, 0, 0]]), grid(&[&[7]])),
        (grid(&[&[1, 2], &[2, 2]]), grid(&[&[2, 2, 2, 2]])),
    ];
    let input = match number % 4 {
        0 => grid(&[&[0, 0, 3, 0, 5], &[0, 3, 3, 0, 5], &[1, 0, 0, 0, 5]]),
        1 => grid(&[&[7]]),
        2 => grid(&[&[1, 2, 1, 2], &[2, 2, 0, 0]]),
        // Wider than 32 columns is not ARC, but a grid all the same.
        _ => grid(&[&[0; 33], &[4; 33]]),
    };
    let candidate = number.is_multiple_of(3).then(|| grid(&[&[0, 1], &[2, 3]]));
    Inputs {
        input,
        pairs,
        candidate,
    }
}

/// Checks programs on the inputs of this number.
pub(crate) fn check(programs: &[Program], number: usize) {
    if programs.is_empty() {
        return;
    }
    let inputs = inputs(number);
    check_on(programs, &inputs);
}

/// Checks that every evaluation keeps its budget, and has the value of the reference unless
/// one of the two exceeds it: plain values are larger than compact ones.
pub(crate) fn check_on(programs: &[Program], inputs: &Inputs) {
    let plan = Plan::new(programs);
    let example = inputs.example();
    WORKER.with_borrow_mut(|worker| {
        let mut reported = 0;
        worker.run(&plan, &[example], |_, place, evaluation| {
            reported += 1;
            compare(&programs[place], &example, evaluation);
        });
        assert_eq!(reported, programs.len());
        assert!(worker.held_bytes() < MOST_HELD_BYTES);
    });
}

fn compare(program: &Program, example: &Example<'_>, evaluation: EvaluationRef<'_>) {
    let found = match evaluation {
        EvaluationRef::Defined { steps, .. } => {
            assert!(steps <= budget().steps, "{steps} steps\n{program}");
            evaluation.to_plain()
        }
        EvaluationRef::Undefined(why) => {
            assert_ne!(why.fault, Fault::Budget(BudgetLimit::Time), "{program}");
            Err(why)
        }
    };
    if matches!(&found, Err(why) if matches!(why.fault, Fault::Budget(_))) {
        return;
    }
    let expected = plain_evaluation(program, example, budget());
    match (&expected, &found) {
        (Err(Fault::Budget(_)), _) | (Err(_), Err(_)) => {}
        (Ok(value), _) if holds_function(value) => {}
        (Ok(value), Ok(found)) => assert_eq!(value, found, "{program}"),
        _ => panic!("the reference has {expected:?}, the engine {found:?}\n{program}"),
    }
}
