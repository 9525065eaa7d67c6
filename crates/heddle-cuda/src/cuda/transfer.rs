//! Copies between host and device, by size.
//!
//! Up to [`SLAB_DOWNLOAD`] bytes pass through the lease's own slab: one copy, one command.
//! Uploads of at most [`ASYNC_UPLOAD_MAX`] are not even waited for, since the stream keeps
//! them before the kernel that needs them. Larger transfers are cut into chunks, and
//! several threads fill or empty their slots.

#![allow(unsafe_code)]

use std::sync::Arc;
use std::time::Instant;

use heddle_runtime::Error;
use heddle_runtime::device::ScatterSink;
use heddle_runtime::units::Nanos;

use super::lease::{SLAB_DOWNLOAD, SLAB_STEP, SLAB_UPLOAD};
use super::memory::CudaMemory;
use super::staging::PinnedSlot;
use super::state::CudaState;
use super::transfer_pipeline::{Transfer, TransferSlot, run_transfer};

/// The largest upload that runs while the caller continues: it takes the bus about a
/// microsecond, waiting for it several.
const ASYNC_UPLOAD_MAX: usize = 64 << 10;
/// The smallest chunk: slots are filled only in part when that keeps more threads busy.
const SMALLEST_CHUNK: usize = 512 << 10;

impl TransferSlot for PinnedSlot {
    unsafe fn bytes_mut(&mut self) -> &mut [u8] {
        let len = self.memory.len();
        // SAFETY: the caller promises that the device has finished with the slot.
        unsafe { self.memory.bytes_mut(0, len) }
    }

    fn is_done(&self) -> Result<bool, Error> {
        self.done.has_happened()
    }
}

/// Overwrites `memory` with `from`, which is as long.
pub(super) fn upload(
    state: &Arc<CudaState>,
    memory: &CudaMemory,
    from: &[u8],
) -> Result<Nanos, Error> {
    let start = Instant::now();
    if from.is_empty() {
        return Ok(Nanos(0));
    }
    if from.len() <= SLAB_DOWNLOAD {
        small_upload(state, memory, from)?;
    } else {
        large_upload(state, memory, from)?;
    }
    Ok(Nanos::from(start.elapsed()))
}

/// Copies `memory` to `to`, which is as long.
pub(super) fn download(
    state: &Arc<CudaState>,
    memory: &CudaMemory,
    to: &mut [u8],
) -> Result<Nanos, Error> {
    if to.is_empty() {
        return Ok(Nanos(0));
    }
    if to.len() <= SLAB_DOWNLOAD {
        small_download(state, memory, to)
    } else {
        large_download(state, memory, to)
    }
}

fn small_upload(state: &CudaState, memory: &CudaMemory, from: &[u8]) -> Result<(), Error> {
    state.on_lease(|lease, resources| {
        memory.join(lease)?;
        if resources.slab_used + from.len() > SLAB_UPLOAD {
            state.synchronize_lease(lease, resources)?;
        }
        resources.kernel_timer.kernels_end(&lease.stream)?;
        let offset = resources.slab_used;
        // SAFETY: nothing queued uses the slab from `slab_used` on.
        let part = unsafe { resources.slab.bytes_mut(offset, from.len()) };
        part.copy_from_slice(from);
        state.note_queued_work(lease);
        // SAFETY: the buffer is as long as `from`; it is freed, and this part of the slab
        // reused, only once the lease is synchronized.
        unsafe {
            resources
                .slab
                .send(offset, from.len(), memory.pointer(), &lease.stream)?;
        }
        resources.slab_used = (offset + from.len()).next_multiple_of(SLAB_STEP);
        memory.note_upload(lease);
        if from.len() > ASYNC_UPLOAD_MAX {
            state.synchronize_lease(lease, resources)?;
        }
        Ok(())
    })
}

