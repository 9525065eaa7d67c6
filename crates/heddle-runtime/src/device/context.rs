//! The context of one execution: the view of a device that an operation's body gets.
//!
//! Every byte that an operation moves goes through its context, which counts the transfer.

use std::cell::Cell;
use std::sync::Arc;

use super::{
    Accelerator, ChunkLaunch, ChunkedMap, DeviceBuffer, DeviceId, DeviceMemory, TransferTotals,
};
use crate::array::{Array, count_transfer};
use crate::cpu::CpuPool;
use crate::dtype::Element;
use crate::error::Error;
use crate::units::Bytes;

/// The memory and threads that a body works with.
#[derive(Clone, Copy, Debug)]
pub enum ExecutionTarget<'a> {
    /// Host memory and these threads.
    Host(&'a CpuPool),
    /// A device with its own memory.
    Accelerator(&'a dyn Accelerator),
}

/// One execution's view of its device.
#[derive(Debug)]
pub struct ExecutionContext<'a> {
    device: DeviceId,
    target: ExecutionTarget<'a>,
    moved: Cell<TransferTotals>,
}

impl<'a> ExecutionContext<'a> {
    /// Creates the context of one execution on `device`.
    #[must_use]
    pub fn new(device: DeviceId, target: ExecutionTarget<'a>) -> Self {
        Self {
            device,
            target,
            moved: Cell::new(TransferTotals::default()),
        }
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> DeviceId {
        self.device
    }

    /// Its memory and threads.
    #[must_use]
    pub fn target(&self) -> ExecutionTarget<'a> {
        self.target
    }

    /// The CPU's threads, for an operation without another implementation.
    pub fn pool(&self, operation: &'static str) -> Result<&'a CpuPool, Error> {
        match self.target {
            ExecutionTarget::Host(pool) => Ok(pool),
            ExecutionTarget::Accelerator(_) => Err(Error::NotImplementedOn {
                operation,
                device: self.device,
            }),
        }
    }

    /// Returns the array's elements in host memory, downloaded first if they are not there yet.
    pub fn host<'b, T: Element>(&self, array: &'b Array<T>) -> Result<&'b [T], Error> {
        let (elements, moved) = array.ensure_on_host()?;
        self.count(&moved);
        Ok(elements)
    }

    /// Returns the array's elements in host memory for writing, downloaded first if they are not
    /// there yet; copies on other devices are dropped.
    pub fn host_mut<'b, T: Element>(&self, array: &'b mut Array<T>) -> Result<&'b mut [T], Error> {
        let (elements, moved) = array.make_host_mut()?;
        self.count(&moved);
        Ok(elements)
    }

    /// Returns the array's elements in `accelerator`'s memory, uploaded first if they are not there
    /// yet.
    pub fn resident<T: Element>(
        &self,
        array: &Array<T>,
        accelerator: &dyn Accelerator,
    ) -> Result<Arc<DeviceBuffer>, Error> {
        let (buffer, moved) = array.ensure_on(accelerator)?;
        self.count(&moved);
        Ok(buffer)
    }

    /// Copies `buffer` to `to`, whose length must be its size: for a result that is a value and not
    /// an array.
    pub fn download(&self, buffer: &dyn DeviceMemory, to: &mut [u8]) -> Result<(), Error> {
        let moved = TransferTotals {
            down: Bytes(to.len() as u64),
            down_time: buffer.download(to)?,
            ..TransferTotals::default()
        };
        count_transfer(&moved);
        self.count(&moved);
        Ok(())
    }

    /// Counts bytes that a kernel wrote to host memory itself. They crossed the bus while it ran,
    /// so they took no separate time.
    pub fn received(&self, bytes: Bytes) {
        let moved = TransferTotals {
            down: bytes,
            ..TransferTotals::default()
        };
        count_transfer(&moved);
        self.count(&moved);
    }

    /// Computes a host-to-host map on `accelerator`, chunk by chunk.
    pub fn chunked_map(
        &self,
        accelerator: &dyn Accelerator,
        work: ChunkedMap<'_>,
        launch: &mut ChunkLaunch<'_>,
    ) -> Result<(), Error> {
        let moved = accelerator.chunked_map(work, launch)?;
        count_transfer(&moved);
        self.count(&moved);
        Ok(())
    }

    /// The bytes that this execution may still allocate on its device: what is left of its
    /// admission, or without an admission the free memory.
    #[must_use]
    pub fn budget(&self) -> Bytes {
        match self.target {
            ExecutionTarget::Host(_) => Bytes(u64::MAX),
            ExecutionTarget::Accelerator(accelerator) => match accelerator.memory() {
                Some(memory) => memory
                    .reserved_for_this_thread()
                    .unwrap_or_else(|| memory.within_reach()),
                None => accelerator.free_memory(),
            },
        }
    }

    /// The transfers so far.
    #[must_use]
    pub fn moved(&self) -> TransferTotals {
        self.moved.get()
    }

    /// Adds transfers to the count.
    pub(crate) fn count(&self, moved: &TransferTotals) {
        if *moved != TransferTotals::default() {
            self.moved.set(self.moved.get().and(moved));
        }
    }
}
