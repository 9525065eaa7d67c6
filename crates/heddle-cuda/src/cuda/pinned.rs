//! Page-locked host memory, which the device reads and writes directly.
//!
//! A slice of it exists only for the part asked for and while the device does not write that
//! part: other parts may be in use by queued copies and kernels. Addresses for the device are
//! computed without one.

#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr::NonNull;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use cudarc::driver::sys::{self, CUdeviceptr};
use heddle_runtime::Error;

use super::context::Context;
use super::driver_error::check;
use super::drop_failures;
use super::stream::Stream;

/// Page-locked bytes. Transfers to and from them are queued, not waited for.
#[derive(Debug)]
pub(super) struct Pinned {
    context: Arc<Context>,
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: plain memory with one owner, which any thread may free: `drop` makes the context
// current.
unsafe impl Send for Pinned {}
// SAFETY: a shared reference gives bytes to read, words to use atomically, and the source of
// a copy; none of them writes without being atomic.
unsafe impl Sync for Pinned {}

impl Pinned {
    /// Allocates `len` zeroed bytes; `len` is not 0.
    pub(super) fn new(context: &Arc<Context>, len: usize) -> Result<Self, Error> {
        context.enter()?;
        let mut start: *mut c_void = std::ptr::null_mut();
        // SAFETY: the argument outlives the call; the context is current.
        context.check("cuMemHostAlloc", unsafe {
            sys::cuMemHostAlloc(&raw mut start, len, sys::CU_MEMHOSTALLOC_PORTABLE)
        })?;
        let Some(start) = NonNull::new(start.cast::<u8>()) else {
            return Err(context.refuse("cuMemHostAlloc returned no memory"));
        };
        // SAFETY: `len` bytes were just allocated there. Zeroing makes them readable as a
        // slice, and touches each page before the first transfer.
        unsafe { start.as_ptr().write_bytes(0, len) };
        Ok(Self {
            context: Arc::clone(context),
            start,
            len,
        })
    }

    /// How many bytes it has.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The start of `len` bytes from `offset` on.
    ///
    /// # Panics
    /// Where they do not lie within.
    fn part(&self, offset: usize, len: usize) -> *mut u8 {
        let end = offset.checked_add(len);
        assert!(
            end.is_some_and(|end| end <= self.len),
            "{len} bytes from {offset} on, of {} pinned bytes",
            self.len
        );
        self.start.as_ptr().wrapping_add(offset)
    }

    /// `len` bytes from `offset` on.
    ///
    /// # Safety
    /// The device has passed every queued copy and kernel that writes them.
    pub(super) unsafe fn bytes(&self, offset: usize, len: usize) -> &[u8] {
        let start = self.part(offset, len);
        // SAFETY: `part` checked that they lie within memory that self owns and `new`
        // initialised; the caller promises that the device does not write them.
        unsafe { slice::from_raw_parts(start, len) }
    }

    /// `len` bytes from `offset` on, for writing.
    ///
    /// # Safety
    /// The device has passed every queued copy and kernel that reads or writes them.
    pub(super) unsafe fn bytes_mut(&mut self, offset: usize, len: usize) -> &mut [u8] {
        let start = self.part(offset, len);
        // SAFETY: as in `bytes`; self is borrowed exclusively, and the caller promises that
        // the device does not use them.
        unsafe { slice::from_raw_parts_mut(start, len) }
    }

    /// All bytes as words of 64 bits, which the device may be writing.
    #[allow(
        clippy::cast_ptr_alignment,
        reason = "page-locked memory starts on a page"
    )]
    pub(super) fn words(&self) -> &[AtomicU64] {
        let count = self.len / size_of::<u64>();
        // SAFETY: in bounds, initialised, aligned as a page is, and valid for as long as
        // self is borrowed; the device stores whole words. A slice for writing needs self
        // exclusively.
        unsafe { slice::from_raw_parts(self.start.as_ptr().cast::<AtomicU64>(), count) }
    }

    /// The first word.
    pub(super) fn word(&self) -> &AtomicU64 {
        &self.words()[0]
    }

    /// The device address of `len` bytes from `offset` on: with unified addressing, which
    /// every supported GPU has, the host's own address.
    pub(super) fn address(&self, offset: usize, len: usize) -> CUdeviceptr {
        self.part(offset, len) as CUdeviceptr
    }

    /// Queues a copy of `len` bytes from `offset` on to the device.
    ///
    /// # Safety
    /// `to` holds at least `len` bytes, and neither side is written, freed or reused before
    /// the stream has passed the copy.
    pub(super) unsafe fn send(
        &self,
        offset: usize,
        len: usize,
        to: CUdeviceptr,
        stream: &Stream,
    ) -> Result<(), Error> {
        let from = self.part(offset, len);
        // SAFETY: `part` checked the source's bounds, the rest is the caller's.
        self.context.check("cuMemcpyHtoDAsync", unsafe {
            sys::cuMemcpyHtoDAsync_v2(to, from.cast(), len, stream.raw())
        })
    }

    /// Queues a copy of `len` bytes from the device to `offset` on.
    ///
    /// # Safety
    /// `from` holds at least `len` bytes, and neither side is read, written, freed or
    /// reused before the stream has passed the copy.
    pub(super) unsafe fn receive(
        &mut self,
        offset: usize,
        len: usize,
        from: CUdeviceptr,
        stream: &Stream,
    ) -> Result<(), Error> {
        let to = self.part(offset, len);
        // SAFETY: `part` checked the target's bounds, the rest is the caller's.
        self.context.check("cuMemcpyDtoHAsync", unsafe {
            sys::cuMemcpyDtoHAsync_v2(to.cast(), from, len, stream.raw())
        })
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        drop_failures::note(self.context.make_current());
        // SAFETY: allocated in `new`, freed once.
        drop_failures::note(check("cuMemFreeHost", unsafe {
            sys::cuMemFreeHost(self.start.as_ptr().cast())
        }));
    }
}
