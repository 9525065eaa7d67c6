//! The operation under test, instrumented: memory for results is first filled with a pattern, and
//! launches are counted.
//!
//! Buffers are recycled on every device. Without the pattern, an element that a kernel left
//! unwritten could hold the correct result of the previous case.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::device::{
    Accelerator, ChunkLaunch, ChunkedMap, Device, DeviceBuffer, DeviceId, DeviceProperties,
    ExecutionContext, ExecutionTarget, Launch, MappedResults, MatMulCall, Timing, TransferTotals,
};
use crate::error::Error;
use crate::memory::AcceleratorMemory;
use crate::operation::{Agreement, Description, Operation};
use crate::units::Bytes;

/// The content of unwritten memory of the device under test. As a number of any element type it is
/// large (a float of 10^38 or 10^306), far from the results of the cases, and it is not a NaN,
/// which some operations ignore.
pub(super) const PATTERN: u8 = 0x7F;

/// The content of unwritten memory of the reference. It differs from the other pattern, so that an
/// element that neither side writes is a difference.
pub(super) const REFERENCE_PATTERN: u8 = 0xFE;

/// Wraps an operation: its device allocates memory filled with the pattern, and its launches are
/// counted.
#[derive(Debug)]
pub(super) struct InstrumentedOperation<'a, O> {
    pub(super) operation: &'a mut O,
    /// The number of kernels and library calls queued so far.
    pub(super) launches: &'a AtomicU64,
}

impl<O: Operation> Operation for InstrumentedOperation<'_, O> {
    type Output = O::Output;

    fn describe(&self) -> Description {
        self.operation.describe()
    }

    fn runs_on(&self, device: DeviceId) -> bool {
        self.operation.runs_on(device)
    }

    fn run(&mut self, context: &ExecutionContext<'_>) -> Result<O::Output, Error> {
        let ExecutionTarget::Accelerator(device) = context.target() else {
            return self.operation.run(context);
        };
        let poisoning = InstrumentedDevice {
            device,
            launches: self.launches,
        };
        let inner =
            ExecutionContext::new(context.device(), ExecutionTarget::Accelerator(&poisoning));
        let result = self.operation.run(&inner);
        context.count(&inner.moved());
        result
    }

    fn is_repeatable(&self) -> bool {
        self.operation.is_repeatable()
    }

    fn can_be_retried(&self) -> bool {
        self.operation.can_be_retried()
    }

    fn compare(&self, first: &O::Output, second: &O::Output) -> Agreement {
        self.operation.compare(first, second)
    }
}

/// A device whose fresh memory holds the pattern. Its clock counts kernels and not transfers, so
/// filling does not add to the device time that it reports.
#[derive(Debug)]
struct InstrumentedDevice<'a> {
    device: &'a dyn Accelerator,
    launches: &'a AtomicU64,
}

impl InstrumentedDevice<'_> {
    fn count(&self) {
        self.launches.fetch_add(1, Ordering::Relaxed);
    }
}

impl Device for InstrumentedDevice<'_> {
    fn id(&self) -> DeviceId {
        self.device.id()
    }

    fn properties(&self) -> &DeviceProperties {
        self.device.properties()
    }

    fn free_memory(&self) -> Bytes {
        self.device.free_memory()
    }

    fn execute(
        &self,
        description: &Description,
        start: Instant,
        body: &mut dyn FnMut(&ExecutionContext<'_>) -> Result<(), Error>,
    ) -> Result<Timing, Error> {
        self.device.execute(description, start, body)
    }

    fn accelerator(&self) -> Option<&dyn Accelerator> {
        Some(self)
    }
}

impl Accelerator for InstrumentedDevice<'_> {
    fn allocate(&self, bytes: Bytes) -> Result<DeviceBuffer, Error> {
        let buffer = self.device.allocate(bytes)?;
        if bytes > Bytes(0) {
            buffer.upload(&vec![PATTERN; bytes.0 as usize])?;
        }
        Ok(buffer)
    }

    fn memory(&self) -> Option<&AcceleratorMemory> {
        self.device.memory()
    }

    /// Zero until they are written, which shows an unwritten word as well as the pattern would.
    fn mapped_results(&self, words: usize) -> Result<Option<Arc<dyn MappedResults>>, Error> {
        self.device.mapped_results(words)
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<(), Error> {
        self.count();
        self.device.launch(launch)
    }

    fn synchronize(&self) -> Result<(), Error> {
        self.device.synchronize()
    }

    fn chunked_map(
        &self,
        work: ChunkedMap<'_>,
        launch: &mut ChunkLaunch<'_>,
    ) -> Result<TransferTotals, Error> {
        self.device.chunked_map(work, launch)
    }

    fn matmul(&self, call: &MatMulCall<'_>) -> Result<Option<&'static str>, Error> {
        let library = self.device.matmul(call)?;
        if library.is_some() {
            self.count();
        }
        Ok(library)
    }

    fn as_any(&self) -> &dyn Any {
        self.device.as_any()
    }
}
