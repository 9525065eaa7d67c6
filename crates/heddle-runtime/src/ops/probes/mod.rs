//! Probes of every array operation at every size, for calibration and `explain`.
//!
//! A recipe states what an operation of a size reads, writes and computes, and how to create
//! it. A test compares each recipe with the operation it creates.

pub(super) mod batched;

use smallvec::{SmallVec, smallvec};

use crate::array::{Array, HostBuffer, Residency};
use crate::device::{DeviceId, ExecutionContext};
use crate::dtype::DType;
use crate::error::Error;
use crate::memory::admit_host;
use crate::operation::{Description, Kind, Operand, Operation, ResultLocation};
use crate::shape::Shape;
use crate::units::Bytes;

use crate::ops::elementwise::{Binary, BinaryFunction, Unary, UnaryFunction};
use crate::ops::elementwise_gpu;
use crate::ops::matmul::{BATCH_MATMUL, BatchMatMul, MATMUL, MatMul};
use crate::ops::memory_budget;
use crate::ops::normalize::{Normalize, NormalizeMode};
use crate::ops::number::{Float, Number};
use crate::ops::probe::{Probe, discard_result};
use crate::ops::random::{RANDOM, Random, RandomElement};
use crate::ops::reduce::{MAX, MEAN, MIN, Max, Mean, Min, STD, SUM, Std, Sum, Summable};
use crate::ops::scale::{SCALE, Scale};
use crate::ops::table::entries;
use crate::ops::transpose::{TRANSPOSE, Transpose};
use crate::ops::xor::{BitElement, XOR, XOR_IN_PLACE, Xor, XorInPlace};

/// Bytes of the largest operand of a flat operation: larger than any cache, yet quick to fill.
const LARGEST: usize = 16 << 20;
/// Sides of the square matrices whose products are measured.
const MATRICES: [usize; 8] = [8, 16, 32, 64, 128, 256, 512, 1024];
/// Numbers of items in a batch, and the side of each.
const BATCHES: [usize; 5] = [1, 16, 128, 1024, 8192];
const ITEM: usize = 16;

type PreparedOperation = Result<Box<dyn Operation<Output = ()> + Send>, Error>;

/// What an operation of one size reads, writes and computes.
struct OperationSize {
    work: u64,
    operands: SmallVec<[Bytes; 3]>,
    output: Bytes,
    result: ResultLocation,
}

pub(crate) struct ArrayProbe {
    kind: &'static Kind,
    dtype: DType,
    size_means: &'static str,
    sizes: Vec<usize>,
    /// Where its operands are in any case; `None` if they are where the caller says.
    fixed_residency: Option<Residency>,
    operation_size: Box<dyn Fn(usize) -> OperationSize + Send + Sync>,
    prepare: Box<dyn Fn(usize) -> PreparedOperation + Send + Sync>,
}

impl Probe for ArrayProbe {
    fn kind(&self) -> &'static Kind {
        self.kind
    }

    fn dtype(&self) -> DType {
        self.dtype
    }

    fn size_means(&self) -> &'static str {
        self.size_means
    }

    fn sizes(&self) -> Vec<usize> {
        self.sizes.clone()
    }

    fn describe(&self, size: usize, residency: Residency) -> Description {
        let operation_size = (self.operation_size)(size);
        let description = Description {
            result: operation_size.result,
            ..Description::new(self.kind, self.dtype, operation_size.work)
                .writes(operation_size.output)
        };
        if operation_size.operands.is_empty() {
            // An operation that reads nothing has nothing to stream.
            return description;
        }
        let residency = self.fixed_residency.unwrap_or(residency);
        let operands = operation_size.operands.into_iter();
        memory_budget::can_split(operands.fold(description, |description, bytes| {
            description.reads(Operand { bytes, residency })
        }))
    }

    fn prepare(&self, size: usize) -> PreparedOperation {
        // The operands, and as much again for what small ones take beside their elements.
        let operands: Bytes = (self.operation_size)(size).operands.into_iter().sum();
        admit_host(self.kind.name(), operands + operands)?;
        (self.prepare)(size)
    }
}

/// The probes of every kind and each element type worth measuring.
#[must_use]
pub fn probes() -> Vec<Box<dyn Probe>> {
    let mut list = Vec::new();
    for entry in entries() {
        (entry.probes)(&mut list);
    }
    list.into_iter()
        .map(|recipe| Box::new(recipe) as Box<dyn Probe>)
        .collect()
}

pub(super) fn xor<T: BitElement + Number>(list: &mut Vec<ArrayProbe>) {
    list.push(flat::<T>(&XOR, 2, 3, Output::Map, |size| {
        discard(Xor::new(&operand::<T>(size), &operand(size)))
    }));
}

