//! Copies an array to a device before its use.

use super::Runtime;
use crate::array::Array;
use crate::device::{DeviceId, ExecutionContext, ExecutionTarget};
use crate::dtype::Element;
use crate::error::Error;
use crate::operation::{Agreement, Description, Kind, Operation, WorkUnit};

impl Runtime {
    /// Copies the elements to `device` before their use there. An operation does that by
    /// itself, except one that streams a large array through a device without leaving it there.
    #[track_caller]
    pub fn prefetch<T: Element>(&self, array: &Array<T>, device: DeviceId) -> Result<(), Error> {
        self.run_on(
            device,
            Prefetch {
                array: array.clone(),
            },
        )
    }
}

/// A transfer without other work.
static PREFETCH: Kind = Kind::new("prefetch", WorkUnit::Bytes);

/// Leaves a copy of the array's elements on the device it runs on.
#[derive(Clone, Debug)]
struct Prefetch<T: Element> {
    array: Array<T>,
}

impl<T: Element> Operation for Prefetch<T> {
    type Output = ();

    /// No work beside the transfer, which has its own cost.
    fn describe(&self) -> Description {
        Description::new(&PREFETCH, T::DTYPE, 0).reads(&self.array)
    }

    fn runs_on(&self, _: DeviceId) -> bool {
        true
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<(), Error> {
        match context.target() {
            ExecutionTarget::Host(_) => context.host(&self.array).map(drop),
            ExecutionTarget::Accelerator(gpu) => context.resident(&self.array, gpu).map(drop),
        }
    }

    fn compare(&self, (): &(), (): &()) -> Agreement {
        Agreement::Same
    }
}
