//! Candidates: the solvers of a merged file, each cut out as a program of its own.

use super::{Batt, CallTable, EntryList, number_of};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;
use thiserror::Error;

/// A solver cut out of a merged file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SolverCandidate {
    /// The solver it was in the merged file.
    pub solver: Arc<str>,
    /// The number of its last line.
    pub number: u32,
    /// Whether that line was mutated.
    pub mutated: bool,
    /// The program: a function `solve(S, I, C)`.
    pub text: Arc<str>,
}

/// A solver that cannot be cut out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CandidateError {
    /// The call table does not have its lines.
    #[error(
        "solver {solver} ends in line t{number}, for which the call table lacks t{missing}; take \
         the table that was written with the file, or none"
    )]
    MissingCall {
        /// The solver.
        solver: Arc<str>,
        /// The number of its last line.
        number: u32,
        /// The number of the first line that is missing.
        missing: u32,
    },
    /// The candidates take too much text.
    #[error(
        "solver {solver} and those after it are not cut out: all candidates of a file have at most \
         {} MiB of text; merge fewer programs into one file",
        MAX_TEXT_BYTES >> 20
    )]
    TooLarge {
        /// The first solver that is left out.
        solver: Arc<str>,
    },
}

/// The most bytes of all candidates of a file: one solver after another can use all lines before
/// its own.
const MAX_TEXT_BYTES: usize = 64 << 20;

/// A line has more bytes than this.
const LEAST_LINE_BYTES: usize = 16;

impl Batt {
    /// Cuts out the solvers, each with the lines that it uses in rising order. Of equal
    /// programs, the first is kept. Nothing follows [`CandidateError::TooLarge`].
    #[must_use]
    pub fn candidates(&self, calls: &CallTable) -> Vec<Result<SolverCandidate, CandidateError>> {
        let mut found = Vec::new();
        let mut texts: HashSet<Arc<str>> = HashSet::new();
        let mut ends: HashSet<u32> = HashSet::new();
        let mut left = MAX_TEXT_BYTES;
        for entry in &self.entries {
            let EntryList::Answer { solver, mutated } = &entry.list else {
                continue;
            };
            // The lines before a line are the same for every solver that ends there.
            if !ends.insert(entry.number) {
                continue;
            }
            let solver = Arc::clone(solver);
            match slice(calls, entry.number, &mut left) {
                Ok(text) => {
                    let text: Arc<str> = text.into();
                    if texts.insert(Arc::clone(&text)) {
                        found.push(Ok(SolverCandidate {
                            solver,
                            number: entry.number,
                            mutated: *mutated,
                            text,
                        }));
                    }
                }
                Err(Unsliced::Missing(missing)) => found.push(Err(CandidateError::MissingCall {
                    solver,
                    number: entry.number,
                    missing,
                })),
                Err(Unsliced::TooLarge) => {
                    found.push(Err(CandidateError::TooLarge { solver }));
                    break;
                }
            }
        }
        found
    }
}

/// Why a program has no text.
enum Unsliced {
    /// The table lacks this line.
    Missing(u32),
    TooLarge,
}

/// The program that ends in a line; `left` is the number of bytes that all may still take.
fn slice(calls: &CallTable, last: u32, left: &mut usize) -> Result<String, Unsliced> {
    let mut wanted = BTreeSet::from([last]);
    let mut waiting = vec![last];
    while let Some(number) = waiting.pop() {
        if wanted.len() * LEAST_LINE_BYTES > *left {
            return Err(Unsliced::TooLarge);
        }
        if calls.call(number).is_none() {
            // What was searched in vain counts too: it takes as long.
            *left -= wanted.len() * LEAST_LINE_BYTES;
            return Err(Unsliced::Missing(number));
        }
        waiting.extend(calls.needs(number).filter(|need| wanted.insert(*need)));
    }
    let mut text = String::from("def solve(S, I, C):\n");
    let mut variables: HashMap<u32, String> = HashMap::new();
    // A table can be in any order, so the line asked for need not be the greatest.
    let before = wanted.iter().copied().filter(|number| *number != last);
    for number in before.chain([last]) {
        let variable = if number == last {
            "O".to_owned()
        } else {
            format!("x{}", variables.len() + 1)
        };
        let mut names = calls.call(number).into_iter().flatten().map(|name| {
            let variable = number_of(name).and_then(|number| variables.get(&number));
            variable.map_or(name, String::as_str)
        });
        let callee = names.next().unwrap_or_default();
        let arguments: Vec<&str> = names.collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    {variable} = {callee}({})", arguments.join(", "));
        if text.len() > *left {
            return Err(Unsliced::TooLarge);
        }
        variables.insert(number, variable);
    }
    text.push_str("    return O\n");
    *left = left.saturating_sub(text.len());
    Ok(text)
}