pub(super) fn xor_in_place<T: BitElement + Number>(list: &mut Vec<ArrayProbe>) {
    list.push(flat::<T>(&XOR_IN_PLACE, 2, 3, Output::Nothing, |size| {
        Ok(Box::new(OwnedXor {
            data: operand::<T>(size),
            key: operand(size),
        }))
    }));
}

pub(super) fn unary<T: Number, F: UnaryFunction<T> + 'static>(
    list: &mut Vec<ArrayProbe>,
    function: F,
) {
    list.push(flat::<T>(function.kind(), 1, 2, Output::Map, move |size| {
        discard(Ok(Unary::new(function, &operand::<T>(size))))
    }));
}

pub(super) fn binary<T: Number, F: BinaryFunction<T> + 'static>(
    list: &mut Vec<ArrayProbe>,
    function: F,
) {
    list.push(flat::<T>(function.kind(), 2, 3, Output::Map, move |size| {
        discard(Binary::new(function, operand::<T>(size), operand(size)))
    }));
}

pub(super) fn scale<T: Float>(list: &mut Vec<ArrayProbe>) {
    list.push(flat::<T>(&SCALE, 1, 2, Output::Map, |size| {
        discard(Ok(Scale::new(&operand::<T>(size), T::from_u8(3), T::ONE)))
    }));
}

pub(super) fn z_score<T: Float>(list: &mut Vec<ArrayProbe>) {
    normalize::<T>(list, NormalizeMode::ZScore);
}

pub(super) fn min_max<T: Float>(list: &mut Vec<ArrayProbe>) {
    normalize::<T>(list, NormalizeMode::MinMax);
}

pub(super) fn unit<T: Float>(list: &mut Vec<ArrayProbe>) {
    normalize::<T>(list, NormalizeMode::Unit);
}

fn normalize<T: Float>(list: &mut Vec<ArrayProbe>, mode: NormalizeMode) {
    let kind = mode.kind();
    list.push(flat::<T>(kind, 1, 3, Output::Elements, move |size| {
        discard(Ok(Normalize::new(&operand::<T>(size), mode)))
    }));
}

pub(super) fn sum<T: Summable>(list: &mut Vec<ArrayProbe>) {
    let output = Output::Bytes(Bytes::of::<T::Sum>(1));
    list.push(flat::<T>(&SUM, 1, 1, output, |size| {
        discard(Ok(Sum::new(&operand::<T>(size))))
    }));
}

pub(super) fn mean<T: Summable>(list: &mut Vec<ArrayProbe>) {
    let output = Output::Bytes(Bytes::of::<f64>(1));
    list.push(flat::<T>(&MEAN, 1, 1, output, |size| {
        discard(Mean::new(&operand::<T>(size)))
    }));
}

pub(super) fn std<T: Number>(list: &mut Vec<ArrayProbe>) {
    let output = Output::Bytes(Bytes::of::<f64>(1));
    list.push(flat::<T>(&STD, 1, 1, output, |size| {
        discard(Std::new(&operand::<T>(size)))
    }));
}

pub(super) fn min<T: Number>(list: &mut Vec<ArrayProbe>) {
    let output = Output::Bytes(Bytes::of::<T>(1));
    list.push(flat::<T>(&MIN, 1, 1, output, |size| {
        discard(Min::new(&operand::<T>(size)))
    }));
}

pub(super) fn max<T: Number>(list: &mut Vec<ArrayProbe>) {
    let output = Output::Bytes(Bytes::of::<T>(1));
    list.push(flat::<T>(&MAX, 1, 1, output, |size| {
        discard(Max::new(&operand::<T>(size)))
    }));
}

pub(super) fn matmul<T: Float>(list: &mut Vec<ArrayProbe>) {
    list.push(ArrayProbe {
        kind: &MATMUL,
        dtype: T::DTYPE,
        size_means: "rows of a square matrix",
        sizes: MATRICES.to_vec(),
        fixed_residency: None,
        operation_size: Box::new(|n| {
            let elements = n.saturating_mul(n);
            let bytes = Bytes::of::<T>(elements);
            OperationSize {
                work: elements.saturating_mul(n) as u64,
                operands: smallvec![bytes, bytes],
                output: bytes,
                result: ResultLocation::OnDevice,
            }
        }),
        prepare: Box::new(|n| {
            let matrix = || operand::<T>(n * n).reshape(&[n, n]);
            discard(MatMul::new(&matrix()?, &matrix()?))
        }),
    });
}

