//! Computations of each workload, large enough that several threads run them.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::thread::{self, ThreadId};

use heddle::arc::assess::Grade;
use heddle::arc::data::Task;
use heddle::arc::engine::{Evaluation, EvaluationRef, Example, Tile, evaluate};
use heddle::arc::meter::Budget;
use heddle::arc::operations::{EvaluationSettings, Graded, TileExample, WorkerPool, evaluate_all};
use heddle::arc::plan::Plan;
use heddle::arc::program::load;
use heddle::arc::tasks::{PROGRAMS, dataset};
use heddle::lattice::Lattice;
use heddle::lattice::distance::{DistanceValues, ParallelThreshold};
use heddle::{Array, Config, Runtime};

/// A runtime and the data it computes with.
pub(crate) struct EveryWorkload {
    pub(crate) runtime: Runtime,
    bytes: Array<u8>,
    matrix: Array<f32>,
    free: Lattice,
    blocked: Lattice,
    plan: Plan,
    tasks: Vec<Task>,
    /// The threads that graded evaluations.
    pub(crate) threads: Mutex<BTreeSet<String>>,
}

/// All results.
#[derive(PartialEq)]
pub(crate) struct Computed {
    secret: Vec<u8>,
    product: Vec<f32>,
    distances: Vec<DistanceValues>,
    graded: Vec<Graded<Grade>>,
    evaluated: Vec<Vec<Evaluation>>,
}

impl EveryWorkload {
    pub(crate) fn new(threads: usize) -> Self {
        let config = Config::default().with(|it| it.threads = Some(threads));
        let side = 384;
        let values: Vec<f32> = (0..side * side).map(|at| (at % 17) as f32).collect();
        Self {
            runtime: Runtime::builder()
                .config(config)
                .without_model_cache()
                .build()
                .unwrap(),
            bytes: Array::from_slice(&vec![7_u8; 50 << 20]),
            matrix: Array::from_shape(&[side, side], &values).unwrap(),
            free: Lattice::cubic(3, 60).unwrap(),
            blocked: Lattice::cubic(3, 60)
                .unwrap()
                .with_blocked([1_000, 2_000, 3_000])
                .unwrap(),
            plan: Plan::new(&load(PROGRAMS, "programs.py").programs),
            tasks: dataset(1).tasks.into_iter().take(8).collect(),
            threads: Mutex::default(),
        }
    }

    pub(crate) fn compute(&self) -> Computed {
        let key = Array::from_slice(b"thread the heddle");
        let secret = self.runtime.xor(&self.bytes, &key).unwrap();
        let product = self.runtime.matmul(&self.matrix, &self.matrix).unwrap();
        let shared = ParallelThreshold { from_sites: 1 };
        let pool = self.runtime.pool();
        let distances = [
            self.free.distances_on(pool, &[0]),
            self.free.distances_on(pool, &[0, 100_000]),
            self.free.distances_by(&[0], shared),
            self.blocked.distances_by(&[0], shared),
        ];
        let examples: Vec<Vec<Example<'_>>> = self
            .tasks
            .iter()
            .map(|task| task.examples().collect())
            .collect();
        let tiles: Vec<Tile<'_>> = examples
            .iter()
            .map(|examples| Tile {
                plan: &self.plan,
                examples,
            })
            .collect();
        let worker_pool = WorkerPool::new(Budget::default());
        let grade = |part: TileExample, _: usize, evaluation: EvaluationRef<'_>| {
            let current = thread::current();
            let name = current.name().map(str::to_owned);
            let name = name.unwrap_or_else(|| unnamed(current.id()));
            self.threads.lock().unwrap().insert(name);
            let (_, wanted) = self.tasks[part.tile].pairs().nth(part.example).unwrap();
            Grade::of(&evaluation, wanted)
        };
        Computed {
            secret: secret.as_slice().unwrap().to_vec(),
            product: product.as_slice().unwrap().to_vec(),
            distances: distances.map(|found| found.unwrap().values).to_vec(),
            graded: evaluate_all(
                &self.runtime,
                &tiles,
                &EvaluationSettings::of(&worker_pool),
                grade,
            )
            .unwrap(),
            evaluated: evaluate(&self.plan, &examples[0], Budget::default()),
        }
    }
}

fn unnamed(id: ThreadId) -> String {
    format!("{id:?}")
}
