//! Candidates: the solvers of a merged file, each cut out as a program of its own.

use super::{Batt, CallTable, EntryList, number_of};
use crate::limits::MAX_PLAN_CALLS;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;
use thiserror::Error;

/// A solver cut out of a merged file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Candidate {
    /// The solver it was in the merged file.
    pub solver: Arc<str>,
    /// The number of its last line.
    pub number: u32,
    /// Whether that line was mutated.
    pub mutated: bool,
    /// The program: a function `solve(S, I, C)`.
    pub text: String,
}

/// A call table does not have the lines of a solver.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "solver {solver} ends in line t{number}, for which the call table lacks t{missing}; take the \
     table that was written with the file, or none"
)]
#[non_exhaustive]
pub struct MissingCall {
    /// The solver.
    pub solver: Arc<str>,
    /// The number of its last line.
    pub number: u32,
    /// The number of the first line that is missing.
    pub missing: u32,
}

impl Batt {
    /// Cuts out the solvers, each with the lines that it uses in rising order. Of equal
    /// programs, the first is kept.
    #[must_use]
    pub fn candidates(&self, calls: &CallTable) -> Vec<Result<Candidate, MissingCall>> {
        let mut found = Vec::new();
        let mut texts: HashSet<String> = HashSet::new();
        let mut left = MAX_PLAN_CALLS;
        for entry in &self.entries {
            let EntryList::Answer { solver, mutated } = &entry.list else {
                continue;
            };
            match slice(calls, entry.number, &mut left) {
                Ok(text) => {
                    if texts.insert(text.clone()) {
                        found.push(Ok(Candidate {
                            solver: Arc::clone(solver),
                            number: entry.number,
                            mutated: *mutated,
                            text,
                        }));
                    }
                }
                Err(missing) => found.push(Err(MissingCall {
                    solver: Arc::clone(solver),
                    number: entry.number,
                    missing,
                })),
            }
        }
        found
    }
}

/// The program that ends in a line; `left` is the number of lines that may still be written.
fn slice(calls: &CallTable, last: u32, left: &mut usize) -> Result<String, u32> {
    let mut wanted = BTreeSet::from([last]);
    let mut waiting = vec![last];
    while let Some(number) = waiting.pop() {
        if calls.call(number).is_none() || wanted.len() > *left {
            return Err(number);
        }
        waiting.extend(calls.needs(number).filter(|need| wanted.insert(*need)));
    }
    *left -= wanted.len();
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
        variables.insert(number, variable);
    }
    text.push_str("    return O\n");
    Ok(text)
}
