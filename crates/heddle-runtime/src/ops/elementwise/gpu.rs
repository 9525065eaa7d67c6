//! Functions of one or two elements on a GPU.

use smallvec::{SmallVec, smallvec};

use crate::array::Array;
use crate::device::{
    Accelerator, Argument, ChunkedMapInput, ExecutionContext, GatherPieces, Kernel, MapChunk,
    ScatterSink,
};
use crate::dtype::Element;
use crate::error::Error;
use crate::shape::Shape;

use super::super::elementwise_gpu::{self, MapOperand};
use super::super::kernel;
use super::super::number::Number;
use super::zeros::ZeroDivisorCheck;
use super::{ArrayOrScalar, BinaryFunction, UnaryFunction};

/// Which operand of a binary kernel is a scalar. Mirrors kernels/binary.cu.
#[derive(Clone, Copy)]
enum Form {
    Arrays,
    ScalarRight,
    ScalarLeft,
}

/// `f(input)` into a new array.
pub(super) fn unary<T: Number, F: UnaryFunction<T>>(
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
    function: F,
    input: &Array<T>,
) -> Result<Array<T>, Error> {
    let kernel = implemented(function.kernel(), function.kind().name(), context)?;
    elementwise_gpu::fresh(
        context,
        accelerator,
        input.shape(),
        &[MapOperand::PerElement(input)],
        &mut |chunk| launch_unary::<T>(accelerator, kernel, chunk),
    )
}

/// `f(input)` of many inputs on the host, stored back to back.
pub(super) fn unary_scattered<T: Number, F: UnaryFunction<T>>(
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
    function: F,
    input: &GatherPieces<'_>,
    output: ScatterSink<'_>,
) -> Result<(), Error> {
    let kernel = implemented(function.kernel(), function.kind().name(), context)?;
    let unit = size_of::<T>();
    let inputs = [ChunkedMapInput::new(input, unit)];
    elementwise_gpu::scattered(context, accelerator, &inputs, output, unit, &mut |chunk| {
        launch_unary::<T>(accelerator, kernel, chunk)
    })
}

/// One operand of many items: the same scalar for all, or elements on the host.
pub(super) enum PackedOperand<'a, T> {
    Scalar(T),
    Elements(GatherPieces<'a>),
}

/// `f(left, right)` of many items, of which at least one operand has elements. The caller has
/// checked that no integer is divided by zero.
pub(super) fn binary_scattered<T: Number, F: BinaryFunction<T>>(
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
    function: F,
    (left, right): (&PackedOperand<'_, T>, &PackedOperand<'_, T>),
    output: ScatterSink<'_>,
) -> Result<(), Error> {
    let (form, scalar) = match (left, right) {
        (PackedOperand::Scalar(left), _) => (Form::ScalarLeft, *left),
        (_, PackedOperand::Scalar(right)) => (Form::ScalarRight, *right),
        _ => (Form::Arrays, T::ZERO),
    };
    let call = BinaryCall {
        accelerator,
        kernel: implemented(function.kernel(), function.kind().name(), context)?,
        form,
        scalar,
    };
    let unit = size_of::<T>();
    let inputs: SmallVec<[_; 2]> = [left, right]
        .into_iter()
        .filter_map(|operand| match operand {
            PackedOperand::Scalar(_) => None,
            PackedOperand::Elements(pieces) => Some(ChunkedMapInput::new(pieces, unit)),
        })
        .collect();
    elementwise_gpu::scattered(context, accelerator, &inputs, output, unit, &mut |chunk| {
        call.launch(chunk)
    })
}

/// `f(data)`, written over `data`.
pub(super) fn unary_in_place<T: Number, F: UnaryFunction<T>>(
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
    function: F,
    data: &mut Array<T>,
) -> Result<(), Error> {
    let kernel = implemented(function.kernel(), function.kind().name(), context)?;
    elementwise_gpu::over(context, accelerator, data, &[], &mut |chunk| {
        launch_unary::<T>(accelerator, kernel, chunk)
    })
}

