//! Many elementwise operations as one. On a GPU the operands of all items are stored back to
//! back, and one launch computes all of them.

use crate::array::Array;
use crate::batch::pack::{self, ITEM_BYTES, ResultBuffers};
use crate::batch::{Batchable, Group, OperandTotals, family};
use crate::device::{Accelerator, DeviceId, ExecutionContext, ExecutionTarget, GatherPieces};
use crate::error::Error;
use crate::operation::{Description, Operation};
use crate::units::Bytes;

use super::super::number::Number;
use super::binary::Binary;
use super::gpu::{self, PackedOperand};
use super::unary::Unary;
use super::{ArrayOrScalar, BinaryFunction, UnaryFunction};

impl<T: Number, F: UnaryFunction<T>> Batchable for Unary<T, F> {
    fn group(&self) -> Group {
        Group::new(self.function.kind(), T::DTYPE).resident_with(&[&self.input])
    }

    fn describe_batch(items: &[Self]) -> Description {
        let resident_device = items
            .first()
            .and_then(|item| item.group().resident_device());
        let mut operands = OperandTotals::default();
        let (mut work, mut output) = (0_u64, Bytes(0));
        let mut previous = None;
        for item in items {
            operands.add(resident_device, &item.input, previous);
            previous = Some(&item.input);
            output = output + item.input.bytes();
            work = work.saturating_add(2 * item.input.bytes().0 + ITEM_BYTES);
        }
        let kinds = family(items[0].function.kind());
        operands.describe(kinds, resident_device, T::DTYPE, work, output)
    }

    fn run_batch(
        items: &mut [Self],
        context: &ExecutionContext<'_>,
    ) -> Result<Vec<Result<Array<T>, Error>>, Error> {
        let accelerator = match context.target() {
            ExecutionTarget::Host(_) => {
                let bytes: Bytes = items.iter().map(|item| item.input.bytes()).sum();
                let cost = Bytes(2 * bytes.0 * items[0].function.weight());
                return pack::on_host(items, context, cost, |(): &mut (), item, context| {
                    item.run(context)
                });
            }
            ExecutionTarget::Accelerator(_)
                if items[0].group().resident_device() == Some(context.device()) =>
            {
                return pack::one_by_one(items, context);
            }
            ExecutionTarget::Accelerator(accelerator) => accelerator,
        };
        let mut input = GatherPieces::with_capacity(items.len());
        for item in items.iter() {
            input.push(bytemuck::cast_slice(context.host(&item.input)?), 0);
        }
        let mut result_buffers = ResultBuffers::of(items.iter().map(|item| item.input.len()))?;
        let function = items[0].function;
        gpu::unary_scattered::<T, F>(
            context,
            accelerator,
            function,
            &input,
            result_buffers.sink(1),
        )?;
        let shapes = items.iter().map(|item| item.input.shape());
        Ok(result_buffers.results(shapes))
    }
}

/// Which operand is an array. The same for all items of a group.
fn form<T: Number>(left: &ArrayOrScalar<T>, right: &ArrayOrScalar<T>) -> usize {
    usize::from(matches!(left, ArrayOrScalar::Array(_)))
        + 2 * usize::from(matches!(right, ArrayOrScalar::Array(_)))
}

impl<T: Number, F: BinaryFunction<T>> Batchable for Binary<T, F> {
    fn group(&self) -> Group {
        let group = Group::new(self.function.kind(), T::DTYPE);
        let group = group.shaped([form(&self.left, &self.right), 0, 0]);
        match (&self.left, &self.right) {
            (ArrayOrScalar::Array(left), ArrayOrScalar::Array(right)) => {
                group.resident_with(&[left, right])
            }
            (ArrayOrScalar::Array(array), _) | (_, ArrayOrScalar::Array(array)) => {
                group.resident_with(&[array])
            }
            _ => group,
        }
    }

    fn describe_batch(items: &[Self]) -> Description {
        let resident_device = items
            .first()
            .and_then(|item| item.group().resident_device());
        let mut operands = OperandTotals::default();
        let (mut work, mut output) = (0_u64, Bytes(0));
        let mut previous: Option<&Self> = None;
        for item in items {
            let before = previous.map(|item| (&item.left, &item.right));
            add(
                &mut operands,
                resident_device,
                &item.left,
                before.map(|sides| sides.0),
            );
            add(
                &mut operands,
                resident_device,
                &item.right,
                before.map(|sides| sides.1),
            );
            previous = Some(item);
            output = output + Bytes::of::<T>(item.shape.elements());
            work = work.saturating_add(item.traffic().0 + ITEM_BYTES);
        }
        let kinds = family(items[0].function.kind());
        operands.describe(kinds, resident_device, T::DTYPE, work, output)
    }

    fn run_batch(
        items: &mut [Self],
        context: &ExecutionContext<'_>,
    ) -> Result<Vec<Result<Array<T>, Error>>, Error> {
        match context.target() {
            ExecutionTarget::Host(_) => {
                let cost = items.iter().map(Self::traffic).sum();
                pack::on_host(items, context, cost, |(): &mut (), item, context| {
                    item.run(context)
                })
            }
            ExecutionTarget::Accelerator(_)
                if items[0].group().resident_device() == Some(context.device()) =>
            {
                pack::one_by_one(items, context)
            }
            ExecutionTarget::Accelerator(accelerator) => packed(items, context, accelerator),
        }
    }
}

impl<T: Number, F: BinaryFunction<T>> Binary<T, F> {
    /// Bytes read and written.
    fn traffic(&self) -> Bytes {
        let each = Bytes::of::<T>(self.shape.elements());
        let arrays = form(&self.left, &self.right).count_ones();
        Bytes(each.0.saturating_mul(u64::from(arrays) + 1))
    }
}

