//! Operations of different types in one batch.

use std::any::{Any, TypeId};

use super::future::{Pending, Promise, promise};
use super::{Batchable, Book, answers_to};
use crate::Runtime;

/// Operations of any types, to be merged and run together; each answer comes out
/// where its operation went in.
///
/// ```
/// use heddle_runtime::ops::{MatMul, Xor};
/// use heddle_runtime::{Array, Runtime};
///
/// let runtime = Runtime::builder().forgetful().build()?;
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
pub struct Mixed<'a> {
    runtime: &'a Runtime,
    jobs: Jobs,
}

impl<'a> Mixed<'a> {
    pub(crate) fn new(runtime: &'a Runtime) -> Self {
        Self {
            runtime,
            jobs: Jobs::default(),
        }
    }

    /// One more operation. Its answer is there once the batch has [`run`](Self::run).
    pub fn push<B: Batchable + 'static>(&mut self, operation: B) -> Pending<B::Output> {
        let (job, pending) = Job::new(operation);
        self.jobs.push(Box::new(job));
        pending
    }

    /// Merges what can be merged, runs all of it and keeps every promise.
    pub fn run(self) {
        self.jobs.run(self.runtime, self.runtime.book());
    }
}

/// An operation and the promise of its answer.
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

/// A job whose type only it knows.
pub(super) trait AnyJob: Any + Send {
    /// Runs this and the others, which are of its type, and keeps their promises.
    fn run_with(self: Box<Self>, others: Vec<Box<dyn AnyJob>>, runtime: &Runtime, book: &Book);
}

impl<B: Batchable + 'static> AnyJob for Job<B> {
    fn run_with(self: Box<Self>, others: Vec<Box<dyn AnyJob>>, runtime: &Runtime, book: &Book) {
        let mut operations = vec![self.operation];
        let mut promises = vec![self.promise];
        for other in others {
            let other: Box<dyn Any> = other;
            // One of another type would resolve to an error by being dropped.
            if let Ok(job) = other.downcast::<Self>() {
                operations.push(job.operation);
                promises.push(job.promise);
            }
        }
        let answers = answers_to(runtime, book, operations);
        for (promise, answer) in promises.into_iter().zip(answers) {
            promise.keep(answer);
        }
    }
}

/// Jobs by type, in the order the types first came.
#[derive(Default)]
pub(super) struct Jobs {
    drawers: Vec<(TypeId, Vec<Box<dyn AnyJob>>)>,
}

impl Jobs {
    pub(super) fn push(&mut self, job: Box<dyn AnyJob>) {
        let id = (*job).type_id();
        match self.drawers.iter_mut().find(|drawer| drawer.0 == id) {
            Some((_, jobs)) => jobs.push(job),
            None => self.drawers.push((id, vec![job])),
        }
    }

    pub(super) fn run(self, runtime: &Runtime, book: &Book) {
        for (_, jobs) in self.drawers {
            let mut jobs = jobs.into_iter();
            if let Some(first) = jobs.next() {
                first.run_with(jobs.collect(), runtime, book);
            }
        }
    }
}

impl std::fmt::Debug for Jobs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count: usize = self.drawers.iter().map(|drawer| drawer.1.len()).sum();
        write!(f, "Jobs({count})")
    }
}