/// `f(left, right)` into a new array. Of two scalars the left one is uploaded as an array of
/// one element.
pub(super) fn binary<T: Number, F: BinaryFunction<T>>(
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
    function: F,
    (left, right): (&ArrayOrScalar<T>, &ArrayOrScalar<T>),
    shape: &Shape,
) -> Result<Array<T>, Error> {
    let operation = function.kind().name();
    let alone;
    let (form, scalar, map_operands): (_, _, SmallVec<[_; 2]>) = match (left, right) {
        (ArrayOrScalar::Array(left), ArrayOrScalar::Array(right)) => (
            Form::Arrays,
            T::ZERO,
            smallvec![MapOperand::PerElement(left), MapOperand::PerElement(right)],
        ),
        (ArrayOrScalar::Array(left), &ArrayOrScalar::Scalar(right)) => (
            Form::ScalarRight,
            right,
            smallvec![MapOperand::PerElement(left)],
        ),
        (&ArrayOrScalar::Scalar(left), ArrayOrScalar::Array(right)) => (
            Form::ScalarLeft,
            left,
            smallvec![MapOperand::PerElement(right)],
        ),
        (&ArrayOrScalar::Scalar(left), &ArrayOrScalar::Scalar(right)) => {
            alone = Array::from_shape(shape.extents(), &[left])?;
            (
                Form::ScalarRight,
                right,
                smallvec![MapOperand::PerElement(&alone)],
            )
        }
    };
    let call = BinaryCall {
        accelerator,
        kernel: implemented(function.kernel(), operation, context)?,
        form,
        scalar,
    };
    let zeros = match right {
        ArrayOrScalar::Array(_) if function.divides() && T::IS_INTEGER => {
            Some(ZeroDivisorCheck::start(context, accelerator)?)
        }
        _ => None,
    };
    let result =
        elementwise_gpu::fresh(context, accelerator, shape, &map_operands, &mut |chunk| {
            if let (Some(zeros), Some(&divisor)) = (&zeros, chunk.inputs.last()) {
                zeros.scan::<T>(divisor, chunk.first_element, chunk.elements)?;
            }
            call.launch(chunk)
        })?;
    zeros.map_or(Ok(()), |zeros| zeros.refuse::<T>())?;
    Ok(result)
}

/// `f(data, right)`, written over `data`, which is unchanged if an integer of `right` is a zero
/// divisor.
pub(super) fn binary_in_place<T: Number, F: BinaryFunction<T>>(
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
    function: F,
    data: &mut Array<T>,
    right: &ArrayOrScalar<T>,
) -> Result<(), Error> {
    let (form, scalar, others): (_, _, SmallVec<[_; 1]>) = match right {
        ArrayOrScalar::Array(right) => (
            Form::Arrays,
            T::ZERO,
            smallvec![MapOperand::PerElement(right)],
        ),
        &ArrayOrScalar::Scalar(right) => (Form::ScalarRight, right, SmallVec::new()),
    };
    if let ArrayOrScalar::Array(divisor) = right
        && function.divides()
        && T::IS_INTEGER
    {
        if elementwise_gpu::streams_over(context, data, &others) {
            // The result of a stream has its own memory, so the divisor can be
            // checked on the way.
            let left = ArrayOrScalar::from(&*data);
            *data = binary(context, accelerator, function, (&left, right), data.shape())?;
            return Ok(());
        }
        let zeros = ZeroDivisorCheck::start(context, accelerator)?;
        zeros.scan::<T>(&**context.resident(divisor, accelerator)?, 0, divisor.len())?;
        zeros.refuse::<T>()?;
    }
    let call = BinaryCall {
        accelerator,
        kernel: implemented(function.kernel(), function.kind().name(), context)?,
        form,
        scalar,
    };
    elementwise_gpu::over(context, accelerator, data, &others, &mut |chunk| {
        call.launch(chunk)
    })
}

fn launch_unary<T: Element>(
    accelerator: &dyn Accelerator,
    kernel: &'static Kernel,
    chunk: &MapChunk<'_>,
) -> Result<(), Error> {
    kernel::over_elements(
        accelerator,
        kernel,
        chunk.elements,
        kernel::per_line::<T>(),
        &[
            Argument::Buffer(chunk.inputs[0]),
            Argument::Buffer(chunk.output),
            Argument::U64(chunk.elements as u64),
        ],
    )
}

/// One binary kernel, ready to be launched over any range of elements.
struct BinaryCall<'a, T> {
    accelerator: &'a dyn Accelerator,
    kernel: &'static Kernel,
    form: Form,
    scalar: T,
}

impl<T: Number> BinaryCall<'_, T> {
    fn launch(&self, chunk: &MapChunk<'_>) -> Result<(), Error> {
        // A single array is passed as both: the kernel does not read the operand that is
        // a scalar.
        let (left, right) = (chunk.inputs[0], chunk.inputs[chunk.inputs.len() - 1]);
        kernel::over_elements(
            self.accelerator,
            self.kernel,
            chunk.elements,
            kernel::per_line::<T>(),
            &[
                Argument::Buffer(left),
                Argument::Buffer(right),
                kernel::scalar(self.scalar),
                Argument::U32(self.form as u32),
                Argument::Buffer(chunk.output),
                Argument::U64(chunk.elements as u64),
            ],
        )
    }
}

/// The name of the kernel, of a function that has one.
fn implemented(
    kernel: Option<&'static Kernel>,
    operation: &'static str,
    context: &ExecutionContext<'_>,
) -> Result<&'static Kernel, Error> {
    kernel.ok_or(Error::NotImplementedOn {
        operation,
        device: context.device(),
    })
}
