//! The two sides of a comparison: a CPU device of one thread, and the device under test.

use std::cell::Cell;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

use super::case::Placement;
use super::instrumented::{InstrumentedOperation, PATTERN, REFERENCE_PATTERN};
use crate::array::{Array, Poison};
use crate::cpu::CpuDevice;
use crate::device::{Accelerator, Device, DeviceId};
use crate::dtype::Element;
use crate::error::Error;
use crate::operation::Operation;
use crate::runtime::Runtime;
use crate::units::Nanos;

/// One side of a comparison: places operands, and runs operations on its device.
#[derive(Debug)]
pub struct CaseRunner<'a> {
    place: RunnerRole<'a>,
    /// The device time of the operations run here, if the device has a clock.
    device_time: Cell<Option<Nanos>>,
    /// The missing proof that a GPU did the work whose result it returned.
    missing_proof: Cell<Option<&'static str>>,
}

#[derive(Debug)]
enum RunnerRole<'a> {
    Reference(&'a CpuDevice),
    UnderTest {
        runtime: &'a Runtime,
        device: DeviceId,
        accelerator: Option<&'a dyn Accelerator>,
        placement: Placement,
    },
}

impl<'a> CaseRunner<'a> {
    pub(super) fn reference(device: &'a CpuDevice) -> Self {
        Self::new(RunnerRole::Reference(device))
    }

    pub(super) fn under_test(
        runtime: &'a Runtime,
        device: DeviceId,
        placement: Placement,
    ) -> Result<Self, Error> {
        Ok(Self::new(RunnerRole::UnderTest {
            runtime,
            device,
            accelerator: runtime.device(device)?.accelerator(),
            placement,
        }))
    }

    fn new(place: RunnerRole<'a>) -> Self {
        Self {
            place,
            device_time: Cell::new(None),
            missing_proof: Cell::new(None),
        }
    }

    /// Places operand number `index` where this side needs it. An operand on the device has no copy
    /// on the host.
    pub fn place<T: Element>(&self, index: usize, array: &Array<T>) -> Result<Array<T>, Error> {
        let RunnerRole::UnderTest {
            accelerator: Some(accelerator),
            placement,
            ..
        } = &self.place
        else {
            return Ok(array.clone());
        };
        let goes_up = match placement {
            Placement::Host => false,
            Placement::Resident => true,
            Placement::Mixed => index.is_multiple_of(2),
        };
        if !goes_up {
            // A copy of the elements, so that a device copy from another case is not used.
            return Array::from_shape(array.shape().extents(), array.as_slice()?);
        }
        let buffer = accelerator.allocate(array.bytes())?;
        buffer.upload(bytemuck::cast_slice(array.as_slice()?))?;
        Array::on_device(array.shape().clone(), buffer)
    }

    /// Runs the operation on this side's device.
    pub fn run<O: Operation>(&self, operation: &mut O) -> Result<O::Output, Error> {
        let description = operation.describe();
        match &self.place {
            RunnerRole::Reference(device) => {
                let _poison = Poison::new(REFERENCE_PATTERN);
                let mut result = None;
                device.execute(&description, Instant::now(), &mut |context| {
                    result = Some(operation.run(context)?);
                    Ok(())
                })?;
                result.ok_or_else(|| {
                    Error::device(
                        device.id(),
                        format!("reported success without running {}", description.kind),
                    )
                })
            }
            RunnerRole::UnderTest {
                runtime, device, ..
            } => {
                let _poison = Poison::new(PATTERN);
                let launches = AtomicU64::new(0);
                let instrumented = InstrumentedOperation {
                    operation,
                    launches: &launches,
                };
                let outcome = runtime.run_traced(instrumented, Some(*device))?;
                let time = outcome.timing.device;
                if device.has_kernels() && description.work > 0 {
                    if launches.into_inner() == 0 {
                        self.missing_proof.set(Some("nothing was launched"));
                    } else if time.is_none_or(|time| time == Nanos(0)) {
                        self.missing_proof.set(Some("no device-side time"));
                    }
                }
                if let Some(time) = time {
                    self.device_time
                        .set(Some(self.device_time.get().unwrap_or_default() + time));
                }
                Ok(outcome.output)
            }
        }
    }

    /// Returns the device time of the operations run here. Fails if a GPU returned results without
    /// a launch or without device time: then nothing proves that it did the work.
    pub(super) fn proof(&self) -> Result<Option<Nanos>, String> {
        match self.missing_proof.get() {
            Some(missing_proof) => Err(missing_proof.to_owned()),
            None => Ok(self.device_time.get()),
        }
    }
}
