//! Host-to-host maps with the bus busy both ways while kernels run.
//!
//! Each chunk owns a pinned slot and device buffers for as long as it travels:
//! up on one stream, computed on the lease's, down on a third.

#![allow(unsafe_code)]

use std::sync::Arc;
use std::time::Instant;

use heddle_runtime::Error;
use heddle_runtime::device::{
    Accelerator, DeviceMemory, Moved, Pipeline, PipelineChunk, PipelineInput, PipelineLaunch,
    sequential,
};
use heddle_runtime::units::{Bytes, Nanos};

use super::conveyor::{Carrier, Freight, carry};
use super::core::Core;
use super::layout::Layout;
use super::memory::CudaMemory;
use super::staging::Slot;
use super::{CudaDevice, direct};

/// Traffic that is over before the threads have woken.
const OVERLAP_FROM: usize = 2 << 20;
/// What a chunk moves at least, unless it is the last: its commands take some 12 µs,
/// in which the bus moves about this much.
const SMALLEST_CHUNK: usize = 1 << 20;
/// Chunks for each copying thread, so that one travels while another is filled.
const CHUNKS_PER_COPIER: usize = 2;
/// Chunks that must find room at once for one to move while another is computed.
const OVERLAPPING: usize = 2;

/// A slot with room for its chunk on the device.
struct Wagon {
    slot: Slot,
    /// One per input; None where all chunks share it.
    inputs: Vec<Option<CudaMemory>>,
    output: CudaMemory,
}

impl Carrier for Wagon {
    fn bytes_mut(&mut self) -> &mut [u8] {
        self.slot.memory.bytes_mut()
    }

    fn is_back(&self) -> Result<bool, Error> {
        self.slot.done.has_happened()
    }
}

/// Computes the map chunk by chunk, overlapped where that pays.
pub(super) fn pipeline(
    device: &CudaDevice,
    mut work: Pipeline<'_>,
    launch: &mut PipelineLaunch<'_>,
) -> Result<Moved, Error> {
    let core = device.core();
    let elements = work.elements()?;
    if let Some(moved) = direct::map(device, &mut work, launch)? {
        return Ok(moved);
    }
    let units: Vec<usize> = work.inputs.iter().map(|input| input.unit).collect();
    let in_room = work.elements_in_room();
    let per_element = work.bytes_per_element().max(1);
    let asked = match work.chunk_elements {
        // Small enough that every copying thread has some, large enough to pay for
        // its commands.
        0 => elements
            .div_ceil(CHUNKS_PER_COPIER * core.copiers.current_num_threads())
            .max(SMALLEST_CHUNK / per_element)
            .max(1),
        asked => asked,
    };
    let layout = Layout::new(
        &units,
        work.output_unit,
        asked.min(in_room / OVERLAPPING).max(1),
        core.staging.slot_bytes(),
    );
    let traffic = elements.saturating_mul(per_element);
    let overlaps = in_room >= OVERLAPPING && traffic >= OVERLAP_FROM;
    let Some(layout) = layout.filter(|_| overlaps) else {
        return sequential(device, work, launch);
    };
    let start = Instant::now();
    let mut moved = work.traffic();
    let shared = share(device, work.inputs)?;
    let chunks = elements.div_ceil(layout.elements);
    // All at once: what moves and computes at the same time needs them.
    let slots = core
        .staging
        .take(chunks.min(in_room / layout.elements), usize::MAX)?;
    let wagons = couple(core, &layout, slots, work.inputs)?;
    let inputs = work.inputs;
    let fill = |chunk: usize, to: &mut [u8]| layout.fill(chunk, inputs, to);
    let freight = Freight {
        chunks,
        fill: Some(&fill),
        landings: work.output.chunks(layout.elements * work.output_unit),
        landing_offset: layout.output_offset,
    };
    let route = Route {
        core,
        layout: &layout,
        inputs,
        shared: &shared,
        output_unit: work.output_unit,
        elements,
    };
    let (wagons, outcome) = carry(&core.copiers, wagons, freight, &mut |chunk, wagon| {
        route.depart(chunk, wagon, launch)
    });
    let settled = match &outcome {
        Ok(()) => core.on_lease(|lease, desk| core.settle(lease, desk)),
        // Nothing may still be moving when slots and buffers are used again.
        Err(_) => core.context.synchronize(),
    };
    core.staging
        .give(wagons.into_iter().map(|wagon| wagon.slot).collect());
    outcome.and(settled)?;
    let total = Nanos::from(start.elapsed());
    moved.up_time =
        Nanos((total.0 as f64 * moved.up.0 as f64 / moved.bytes().0.max(1) as f64) as u64);
    moved.down_time = total.saturating_sub(moved.up_time);
    Ok(moved)
}

