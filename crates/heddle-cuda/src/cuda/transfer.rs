//! Host to device and back, by size.
//!
//! Up to [`SLAB_DOWN`] bytes pass through the lease's own slab: one copy, one
//! command. Uploads of at most [`UNWAITED`] are not even waited for, since the
//! stream keeps them before the kernel that needs them. Everything larger is cut
//! into slots that several threads fill or empty.

#![allow(unsafe_code)]

use std::sync::Arc;
use std::time::Instant;

use heddle_runtime::Error;
use heddle_runtime::device::Sink;
use heddle_runtime::units::Nanos;

use super::conveyor::{Carrier, Freight, carry};
use super::core::Core;
use super::lease::{SLAB_DOWN, SLAB_STEP, SLAB_UP};
use super::memory::CudaMemory;
use super::staging::Slot;

/// The largest upload that travels while the caller goes on: it takes the bus
/// about a microsecond, waiting for it several.
const UNWAITED: usize = 64 << 10;
/// Slots are filled to a fraction of their size when that keeps more threads busy.
const SMALLEST_CHUNK: usize = 512 << 10;

impl Carrier for Slot {
    fn bytes_mut(&mut self) -> &mut [u8] {
        self.memory.bytes_mut()
    }

    fn is_back(&self) -> Result<bool, Error> {
        self.done.has_happened()
    }
}

/// Overwrites `memory` with `from`, which is as long.
pub(super) fn upload(core: &Arc<Core>, memory: &CudaMemory, from: &[u8]) -> Result<Nanos, Error> {
    let start = Instant::now();
    if from.is_empty() {
        return Ok(Nanos(0));
    }
    if from.len() <= SLAB_DOWN {
        small_upload(core, memory, from)?;
    } else {
        large_upload(core, memory, from)?;
    }
    Ok(Nanos::from(start.elapsed()))
}

/// Copies `memory` to `to`, which is as long.
pub(super) fn download(
    core: &Arc<Core>,
    memory: &CudaMemory,
    to: &mut [u8],
) -> Result<Nanos, Error> {
    if to.is_empty() {
        return Ok(Nanos(0));
    }
    if to.len() <= SLAB_DOWN {
        small_download(core, memory, to)
    } else {
        large_download(core, memory, to)
    }
}

fn small_upload(core: &Core, memory: &CudaMemory, from: &[u8]) -> Result<(), Error> {
    core.on_lease(|lease, desk| {
        memory.join(lease)?;
        if desk.slab_used + from.len() > SLAB_UP {
            core.settle(lease, desk)?;
        }
        desk.clock.kernels_end(&lease.stream)?;
        let offset = desk.slab_used;
        desk.slab.bytes_mut()[offset..offset + from.len()].copy_from_slice(from);
        core.expect_work(lease);
        // SAFETY: the buffer is as long as `from`; it is freed only once the lease
        // has settled, and this part of the slab is reused only after that too.
        unsafe {
            desk.slab
                .send(offset, from.len(), memory.pointer(), &lease.stream)?;
        }
        desk.slab_used = (offset + from.len()).next_multiple_of(SLAB_STEP);
        memory.arrives_by(lease);
        if from.len() > UNWAITED {
            core.settle(lease, desk)?;
        }
        Ok(())
    })
}

fn small_download(core: &Core, memory: &CudaMemory, to: &mut [u8]) -> Result<Nanos, Error> {
    core.on_lease(|lease, desk| {
        memory.join(lease)?;
        let mut start = Instant::now();
        let kernels = desk.clock.kernels_end(&lease.stream)?;
        core.expect_work(lease);
        // SAFETY: the buffer is as long as `to`, which fits this part of the slab;
        // the stream is waited for below, before anyone else gets the desk.
        unsafe {
            desk.slab
                .receive(SLAB_UP, to.len(), memory.pointer(), &lease.stream)?;
        }
        if let Some(end) = kernels {
            // What lies between the two waits is the copy, which is queued already.
            desk.clock.wait(end, &lease.stream)?;
            start = Instant::now();
        }
        core.settle(lease, desk)?;
        to.copy_from_slice(&desk.slab.bytes()[SLAB_UP..SLAB_UP + to.len()]);
        Ok(Nanos::from(start.elapsed()))
    })
}

fn large_upload(core: &Arc<Core>, memory: &CudaMemory, from: &[u8]) -> Result<(), Error> {
    let lease = core.lease();
    core.on_lease(|lease, desk| {
        memory.join(lease)?;
        core.expect_work(lease);
        desk.clock.kernels_end(&lease.stream)?;
        Ok(())
    })?;
    let step = chunk_bytes(core, from.len());
    let parts: Vec<&[u8]> = from.chunks(step).collect();
    let fill = |chunk: usize, to: &mut [u8]| to[..parts[chunk].len()].copy_from_slice(parts[chunk]);
    let freight = Freight {
        chunks: parts.len(),
        fill: Some(&fill),
        landings: Vec::new(),
        landing_offset: 0,
    };
    through_slots(core, freight, from.len(), &mut |chunk, slot| {
        let to = memory.pointer() + (chunk * step) as u64;
        // SAFETY: the chunk lies within the buffer, which outlives this call, and
        // the slot is not touched before `done` has happened.
        unsafe {
            slot.memory.send(0, parts[chunk].len(), to, &lease.stream)?;
        }
        slot.done.record(&lease.stream)
    })
}

fn large_download(core: &Arc<Core>, memory: &CudaMemory, to: &mut [u8]) -> Result<Nanos, Error> {
    let lease = core.lease();
    core.on_lease(|lease, desk| {
        memory.join(lease)?;
        // What is still running is not the transfer's time.
        core.settle(lease, desk)?;
        core.expect_work(lease);
        Ok(())
    })?;
    let start = Instant::now();
    let bytes = to.len();
    let step = chunk_bytes(core, bytes);
    let landings = Sink::from(to).chunks(step);
    let lengths: Vec<usize> = landings.iter().map(Sink::len).collect();
    let freight = Freight {
        chunks: landings.len(),
        fill: None,
        landings,
        landing_offset: 0,
    };
    through_slots(core, freight, bytes, &mut |chunk, slot| {
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

/// Carries the freight, of so many bytes, and leaves the calling thread's lease settled.
pub(super) fn through_slots(
    core: &Core,
    freight: Freight<'_>,
    bytes: usize,
    depart: &mut dyn FnMut(usize, &mut Slot) -> Result<(), Error>,
) -> Result<(), Error> {
    let slots = core.staging.take(freight.chunks, bytes)?;
    let (slots, outcome) = carry(&core.copiers, slots, freight, depart);
    let settled = match &outcome {
        Ok(()) => core.on_lease(|lease, desk| core.settle(lease, desk)),
        // Whatever stream the chunk that failed was on, nothing may still be
        // moving when its slot and buffers are used again.
        Err(_) => core.context.synchronize(),
    };
    core.staging.give(slots);
    outcome.and(settled)
}

/// Bytes per slot for a transfer of `len` bytes.
fn chunk_bytes(core: &Core, len: usize) -> usize {
    let share = len.div_ceil(core.copiers.current_num_threads());
    let largest = core.staging.slot_bytes();
    share
        .next_multiple_of(4096)
        .clamp(SMALLEST_CHUNK.min(largest), largest)
}
