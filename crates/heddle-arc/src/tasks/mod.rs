//! Built-in tasks made by code, and programs that solve them.
//!
//! `heddle arc eval` runs them where there are no ARC tasks. Each [`TaskGenerator`] makes a
//! random input and computes its output in Rust, without the language. The program of the
//! same name in `programs.py` must compute the same output. There is one file of generators
//! for each family of primitives.

mod additions;
mod arithmetic;
mod construction;
mod containers;
mod drawing;
mod geometry;
mod higher;
mod lines;
mod painting;
mod patterns;
mod queries;
mod splitting;

use crate::data::{Dataset, Task};
use crate::engine::Grid;
use crate::prim::PrimFamily;
use crate::rng::Rng;
use drawing::GridRows;

/// Programs that solve the tasks.
pub const PROGRAMS: &str = include_str!("programs.py");

/// The numbers of training and test pairs of each task.
const TRAIN_PAIRS: u64 = 4;
const TEST_PAIRS: u64 = 2;

/// A generator of one task.
#[derive(Clone, Copy)]
pub struct TaskGenerator {
    /// The task's name.
    pub name: &'static str,
    /// The family of primitives it exercises.
    pub family: PrimFamily,
    /// Makes an input and its output. `theme` is the same for all pairs of a task.
    generate: fn(rng: &mut Rng, theme: u64) -> (GridRows, GridRows),
}

impl TaskGenerator {
    /// The task of a seed; equal seeds give equal tasks.
    #[must_use]
    pub fn task(&self, seed: u64) -> Task {
        // The name is part of the seed, so that tasks have different random numbers.
        let own = self
            .name
            .bytes()
            .fold(seed, |mixed, byte| mixed.rotate_left(7) ^ u64::from(byte));
        let theme = Rng::new(own).next_u64();
        let pair = |number: u64| {
            let (input, output) = (self.generate)(&mut Rng::of(own, number), theme);
            Some((Grid::new(&input).ok()?, Grid::new(&output).ok()?))
        };
        let train = 0..TRAIN_PAIRS;
        let test = TRAIN_PAIRS..TRAIN_PAIRS + TEST_PAIRS;
        Task {
            id: self.name.into(),
            train: train.filter_map(pair).collect(),
            test: test.filter_map(pair).collect(),
        }
    }
}

/// All generators, grouped by family.
pub fn generators() -> impl Iterator<Item = &'static TaskGenerator> {
    [
        arithmetic::GENERATORS,
        containers::GENERATORS,
        higher::GENERATORS,
        geometry::GENERATORS,
        splitting::GENERATORS,
        painting::GENERATORS,
        queries::GENERATORS,
        construction::GENERATORS,
        lines::GENERATORS,
        patterns::GENERATORS,
        additions::GENERATORS,
    ]
    .into_iter()
    .flatten()
}

/// All tasks of a seed.
#[must_use]
pub fn dataset(seed: u64) -> Dataset {
    let mut tasks: Vec<Task> = generators().map(|generator| generator.task(seed)).collect();
    tasks.sort_by(|a, b| a.id.cmp(&b.id));
    Dataset {
        tasks,
        notes: Vec::new(),
    }
}
