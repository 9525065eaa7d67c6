//! Host-to-host maps that transfer in both directions while kernels run.
//!
//! Each chunk in flight owns a pinned slot and device buffers. It is uploaded on one
//! stream, computed on the lease's stream and downloaded on a third.

#![allow(unsafe_code)]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::time::Instant;

use heddle_runtime::Error;
use heddle_runtime::device::{
    Accelerator, ChunkLaunch, ChunkedMap, ChunkedMapInput, DeviceMemory, MapChunk, TransferTotals,
    sequential,
};
use heddle_runtime::units::{Bytes, Nanos};

use super::chunk_layout::ChunkLayout;
use super::memory::CudaMemory;
use super::staging::PinnedSlot;
use super::state::CudaState;
use super::transfer_pipeline::{Transfer, TransferSlot, run_transfer};
use super::{CudaDevice, zero_copy};

/// Bytes from which overlapping pays: less traffic is over before the threads have woken.
const OVERLAP_FROM: usize = 2 << 20;
/// The smallest chunk in bytes, except for the last: its commands take some 12 µs, in which
/// the bus moves about this much.
const SMALLEST_CHUNK: usize = 1 << 20;
/// Chunks for each copying thread, so that one is transferred while another is filled.
const CHUNKS_PER_COPIER: usize = 2;
/// Chunks that must fit in device memory at once for one to move while another is computed.
const OVERLAPPING: usize = 2;

/// A slot and the device buffers of its chunk.
struct ChunkSlot {
    slot: PinnedSlot,
    /// One per input; None where all chunks share the buffer.
    inputs: Vec<Option<CudaMemory>>,
    output: CudaMemory,
}

impl TransferSlot for ChunkSlot {
    unsafe fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the caller's promise.
        unsafe { self.slot.bytes_mut() }
    }

    fn is_done(&self) -> Result<bool, Error> {
        self.slot.is_done()
    }
}

/// Computes the map chunk by chunk, overlapped where that pays.
pub(super) fn chunked_map(
    device: &CudaDevice,
    mut work: ChunkedMap<'_>,
    launch: &mut ChunkLaunch<'_>,
) -> Result<TransferTotals, Error> {
    let state = device.state();
    let elements = work.elements()?;
    if let Some(moved) = zero_copy::map(device, &mut work, launch)? {
        return Ok(moved);
    }
    let units: Vec<usize> = work.inputs.iter().map(|input| input.unit).collect();
    let in_budget = work.elements_in_budget();
    let per_element = work.bytes_per_element().max(1);
    let requested = match work.chunk_elements {
        // Small enough to give every copying thread some chunks, large enough to pay for
        // their commands.
        0 => elements
            .div_ceil(CHUNKS_PER_COPIER * state.copiers.current_num_threads())
            .max(SMALLEST_CHUNK / per_element)
            .max(1),
        requested => requested,
    };
    let chunk_layout = ChunkLayout::new(
        &units,
        work.output_unit,
        requested.min(in_budget / OVERLAPPING).max(1),
        state.staging.slot_bytes(),
    );
    let traffic = elements.saturating_mul(per_element);
    let overlaps = in_budget >= OVERLAPPING && traffic >= OVERLAP_FROM;
    let Some(chunk_layout) = chunk_layout.filter(|_| overlaps) else {
        return sequential(device, work, launch);
    };
    let start = Instant::now();
    let mut moved = work.traffic();
    let shared = share(device, work.inputs)?;
    let chunks = elements.div_ceil(chunk_layout.elements);
    // All slots are taken at once: the chunks in flight need them together.
    let slots = state
        .staging
        .take(chunks.min(in_budget / chunk_layout.elements), usize::MAX)?;
    let chunk_slots = attach_buffers(state, &chunk_layout, slots, work.inputs)?;
    let inputs = work.inputs;
    let fill = |chunk: usize, to: &mut [u8]| chunk_layout.fill(chunk, inputs, to);
    let transfer = Transfer {
        chunks,
        fill: Some(&fill),
        outputs: work.output.chunks(chunk_layout.elements * work.output_unit),
        output_offset: chunk_layout.output_offset,
    };
    let stages = ChunkStages {
        state,
        chunk_layout: &chunk_layout,
        inputs,
        shared: &shared,
        output_unit: work.output_unit,
        elements,
    };
    // The device uses slots and buffers until it has been waited for, so a panic in `launch`
    // must not drop them.
    let mut panic = None;
    let (chunk_slots, outcome) = run_transfer(
        &state.copiers,
        chunk_slots,
        transfer,
        &mut |chunk, chunk_slot| {
            let submit = AssertUnwindSafe(|| stages.submit(chunk, chunk_slot, launch));
            catch_unwind(submit).unwrap_or_else(|payload| {
                panic = Some(payload);
                Err(state.context.refuse("the launch of a chunk panicked"))
            })
        },
    );
    let synchronized = match &outcome {
        Ok(()) => state.on_lease(|lease, resources| state.synchronize_lease(lease, resources)),
        // No transfer may be under way when slots and buffers are used again.
        Err(_) => state.context.synchronize(),
    };
    state.staging.give(
        chunk_slots
            .into_iter()
            .map(|chunk_slot| chunk_slot.slot)
            .collect(),
    );
    if let Some(payload) = panic {
        resume_unwind(payload);
    }
    outcome.and(synchronized)?;
    let total = Nanos::from(start.elapsed());
    moved.up_time =
        Nanos((total.0 as f64 * moved.up.0 as f64 / moved.bytes().0.max(1) as f64) as u64);
    moved.down_time = total.saturating_sub(moved.up_time);
    Ok(moved)
}

