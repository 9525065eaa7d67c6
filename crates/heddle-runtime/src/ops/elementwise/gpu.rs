//! Functions of one or two elements on a GPU.

use smallvec::{SmallVec, smallvec};

use crate::array::Array;
use crate::device::{
    Accelerator, Argument, Kernel, Lane, Pieces, PipelineChunk, PipelineInput, Sink,
};
use crate::dtype::Element;
use crate::error::Error;
use crate::shape::Shape;

use super::super::kernel;
use super::super::number::Number;
use super::super::pass::{self, Side};
use super::zeros::Zeros;
use super::{BinaryFunction, Term, UnaryFunction};

/// Which side of a binary kernel is a scalar. Mirrors kernels/binary.cu.
#[derive(Clone, Copy)]
enum Form {
    Arrays,
    ScalarRight,
    ScalarLeft,
}

/// `f(input)` in a new array.
pub(super) fn unary<T: Number, F: UnaryFunction<T>>(
    lane: &Lane<'_>,
    accelerator: &dyn Accelerator,
    function: F,
    input: &Array<T>,
) -> Result<Array<T>, Error> {
    let kernel = implemented(function.kernel(), function.kind().name(), lane)?;
    pass::fresh(
        lane,
        accelerator,
        input.shape(),
        &[Side::Each(input)],
        &mut |chunk| launch_unary::<T>(accelerator, kernel, chunk),
    )
}

/// `f(input)` of many inputs on the host, one behind the other.
pub(super) fn unary_scattered<T: Number, F: UnaryFunction<T>>(
    lane: &Lane<'_>,
    accelerator: &dyn Accelerator,
    function: F,
    input: &Pieces<'_>,
    output: Sink<'_>,
) -> Result<(), Error> {
    let kernel = implemented(function.kernel(), function.kind().name(), lane)?;
    let unit = size_of::<T>();
    let inputs = [PipelineInput {
        bytes: input.into(),
        unit,
    }];
    pass::scattered(lane, accelerator, &inputs, output, unit, &mut |chunk| {
        launch_unary::<T>(accelerator, kernel, chunk)
    })
}

/// One side of many items: the same scalar for all, or elements on the host.
pub(super) enum Packed<'a, T> {
    Scalar(T),
    Elements(Pieces<'a>),
}

/// `f(left, right)` of many items; at least one side has elements. Integers are not
/// divided by zero: the caller has looked.
pub(super) fn binary_scattered<T: Number, F: BinaryFunction<T>>(
    lane: &Lane<'_>,
    accelerator: &dyn Accelerator,
    function: F,
    (left, right): (&Packed<'_, T>, &Packed<'_, T>),
    output: Sink<'_>,
) -> Result<(), Error> {
    let (form, scalar) = match (left, right) {
        (Packed::Scalar(left), _) => (Form::ScalarLeft, *left),
        (_, Packed::Scalar(right)) => (Form::ScalarRight, *right),
        _ => (Form::Arrays, T::ZERO),
    };
    let call = BinaryCall {
        accelerator,
        kernel: implemented(function.kernel(), function.kind().name(), lane)?,
        form,
        scalar,
    };
    let unit = size_of::<T>();
    let inputs: SmallVec<[_; 2]> = [left, right]
        .into_iter()
        .filter_map(|side| match side {
            Packed::Scalar(_) => None,
            Packed::Elements(pieces) => Some(PipelineInput {
                bytes: pieces.into(),
                unit,
            }),
        })
        .collect();
    pass::scattered(lane, accelerator, &inputs, output, unit, &mut |chunk| {
        call.launch(chunk)
    })
}

/// `f(data)` over the data itself.
pub(super) fn unary_in_place<T: Number, F: UnaryFunction<T>>(
    lane: &Lane<'_>,
    accelerator: &dyn Accelerator,
    function: F,
    data: &mut Array<T>,
) -> Result<(), Error> {
    let kernel = implemented(function.kernel(), function.kind().name(), lane)?;
    pass::over(lane, accelerator, data, &[], &mut |chunk| {
        launch_unary::<T>(accelerator, kernel, chunk)
    })
}