/// Uploads what every chunk needs whole.
fn share(
    device: &CudaDevice,
    inputs: &[PipelineInput<'_>],
) -> Result<Vec<Option<Box<dyn DeviceMemory>>>, Error> {
    inputs
        .iter()
        .map(|input| {
            if input.unit > 0 {
                return Ok(None);
            }
            let buffer = device.allocate(Bytes(input.bytes.len() as u64))?;
            buffer.upload(&input.bytes.stretch(0..input.bytes.len()))?;
            Ok(Some(buffer))
        })
        .collect()
}

/// Gives each slot device buffers; slots are handed back when memory is short.
fn couple(
    core: &Arc<Core>,
    layout: &Layout,
    slots: Vec<Slot>,
    inputs: &[PipelineInput<'_>],
) -> Result<Vec<Wagon>, Error> {
    let room = |unit: usize| CudaMemory::new(core, Bytes((layout.elements * unit) as u64));
    let mut wagons: Vec<Wagon> = Vec::with_capacity(slots.len());
    let mut left = slots.into_iter();
    let mut short = None;
    for slot in left.by_ref() {
        let buffers = inputs
            .iter()
            .map(|input| (input.unit > 0).then(|| room(input.unit)).transpose())
            .collect::<Result<Vec<_>, _>>()
            .and_then(|inputs| Ok((inputs, room(layout.output_unit)?)));
        match buffers {
            Ok((inputs, output)) => wagons.push(Wagon {
                slot,
                inputs,
                output,
            }),
            Err(error) => {
                core.staging.give(vec![slot]);
                short = Some(error);
                break;
            }
        }
    }
    core.staging.give(left.collect());
    match short {
        // Fewer wagons are slower, not wrong.
        Some(error) if wagons.is_empty() => Err(error),
        _ => Ok(wagons),
    }
}

/// What is the same for every chunk.
struct Route<'a> {
    core: &'a Core,
    layout: &'a Layout,
    inputs: &'a [PipelineInput<'a>],
    shared: &'a [Option<Box<dyn DeviceMemory>>],
    output_unit: usize,
    elements: usize,
}

impl Route<'_> {
    /// Queues one chunk's way up, its kernels and its way down.
    fn depart(
        &self,
        chunk: usize,
        wagon: &mut Wagon,
        launch: &mut PipelineLaunch<'_>,
    ) -> Result<(), Error> {
        let core = self.core;
        let first = chunk * self.layout.elements;
        let elements = self.layout.elements.min(self.elements - first);
        let slot = &mut wagon.slot;
        for ((buffer, input), &offset) in wagon
            .inputs
            .iter()
            .zip(self.inputs)
            .zip(&self.layout.input_offsets)
        {
            if let Some(buffer) = buffer {
                // SAFETY: the buffer has room for a full chunk; wagon and buffer
                // are left alone until `done` has happened.
                unsafe {
                    slot.memory
                        .send(offset, elements * input.unit, buffer.pointer(), &core.up)?;
                }
            }
        }
        slot.arrived.record(&core.up)?;
        core.on_lease(|lease, desk| {
            desk.clock.kernels_end(&lease.stream)?;
            lease.stream.wait(&slot.arrived)
        })?;
        let operands: Vec<&dyn DeviceMemory> = wagon
            .inputs
            .iter()
            .zip(self.shared)
            .filter_map(|(own, shared)| match own {
                Some(own) => Some(own as &dyn DeviceMemory),
                None => shared.as_deref(),
            })
            .collect();
        launch(&PipelineChunk {
            first_element: first as u64,
            elements,
            inputs: &operands,
            output: &wagon.output,
        })?;
        core.on_lease(|lease, desk| {
            desk.clock.kernels_end(&lease.stream)?;
            slot.computed.record(&lease.stream)
        })?;
        core.down.wait(&slot.computed)?;
        let (offset, len) = (self.layout.output_offset, elements * self.output_unit);
        // SAFETY: as above, for the way down.
        unsafe {
            slot.memory
                .receive(offset, len, wagon.output.pointer(), &core.down)?;
        }
        slot.done.record(&core.down)
    }
}
