//! A mixed workload: very many tiny operations, elementwise chains, matrix products of all
//! sizes, a hundred lattices, programs on coloured grids and some large arrays.

use heddle::arc::gpu::LaunchSettings;
use heddle::device::DeviceId;
use heddle::lattice::graph::Build;
use heddle::lattice::structure::AnalysisLimits;
use heddle::lattice::{Axis, Lattice, LatticeBatch, Site};
use heddle::ops::{
    BatchMatMul, Binary, Exp, MatMul, Mul, Normalize, NormalizeMode, Random, RandomElement, Scale,
    Sqrt, Sum, Transpose, Unary, Xor,
};
use heddle::{Array, Error, Operation, RunOutcome, Runtime, recording};

use super::decision_summary::DecisionSummary;
use super::grids::Grids;
use crate::cli::Failure;

/// The data of a workload, created once in host memory and used in every round.
pub(super) struct Workload {
    /// Messages of 5 to 1,024 bytes.
    messages: Vec<Array<u8>>,
    key: Array<u8>,
    /// How often each message is xored: some tens of thousands of tiny operations in all.
    message_rounds: usize,
    /// Signals of 1,000 to 2,000,000 values for elementwise chains.
    signals: Vec<Array<f32>>,
    /// Square matrices, small to large, and how often each is multiplied.
    matrices: Vec<(Array<f32>, usize)>,
    batch: Array<f32>,
    batch_rounds: usize,
    bulk: Array<u8>,
    lattices: LatticeBatch,
    /// One byte per site of each lattice.
    states: Vec<Array<u8>>,
    grids: Grids,
    seed: u64,
}

impl Workload {
    pub(super) fn new(
        runtime: &Runtime,
        launch: LaunchSettings,
        seed: u64,
    ) -> Result<Self, Failure> {
        let mut next = seed;
        let mut fresh = || {
            next = next.wrapping_add(1);
            next
        };
        let messages = (0..200)
            .map(|index| on_host(runtime, &[5 + index * 1019 / 199], fresh()))
            .collect::<Result<_, _>>()?;
        let signals = [(40, 1_000), (20, 30_000), (4, 400_000), (1, 2_000_000)]
            .into_iter()
            .flat_map(|(count, length)| std::iter::repeat_n(length, count))
            .map(|length| on_host(runtime, &[length], fresh()))
            .collect::<Result<_, _>>()?;
        let matrices = [(16, 300), (32, 300), (64, 100), (256, 6), (768, 2)]
            .into_iter()
            .map(|(side, times)| Ok((on_host(runtime, &[side, side], fresh())?, times)))
            .collect::<Result<_, Error>>()?;
        let lattices = lattices()?;
        let states = lattices
            .lattices()
            .iter()
            .map(|lattice| on_host(runtime, &[lattice.sites() as usize], fresh()))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            messages,
            key: Array::from_slice(b"thread the heddle"),
            message_rounds: 100,
            signals,
            matrices,
            batch: on_host(runtime, &[10, 256, 256], fresh())?,
            batch_rounds: 3,
            bulk: on_host(runtime, &[16 << 20], fresh())?,
            lattices,
            states,
            grids: Grids::new(seed, launch),
            seed,
        })
    }

    /// Lattices in one round.
    pub(super) fn lattices(&self) -> usize {
        self.lattices.lattices().len()
    }

    /// Evaluations of ARC programs in one round.
    pub(super) fn evaluations(&self) -> usize {
        self.grids.evaluations()
    }

    /// Drops all device copies of the data, so that no round profits from the transfers of
    /// an earlier one.
    pub(super) fn evict_all(&self) {
        let arrays = self.messages.iter().chain(&self.states);
        for bytes in arrays.chain([&self.key, &self.bulk]) {
            bytes.evict();
        }
        let matrices = self.matrices.iter().map(|(matrix, _)| matrix);
        for values in self.signals.iter().chain(matrices).chain([&self.batch]) {
            values.evict();
        }
    }

    /// Runs everything once and returns the number of operations.
    pub(super) fn run(&self, runtime: &Runtime) -> Result<usize, Failure> {
        let mut executor = DirectExecutor {
            runtime,
            operations: 0,
        };
        self.run_all(&mut executor)?;
        Ok(executor.operations)
    }

    /// Runs everything once and adds all decisions to `decision_summary`.
    pub(super) fn run_and_record(
        &self,
        runtime: &Runtime,
        decision_summary: &mut DecisionSummary,
    ) -> Result<(), Failure> {
        self.run_all(&mut RecordingExecutor {
            runtime,
            decision_summary,
        })
    }

    fn run_all(&self, executor: &mut impl Executor) -> Result<(), Failure> {
        self.tiny(executor)?;
        self.chains(executor)?;
        self.products(executor)?;
        self.analyze(executor)?;
        self.grids.run(executor)?;
        self.bulk(executor)?;
        Ok(())
    }

    fn tiny(&self, executor: &mut impl Executor) -> Result<(), Error> {
        for _ in 0..self.message_rounds {
            for message in &self.messages {
                executor.run(Xor::new(message, &self.key)?)?;
            }
        }
        Ok(())
    }

    fn chains(&self, executor: &mut impl Executor) -> Result<(), Error> {
        for signal in &self.signals {
            executor.run_retryable("elementwise chain", |executor| {
                let scaled = executor.run(Scale::new(signal, 0.5, 0.25))?;
                let root = executor.run(Unary::new(Sqrt, &scaled))?;
                let grown = executor.run(Unary::new(Exp, &root))?;
                let product = executor.run(Binary::new(Mul, &grown, &root)?)?;
                let even = executor.run(Normalize::new(&product, NormalizeMode::ZScore))?;
                executor.run(Sum::new(&even))?;
                Ok(())
            })?;
        }
        Ok(())
    }

    fn products(&self, executor: &mut impl Executor) -> Result<(), Error> {
        for (matrix, times) in &self.matrices {
            executor.run_retryable("products of a matrix", |executor| {
                let turned = executor.run(Transpose::new(matrix)?)?;
                for _ in 0..*times {
                    executor.run(MatMul::new(matrix, &turned)?)?;
                }
                Ok(())
            })?;
        }
        for _ in 0..self.batch_rounds {
            executor.run(BatchMatMul::new(&self.batch, &self.batch)?)?;
        }
        Ok(())
    }

    /// For each lattice: builds its graph, xors its state with the key, analyses it, and
    /// finds a path from corner to corner.
    fn analyze(&self, executor: &mut impl Executor) -> Result<(), Failure> {
        for (lattice, state) in self.lattices.lattices().iter().zip(&self.states) {
            executor.run(Build::new(lattice)?)?;
            executor.run(Xor::new(state, &self.key)?)?;
        }
        for analysis in self
            .lattices
            .analyze(executor.runtime(), &AnalysisLimits::default())
        {
            analysis?;
        }
        let ends: Vec<(Site, Site)> = self
            .lattices
            .lattices()
            .iter()
            .map(|lattice| (0, lattice.sites() - 1))
            .collect();
        executor.run(self.lattices.paths(&ends)?)?;
        Ok(())
    }

    fn bulk(&self, executor: &mut impl Executor) -> Result<(), Error> {
        executor.run_retryable("bulk there and back", |executor| {
            let secret = executor.run(Xor::new(&self.bulk, &self.key)?)?;
            executor.run(Xor::new(&secret, &self.key)?)?;
            Ok(())
        })?;
        executor.run(Random::<f32>::new(self.seed, &[4 << 20])?)?;
        Ok(())
    }
}

