//! A mixed workload: very many tiny operations, chains, products of all sizes and
//! a little bulk, as the users of a runtime like this one have them.

use heddle::ops::{
    BatchMatMul, Binary, Exp, MatMul, Mul, Normalize, NormalizeMode, Random, Scale, Sqrt, Sum,
    Transpose, Unary, Xor,
};
use heddle::{Array, Error, Operation, Runtime};

use super::race::Reasons;

/// Data of one workload, made once and used in every round.
pub(super) struct Workload {
    /// Messages of 5 to 1,024 bytes.
    messages: Vec<Array<u8>>,
    key: Array<u8>,
    /// A few tens of thousands of tiny XORs are made of the messages.
    message_rounds: usize,
    /// Signals of 1,000 to 2,000,000 values for elementwise chains.
    signals: Vec<Array<f32>>,
    /// Square matrices, small to large, and how often each is multiplied.
    matrices: Vec<(Array<f32>, usize)>,
    batch: Array<f32>,
    batch_rounds: usize,
    bulk: Array<u8>,
    seed: u64,
}

impl Workload {
    pub(super) fn new(runtime: &Runtime, seed: u64) -> Result<Self, Error> {
        let mut next = seed;
        let mut fresh = || {
            next = next.wrapping_add(1);
            next
        };
        let messages = (0..200)
            .map(|index| runtime.random(&[5 + index * 1019 / 199], fresh()))
            .collect::<Result<_, _>>()?;
        let signals = [(40, 1_000), (20, 30_000), (4, 400_000), (1, 2_000_000)]
            .into_iter()
            .flat_map(|(count, length)| std::iter::repeat_n(length, count))
            .map(|length| runtime.random(&[length], fresh()))
            .collect::<Result<_, _>>()?;
        let matrices = [(16, 300), (32, 300), (64, 100), (256, 6), (768, 2)]
            .into_iter()
            .map(|(side, times)| Ok((runtime.random(&[side, side], fresh())?, times)))
            .collect::<Result<_, Error>>()?;
        Ok(Self {
            messages,
            key: Array::from_slice(b"thread the heddle"),
            message_rounds: 100,
            signals,
            matrices,
            batch: runtime.random(&[10, 256, 256], fresh())?,
            batch_rounds: 3,
            bulk: runtime.random(&[16 << 20], fresh())?,
            seed,
        })
    }

    /// Runs everything once and says how many operations that was. The reason for
    /// the first decision of each kind and device is left in `reasons`.
    pub(super) fn run(&self, runtime: &Runtime, reasons: &mut Reasons) -> Result<usize, Error> {
        let mut road = Road {
            runtime,
            reasons,
            operations: 0,
        };
        self.tiny(&mut road)?;
        self.chains(&mut road)?;
        self.products(&mut road)?;
        self.bulk(&mut road)?;
        Ok(road.operations)
    }

    fn tiny(&self, road: &mut Road<'_>) -> Result<(), Error> {
        for _ in 0..self.message_rounds {
            for message in &self.messages {
                road.run(Xor::new(message, &self.key)?)?;
            }
        }
        Ok(())
    }

    fn chains(&self, road: &mut Road<'_>) -> Result<(), Error> {
        for signal in &self.signals {
            let scaled = road.run(Scale::new(signal, 0.5, 0.25)?)?;
            let root = road.run(Unary::new(Sqrt, &scaled)?)?;
            let grown = road.run(Unary::new(Exp, &root)?)?;
            let product = road.run(Binary::new(Mul, &grown, &root)?)?;
            let even = road.run(Normalize::new(&product, NormalizeMode::ZScore)?)?;
            road.run(Sum::new(&even)?)?;
        }
        Ok(())
    }

    fn products(&self, road: &mut Road<'_>) -> Result<(), Error> {
        for (matrix, times) in &self.matrices {
            let turned = road.run(Transpose::new(matrix)?)?;
            for _ in 0..*times {
                road.run(MatMul::new(matrix, &turned)?)?;
            }
        }
        for _ in 0..self.batch_rounds {
            road.run(BatchMatMul::new(&self.batch, &self.batch)?)?;
        }
        Ok(())
    }

    fn bulk(&self, road: &mut Road<'_>) -> Result<(), Error> {
        let secret = road.run(Xor::new(&self.bulk, &self.key)?)?;
        road.run(Xor::new(&secret, &self.key)?)?;
        road.run(Random::<f32>::new(self.seed, &[4 << 20])?)?;
        Ok(())
    }
}

/// Runs operations and keeps why each went where it did.
struct Road<'a> {
    runtime: &'a Runtime,
    reasons: &'a mut Reasons,
    operations: usize,
}

impl Road<'_> {
    fn run<O: Operation>(&mut self, operation: O) -> Result<O::Output, Error> {
        let kind = operation.describe().kind.name();
        let outcome = self.runtime.trace(operation, None)?;
        self.operations += 1;
        let key = (kind, outcome.decision.device);
        // A sentence costs more than a tiny operation, so it is written once.
        self.reasons
            .entry(key)
            .or_insert_with(|| outcome.decision.to_string());
        Ok(outcome.output)
    }
}
