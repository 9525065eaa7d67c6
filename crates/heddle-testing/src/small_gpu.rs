//! An emulated GPU with little memory, and the processor to compare it with.

use std::sync::Arc;
use std::time::Instant;

use heddle_cuda::simt::{SimtDevice, SimtOptions};
use heddle_runtime::device::{Accelerator, Device, DeviceId, Timing};
use heddle_runtime::units::Bytes;
use heddle_runtime::{Agreement, Array, Element, Error, Operation, Runtime};

pub const MIB: u64 = 1 << 20;

/// Both devices. An allocation beyond the GPU's memory fails there, so whatever
/// answers has kept to it.
pub struct SmallGpu {
    pub gpu: Arc<SimtDevice>,
    cpu: Runtime,
}

impl SmallGpu {
    pub fn new(memory: u64) -> Self {
        let options = SimtOptions {
            memory: Bytes(memory),
            ..SimtOptions::default()
        };
        Self {
            gpu: Arc::new(SimtDevice::new(0, options).unwrap()),
            cpu: Runtime::builder().without_model_cache().build().unwrap(),
        }
    }

    /// What the GPU makes of it.
    pub fn gpu<O: Operation>(&self, mut operation: O) -> Result<(O::Output, Timing), Error> {
        let description = operation.describe();
        let mut result = None;
        let timing = self
            .gpu
            .execute(&description, Instant::now(), &mut |context| {
                result = Some(operation.run(context)?);
                Ok(())
            })?;
        Ok((result.unwrap(), timing))
    }

    pub fn cpu<O: Operation>(&self, operation: O) -> Result<O::Output, Error> {
        self.cpu.run_on(DeviceId::CPU, operation)
    }

    /// Both devices' answers, the same by the operation's own measure, and none of
    /// the GPU's memory used up.
    pub fn agree<O: Operation>(&self, mut operation: O, what: &str) -> [O::Output; 2] {
        let description = operation.describe();
        let footprint = description.footprint(self.gpu.id());
        assert!(
            footprint <= self.gpu.free_memory() || description.least.is_some(),
            "{what}: {footprint} that cannot be split"
        );
        let free = self.gpu.free_memory();
        // First, because operands that the processor has read have a copy on the
        // host, and those on the GPU may be dropped to make room.
        let (found, _) = self
            .gpu(&mut operation)
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        let expected = self.cpu(&mut operation).unwrap();
        assert_eq!(
            operation.compare(&expected, &found),
            Agreement::Same,
            "{what}"
        );
        let left = self.gpu.free_memory();
        assert!(left >= free, "{what}: {left} of {free} left");
        [expected, found]
    }

    /// Both devices' answers, dropped again if they are the same.
    pub fn same<O: Operation>(&self, mut operation: O) -> Result<(), String> {
        let expected = self
            .cpu(&mut operation)
            .map_err(|error| error.to_string())?;
        let (found, _) = self
            .gpu(&mut operation)
            .map_err(|error| error.to_string())?;
        match operation.compare(&expected, &found) {
            Agreement::Same => Ok(()),
            other => Err(format!("{other:?}")),
        }
    }

    /// The array on the GPU and nowhere else.
    pub fn resident<T: Element>(&self, array: &Array<T>) -> Array<T> {
        let buffer = self.gpu.allocate(array.bytes()).unwrap();
        buffer
            .upload(bytemuck::cast_slice(array.as_slice().unwrap()))
            .unwrap();
        Array::on_device(array.shape().clone(), buffer).unwrap()
    }
}

/// The same bits.
pub fn assert_bits<T: Element>(found: &Array<T>, expected: &Array<T>, what: &str) {
    assert_eq!(found.shape(), expected.shape(), "{what}");
    let (found, expected) = (found.as_slice().unwrap(), expected.as_slice().unwrap());
    let differs = |(a, b): (&T, &T)| bytemuck::bytes_of(a) != bytemuck::bytes_of(b);
    let place = found.iter().zip(expected).position(differs);
    assert_eq!(place, None, "{what}: the first element that differs");
}
