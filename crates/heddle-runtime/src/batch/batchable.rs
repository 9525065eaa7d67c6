//! The trait of operations that can be merged with others of their kind.

use std::borrow::BorrowMut;
use std::marker::PhantomData;

use crate::array::{Array, Residency};
use crate::device::{DeviceId, ExecutionContext};
use crate::dtype::{DType, Element};
use crate::error::Error;
use crate::operation::{Agreement, Description, Kind, Operand, Operation, ResultLocation};
use crate::ops::memory_budget;
use crate::units::Bytes;

use super::kinds::MergedKinds;

/// Operands of at least this size that are already on a GPU are left there and launched one
/// after another; smaller ones are packed from the host. A launch takes some 5 µs, in which a
/// transfer moves about this much.
const RESIDENT_FROM: Bytes = Bytes(64 << 10);

/// The properties that items must share to become one launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Group {
    /// The id of the kind.
    kind: usize,
    dtype: DType,
    /// The extents that must be equal, or another key by which a kind separates its groups.
    shape: [usize; 3],
    /// The device that holds operands which should stay there.
    resident_device: Option<DeviceId>,
}

impl Group {
    /// Creates a group of items of one kind and element type, wherever their operands are.
    #[must_use]
    pub fn new(kind: &'static Kind, dtype: DType) -> Self {
        Self {
            kind: kind.id(),
            dtype,
            shape: [0; 3],
            resident_device: None,
        }
    }

    /// Restricts the group to items of this shape.
    #[must_use]
    pub fn shaped(mut self, shape: [usize; 3]) -> Self {
        self.shape = shape;
        self
    }

    /// Restricts the group to items whose operands are on the same device as these.
    #[must_use]
    pub fn resident_with<T: Element>(mut self, arrays: &[&Array<T>]) -> Self {
        self.resident_device = resident_device(arrays);
        self
    }

    /// The device on which the operands stay; `None` where they are packed from the host.
    #[must_use]
    pub fn resident_device(&self) -> Option<DeviceId> {
        self.resident_device
    }
}

/// The device that has the only copy of an operand, or large copies of all of them.
fn resident_device<T: Element>(arrays: &[&Array<T>]) -> Option<DeviceId> {
    let mut all_on = None;
    let mut bytes = Bytes(0);
    for (index, array) in arrays.iter().enumerate() {
        let device = match array.residency() {
            Residency::Device(device) => return Some(device),
            Residency::Both(device) => Some(device),
            Residency::Host => None,
        };
        if index > 0 && device != all_on {
            return None;
        }
        all_on = device;
        bytes = bytes + array.bytes();
    }
    all_on.filter(|_| bytes >= RESIDENT_FROM)
}

/// An operation of which many can be merged into one.
///
/// Merged work is itself an operation, [`MergedOperation`], and takes the same pipeline as any other,
/// under its own kind: its cost is learned apart from the cost of single items.
pub trait Batchable: Operation<Output: Send> + Send + Sized {
    /// The group of operations that it can be merged with.
    fn group(&self) -> Group;

    /// Describes all items together. They are of one group, and there is at least one.
    fn describe_batch(items: &[Self]) -> Description;

    /// Returns the results in the order of the items. An item without a result fails alone; an
    /// error of the whole call is a failure of the device.
    fn run_batch(
        items: &mut [Self],
        context: &ExecutionContext<'_>,
    ) -> Result<Vec<Result<Self::Output, Error>>, Error>;
}

/// Operations of one group as one operation: owned, as a vector, or borrowed.
#[derive(Debug)]
pub struct MergedOperation<B, I> {
    items: I,
    /// The description, where it is known already: describing ten thousand items takes longer
    /// than most of the work on them.
    description: Option<Description>,
    item: PhantomData<fn(B)>,
}

