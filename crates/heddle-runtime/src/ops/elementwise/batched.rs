//! Many maps as one: on a GPU the operands of all items lie one behind the other,
//! and the map over them is the same map.

use crate::array::Array;
use crate::batch::pack::{self, ITEM_BYTES, Landing};
use crate::batch::{Batchable, Group, Operands, family};
use crate::device::{Accelerator, DeviceId, Lane, Pieces, Place};
use crate::error::Error;
use crate::operation::{Description, Operation};
use crate::units::Bytes;

use super::super::number::Number;
use super::binary::Binary;
use super::gpu::{self, Packed};
use super::unary::Unary;
use super::{BinaryFunction, Term, UnaryFunction};

impl<T: Number, F: UnaryFunction<T>> Batchable for Unary<T, F> {
    fn group(&self) -> Group {
        Group::new(self.function.kind(), T::DTYPE).living(&[&self.input])
    }

    fn describe_batch(items: &[Self]) -> Description {
        let home = items.first().and_then(|item| item.group().home());
        let mut operands = Operands::default();
        let (mut work, mut output) = (0_u64, Bytes(0));
        let mut previous = None;
        for item in items {
            operands.add(home, &item.input, previous);
            previous = Some(&item.input);
            output = output + item.input.bytes();
            work = work.saturating_add(2 * item.input.bytes().0 + ITEM_BYTES);
        }
        let kinds = family(items[0].function.kind());
        operands.describe(kinds, home, T::DTYPE, work, output)
    }

    fn run_batch(
        items: &mut [Self],
        lane: &Lane<'_>,
    ) -> Result<Vec<Result<Array<T>, Error>>, Error> {
        let accelerator = match lane.place() {
            Place::Host(_) => {
                let bytes: Bytes = items.iter().map(|item| item.input.bytes()).sum();
                let cost = Bytes(2 * bytes.0 * items[0].function.weight());
                return pack::on_host(items, lane, cost, |(): &mut (), item, lane| item.run(lane));
            }
            Place::Accelerator(_) if items[0].group().home() == Some(lane.device()) => {
                return pack::one_by_one(items, lane);
            }
            Place::Accelerator(accelerator) => accelerator,
        };
        let mut input = Pieces::with_capacity(items.len());
        for item in items.iter() {
            input.push(bytemuck::cast_slice(lane.host(&item.input)?), 0);
        }
        let mut landing = Landing::of(items.iter().map(|item| item.input.len()));
        let function = items[0].function;
        gpu::unary_scattered::<T, F>(lane, accelerator, function, &input, landing.sink(1))?;
        let shapes = items.iter().map(|item| item.input.shape());
        Ok(landing.answers(shapes))
    }
}

/// Which side is an array. Items of one group are alike in it.
fn form<T: Number>(left: &Term<T>, right: &Term<T>) -> usize {
    usize::from(matches!(left, Term::Array(_))) + 2 * usize::from(matches!(right, Term::Array(_)))
}

impl<T: Number, F: BinaryFunction<T>> Batchable for Binary<T, F> {
    fn group(&self) -> Group {
        let group = Group::new(self.function.kind(), T::DTYPE);
        let group = group.shaped([form(&self.left, &self.right), 0, 0]);
        match (&self.left, &self.right) {
            (Term::Array(left), Term::Array(right)) => group.living(&[left, right]),
            (Term::Array(array), _) | (_, Term::Array(array)) => group.living(&[array]),
            _ => group,
        }
    }

    fn describe_batch(items: &[Self]) -> Description {
        let home = items.first().and_then(|item| item.group().home());
        let mut operands = Operands::default();
        let (mut work, mut output) = (0_u64, Bytes(0));
        let mut previous: Option<&Self> = None;
        for item in items {
            let before = previous.map(|item| (&item.left, &item.right));
            add(&mut operands, home, &item.left, before.map(|sides| sides.0));
            add(
                &mut operands,
                home,
                &item.right,
                before.map(|sides| sides.1),
            );
            previous = Some(item);
            output = output + Bytes::of::<T>(item.shape.elements());
            work = work.saturating_add(item.traffic().0 + ITEM_BYTES);
        }
        let kinds = family(items[0].function.kind());
        operands.describe(kinds, home, T::DTYPE, work, output)
    }