/// Uploads the inputs that every chunk needs whole.
fn share(
    device: &CudaDevice,
    inputs: &[ChunkedMapInput<'_>],
) -> Result<Vec<Option<Box<dyn DeviceMemory>>>, Error> {
    inputs
        .iter()
        .map(|input| {
            if input.unit > 0 {
                return Ok(None);
            }
            let buffer = device.allocate(Bytes(input.bytes.len() as u64))?;
            buffer.upload(&input.bytes.contiguous(0..input.bytes.len()))?;
            Ok(Some(buffer))
        })
        .collect()
}

/// Gives each slot device buffers. When memory is short, the remaining slots are returned.
fn attach_buffers(
    state: &Arc<CudaState>,
    chunk_layout: &ChunkLayout,
    slots: Vec<PinnedSlot>,
    inputs: &[ChunkedMapInput<'_>],
) -> Result<Vec<ChunkSlot>, Error> {
    let allocate =
        |unit: usize| CudaMemory::new(state, Bytes((chunk_layout.elements * unit) as u64));
    let mut chunk_slots: Vec<ChunkSlot> = Vec::with_capacity(slots.len());
    let mut left = slots.into_iter();
    let mut short = None;
    for slot in left.by_ref() {
        let buffers = inputs
            .iter()
            .map(|input| (input.unit > 0).then(|| allocate(input.unit)).transpose())
            .collect::<Result<Vec<_>, _>>()
            .and_then(|inputs| Ok((inputs, allocate(chunk_layout.output_unit)?)));
        match buffers {
            Ok((inputs, output)) => chunk_slots.push(ChunkSlot {
                slot,
                inputs,
                output,
            }),
            Err(error) => {
                state.staging.give(vec![slot]);
                short = Some(error);
                break;
            }
        }
    }
    state.staging.give(left.collect());
    match short {
        // Fewer slots are slower, not wrong.
        Some(error) if chunk_slots.is_empty() => Err(error),
        _ => Ok(chunk_slots),
    }
}

/// The arguments common to every chunk.
struct ChunkStages<'a> {
    state: &'a CudaState,
    chunk_layout: &'a ChunkLayout,
    inputs: &'a [ChunkedMapInput<'a>],
    shared: &'a [Option<Box<dyn DeviceMemory>>],
    output_unit: usize,
    elements: usize,
}

impl ChunkStages<'_> {
    /// Queues one chunk's upload, its kernels and its download.
    fn submit(
        &self,
        chunk: usize,
        chunk_slot: &mut ChunkSlot,
        launch: &mut ChunkLaunch<'_>,
    ) -> Result<(), Error> {
        let state = self.state;
        let first = chunk * self.chunk_layout.elements;
        let elements = self.chunk_layout.elements.min(self.elements - first);
        let slot = &mut chunk_slot.slot;
        for ((buffer, input), &offset) in chunk_slot
            .inputs
            .iter()
            .zip(self.inputs)
            .zip(&self.chunk_layout.input_offsets)
        {
            if let Some(buffer) = buffer {
                // SAFETY: the buffer holds a full chunk; slot and buffer are not touched
                // before `done` has happened.
                unsafe {
                    slot.memory
                        .send(offset, elements * input.unit, buffer.pointer(), &state.up)?;
                }
            }
        }
        slot.arrived.record(&state.up)?;
        state.on_lease(|lease, resources| {
            resources.kernel_timer.kernels_end(&lease.stream)?;
            lease.stream.wait(&slot.arrived)
        })?;
        let operands: Vec<&dyn DeviceMemory> = chunk_slot
            .inputs
            .iter()
            .zip(self.shared)
            .filter_map(|(own, shared)| match own {
                Some(own) => Some(own as &dyn DeviceMemory),
                None => shared.as_deref(),
            })
            .collect();
        launch(&MapChunk {
            first_element: first as u64,
            elements,
            inputs: &operands,
            output: &chunk_slot.output,
        })?;
        state.on_lease(|lease, resources| {
            resources.kernel_timer.kernels_end(&lease.stream)?;
            slot.computed.record(&lease.stream)
        })?;
        state.down.wait(&slot.computed)?;
        let (offset, len) = (self.chunk_layout.output_offset, elements * self.output_unit);
        // SAFETY: as above, for the download.
        unsafe {
            slot.memory
                .receive(offset, len, chunk_slot.output.pointer(), &state.down)?;
        }
        slot.done.record(&state.down)
    }
}