impl<B: Batchable, I: BorrowMut<[B]>> MergedOperation<B, I> {
    /// `items` are of one group, and there is at least one.
    pub fn new(items: I) -> Self {
        Self {
            items,
            description: None,
            item: PhantomData,
        }
    }

    /// As [`new`](Self::new), with the description of the items.
    pub(super) fn described(items: I, description: Description) -> Self {
        Self {
            description: Some(description),
            ..Self::new(items)
        }
    }

    fn items(&self) -> &[B] {
        self.items.borrow()
    }
}

impl<B: Batchable, I: BorrowMut<[B]>> Operation for MergedOperation<B, I> {
    type Output = Vec<Result<B::Output, Error>>;

    fn describe(&self) -> Description {
        match &self.description {
            Some(description) => description.clone(),
            None => B::describe_batch(self.items()),
        }
    }

    /// All items of one group run on the same families.
    fn runs_on(&self, device: DeviceId) -> bool {
        self.items()
            .first()
            .is_some_and(|item| item.runs_on(device))
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<Self::Output, Error> {
        // Another run may find the operands elsewhere.
        self.description = None;
        B::run_batch(self.items.borrow_mut(), context)
    }

    fn is_repeatable(&self) -> bool {
        self.items().iter().all(Operation::is_repeatable)
    }

    fn can_be_retried(&self) -> bool {
        self.items().iter().all(Operation::can_be_retried)
    }

    /// Results are compared item by item; two failures agree.
    fn compare(&self, first: &Self::Output, second: &Self::Output) -> Agreement {
        for (index, (item, pair)) in self
            .items()
            .iter()
            .zip(first.iter().zip(second))
            .enumerate()
        {
            match pair {
                (Ok(one), Ok(other)) => match item.compare(one, other) {
                    Agreement::Same => {}
                    Agreement::Different(how) => {
                        return Agreement::Different(format!("item {index}: {how}"));
                    }
                    Agreement::Unchecked => return Agreement::Unchecked,
                },
                (Err(_), Err(_)) => {}
                (Err(error), Ok(_)) | (Ok(_), Err(error)) => {
                    return Agreement::Different(format!("item {index}: only one failed: {error}"));
                }
            }
        }
        Agreement::Same
    }
}

/// Describes the operands of many items: sums by residency, in which an operand shared by
/// consecutive items counts once.
#[derive(Debug, Default)]
pub(crate) struct OperandTotals {
    sums: Vec<Operand>,
}

impl OperandTotals {
    /// Adds `array`; `previous` is the same operand of the item before.
    pub(crate) fn add<T: Element>(
        &mut self,
        resident_device: Option<DeviceId>,
        array: &Array<T>,
        previous: Option<&Array<T>>,
    ) {
        if previous.is_some_and(|previous| previous.is_same(array)) {
            return;
        }
        // Packed operands come from the host, wherever else they are.
        let residency = match resident_device {
            None => Residency::Host,
            Some(_) => array.residency(),
        };
        match self.sums.iter_mut().find(|sum| sum.residency == residency) {
            Some(sum) => sum.bytes = sum.bytes + array.bytes(),
            None => self.sums.push(Operand {
                bytes: array.bytes(),
                residency,
            }),
        }
    }

    /// Describes all items together. The results of packed items come to the host; those of
    /// resident items stay on the device.
    pub(crate) fn describe(
        self,
        family: &'static MergedKinds,
        resident_device: Option<DeviceId>,
        dtype: DType,
        work: u64,
        output: Bytes,
    ) -> Description {
        let (kind, place) = match resident_device {
            None => (&family.packed, ResultLocation::Host),
            Some(_) => (&family.resident, ResultLocation::OnDevice),
        };
        let description = Description::new(kind, dtype, work)
            .writes(output)
            .leaves(place);
        let description = self.sums.into_iter().fold(description, Description::reads);
        match resident_device {
            // Packed items pass through the device in pieces.
            None => memory_budget::can_split(description),
            Some(_) => description,
        }
    }
}