fn small_download(state: &CudaState, memory: &CudaMemory, to: &mut [u8]) -> Result<Nanos, Error> {
    state.on_lease(|lease, resources| {
        memory.join(lease)?;
        let mut start = Instant::now();
        let kernels = resources.kernel_timer.kernels_end(&lease.stream)?;
        state.note_queued_work(lease);
        // SAFETY: the buffer is as long as `to`, which fits this part of the slab; the
        // stream is waited for below, before another thread gets the lease's resources.
        unsafe {
            resources
                .slab
                .receive(SLAB_UPLOAD, to.len(), memory.pointer(), &lease.stream)?;
        }
        if let Some(end) = kernels {
            // The time between the two waits is that of the copy, which is queued already.
            resources.kernel_timer.wait(end, &lease.stream)?;
            start = Instant::now();
        }
        state.synchronize_lease(lease, resources)?;
        // SAFETY: the stream has been waited for, and no thread queues on it without
        // `resources`.
        to.copy_from_slice(unsafe { resources.slab.bytes(SLAB_UPLOAD, to.len()) });
        Ok(Nanos::from(start.elapsed()))
    })
}

fn large_upload(state: &Arc<CudaState>, memory: &CudaMemory, from: &[u8]) -> Result<(), Error> {
    let lease = state.lease();
    state.on_lease(|lease, resources| {
        memory.join(lease)?;
        state.note_queued_work(lease);
        resources.kernel_timer.kernels_end(&lease.stream)?;
        Ok(())
    })?;
    let step = chunk_bytes(state, from.len());
    let parts: Vec<&[u8]> = from.chunks(step).collect();
    let fill = |chunk: usize, to: &mut [u8]| to[..parts[chunk].len()].copy_from_slice(parts[chunk]);
    let transfer = Transfer {
        chunks: parts.len(),
        fill: Some(&fill),
        outputs: Vec::new(),
        output_offset: 0,
    };
    through_slots(state, transfer, from.len(), &mut |chunk, slot| {
        let to = memory.pointer() + (chunk * step) as u64;
        // SAFETY: the chunk lies within the buffer, which outlives this call, and
        // the slot is not touched before `done` has happened.
        unsafe {
            slot.memory.send(0, parts[chunk].len(), to, &lease.stream)?;
        }
        slot.done.record(&lease.stream)
    })
}

fn large_download(
    state: &Arc<CudaState>,
    memory: &CudaMemory,
    to: &mut [u8],
) -> Result<Nanos, Error> {
    let lease = state.lease();
    state.on_lease(|lease, resources| {
        memory.join(lease)?;
        // The time of work still running is not part of the transfer's.
        state.synchronize_lease(lease, resources)?;
        state.note_queued_work(lease);
        Ok(())
    })?;
    let start = Instant::now();
    let bytes = to.len();
    let step = chunk_bytes(state, bytes);
    let outputs = ScatterSink::from(to).chunks(step);
    let lengths: Vec<usize> = outputs.iter().map(ScatterSink::len).collect();
    let transfer = Transfer {
        chunks: outputs.len(),
        fill: None,
        outputs,
        output_offset: 0,
    };
    through_slots(state, transfer, bytes, &mut |chunk, slot| {
        let from = memory.pointer() + (chunk * step) as u64;
        // SAFETY: the chunk lies within the buffer, which outlives this call, and
        // the slot is not touched before `done` has happened.
        unsafe {
            slot.memory
                .receive(0, lengths[chunk], from, &lease.stream)?;
        }
        slot.done.record(&lease.stream)
    })?;
    Ok(Nanos::from(start.elapsed()))
}

/// Runs the transfer of `bytes` bytes, and leaves the calling thread's lease synchronized.
pub(super) fn through_slots(
    state: &CudaState,
    transfer: Transfer<'_>,
    bytes: usize,
    submit: &mut dyn FnMut(usize, &mut PinnedSlot) -> Result<(), Error>,
) -> Result<(), Error> {
    let slots = state.staging.take(transfer.chunks, bytes)?;
    let (slots, outcome) = run_transfer(&state.copiers, slots, transfer, submit);
    let synchronized = match &outcome {
        Ok(()) => state.on_lease(|lease, resources| state.synchronize_lease(lease, resources)),
        // No transfer may be under way on any stream when slots and buffers are used again.
        Err(_) => state.context.synchronize(),
    };
    state.staging.give(slots);
    outcome.and(synchronized)
}

/// The bytes per slot for a transfer of `len` bytes.
fn chunk_bytes(state: &CudaState, len: usize) -> usize {
    let share = len.div_ceil(state.copiers.current_num_threads());
    let largest = state.staging.slot_bytes();
    share
        .next_multiple_of(4096)
        .clamp(SMALLEST_CHUNK.min(largest), largest)
}
