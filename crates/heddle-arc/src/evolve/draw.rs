//! What a round draws: tasks, programs and mutations.

use super::store::{Store, StoredProgram};
use super::text::{StoredText, stored_text};
use crate::engine::Grid;
use crate::program::Program;
use crate::rng::Rng;
use crate::search::mutate;
use std::sync::Arc;

/// Draws tasks and for each a program, in proportion to its score. No task is drawn again
/// before all others were.
pub(super) fn programs(store: &Store, count: usize, rng: &mut Rng) -> Vec<(Arc<str>, Arc<str>)> {
    let scores = |stored: &&StoredProgram| stored.score > 0;
    let mut tasks: Vec<(&Arc<str>, Vec<&StoredProgram>)> = store
        .tasks()
        .iter()
        .map(|(task, programs)| (task, programs.iter().filter(scores).collect()))
        .filter(|(_, programs): &(_, Vec<_>)| !programs.is_empty())
        .collect();
    let mut drawn = Vec::new();
    while drawn.len() < count && !tasks.is_empty() {
        rng.shuffle(&mut tasks);
        for (task, programs) in tasks.iter().take(count - drawn.len()) {
            if let Some(stored) = by_score(programs, rng) {
                drawn.push((Arc::clone(task), Arc::clone(&stored.digest)));
            }
        }
    }
    drawn
}

/// A random program, in proportion to its score.
fn by_score<'a>(programs: &[&'a StoredProgram], rng: &mut Rng) -> Option<&'a StoredProgram> {
    let score = |stored: &StoredProgram| usize::try_from(stored.score).unwrap_or(usize::MAX);
    let total = programs
        .iter()
        .fold(0, |sum: usize, it| sum.saturating_add(score(it)));
    let mut left = rng.below(total);
    programs.iter().copied().find(|stored| {
        let is_it = left < score(stored);
        left = left.saturating_sub(score(stored));
        is_it
    })
}

/// A mutant with at least one mutation; `None` if none was found, or none that the dialect has
/// names for.
pub(super) fn mutant(
    program: &Program,
    examples: &[(Grid, Grid)],
    rate: f64,
    rng: &mut Rng,
) -> Option<StoredText> {
    let places = program.calls.iter().map(|call| 1 + call.arguments.len());
    let is_mutated = |_: &usize| (rng.next_u64() as f64) < rate * 2_f64.powi(64);
    let mutations = (0..places.sum()).filter(is_mutated).count().max(1);
    let mut mutant = program.clone();
    for _ in 0..mutations {
        mutant = mutate(&mutant, examples, rng)?.0;
    }
    stored_text(&mutant).ok().flatten()
}
