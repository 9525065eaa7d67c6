//! Page-locked host memory, which the device reads and writes directly.

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

// SAFETY: plain memory with one owner.
unsafe impl Send for Pinned {}
// SAFETY: shared references only read it.
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

    /// The bytes. No transfer into them may be under way.
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: `len` initialised bytes owned by self.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// The bytes, for writing. No transfer to or from them may be under way.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`, and self is borrowed exclusively.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }

    /// All bytes as words of 64 bits, which the device may be writing.
    #[allow(
        clippy::cast_ptr_alignment,
        reason = "page-locked memory starts on a page"
    )]
    pub(super) fn words(&self) -> &[AtomicU64] {
        let count = self.len / size_of::<u64>();
        // SAFETY: in bounds, initialised, aligned as a page is, and valid for as long as
        // self is borrowed; the device stores whole words.
        unsafe { slice::from_raw_parts(self.start.as_ptr().cast::<AtomicU64>(), count) }
    }

    /// The first word.
    pub(super) fn word(&self) -> &AtomicU64 {
        &self.words()[0]
    }

    /// The device address of `len` bytes from `offset` on: with unified addressing, which
    /// every supported GPU has, the host's own address.
    pub(super) fn address(&self, offset: usize, len: usize) -> CUdeviceptr {
        self.bytes()[offset..offset + len].as_ptr() as CUdeviceptr
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
        let from = self.bytes()[offset..offset + len].as_ptr();
        // SAFETY: the source was bounds-checked above, the rest is the caller's.
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
        let to = self.bytes_mut()[offset..offset + len].as_mut_ptr();
        // SAFETY: the target was bounds-checked above, the rest is the caller's.
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
