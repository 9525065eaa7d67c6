//! Buffers of the emulated GPU: host memory between two guard zones.
//!
//! A kernel's stray access cannot be detected as it happens. A write within a guard zone is
//! found after the launch, when the device is synchronized or when the buffer is freed.
//! Memory that was never written reads as poison.
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::any::Any;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Instant;

use heddle_runtime::Error;
use heddle_runtime::device::{DeviceId, DeviceMemory};
use heddle_runtime::memory::{AcceleratorMemory, Allocation, StreamSet};
use heddle_runtime::units::{Bytes, Nanos};

use super::device::SimtState;
use super::device_time;

/// The bytes of each guard zone.
const GUARD: usize = 256;
/// The content of guard zones.
const GUARD_BYTE: u8 = 0xFD;
/// The content of new memory.
const POISON: u8 = 0xA5;
/// The alignment of a GPU's own allocator.
const ALIGNMENT: usize = 256;

/// A block of memory between two guard zones.
pub(super) struct GuardedRegion {
    start: NonNull<u8>,
    layout: Layout,
    bytes: usize,
    checked: bool,
}

// SAFETY: plain memory, freed once. A thread that accesses the content holds the stream lock
// of its device (transfers, launches) or owns it alone (creation). The guards, which no
// kernel within its bounds touches, are accessed under that lock or, when a buffer is
// dropped, under the lock of its storage, where it has been removed before.
unsafe impl Send for GuardedRegion {}
// SAFETY: as above.
unsafe impl Sync for GuardedRegion {}

impl GuardedRegion {
    /// Allocates `bytes` bytes of content; None if the host's memory is exhausted.
    pub(super) fn new(bytes: Bytes, checked: bool) -> Option<Self> {
        let bytes = usize::try_from(bytes.0).ok()?;
        let layout = Layout::from_size_align(bytes.checked_add(2 * GUARD)?, ALIGNMENT).ok()?;
        // Zeroed, because a download copies memory that no kernel has written to a slice.
        // SAFETY: the guards make the layout larger than zero.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let region = Self {
            start,
            layout,
            bytes,
            checked,
        };
        region.write_guards();
        if checked {
            // SAFETY: the content lies within the layout.
            unsafe { region.content().write_bytes(POISON, bytes) };
        }
        Some(region)
    }

    /// The start of the content.
    fn content(&self) -> NonNull<u8> {
        // SAFETY: the layout is two guards larger than the content, and one allocation.
        unsafe { self.start.add(GUARD) }
    }

    /// The address of the content.
    pub(super) fn address(&self) -> u64 {
        self.content().as_ptr() as u64
    }

    fn guards(&self) -> [NonNull<u8>; 2] {
        // SAFETY: guard, content and guard lie one behind the other.
        [self.start, unsafe { self.content().add(self.bytes) }]
    }

    fn write_guards(&self) {
        for guard in self.guards() {
            // SAFETY: within the layout; see `Send` for the threads that may write.
            unsafe { guard.write_bytes(GUARD_BYTE, GUARD) };
        }
    }

    /// Describes a write over the guards, if there was one; reported once.
    pub(super) fn take_damage(&self) -> Option<String> {
        if !self.checked {
            return None;
        }
        let stray = |byte: &u8| *byte != GUARD_BYTE;
        // SAFETY: both lie within the layout and were written at creation.
        let [before, after] = self
            .guards()
            .map(|guard| unsafe { std::slice::from_raw_parts(guard.as_ptr(), GUARD) });
        let (side, at) = match (after.iter().position(stray), before.iter().rposition(stray)) {
            (Some(at), _) => ("past the end", (self.bytes + at).to_string()),
            (None, Some(at)) => ("before the start", format!("-{}", GUARD - at)),
            (None, None) => return None,
        };
        self.write_guards();
        Some(format!(
            "wrote {side} of a buffer of {} bytes, at byte {at}",
            self.bytes
        ))
    }
}

impl Drop for GuardedRegion {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

/// A buffer of an emulated GPU.
pub(super) struct SimtBuffer {
    core: Arc<SimtState>,
    region: Arc<GuardedRegion>,
    /// None once it is freed.
    allocation: Option<Allocation>,
}

impl SimtBuffer {
    pub(super) fn new(
        core: Arc<SimtState>,
        region: Arc<GuardedRegion>,
        allocation: Allocation,
    ) -> Self {
        Self {
            core,
            region,
            allocation: Some(allocation),
        }
    }

    /// Whether it was allocated by this device.
    pub(super) fn belongs_to(&self, device: &SimtState) -> bool {
        std::ptr::eq(Arc::as_ptr(&self.core), device)
    }

    /// The address for a kernel.
    pub(super) fn address(&self) -> u64 {
        self.region.address()
    }

    /// Describes a write over its guards, if there was one; reported once.
    pub(super) fn take_damage(&self) -> Option<String> {
        self.region.take_damage()
    }

    /// Copies `given` bytes with `copy`, which receives the content's address, and times
    /// it.
    fn transfer(&self, given: usize, copy: impl FnOnce(*mut u8)) -> Result<Nanos, Error> {
        self.core.call()?;
        if given != self.region.bytes {
            return Err(self.core.error(format!(
                "a transfer of {given} bytes to or from a buffer of {} bytes",
                self.region.bytes
            )));
        }
        let _stream = self.core.stream();
        self.core.take_failure()?;
        let start = Instant::now();
        copy(self.region.content().as_ptr());
        let simulated = self.core.options.transfers.cost(self.bytes());
        device_time::add_bus(simulated);
        Ok(Nanos::from(start.elapsed()) + simulated)
    }
}

impl DeviceMemory for SimtBuffer {
    fn device(&self) -> DeviceId {
        self.core.id
    }

    fn bytes(&self) -> Bytes {
        Bytes(self.region.bytes as u64)
    }

    fn upload(&self, from: &[u8]) -> Result<Nanos, Error> {
        self.transfer(from.len(), |content| {
            // SAFETY: the lengths are equal, the stream lock gives exclusive access to the
            // content, and host memory never overlaps it.
            unsafe { content.copy_from_nonoverlapping(from.as_ptr(), from.len()) };
        })
    }

    fn download(&self, to: &mut [u8]) -> Result<Nanos, Error> {
        self.transfer(to.len(), |content| {
            // SAFETY: as in `upload`; all of it was initialised when it was allocated.
            unsafe { content.copy_to_nonoverlapping(to.as_mut_ptr(), to.len()) };
        })
    }

    fn memory(&self) -> Option<&AcceleratorMemory> {
        Some(&self.core.memory)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for SimtBuffer {
    fn drop(&mut self) {
        if let Some(allocation) = self.allocation.take() {
            // A launch runs before it returns, so no work is queued.
            self.core.memory.free(allocation, StreamSet::NONE);
        }
    }
}

impl fmt::Debug for SimtBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SimtBuffer({} on {})", self.bytes(), self.core.id)
    }
}
