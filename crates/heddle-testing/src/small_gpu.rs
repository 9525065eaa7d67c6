//! An emulated GPU with little memory, and the CPU to compare it with.

use std::sync::Arc;
use std::time::Instant;

use heddle_cuda::simt::{SimtDevice, SimtOptions};
use heddle_runtime::device::{Accelerator, Device, DeviceId, Timing};
use heddle_runtime::units::Bytes;
use heddle_runtime::{Agreement, Array, Element, Error, Operation, Runtime};

pub const MIB: u64 = 1 << 20;

/// Both devices. The GPU refuses an allocation beyond its memory, so every operation that succeeds
/// stayed within it.
pub struct SmallGpu {
    pub gpu: Arc<SimtDevice>,
    cpu: Runtime,
}

impl SmallGpu {
    pub fn new(memory: u64) -> Self {
        let options = SimtOptions::default().with(|it| it.memory = Bytes(memory));
        Self {
            gpu: Arc::new(SimtDevice::new(0, options)),
            cpu: Runtime::builder().without_model_cache().build().unwrap(),
        }
    }

    /// Returns the GPU's result and timing.
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

    /// Returns both devices' results, after checking that they are equal by the operation's own
    /// `compare` and that no memory of the GPU stays in use.
    pub fn agree<O: Operation>(&self, mut operation: O, what: &str) -> [O::Output; 2] {
        let description = operation.describe();
        let footprint = description.footprint(self.gpu.id());
        assert!(
            footprint <= self.gpu.free_memory() || description.least.is_some(),
            "{what}: {footprint} that cannot be split"
        );
        let free = self.gpu.free_memory();
        // The GPU runs first, because operands that the CPU has read have a copy on the host, and
        // their copies on the GPU may then be dropped to free memory.
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

    /// Compares both devices' results and drops them.
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

    /// Returns the array with its only copy on the GPU.
    pub fn resident<T: Element>(&self, array: &Array<T>) -> Array<T> {
        let buffer = self.gpu.allocate(array.bytes()).unwrap();
        buffer
            .upload(bytemuck::cast_slice(array.as_slice().unwrap()))
            .unwrap();
        Array::on_device(array.shape().clone(), buffer).unwrap()
    }
}