    fn run_batch(
        items: &mut [Self],
        lane: &Lane<'_>,
    ) -> Result<Vec<Result<Array<T>, Error>>, Error> {
        match lane.place() {
            Place::Host(_) => {
                let cost = items.iter().map(Self::traffic).sum();
                pack::on_host(items, lane, cost, |(): &mut (), item, lane| item.run(lane))
            }
            Place::Accelerator(_) if items[0].group().home() == Some(lane.device()) => {
                pack::one_by_one(items, lane)
            }
            Place::Accelerator(accelerator) => packed(items, lane, accelerator),
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
    operands: &mut Operands,
    home: Option<DeviceId>,
    term: &Term<T>,
    previous: Option<&Term<T>>,
) {
    if let Term::Array(array) = term {
        let previous = previous.and_then(|term| match term {
            Term::Array(array) => Some(array),
            Term::Scalar(_) => None,
        });
        operands.add(home, array, previous);
    }
}

fn packed<T: Number, F: BinaryFunction<T>>(
    items: &[Binary<T, F>],
    lane: &Lane<'_>,
    accelerator: &dyn Accelerator,
) -> Result<Vec<Result<Array<T>, Error>>, Error> {
    let function = items[0].function;
    // A divisor that fails its item is found here, where it is still the item's own.
    let mut failures = Vec::new();
    if function.divides() && T::IS_INTEGER {
        for (index, item) in items.iter().enumerate() {
            if let Term::Array(divisor) = &item.right
                && let Some(at) = lane.host(divisor)?.iter().position(|&x| x == T::ZERO)
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
    let mut landing = Landing::of(going.iter().map(|item| item.shape.elements()));
    if !going.is_empty() {
        let (mut lefts, rights) = (Scalars::of(&going, left), Scalars::of(&going, right));
        if let (Scalars::Shared(_), Scalars::Shared(_)) = (&lefts, &rights) {
            // Two scalars have no array to take a length from.
            lefts = Scalars::repeated(&going, left);
        }
        let left = side(lane, &going, left, &lefts)?;
        let right = side(lane, &going, right, &rights)?;
        gpu::binary_scattered(
            lane,
            accelerator,
            function,
            (&left, &right),
            landing.sink(1),
        )?;
    }
    let shapes = going.iter().map(|item| &item.shape);
    let mut answers = landing.answers(shapes).into_iter();
    let mut failures = failures.iter().map(|&(_, index)| Error::DivisionByZero {
        dtype: T::DTYPE,
        index,
    });
    let answer = |index| {
        if good(index) {
            answers.next()
        } else {
            failures.next().map(Err)
        }
    };
    Ok((0..items.len()).filter_map(answer).collect())
}

fn left<T: Number, F: BinaryFunction<T>>(item: &Binary<T, F>) -> &Term<T> {
    &item.left
}

fn right<T: Number, F: BinaryFunction<T>>(item: &Binary<T, F>) -> &Term<T> {
    &item.right
}

/// The scalars on one side of many items.
enum Scalars<T> {
    /// All have this one.
    Shared(T),
    /// Each its own, as often as the item has elements; nothing for an array.
    Repeated(Vec<Vec<T>>),
}

impl<T: Number> Scalars<T> {
    /// There is at least one item.
    fn of<F: BinaryFunction<T>>(
        items: &[&Binary<T, F>],
        of: fn(&Binary<T, F>) -> &Term<T>,
    ) -> Self {
        if let &Term::Scalar(first) = of(items[0]) {
            let same = |term: &Term<T>| {
                matches!(term, Term::Scalar(value)
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
        of: fn(&Binary<T, F>) -> &Term<T>,
    ) -> Self {
        let repeat = |item: &&Binary<T, F>| match of(item) {
            Term::Array(_) => Vec::new(),
            &Term::Scalar(value) => vec![value; item.shape.elements()],
        };
        Self::Repeated(items.iter().map(repeat).collect())
    }
}

/// One side of all items: a scalar where all have the same one, their elements one
/// behind the other otherwise.
fn side<'a, T: Number, F: BinaryFunction<T>>(
    lane: &Lane<'_>,
    items: &[&'a Binary<T, F>],
    of: fn(&Binary<T, F>) -> &Term<T>,
    scalars: &'a Scalars<T>,
) -> Result<Packed<'a, T>, Error> {
    let repeated = match scalars {
        Scalars::Shared(value) => return Ok(Packed::Scalar(*value)),
        Scalars::Repeated(repeated) => repeated,
    };
    let mut pieces = Pieces::with_capacity(items.len());
    for (&item, repeated) in items.iter().zip(repeated) {
        let elements: &'a [T] = match of(item) {
            Term::Array(array) => lane.host(array)?,
            Term::Scalar(_) => repeated,
        };
        pieces.push(bytemuck::cast_slice(elements), 0);
    }
    Ok(Packed::Elements(pieces))
}