/// Returns a hundred lattices of four dimensions and side 10, every other one periodic.
fn lattices() -> Result<LatticeBatch, heddle::lattice::Error> {
    (0..100)
        .map(|index| {
            let axis = if index % 2 == 0 {
                Axis::open(10)
            } else {
                Axis::periodic(10)
            };
            Lattice::new([axis; 4])
        })
        .collect()
}

/// Returns random values, generated on the CPU: an array that only a GPU holds would be
/// gone if that GPU is lost.
fn on_host<T: RandomElement>(
    runtime: &Runtime,
    extents: &[usize],
    seed: u64,
) -> Result<Array<T>, Error> {
    runtime.run_on(DeviceId::CPU, Random::new(seed, extents)?)
}

/// How operations are run.
pub(super) trait Executor {
    /// The runtime that runs them.
    fn runtime(&self) -> &Runtime;

    fn run<O: Operation>(&mut self, operation: O) -> Result<O::Output, Error>;

    /// Runs operations that depend on each other; runs them again from the first if an
    /// intermediate result is lost with its device.
    fn run_retryable(
        &mut self,
        name: &'static str,
        steps: impl FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error>;
}

/// Runs operations with no additional work, because this is timed.
struct DirectExecutor<'a> {
    runtime: &'a Runtime,
    operations: usize,
}

impl Executor for DirectExecutor<'_> {
    fn runtime(&self) -> &Runtime {
        self.runtime
    }

    fn run<O: Operation>(&mut self, operation: O) -> Result<O::Output, Error> {
        self.operations += 1;
        self.runtime.run(operation)
    }

    /// Counts only the operations of the last attempt.
    fn run_retryable(
        &mut self,
        name: &'static str,
        mut steps: impl FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (runtime, before) = (self.runtime, self.operations);
        runtime.retry_on_device_loss(name, || {
            self.operations = before;
            steps(self)
        })
    }
}

/// Runs operations and records their decisions.
struct RecordingExecutor<'a> {
    runtime: &'a Runtime,
    decision_summary: &'a mut DecisionSummary,
}

impl Executor for RecordingExecutor<'_> {
    fn runtime(&self) -> &Runtime {
        self.runtime
    }

    fn run<O: Operation>(&mut self, operation: O) -> Result<O::Output, Error> {
        let described = operation.describe();
        let outcome = self.runtime.run_traced(operation, None)?;
        let RunOutcome {
            output,
            decision,
            timing,
            ..
        } = outcome;
        self.decision_summary.note(described.kind.name(), &decision);
        recording::note(
            &mut self.decision_summary.decisions,
            &described,
            &decision,
            &timing,
        );
        Ok(output)
    }

    fn run_retryable(
        &mut self,
        name: &'static str,
        mut steps: impl FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let runtime = self.runtime;
        runtime.retry_on_device_loss(name, || steps(self))
    }
}
