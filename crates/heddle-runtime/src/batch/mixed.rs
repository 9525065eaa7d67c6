//! Operations of different types in one batch.

use std::any::{Any, TypeId};

use super::future::{Pending, Promise, promise};
use super::{BatchCounters, Batchable, results_of};
use crate::Runtime;

/// Operations of any types, merged and run together. Each has its own pending result.
///
/// ```
/// use heddle_runtime::ops::{MatMul, Xor};
/// use heddle_runtime::{Array, Runtime};
///
/// let runtime = Runtime::builder().without_model_cache().build()?;
/// let ones = Array::from_shape(&[2, 2], &[1.0_f32; 4])?;
/// let mut mixed = runtime.mixed();
/// let secret = mixed.push(Xor::new(&Array::from_slice(b"ab"), &Array::from_slice(b"k"))?);
/// let product = mixed.push(MatMul::new(&ones, &ones)?);
/// mixed.run();
/// assert_eq!(secret.wait()?.as_slice()?, [b'a' ^ b'k', b'b' ^ b'k']);
/// assert_eq!(product.wait()?.as_slice()?, [2.0; 4]);
/// # Ok::<(), heddle_runtime::Error>(())
/// ```
#[derive(Debug)]
pub struct MixedBatch<'a> {
    runtime: &'a Runtime,
    jobs: Jobs,
}

impl<'a> MixedBatch<'a> {
    pub(crate) fn new(runtime: &'a Runtime) -> Self {
        Self {
            runtime,
            jobs: Jobs::default(),
        }
    }

    /// Adds an operation. Its result is available once the batch has [`run`](Self::run).
    pub fn push<B: Batchable + 'static>(&mut self, operation: B) -> Pending<B::Output> {
        let (job, pending) = Job::new(operation);
        self.jobs.push(Box::new(job));
        pending
    }

    /// Merges the operations where possible, runs all of them and resolves every result.
    pub fn run(self) {
        self.jobs.run(self.runtime, self.runtime.batch_counters());
    }
}

/// An operation and the promise of its result.
pub(super) struct Job<B: Batchable> {
    operation: B,
    promise: Promise<B::Output>,
}

impl<B: Batchable> Job<B> {
    pub(super) fn new(operation: B) -> (Self, Pending<B::Output>) {
        let (promise, pending) = promise();
        (Self { operation, promise }, pending)
    }
}

/// A job whose type is erased.
pub(super) trait AnyJob: Any + Send {
    /// Runs this job and the others, which are of the same type, and resolves their promises.
    fn run_with(
        self: Box<Self>,
        others: Vec<Box<dyn AnyJob>>,
        runtime: &Runtime,
        batch_counters: &BatchCounters,
    );
}

impl<B: Batchable + 'static> AnyJob for Job<B> {
    fn run_with(
        self: Box<Self>,
        others: Vec<Box<dyn AnyJob>>,
        runtime: &Runtime,
        batch_counters: &BatchCounters,
    ) {
        let mut operations = vec![self.operation];
        let mut promises = vec![self.promise];
        for other in others {
            let other: Box<dyn Any> = other;
            // A job of another type would be dropped, and so resolve to an error.
            if let Ok(job) = other.downcast::<Self>() {
                operations.push(job.operation);
                promises.push(job.promise);
            }
        }
        let results = results_of(runtime, batch_counters, operations);
        for (promise, result) in promises.into_iter().zip(results) {
            promise.resolve_with(result);
        }
    }
}

/// Jobs by type, in the order of each type's first job.
#[derive(Default)]
pub(super) struct Jobs {
    by_type: Vec<(TypeId, Vec<Box<dyn AnyJob>>)>,
}

impl Jobs {
    pub(super) fn push(&mut self, job: Box<dyn AnyJob>) {
        let id = (*job).type_id();
        match self.by_type.iter_mut().find(|entry| entry.0 == id) {
            Some((_, jobs)) => jobs.push(job),
            None => self.by_type.push((id, vec![job])),
        }
    }

    pub(super) fn run(self, runtime: &Runtime, batch_counters: &BatchCounters) {
        for (_, jobs) in self.by_type {
            let mut jobs = jobs.into_iter();
            if let Some(first) = jobs.next() {
                first.run_with(jobs.collect(), runtime, batch_counters);
            }
        }
    }
}

impl std::fmt::Debug for Jobs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count: usize = self.by_type.iter().map(|entry| entry.1.len()).sum();
        write!(f, "Jobs({count})")
    }
}
