//! Expressions over the examples that compute colours.

use crate::engine::{EvaluationRef, Example, Grid, Worker};
use crate::meter::Budget;
use crate::plain::Plain;
use crate::plan::Plan;
use crate::program::{Program, load};
use crate::rng::Rng;
use std::fmt::Write;
use std::sync::OnceLock;

/// Programs that compute a colour from `S`, such as the most or least common colour of an
/// example's input or output, or the colour new in its output.
fn expressions() -> &'static [Program] {
    static FOUND: OnceLock<Vec<Program>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let mut text = String::new();
        let mut count = 0;
        for pair in ["first", "second", "last"] {
            for side in ["first", "last"] {
                let of_grid = |ending: &str| {
                    format!("    x1 = {pair}(S)\n    x2 = {side}(x1)\n{ending}    return O\n")
                };
                let mut endings = vec![
                    "    O = mostcolor(x2)\n".to_owned(),
                    "    O = leastcolor(x2)\n".to_owned(),
                ];
                for place in ["ZERO", "ONE", "TWO", "NEG_ONE"] {
                    endings.push(format!(
                        "    x3 = p_g(x2)\n    O = get_nth_t(x3, {place})\n"
                    ));
                }
                for ending in endings {
                    // Writing to a string cannot fail.
                    let _ = write!(text, "def colour_{count}(S, I, C):\n{}", of_grid(&ending));
                    count += 1;
                }
            }
            // A colour of the output that the input does not have.
            let _ = write!(
                text,
                "def colour_{count}(S, I, C):\n    x1 = {pair}(S)\n    x2 = first(x1)\n    \
                 x3 = last(x1)\n    x4 = p_g(x2)\n    x5 = p_g(x3)\n    \
                 x6 = difference_tuple(x5, x4)\n    O = first(x6)\n    return O\n"
            );
            count += 1;
        }
        load(&text, "colours").programs
    })
}

/// A random expression over `S`. With examples, it computes this colour; without examples,
/// it may compute any colour.
pub(super) fn colour(
    colour: i64,
    examples: &[(Grid, Grid)],
    rng: &mut Rng,
) -> Option<&'static Program> {
    let all = expressions();
    let Some((input, _)) = examples.first() else {
        return rng.pick(all);
    };
    let plan = Plan::new(all);
    let example = Example {
        input,
        pairs: examples,
        candidate: None,
    };
    let mut right = Vec::new();
    let mut worker = Worker::new(Budget::default());
    worker.run(&plan, &[example], |_, program, evaluation| {
        let is_right = matches!(evaluation, EvaluationRef::Defined { .. })
            && evaluation.to_plain().ok() == Some(Plain::Int(colour));
        if is_right {
            right.push(program);
        }
    });
    rng.pick(&right).and_then(|program| all.get(*program))
}