fn add<T: Number>(
    operands: &mut OperandTotals,
    resident_device: Option<DeviceId>,
    array_or_scalar: &ArrayOrScalar<T>,
    previous: Option<&ArrayOrScalar<T>>,
) {
    if let ArrayOrScalar::Array(array) = array_or_scalar {
        let previous = previous.and_then(|array_or_scalar| match array_or_scalar {
            ArrayOrScalar::Array(array) => Some(array),
            ArrayOrScalar::Scalar(_) => None,
        });
        operands.add(resident_device, array, previous);
    }
}

fn packed<T: Number, F: BinaryFunction<T>>(
    items: &[Binary<T, F>],
    context: &ExecutionContext<'_>,
    accelerator: &dyn Accelerator,
) -> Result<Vec<Result<Array<T>, Error>>, Error> {
    let function = items[0].function;
    // A zero divisor fails its own item, so it is found here, before the items are packed.
    let mut failures = Vec::new();
    if function.divides() && T::IS_INTEGER {
        for (index, item) in items.iter().enumerate() {
            if let ArrayOrScalar::Array(divisor) = &item.right
                && let Some(at) = context.host(divisor)?.iter().position(|&x| x == T::ZERO)
            {
                failures.push((index, at));
            }
        }
    }
    let good = |index: usize| {
        failures
            .binary_search_by_key(&index, |failure| failure.0)
            .is_err()
    };
    let going: Vec<&Binary<T, F>> = items
        .iter()
        .enumerate()
        .filter(|(index, _)| good(*index))
        .map(|(_, item)| item)
        .collect();
    let mut result_buffers = ResultBuffers::of(going.iter().map(|item| item.shape.elements()))?;
    if !going.is_empty() {
        let (mut lefts, rights) = (Scalars::of(&going, left), Scalars::of(&going, right));
        if let (Scalars::Shared(_), Scalars::Shared(_)) = (&lefts, &rights) {
            // Two scalars have no array whose length would count.
            lefts = Scalars::repeated(&going, left);
        }
        let left = packed_operand(context, &going, left, &lefts)?;
        let right = packed_operand(context, &going, right, &rights)?;
        gpu::binary_scattered(
            context,
            accelerator,
            function,
            (&left, &right),
            result_buffers.sink(1),
        )?;
    }
    let shapes = going.iter().map(|item| &item.shape);
    let mut results = result_buffers.results(shapes).into_iter();
    let mut failures = failures.iter().map(|&(_, index)| Error::DivisionByZero {
        dtype: T::DTYPE,
        index,
    });
    let result = |index| {
        if good(index) {
            results.next()
        } else {
            failures.next().map(Err)
        }
    };
    Ok((0..items.len()).filter_map(result).collect())
}

fn left<T: Number, F: BinaryFunction<T>>(item: &Binary<T, F>) -> &ArrayOrScalar<T> {
    &item.left
}

fn right<T: Number, F: BinaryFunction<T>>(item: &Binary<T, F>) -> &ArrayOrScalar<T> {
    &item.right
}

/// The scalars of one operand of many items.
enum Scalars<T> {
    /// All items have this one.
    Shared(T),
    /// Each item has its own, repeated once per element of the item; nothing for an array.
    Repeated(Vec<Vec<T>>),
}

impl<T: Number> Scalars<T> {
    /// `items` is not empty.
    fn of<F: BinaryFunction<T>>(
        items: &[&Binary<T, F>],
        of: fn(&Binary<T, F>) -> &ArrayOrScalar<T>,
    ) -> Self {
        if let &ArrayOrScalar::Scalar(first) = of(items[0]) {
            let same = |array_or_scalar: &ArrayOrScalar<T>| {
                matches!(array_or_scalar, ArrayOrScalar::Scalar(value)
                    if bytemuck::bytes_of(value) == bytemuck::bytes_of(&first))
            };
            if items.iter().all(|item| same(of(item))) {
                return Self::Shared(first);
            }
        }
        Self::repeated(items, of)
    }

    fn repeated<F: BinaryFunction<T>>(
        items: &[&Binary<T, F>],
        of: fn(&Binary<T, F>) -> &ArrayOrScalar<T>,
    ) -> Self {
        let repeat = |item: &&Binary<T, F>| match of(item) {
            ArrayOrScalar::Array(_) => Vec::new(),
            &ArrayOrScalar::Scalar(value) => vec![value; item.shape.elements()],
        };
        Self::Repeated(items.iter().map(repeat).collect())
    }
}

/// Packs one operand of all items: a scalar if all items have the same one, otherwise the
/// elements back to back.
fn packed_operand<'a, T: Number, F: BinaryFunction<T>>(
    context: &ExecutionContext<'_>,
    items: &[&'a Binary<T, F>],
    of: fn(&Binary<T, F>) -> &ArrayOrScalar<T>,
    scalars: &'a Scalars<T>,
) -> Result<PackedOperand<'a, T>, Error> {
    let repeated = match scalars {
        Scalars::Shared(value) => return Ok(PackedOperand::Scalar(*value)),
        Scalars::Repeated(repeated) => repeated,
    };
    let mut pieces = GatherPieces::with_capacity(items.len());
    for (&item, repeated) in items.iter().zip(repeated) {
        let elements: &'a [T] = match of(item) {
            ArrayOrScalar::Array(array) => context.host(array)?,
            ArrayOrScalar::Scalar(_) => repeated,
        };
        pieces.push(bytemuck::cast_slice(elements), 0);
    }
    Ok(PackedOperand::Elements(pieces))
}