/// `f(left, right)` in a new array. Of two scalars the left one is brought up as an
/// array of one element.
pub(super) fn binary<T: Number, F: BinaryFunction<T>>(
    lane: &Lane<'_>,
    accelerator: &dyn Accelerator,
    function: F,
    (left, right): (&Term<T>, &Term<T>),
    shape: &Shape,
) -> Result<Array<T>, Error> {
    let operation = function.kind().name();
    let alone;
    let (form, scalar, sides): (_, _, SmallVec<[_; 2]>) = match (left, right) {
        (Term::Array(left), Term::Array(right)) => (
            Form::Arrays,
            T::ZERO,
            smallvec![Side::Each(left), Side::Each(right)],
        ),
        (Term::Array(left), &Term::Scalar(right)) => {
            (Form::ScalarRight, right, smallvec![Side::Each(left)])
        }
        (&Term::Scalar(left), Term::Array(right)) => {
            (Form::ScalarLeft, left, smallvec![Side::Each(right)])
        }
        (&Term::Scalar(left), &Term::Scalar(right)) => {
            alone = Array::from_shape(shape.extents(), &[left])?;
            (Form::ScalarRight, right, smallvec![Side::Each(&alone)])
        }
    };
    let call = BinaryCall {
        accelerator,
        kernel: implemented(function.kernel(), operation, lane)?,
        form,
        scalar,
    };
    let zeros = match right {
        Term::Array(_) if function.divides() && T::IS_INTEGER => {
            Some(Zeros::watch(lane, accelerator)?)
        }
        _ => None,
    };
    let answer = pass::fresh(lane, accelerator, shape, &sides, &mut |chunk| {
        if let (Some(zeros), Some(&divisor)) = (&zeros, chunk.inputs.last()) {
            zeros.look::<T>(divisor, chunk.first_element, chunk.elements)?;
        }
        call.launch(chunk)
    })?;
    zeros.map_or(Ok(()), |zeros| zeros.refuse::<T>())?;
    Ok(answer)
}

/// `f(data, right)` over the data itself, which is left alone when an integer of
/// `right` is a zero to divide by.
pub(super) fn binary_in_place<T: Number, F: BinaryFunction<T>>(
    lane: &Lane<'_>,
    accelerator: &dyn Accelerator,
    function: F,
    data: &mut Array<T>,
    right: &Term<T>,
) -> Result<(), Error> {
    let (form, scalar, others): (_, _, SmallVec<[_; 1]>) = match right {
        Term::Array(right) => (Form::Arrays, T::ZERO, smallvec![Side::Each(right)]),
        &Term::Scalar(right) => (Form::ScalarRight, right, SmallVec::new()),
    };
    if let Term::Array(divisor) = right
        && function.divides()
        && T::IS_INTEGER
    {
        if pass::streams_over(lane, data, &others) {
            // A stream writes to memory of its own, so it may look as it goes.
            let left = Term::from(&*data);
            *data = binary(lane, accelerator, function, (&left, right), data.shape())?;
            return Ok(());
        }
        let zeros = Zeros::watch(lane, accelerator)?;
        zeros.look::<T>(&**lane.resident(divisor, accelerator)?, 0, divisor.len())?;
        zeros.refuse::<T>()?;
    }
    let call = BinaryCall {
        accelerator,
        kernel: implemented(function.kernel(), function.kind().name(), lane)?,
        form,
        scalar,
    };
    pass::over(lane, accelerator, data, &others, &mut |chunk| {
        call.launch(chunk)
    })
}

fn launch_unary<T: Element>(
    accelerator: &dyn Accelerator,
    kernel: &'static Kernel,
    chunk: &PipelineChunk<'_>,
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

/// One binary kernel, ready for any stretch of elements.
struct BinaryCall<'a, T> {
    accelerator: &'a dyn Accelerator,
    kernel: &'static Kernel,
    form: Form,
    scalar: T,
}

impl<T: Number> BinaryCall<'_, T> {
    fn launch(&self, chunk: &PipelineChunk<'_>) -> Result<(), Error> {
        // With one array, both are it: the kernel does not read the scalar's side.
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

/// The kernel's name, for a function that has one.
fn implemented(
    kernel: Option<&'static Kernel>,
    operation: &'static str,
    lane: &Lane<'_>,
) -> Result<&'static Kernel, Error> {
    kernel.ok_or(Error::NotImplementedOn {
        operation,
        device: lane.device(),
    })
}
