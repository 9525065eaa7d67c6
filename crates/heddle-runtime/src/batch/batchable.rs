//! What an operation adds to be merged with others of its kind.

use std::borrow::BorrowMut;
use std::marker::PhantomData;

use crate::array::{Array, Residency};
use crate::device::{DeviceId, Lane};
use crate::dtype::{DType, Element};
use crate::error::Error;
use crate::operation::{Agreement, Description, Kind, Operand, Operation, ResultPlace};
use crate::ops::room;
use crate::units::Bytes;

use super::kinds::Family;

/// Operands of this size that are on a GPU already are left there and launched on
/// one after another; smaller ones are packed from the host. A launch takes some
/// 5 µs, in which a bus moves about this much.
const RESIDENT_FROM: Bytes = Bytes(64 << 10);

/// What items must have in common to become one launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Group {
    /// The kind's number.
    kind: usize,
    dtype: DType,
    /// Extents that must be equal, or whatever else a kind tells its groups by.
    shape: [usize; 3],
    /// The device that holds operands which had better stay there.
    home: Option<DeviceId>,
}

impl Group {
    /// Items of one kind and element type, wherever their operands are.
    #[must_use]
    pub fn new(kind: &'static Kind, dtype: DType) -> Self {
        Self {
            kind: kind.id(),
            dtype,
            shape: [0; 3],
            home: None,
        }
    }

    /// Only with items of this shape.
    #[must_use]
    pub fn shaped(mut self, shape: [usize; 3]) -> Self {
        self.shape = shape;
        self
    }

    /// Only with items whose operands live where these do.
    #[must_use]
    pub fn living<T: Element>(mut self, arrays: &[&Array<T>]) -> Self {
        self.home = home(arrays);
        self
    }

    /// The device whose memory the operands are left in; `None` where they are
    /// packed from the host.
    #[must_use]
    pub fn home(&self) -> Option<DeviceId> {
        self.home
    }
}

/// The device that has the only copy of an operand, or large copies of all of them.
fn home<T: Element>(arrays: &[&Array<T>]) -> Option<DeviceId> {
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

/// An operation that many of can be one.
///
/// Merged work is an operation itself, [`Merged`], and takes the same road as any
/// other, under a kind of its own: what it costs is learned apart from what its
/// items cost one by one.
pub trait Batchable: Operation<Output: Send> + Send + Sized {
    /// What it must have in common with others to be merged with them.
    fn group(&self) -> Group;

    /// All items together. They are of one group, and at least one.
    fn describe_batch(items: &[Self]) -> Description;

    /// The answers, in the order of the items. An item that has no answer fails
    /// alone; an error of the whole is a failure of the device.
    fn run_batch(
        items: &mut [Self],
        lane: &Lane<'_>,
    ) -> Result<Vec<Result<Self::Output, Error>>, Error>;
}

/// Operations of one group as one operation: its own, as a vector, or borrowed.
#[derive(Debug)]
pub struct Merged<B, I> {
    items: I,
    /// What it says of itself, where somebody has asked before: looking at ten
    /// thousand items takes longer than most of what is done with them.
    description: Option<Description>,
    item: PhantomData<fn(B)>,
}

impl<B: Batchable, I: BorrowMut<[B]>> Merged<B, I> {
    /// `items` are of one group, and at least one.
    pub fn new(items: I) -> Self {
        Self {
            items,
            description: None,
            item: PhantomData,
        }
    }

    /// As [`new`](Self::new), `description` being theirs.
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

impl<B: Batchable, I: BorrowMut<[B]>> Operation for Merged<B, I> {
    type Output = Vec<Result<B::Output, Error>>;

    fn describe(&self) -> Description {
        match &self.description {
            Some(description) => description.clone(),
            None => B::describe_batch(self.items()),
        }
    }

    /// Items of one group are alike in that.
    fn runs_on(&self, device: DeviceId) -> bool {
        self.items()
            .first()
            .is_some_and(|item| item.runs_on(device))
    }

    fn run(&mut self, lane: &Lane<'_>) -> Result<Self::Output, Error> {
        // Run again, it may find its operands elsewhere.
        self.description = None;
        B::run_batch(self.items.borrow_mut(), lane)
    }

    fn is_repeatable(&self) -> bool {
        self.items().iter().all(Operation::is_repeatable)
    }

    fn can_be_retried(&self) -> bool {
        self.items().iter().all(Operation::can_be_retried)
    }

    /// Answers are compared item by item; two failures agree.
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

/// The operands of many items in one description: summed up by where they are, and
/// one that several items in a row share counted once.
#[derive(Debug, Default)]
pub(crate) struct Operands {
    sums: Vec<Operand>,
}

impl Operands {
    /// `array` beside the others; `previous` is the same operand of the item before.
    pub(crate) fn add<T: Element>(
        &mut self,
        home: Option<DeviceId>,
        array: &Array<T>,
        previous: Option<&Array<T>>,
    ) {
        if previous.is_some_and(|previous| previous.is_same(array)) {
            return;
        }
        // What is packed comes from the host, wherever else it may be.
        let residency = match home {
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

    /// All items together: packed, the answers come to the host; resident, they
    /// stay where they are.
    pub(crate) fn describe(
        self,
        family: &'static Family,
        home: Option<DeviceId>,
        dtype: DType,
        work: u64,
        output: Bytes,
    ) -> Description {
        let (kind, place) = match home {
            None => (&family.packed, ResultPlace::Host),
            Some(_) => (&family.resident, ResultPlace::Stay),
        };
        let description = Description::new(kind, dtype, work)
            .writes(output)
            .leaves(place);
        let description = self.sums.into_iter().fold(description, Description::reads);
        match home {
            // What is packed passes through the device piece by piece.
            None => room::splits(description),
            Some(_) => description,
        }
    }
}