pub(super) fn batch_matmul<T: Float>(list: &mut Vec<ArrayProbe>) {
    list.push(ArrayProbe {
        kind: &BATCH_MATMUL,
        dtype: T::DTYPE,
        size_means: "16 x 16 matrices",
        sizes: BATCHES.to_vec(),
        fixed_residency: None,
        operation_size: Box::new(|batch| {
            let elements = batch.saturating_mul(ITEM * ITEM);
            let bytes = Bytes::of::<T>(elements);
            OperationSize {
                work: elements.saturating_mul(ITEM) as u64,
                operands: smallvec![bytes, bytes],
                output: bytes,
                result: ResultLocation::OnDevice,
            }
        }),
        prepare: Box::new(|batch| {
            let items = || operand::<T>(batch * ITEM * ITEM).reshape(&[batch, ITEM, ITEM]);
            discard(BatchMatMul::new(&items()?, &items()?))
        }),
    });
}

pub(super) fn transpose<T: Number>(list: &mut Vec<ArrayProbe>) {
    list.push(flat::<T>(&TRANSPOSE, 1, 2, Output::Elements, |size| {
        let rows = 1_usize << (size.max(1).ilog2() / 2);
        discard(
            operand::<T>(size)
                .reshape(&[rows, size / rows])
                .and_then(|a| Transpose::new(&a)),
        )
    }));
}

pub(super) fn random<T: Number + RandomElement>(list: &mut Vec<ArrayProbe>) {
    list.push(flat::<T>(&RANDOM, 0, 1, Output::Elements, |size| {
        discard(Random::<T>::new(1, &[size]))
    }));
}

/// The result of a flat operation.
#[derive(Clone, Copy)]
enum Output {
    Nothing,
    /// An array that stays on the device until it is read.
    Elements,
    /// The array of an elementwise operation, which streams if it is large.
    Map,
    /// A value, which is always downloaded.
    Bytes(Bytes),
}

/// An operation on `operands` flat arrays of one length that moves each element `passes` times
/// in all.
fn flat<T: Number>(
    kind: &'static Kind,
    operands: usize,
    passes: usize,
    output: Output,
    prepare: impl Fn(usize) -> PreparedOperation + Send + Sync + 'static,
) -> ArrayProbe {
    ArrayProbe {
        kind,
        dtype: T::DTYPE,
        size_means: "elements",
        sizes: (0..=4)
            .rev()
            .map(|step| (LARGEST / size_of::<T>()) >> (4 * step))
            .collect(),
        fixed_residency: None,
        operation_size: Box::new(move |size| OperationSize {
            work: Bytes::of::<T>(size).0.saturating_mul(passes as u64),
            operands: (0..operands).map(|_| Bytes::of::<T>(size)).collect(),
            output: match output {
                Output::Nothing => Bytes(0),
                Output::Elements | Output::Map => Bytes::of::<T>(size),
                Output::Bytes(bytes) => bytes,
            },
            result: match output {
                Output::Bytes(_) => ResultLocation::Host,
                Output::Map => elementwise_gpu::result_place(Bytes::of::<T>(size)),
                Output::Nothing | Output::Elements => ResultLocation::OnDevice,
            },
        }),
        prepare: Box::new(prepare),
    }
}

/// Small positive values: no zero divisor, and no overflow in `exp`.
fn operand<T: Number>(len: usize) -> Array<T> {
    let mut buffer = HostBuffer::unspecified(len);
    let cycle: [T; 64] = std::array::from_fn(|index| T::from_u8(index as u8 + 1));
    for values in buffer.as_mut_slice().chunks_mut(cycle.len()) {
        values.copy_from_slice(&cycle[..values.len()]);
    }
    Array::on_host(Shape::flat(len), buffer)
}

fn discard<O: Operation + Send + 'static>(operation: Result<O, Error>) -> PreparedOperation {
    operation.map(discard_result)
}

/// [`XorInPlace`] over its own data, which can be run repeatedly.
struct OwnedXor<T: BitElement> {
    data: Array<T>,
    key: Array<T>,
}

impl<T: BitElement> Operation for OwnedXor<T> {
    type Output = ();

    fn describe(&self) -> Description {
        crate::ops::xor::describe_in_place(&self.data, &self.key)
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        device.is_host() || device.has_kernels()
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<(), Error> {
        XorInPlace::new(&mut self.data, &self.key)?.run(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_describes_what_it_prepares() {
        for probe in probes() {
            // The smallest stays on its device, the largest streams.
            let sizes = probe.sizes();
            for &size in sizes.first().iter().chain(&sizes.last()) {
                let size = *size;
                let said = probe.describe(size, Residency::Host);
                let made = probe.prepare(size).unwrap().describe();
                let name = said.kind.name();
                assert_eq!(said.kind.id(), made.kind.id());
                assert_eq!(said.dtype, made.dtype, "{name}");
                assert_eq!(said.work, made.work, "{name} of {size}");
                assert_eq!(said.operands, made.operands, "{name} of {size}");
                assert_eq!(said.output, made.output, "{name} of {size}");
                assert_eq!(said.result, made.result, "{name} of {size}");
                assert_eq!(said.least, made.least, "{name} of {size}");
            }
        }
    }
}
