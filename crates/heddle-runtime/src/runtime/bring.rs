//! Bringing an array to a device ahead of its use.

use super::Runtime;
use crate::array::Array;
use crate::device::{DeviceId, Lane, Place};
use crate::dtype::Element;
use crate::error::Error;
use crate::operation::{Agreement, Description, Kind, Operation, WorkUnit};

impl Runtime {
    /// Brings the elements to `device` ahead of their use there. An operation does
    /// that by itself, except one that streams a large array through a device
    /// without leaving it there.
    #[track_caller]
    pub fn bring<T: Element>(&self, array: &Array<T>, device: DeviceId) -> Result<(), Error> {
        self.run_on(
            device,
            Bring {
                array: array.clone(),
            },
        )
    }
}

/// A transfer and nothing else.
static BRING: Kind = Kind::new("bring", WorkUnit::Bytes);

/// Leaves a copy of the array's elements where it runs.
#[derive(Clone, Debug)]
struct Bring<T: Element> {
    array: Array<T>,
}

impl<T: Element> Operation for Bring<T> {
    type Output = ();

    /// No work beside the transfer, which has a price of its own.
    fn describe(&self) -> Description {
        Description::new(&BRING, T::DTYPE, 0).reads(&self.array)
    }

    fn runs_on(&self, _: DeviceId) -> bool {
        true
    }

    fn run(&mut self, lane: &Lane<'_>) -> Result<(), Error> {
        match lane.place() {
            Place::Host(_) => lane.host(&self.array).map(drop),
            Place::Accelerator(gpu) => lane.resident(&self.array, gpu).map(drop),
        }
    }

    fn compare(&self, (): &(), (): &()) -> Agreement {
        Agreement::Same
    }
}
